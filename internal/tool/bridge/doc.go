// Package bridge is what a run offers: tools to its model as native calls, and
// tools and connections to the code in its session. Every call goes through the
// run's gate, whoever makes it.
//
// # What code asks
//
// The module "tools" inside sends one JSON object a question ([Desk.Tools]):
//
//	{"do":"names"}                                  → {"names":[…],"total":N}
//	{"do":"namespace","name":"crm"}                 → {"tools":[SPEC…],"namespaces":["crm.sub"]}
//	{"do":"search","query":"…","limit":10}          → {"tools":[{"name","version","summary"}]}
//	{"do":"describe","name":"crm.find"}             → SPEC
//	{"do":"call","tool":"crm.find","version":"","arguments":{…},"id":"…","again":false} → {"result":…}
//	{"do":"result","id":"2.1"}                      → {"result":…}   of an earlier native call
//
// SPEC is package pystub's. What is refused, and what failed, is a fault with a
// remedy, an exception inside. A call is carried out once however often it is
// asked for under the same id; "again" on a call that nobody knows says that the
// session was restored in the middle of it, and is refused.
package bridge
