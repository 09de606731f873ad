// Package builds holds the tests that build images of files, with steps in real sandboxes.
package builds
