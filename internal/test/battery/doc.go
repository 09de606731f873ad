// Package battery tries to break out of a session, and to break it: it holds
// tests alone, the cases (testdata/probes.txt in Python, testdata/probes_js.txt in
// JavaScript, and Go) and what they need on the host to be caught by. Every case runs in
// a fresh session of the real backend, with the limits that a user gets.
package battery
