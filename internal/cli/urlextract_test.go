package cli

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"gofer/urlcore"
)

// TestExtractInPieces checks that reading a text in pieces finds the same URLs as reading it whole.
func TestExtractInPieces(t *testing.T) {
	const unit = "See <URL:http://h/long-\n   name> or (ftp://h/pub/), a < b, <URL:nonsense> and <no end mailto:a@b.c "
	for _, text := range []string{
		strings.Repeat(unit, pieceSize/len(unit)+100),
		strings.Repeat("x", pieceSize-9) + " http://h/" + strings.Repeat("y", 50_000) + " news:a.b",
		strings.Repeat("x", pieceSize-20) + "<URL:" + strings.Repeat(" \n", 20_000) + "news:a.b>",
		strings.Repeat("x", 3*pieceSize),
		"<URL:" + strings.Repeat(" ", 2*pieceSize) + " news:a.b",
	} {
		var want strings.Builder
		for _, f := range (urlcore.Parser{}).Extract(text) {
			fmt.Fprintln(&want, f.Start, f.End, f.URL)
		}
		var got strings.Builder
		p := &Program{In: strings.NewReader(text)}
		err := p.eachPiece(nil, func(text string, offset int) error {
			for _, f := range (urlcore.Parser{}).Extract(text) {
				fmt.Fprintln(&got, offset+f.Start, offset+f.End, f.URL)
			}
			return nil
		})
		if err != nil || got.String() != want.String() {
			t.Errorf(
				"eachPiece of %.80q...: %d URLs, %v; want the same %d URLs", text, strings.Count(got.String(), "\n"),
				err, strings.Count(want.String(), "\n"),
			)
		}
	}
}

// urlReader is a Reader that fails after n octets of URLs, or a little later.
type urlReader struct{ n int }

func (e *urlReader) Read(p []byte) (int, error) {
	const text = "gopher://h/ "
	if e.n <= 0 {
		return 0, fmt.Errorf("the end")
	}
	n := copy(p, bytes.Repeat([]byte(text), len(p)/len(text)+1))
	n -= n % len(text)
	if n == 0 {
		n = copy(p, text)
	}
	e.n -= n
	return n, nil
}

// TestExtractMemory checks that the memory does not grow with the length of the text.
func TestExtractMemory(t *testing.T) {
	var peak uint64
	p := &Program{In: &urlReader{16 << 20}}
	_ = p.eachPiece(nil, func(text string, _ int) error {
		found := (urlcore.Parser{}).Extract(text)
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapAlloc)
		runtime.KeepAlive(found)
		return nil
	})
	if peak == 0 || peak > 100<<20 {
		t.Errorf("eachPiece used %d octets of memory, want at most 100 MiB", peak)
	}
}
