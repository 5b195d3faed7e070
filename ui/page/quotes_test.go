package page

import (
	"fmt"
	"testing"

	"gofer/nav"
	"gofer/protocols"
)

func TestQuotesOfManyLines(t *testing.T) {
	var p nav.Page
	p.Media = protocols.MediaArticle
	kinds := "iqqqqqiqqqiqqqqi"
	for i, c := range kinds {
		kind := protocols.Info
		if c == 'q' {
			kind = protocols.Quote
		}
		p.Lines.Append(protocols.Line{Kind: kind, Text: fmt.Sprint(i)})
		v := Pager{Page: &p}
		v.FoldQuotes = true
		got := ""
		for k := v.LineBelow(-1); k < p.Lines.Len(); k = v.LineBelow(k) {
			got += fmt.Sprint(k, " ")
			if back := v.LineAbove(v.LineBelow(k)); back != k {
				t.Errorf("%d lines: LineAbove(LineBelow(%d)) = %d", i+1, k, back)
			}
		}
		if i == len(kinds)-1 && got != "0 1 6 7 8 9 10 11 15 " {
			t.Errorf("got the lines %s, want those outside of long quotes", got)
		}
	}
}
