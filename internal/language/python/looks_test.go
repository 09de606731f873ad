package python

import "testing"

func TestLooks(t *testing.T) {
	for text, want := range map[string][2]bool{
		"import pandas as pd\ndf = pd.read_csv('a.csv')\n\ndf.head()":                {true, true},
		"# count\nfor x in y:\n    print(x)\n\nelse:\n    pass":                      {true, true},
		"def f(a,\n      b):\n    \"\"\"Prose.\n\nMore prose.\n\"\"\"\n    return a": {true, true},
		"data = {\n  'a': 1,\n}\nprint(data)":                                        {true, true},
		"from math import pi":                                                        {true, true},
		"total = 42":                                                                 {true, false},
		"df.head()":                                                                  {true, false},
		"import math\nmath.pi":                                                       {true, true},
		"df = f(1)\ndf":                                                              {true, false},
		"hello":                                                                      {false, false},
		"e.g.":                                                                       {false, false},
		"x, y = 1, 2":                                                                {true, false},
		"The total is 42.":                                                           {false, false},
		"import taxes are high, and they rise.":                                      {false, false},
		"From what I see, the import grew.":                                          {false, false},
		"For each region:\n- North\n- South":                                         {false, false},
		"a | b\n1 | 2":                                                               {false, false},
		"42":                                                                         {false, false},
		"North    10\nSouth    20":                                                   {false, false},
		"import x\nThis loads the module.":                                           {false, false},
		"":                                                                           {false, false},
		"    indented prose":                                                         {false, false},
		"- total = 42":                                                               {false, false},
		"If the sum is right, the answer is no:":                                     {false, false},
	} {
		if likely, surely := looks(text); likely != want[0] || surely != want[1] {
			t.Errorf("%q: likely %t, surely %t", text, likely, surely)
		}
	}
}
