package wire_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/wire"
)

func TestLineReaderCut(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		input string
		last  error // the error after the input
		want  []error
	}{
		{"a\r\nb\n", broken, []error{nil, nil}},
		{"a\r\nb", broken, []error{nil, broken}},
		{"a", io.EOF, []error{io.EOF}},
	} {
		l := wire.NewLineReader(io.MultiReader(strings.NewReader(test.input), iotest.ErrReader(test.last)))
		for i, want := range test.want {
			line, _, err := l.Next()
			if got := l.LineError(); err != nil || !errors.Is(got, want) {
				t.Errorf("%q, line %d: got %q, %v, cut by %v, want cut by %v", test.input, i, line, err, got, want)
			}
		}
		if _, _, err := l.Next(); !errors.Is(err, test.last) {
			t.Errorf("%q: got %v at the end, want %v", test.input, err, test.last)
		}
	}
}
