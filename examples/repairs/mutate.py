"""Draws a mutation of a program: python3 mutate.py PROGRAM.txtar SEED

One operator, number or word of a file that is no test is replaced, by the generator of Python's
random module with the seed. It prints what the field "break" of a case takes. A mutation that
the tests of the program do not notice is none: take the next seed."""

import json
import random
import re
import sys

INSTEAD = [("<=", "<"), (">=", ">"), (" < ", " <= "), (" > ", " >= "), ("==", "!="), ("!=", "=="), (" + ", " - "), (" - ", " + "), (" * ", " + "), (" % ", " / "),
           ("&&", "||"), ("||", "&&"), (" and ", " or "), (" or ", " and "), ("++", "--"), (" 0", " 1"), (" 1", " 2"), ("true", "false"), ("not ", "")]

text = open(sys.argv[1]).read()
files = re.findall(r"^-- (\S+) --\n(.*?)(?=^-- \S+ --\n|\Z)", text, re.S | re.M)
places = []
for path, source in files:
    if "test" in path or not path.endswith((".py", ".mjs", ".js", ".go", ".c")):
        continue
    for old, new in INSTEAD:
        for m in re.finditer(re.escape(old), source):
            begin = source.rfind("\n", 0, m.start()) + 1
            end = source.find("\n", m.end())
            line = source[begin:end]
            changed = source[begin : m.start()] + new + source[m.end() : end]
            if source.count(line) == 1 and source.count(changed) == 0 and not line.lstrip().startswith(("#", "//", "/*", "*", '"""')):
                places.append({"path": path, "old": line, "new": changed})
print(json.dumps(random.Random(int(sys.argv[2])).choice(places), ensure_ascii=False))
