// Package scripts holds the tests that run JavaScript and TypeScript in real sandboxes.
package scripts
