package python

import "testing"

func TestPackageOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ exception, text, module, pack string }{
		{"ModuleNotFoundError", "No module named 'cv2'", "cv2", "opencv-python-headless"},
		{"ModuleNotFoundError", "No module named 'sklearn'", "sklearn", "scikit-learn"},
		{"ModuleNotFoundError", "No module named 'PIL'", "PIL", "pillow"},
		{"ModuleNotFoundError", "No module named 'yaml'", "yaml", "pyyaml"},
		{"ModuleNotFoundError", "No module named 'bs4'", "bs4", "beautifulsoup4"},
		{"ModuleNotFoundError", "No module named 'dateutil'", "dateutil", "python-dateutil"},
		{"ModuleNotFoundError", "No module named 'polars'", "polars", "polars"},
		{"ModuleNotFoundError", "No module named 'typing_extensions'", "typing_extensions", "typing-extensions"},
		{"ModuleNotFoundError", "No module named 'google.protobuf'", "google.protobuf", "protobuf"},
		{"ModuleNotFoundError", "No module named 'numpy.nowhere'", "", ""},
		{"ModuleNotFoundError", "No module named 'sys.x'; 'sys' is not a package", "", ""},
		{"ModuleNotFoundError", "No module named '_tkinter'", "", ""},
		{"ModuleNotFoundError", "No module named 'tkinter'", "tkinter", ""},
		{"ModuleNotFoundError", "No module named 'a; rm -rf'", "", ""},
		{"ImportError", "Missing optional dependency 'openpyxl'.  Use pip or conda to install openpyxl.", "openpyxl", "openpyxl"},
		{"ImportError", "`Import lxml` failed.  Use pip or conda to install the lxml package.", "lxml", "lxml"},
		{"ImportError", "cannot import name 'x' from 'y'", "", ""},
		{"NameError", "No module named 'cv2'", "", ""},
	} {
		if module, pack := packageOf(c.exception, c.text); module != c.module || pack != c.pack {
			t.Errorf("%s: %s: got %q in %q, want %q in %q", c.exception, c.text, module, pack, c.module, c.pack)
		}
	}
	for module, pack := range packages() {
		if module == pack {
			t.Errorf("%s is in the table for nothing", module)
		}
	}
}
