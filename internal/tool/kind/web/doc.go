// Package web executes tools of the kind http: one request for each call.
//
//	run:
//	  http:
//	    method: POST                      # GET when left out
//	    url: "https://api.example.com/v1/customers/{id}/orders"
//	    query:
//	      expand: "{expand}"              # left out when the argument is not given
//	      ids: {value: "{ids}", join: ","} # a list is repeated (ids=1&ids=2) without join
//	      filter: {value: "{filter}", deep: true} # filter[state]=open
//	    headers:
//	      Authorization: "Bearer {secret:CRM_TOKEN}"
//	    body: {items: "{items}", note: "by {who}"} # or "{arguments}"; or form: {…}
//	    result: /data/order               # JSON pointer into the answer
//	    ok: [200, 201]                    # 200 to 299 when left out
//	    timeout: 10s
//
// # Templates
//
// {name} is an argument, {secret:NAME} a secret, "{{" and "}}" are braces. A
// string that is nothing but an argument has the argument's value in a JSON body:
// a list stays a list. {arguments} alone is the object of all the arguments,
// unless an argument has that name. Whatever names an argument that is not given
// is left out of query, headers, forms and bodies. Null counts as not given, but as
// a value of its own in a JSON body. In a path an
// argument is one segment: it is percent-encoded, and "." and "..", which would
// lead elsewhere, are refused. In texts a list is joined by commas and an object
// is JSON.
//
// Arguments that no template uses go into the query of GET, HEAD and DELETE, and
// into the body of the others, beside what the template says; never over it.
//
// # Where requests go
//
// Only to the scheme, host and port that the URL names, in which nothing can be
// filled in. Redirects are followed within them alone. Names are resolved here
// and the very address that is dialled is judged: one that is private, loopback,
// link-local or reserved is refused, unless the URL names the address itself, or
// localhost, or the configuration allows its range. Proxies of the environment
// are not used, nothing is sent twice, no cookies are stored.
//
// # Answers
//
// JSON becomes a value, text a string, an empty answer null. A tool that acts
// sends its call's key as Idempotency-Key. Statuses that are not ok become faults:
// 400, 404, 405, 410, 415, 422 and others Invalid, 401, 402, 403 and 451 Denied,
// 409, 412, 423 and 428 Conflict, 413, 414 and 431 Exhausted, 408, 425 and 5xx
// Unavailable; 429 Unavailable when the server says how long to wait (the cause
// then has a method RetryAfter), else Exhausted. What the server says is in the
// message, cut, without the secrets of the call. Strings of results that hold a
// secret of the call have it replaced, too.
package web
