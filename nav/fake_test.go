package nav

import (
	"fmt"
	"iter"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type (
	testURL   = fetchtest.URL
	fetchFunc = fetchtest.FetcherFunc
)

var (
	menu     = fetchtest.Menu
	file     = fetchtest.File
	errStall = fetchtest.ErrStall
)

// numberedLines yields n lines. The parameter yielded counts the yielded lines.
func numberedLines(n int, yielded *atomic.Int64) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		for i := range n {
			yielded.Add(1)
			if !yield(protocols.Line{Text: fmt.Sprintf("line %d", i)}, nil) {
				return
			}
		}
	}
}

// readLines reads a load to its end.
func readLines(l *Load) (lines []protocols.Line, err error) {
	for {
		batch, err := l.Next()
		for _, line := range batch.All(0) {
			lines = append(lines, line)
		}
		if err != nil {
			return lines, err
		}
	}
}

func texts(lines []protocols.Line) []string {
	out := []string{}
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return out
}

func linesOf(lines ...protocols.Line) (l Lines) {
	l.Append(lines...)
	return l
}
