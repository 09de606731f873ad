// Package tools tries to misuse tools and the way out to the network: it holds
// tests alone. They run in a sandbox of the real backend, with a registry, a gate
// and a proxy as the product wires them, and share one session.
package tools
