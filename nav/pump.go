package nav

import (
	"fmt"
	"io"
	"iter"

	"gofer/protocols"
)

// pump passes lines on to Next and returns the error that ended them.
func (l *Load) pump(seq iter.Seq2[protocols.Line, error]) error {
	for line, err := range seq {
		if err != nil {
			return err
		}
		if err := l.push(line); err != nil {
			return err
		}
	}
	return io.EOF
}

// pumpList passes the lines of a list on to Next. If there is a preview and the load allows it, pumpList
// passes the preview first and then all lines at once.
func (l *Load) pumpList(res *protocols.Resource) (err error) {
	if res.Preview == nil || !l.preview {
		return l.pump(res.Lines)
	}
	for line := range res.Preview {
		if err := l.push(line); err != nil {
			return err
		}
	}
	l.text.restart()
	all, end := Lines{replace: true}, io.EOF
	for line, err := range res.Lines {
		if err != nil {
			end = err
			break
		}
		l.text.add(&line)
		if all.Append(line); all.Bytes() > l.limit {
			end = l.tooBig()
			break
		}
		if all.Len()%512 == 1 {
			l.expectLine()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end == nil {
		l.waiting, l.total = all, all.Bytes()
		l.changed.Broadcast()
	}
	return end
}

// push adds a line. It blocks while too many lines wait for Next.
func (l *Load) push(line protocols.Line) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	line.RefuseFile(l.head.Base())
	l.head.LeadLine(&line)
	l.text.add(&line)
	first := l.waiting.Len() == 0
	before := l.waiting.Bytes()
	l.waiting.Append(line)
	if l.total += l.waiting.Bytes() - before; l.total > l.limit {
		return l.tooBig()
	}
	if l.waiting.Len()%512 == 1 {
		l.expectLine()
	}
	if first {
		l.changed.Broadcast()
	}
	for l.end == nil && (l.waiting.Len() >= maxWaitingLines || l.waiting.Bytes() >= maxWaitingBytes) {
		l.changed.Wait()
	}
	return l.end
}

func (l *Load) tooBig() error {
	return &protocols.Error{
		Reason: protocols.TooBig, Op: "keep the page in memory",
		Err: fmt.Errorf("it takes more than %d MiB", max(l.limit>>20, 1)),
	}
}

// expectLine ends the load if too many octets arrive before the next line.
func (l *Load) expectLine() {
	octets := min(l.limit, DefaultLimit)
	l.Progress.Limit(octets, func() {
		l.cancel(&protocols.Error{
			Reason: protocols.TooBig, Op: "read the answer",
			Err: fmt.Errorf("no line to show in %d MiB", max(octets>>20, 1)),
		})
	})
}
