package archive

// PythonDrop is what a sandbox has no use for of CPython: graphical toolkits,
// the build system's leftovers, the modules that test the interpreter itself,
// and the shared library of an interpreter that is linked statically.
func PythonDrop() Drop {
	return Drop{
		"bin/idle*", "bin/pip*", "bin/pydoc*", "bin/*-config",
		"lib/libpython*", "lib/libtcl*", "lib/libtk*", "lib/itcl*", "lib/tcl*", "lib/tk*", "lib/thread*", "lib/pkgconfig",
		"lib/python3.14/tkinter", "lib/python3.14/idlelib", "lib/python3.14/turtledemo", "lib/python3.14/turtle.py",
		"lib/python3.14/test", "lib/python3.14/config-*", "lib/python3.14/ensurepip", "lib/python3.14/lib-dynload/_tkinter*",
		"lib/python3.14/lib-dynload/_test*", "lib/python3.14/lib-dynload/_ctypes_test*",
		"include", "share",
	}
}

// PipDrop is what is not needed of pip: launchers for Windows.
func PipDrop() Drop { return Drop{"pip/_vendor/distlib/*.exe"} }
