package image

import (
	"os"

	"praxis/internal/image/kernelspec"
	"praxis/internal/language"
)

// kernels returns the languages that a layer of packages brings as kernels of Jupyter's,
// beside those that the image has.
func kernels(tree string, has []language.Runtime) []language.Runtime {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return nil
	}
	defer root.Close()
	taken := make([]string, len(has))
	for i, r := range has {
		taken[i] = r.Language
	}
	// The kernel's own program is one in Python, which every image has.
	return kernelspec.Find(root, []string{"share/jupyter/kernels"}, guestPackages, guestPython+"/bin/python3", taken)
}
