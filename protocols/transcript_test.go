package protocols

import (
	"fmt"
	"slices"
	"testing"
)

func TestTranscriptBounds(t *testing.T) {
	for _, n := range []int{0, 1, maxLines, 2 * maxLines, 2*maxLines + 1, 10*maxLines + 7} {
		var tr Transcript
		for i := range n {
			tr.Add(TranscriptLine{Text: fmt.Sprint(i)})
		}
		first, last, omitted := tr.Lines()
		texts := slices.Concat(first, last)
		if len(texts)+omitted != n || len(texts) > 2*maxLines {
			t.Errorf("%d lines: got %d and %d omitted", n, len(texts), omitted)
		}
		for i, text := range texts {
			want := i
			if i >= maxLines {
				want += omitted
			}
			if text.Text != fmt.Sprint(want) {
				t.Fatalf("%d lines: got %s at %d, want %d", n, text.Text, i, want)
			}
		}
	}
}
