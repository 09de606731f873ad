package guest

import (
	"fmt"
	"strings"

	"praxis/event"
)

// capture is what a result keeps of an execution's output. With a bound it keeps
// the beginning and the end, as the guest does when it cuts: a bound of both
// streams together for the beginning, and of each for the end.
type capture struct {
	bounded bool
	head    int64 // bytes that may still go to out
	tail    int   // bytes kept of the end of each stream

	out     [3]strings.Builder // by stream
	ends    [3][]byte
	total   [3]int64 // bytes that the code wrote
	omitted [3]int64 // of those, left out by the guest
}

// bound makes k keep no more than n bytes.
func (k *capture) bound(n int64) {
	tail := min(n/4, max(2<<10, n/16))
	k.bounded, k.tail, k.head = true, int(tail), n-2*tail
}

func (k *capture) add(s event.Stream, data []byte) {
	k.total[s] += int64(len(data))
	if !k.bounded {
		k.out[s].Write(data)
		return
	}
	n := min(k.head, int64(len(data)))
	k.head -= n
	k.out[s].Write(data[:n])
	if data = data[n:]; len(data) > k.tail {
		data = data[len(data)-k.tail:]
	}
	if end := k.ends[s]; len(end)+len(data) > 2*k.tail {
		k.ends[s] = append(end[:0], end[len(end)-k.tail:]...)
	}
	k.ends[s] = append(k.ends[s], data...)
}

// leaveOut says that n bytes of a stream did not come, and text in their place.
func (k *capture) leaveOut(s event.Stream, n int64, text string) {
	k.total[s] += n
	k.omitted[s] += n
	if !k.bounded {
		k.out[s].WriteString(text)
	}
}

// into writes what is kept to a result.
func (k *capture) into(x *event.Execution) {
	for _, s := range []event.Stream{event.Stdout, event.Stderr} {
		end := k.ends[s]
		end = end[max(0, len(end)-k.tail):]
		if k.bounded {
			k.omitted[s] = k.total[s] - int64(k.out[s].Len()+len(end))
			if k.omitted[s] > 0 {
				k.out[s].WriteString(leftOut(k.omitted[s]))
			}
			k.out[s].Write(end)
		}
	}
	x.Stdout, x.Stderr = k.out[event.Stdout].String(), k.out[event.Stderr].String()
	x.StdoutBytes, x.StderrBytes = k.total[event.Stdout], k.total[event.Stderr]
	x.StdoutTruncated, x.StderrTruncated = k.omitted[event.Stdout] > 0, k.omitted[event.Stderr] > 0
}

// leftOut is what stands in a stream where n bytes were.
func leftOut(n int64) string { return fmt.Sprintf("\n… [%d bytes left out] …\n", n) }
