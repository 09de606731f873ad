// Package stream is what the clients of providers have in common: a request
// over HTTP whose answer is a stream of server-sent events, put together to a
// reply.
//
// A provider says how a request is written and what its events mean (a
// [Decoder]). Everything else is here, once:
//
//   - [Client] sends the request and watches the answer. It follows no redirect,
//     since one would send the key to another host, and bounds what it reads:
//     64 KiB of an error, [MaxEvent] of an event, [MaxBody] of an answer.
//   - Silence is bounded, and ten times as long for the whole answer. A server on
//     the person's machine or network is waited for longer, and not asked again
//     after it: it may still be at work on the first request.
//   - A request is over, its connection given back or closed, before the next is sent.
//   - [Retry] asks again after a failure that may pass, with one bound for a
//     request that failed and a stream that was cut in the middle. When a reply
//     is cut after text was shown, the text is shown again from its beginning
//     after a line that says so; the reply that is returned is the last one.
//   - Failures become the faults of package praxis/internal/llm: the same status
//     means the same with every provider. The key is never part of an error.
package stream
