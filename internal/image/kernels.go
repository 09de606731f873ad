package image

import (
	"os"
	"slices"

	"praxis/internal/image/kernelspec"
	"praxis/internal/language"
)

// JupyterClient is the package that drives kernels of Jupyter's; clientModule is the module of it.
const (
	JupyterClient = "jupyter-client"
	clientModule  = "jupyter_client"
)

// kernels returns the languages that a layer of packages brings as kernels of Jupyter's,
// beside those that the image has.
func kernels(tree, python string, has []language.Runtime) []language.Runtime {
	// The kernel's own program is one in Python, which every image has.
	return kernelsIn(tree, []string{"share/jupyter/kernels"}, guestPackages, python, has)
}

// kernelsIn looks in folders of tree, which is guest in the guest.
func kernelsIn(tree string, folders []string, guest, program string, has []language.Runtime) []language.Runtime {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return nil
	}
	defer root.Close()
	taken := make([]string, len(has))
	for i, r := range has {
		taken[i] = r.Language
	}
	return kernelspec.Find(root, folders, guest, program, taken)
}

// addKernels adds the languages that the files of a container image bring as kernels of
// Jupyter's. What drives them is a program in Python with a package, which the interpreter
// itself or the layer beside it has. Where neither has, the languages are known and cannot
// be run.
func (i *Image) addKernels(b *basePart, layer *layerPart, python string) {
	program := ""
	if b.Python != nil && b.Python.Jupyter || layer != nil && layer.drives() {
		program = python
	}
	found := kernelsIn(b.tree(), kernelspec.Folders(), "/", program, i.Runtimes)
	if program != "" {
		i.Runtimes = append(i.Runtimes, found...)
		return
	}
	for _, r := range found {
		i.Undriven = append(i.Undriven, r.Language)
	}
}

// drives says whether the layer has the package that drives kernels of Jupyter's.
func (l *layerPart) drives() bool {
	return slices.ContainsFunc(l.lock.Wheels, func(w Wheel) bool { return w.Name == JupyterClient })
}
