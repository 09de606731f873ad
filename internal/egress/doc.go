// Package egress is the only way from sandboxed code to the network: a proxy on
// the host, off unless rules are given. The sandbox has no network; a shim in it
// accepts connections at 127.0.0.1 and hands their bytes to [Proxy.Serve].
//
// # Protocols
//
// The first byte decides: 5 is SOCKS5 (RFC 1928, without authentication, CONNECT
// only), anything that can begin a method is HTTP/1.1, either a request with a
// whole URL or CONNECT. Names are resolved here, never in the sandbox.
//
// # What is decided, and when
//
// A rule allows a name, or the names below one, or an address, and ports; see
// [ParseRules]. In this order:
//
//  1. Name and port must be allowed, before the name is looked up. Addresses in
//     notations that programs read differently (octal, hexadecimal, fewer than
//     four numbers, mapped, with a zone) are refused, not interpreted.
//  2. The name is looked up once. Answers that are no public address are
//     skipped, unless the rules name the address itself, with the port: private,
//     loopback, link-local, multicast, shared, reserved and documentation
//     addresses, those of Teredo and 6to4, those in NAT64 or ISATAP form of such
//     an address, where clouds keep metadata, and the addresses of the host
//     itself. When none is left the connection is refused. The answers that are
//     left are dialled as they are; there is no second look-up.
//  3. The first bytes of a tunnel are looked at. A TLS ClientHello must name the
//     host that the tunnel is for. HTTP must have it as its Host. Anything else
//     passes only on a port other than 80 and 443 that the rule names.
//  4. HTTP, in a tunnel or not, is never passed on as it came: a request that
//     can be read in two ways is refused, and what was understood is written anew
//     by net/http, without what concerns one connection only. Redirects go back to
//     the code, whose next request is checked again.
//
// # What this does not do
//
// Inside TLS that is not read, nothing more than the ClientHello is checked: code
// can ask a host that serves several names for another one there (its Host, or the
// inner name of ECH), and the ClientHello that follows a HelloRetryRequest is not
// seen. A port on which any protocol passes gives access to all that the server at
// this port can be made to do; there HTTP and TLS are recognised for the sake of
// honest code only. A tunnel to an address that is allowed as such may name any
// host. And the code may send all that it knows to every host that it may reach:
// rules limit where data goes, not which data.
//
// # Credentials
//
// The code holds a placeholder. In requests to the host, port and path that a
// [Credential] is bound to, its header has the secret put in; a request with a
// placeholder anywhere else is refused, where it can be read. To do this, TLS
// to these hosts, and only to these, ends in the proxy, under certificates of an
// authority that exists in the memory of one process, for one run, and can sign for
// no other names; towards the host it begins anew, with its certificate verified.
// The secret is taken out of what the host answers: as it is, escaped as in JSON, URLs
// and HTML, in hexadecimal and in base64. This protects against an echo. A host that
// writes it in another form, in other letters, encoded twice or in parts, gives it to
// the code. Against such a host a credential has [Fields]: then the code gets, of all
// that the host answers on whatever port, the status and the JSON fields that are
// named, in a response made anew, and TLS to every port of the host is read.
//
// A credential that is bound to a path goes along only with a path that every
// server takes for the same one; see path.go.
//
// # Life of a connection
//
// Its opening is an event before a byte flows, its end is another, and so is each
// refusal; refusals in great number are grouped. There are limits on how many there
// are, how fast they are begun, how long a head may take and be, and how long
// nothing may happen; see [Limits]. [Proxy.SetRules] closes what is no longer
// allowed. [Proxy.Close] ends everything and waits.
package egress
