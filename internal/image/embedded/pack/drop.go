package main

import "path"

// drop says what is left out: patterns of [path.Match], relative to what is packed.
// What matches goes with everything below it.
type drop []string

// match says whether the file or folder called name is left out.
func (d drop) match(name string) bool {
	for at := name; at != "." && at != "/"; at = path.Dir(at) {
		for _, pattern := range d {
			if ok, err := path.Match(pattern, at); ok || err != nil {
				return true // a pattern that is wrong leaves out everything, which no test overlooks
			}
		}
	}
	return false
}

// pythonDrop is what a sandbox has no use for of CPython: graphical toolkits,
// the build system's leftovers, the modules that test the interpreter itself,
// and the shared library of an interpreter that is linked statically.
func pythonDrop() drop {
	return drop{
		"bin/idle*", "bin/pip*", "bin/pydoc*", "bin/*-config",
		"lib/libpython*", "lib/libtcl*", "lib/libtk*", "lib/itcl*", "lib/tcl*", "lib/tk*", "lib/thread*", "lib/pkgconfig",
		"lib/python3.14/tkinter", "lib/python3.14/idlelib", "lib/python3.14/turtledemo", "lib/python3.14/turtle.py",
		"lib/python3.14/test", "lib/python3.14/config-*", "lib/python3.14/ensurepip", "lib/python3.14/lib-dynload/_tkinter*",
		"lib/python3.14/lib-dynload/_test*", "lib/python3.14/lib-dynload/_ctypes_test*",
		"include", "share",
	}
}

// pipDrop is what is not needed of pip: launchers for Windows.
func pipDrop() drop { return drop{"pip/_vendor/distlib/*.exe"} }
