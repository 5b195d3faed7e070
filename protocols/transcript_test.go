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
			t.Errorf("after %d calls of Add, Lines returned %d lines and %d omitted lines", n, len(texts), omitted)
		}
		for i, text := range texts {
			want := i
			if i >= maxLines {
				want += omitted
			}
			if text.Text != fmt.Sprint(want) {
				t.Fatalf("after %d calls of Add, line %d of Lines is %s; want %d", n, i, text.Text, want)
			}
		}
	}
}
