// Package bridge is the tool bridge of a run. It exposes tools to the run's model
// as native calls, and tools and connections to the code in its session. Every
// call goes through the run's gate, whoever makes it.
//
// # Requests of code
//
// The module "tools" in the sandbox sends one JSON object a request ([Bridge.Tools]):
//
//	{"do":"names"}                                  → {"names":[…],"total":N}
//	{"do":"namespace","name":"crm"}                 → {"tools":[SPEC…],"namespaces":["crm.sub"]}
//	{"do":"search","query":"…","limit":10}          → {"tools":[{"name","version","summary"}]}
//	{"do":"describe","name":"crm.find"}             → SPEC
//	{"do":"call","tool":"crm.find","version":"","arguments":{…},"id":"…","again":false} → {"result":…}
//	{"do":"begin","role":"query","model":"","fork":false,"items":[{"task":"…","data":[{"name","path","form"}]}]}
//	                                                → {"results":[{"text":…} or {"value":…} or {"error":{"kind","message","remedy"}}…]}
//	{"do":"result","id":"2.1"}                      → {"result":…}   of an earlier native call
//
// SPEC is package pystub's. A call that is refused or fails comes back as a fault
// with a remedy, which the module raises as an exception. A call is executed once,
// however often it is sent under the same id. A call with "again" whose id is not
// known was under way when the session was restored; it is refused, since nobody
// can say whether it was executed.
package bridge
