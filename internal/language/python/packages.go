package python

import (
	"strings"

	"praxis/internal/lazyregexp"
)

// absent finds the module in what an exception says that a module is missing:
// the interpreter's own words, and those of pandas for what it needs besides.
var absent = lazyregexp.New("^(?:No module named '([A-Za-z0-9_.]{1,64})'|(?:`Import|Missing optional dependency) '?([A-Za-z0-9_]{1,64})['`])")

// packageOf returns the module that an exception misses, and the package that has
// it. Of a module inside another one the interpreter names the whole path only
// where the outer one is there, so that no package would help. Modules of the
// standard library that the image has not are in no package.
func packageOf(exception, text string) (module, pack string) {
	if exception != "ModuleNotFoundError" && exception != "ImportError" {
		return "", ""
	}
	m := absent.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	module = m[1] + m[2]
	name, listed := packages()[module]
	switch {
	case listed:
		return module, name
	case strings.Contains(module, ".") || strings.HasPrefix(module, "_"):
		return "", ""
	}
	return module, strings.ReplaceAll(module, "_", "-")
}

// packages says which package a module is in where they have different names.
// The empty package is that of modules which no wheel has.
func packages() map[string]string {
	return map[string]string{
		"Bio": "biopython", "Crypto": "pycryptodome", "Levenshtein": "levenshtein", "MySQLdb": "mysqlclient",
		"OpenSSL": "pyopenssl", "PIL": "pillow", "attr": "attrs", "bs4": "beautifulsoup4", "cairo": "pycairo",
		"cv2": "opencv-python-headless", "dateutil": "python-dateutil", "discord": "discord.py", "docx": "python-docx",
		"dotenv": "python-dotenv", "faiss": "faiss-cpu", "fitz": "pymupdf", "git": "gitpython",
		"google.cloud.bigquery": "google-cloud-bigquery", "google.cloud.storage": "google-cloud-storage",
		"google.genai": "google-genai", "google.protobuf": "protobuf", "great_tables": "great-tables",
		"jose": "python-jose", "jwt": "pyjwt", "kafka": "kafka-python", "ldap": "python-ldap",
		"magic": "python-magic", "mpl_toolkits": "matplotlib", "multipart": "python-multipart", "nacl": "pynacl",
		"osgeo": "gdal", "pkg_resources": "setuptools", "pptx": "python-pptx", "psycopg2": "psycopg2-binary",
		"pylab": "matplotlib", "pytest_asyncio": "pytest-asyncio", "pywt": "pywavelets",
		"ruamel": "ruamel.yaml", "serial": "pyserial", "skimage": "scikit-image",
		"sklearn": "scikit-learn", "slugify": "python-slugify", "snappy": "python-snappy", "socks": "pysocks",
		"telegram": "python-telegram-bot", "usb": "pyusb", "websocket": "websocket-client",
		"win32com": "", "wx": "wxpython", "yaml": "pyyaml", "zmq": "pyzmq", "distutils": "setuptools",
		"tkinter": "", "turtle": "", "idlelib": "", "ensurepip": "", "winreg": "", "msvcrt": "", "imp": "", "asyncore": "",
		"cgi": "", "telnetlib": "", "smtpd": "", "asynchat": "", "pipes": "", "crypt": "", "nis": "", "spwd": "",
	}
}
