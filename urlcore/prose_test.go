package urlcore

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var updateProse = flag.Bool("update", false, "write testdata/prose.urls")

// TestProse finds the URLs in running text, between the punctuation of sentences, of mail and of other notations
// (RFC 1738, appendix). The file prose.urls has a line for each URL, with its fragment and its other readings.
func TestProse(t *testing.T) {
	text, err := os.ReadFile("testdata/prose.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range (Parser{MailFields: true, OwnNNTP: true, Readings: true}).Extract(string(text)) {
		b.WriteString(f.URL.String())
		if f.HasFragment {
			b.WriteString("#" + f.Fragment)
		}
		for _, a := range f.Alternatives {
			b.WriteString(" or " + a.String())
		}
		b.WriteString("\n")
	}
	if *updateProse {
		_ = os.WriteFile("testdata/prose.urls", []byte(b.String()), 0o644)
	}
	want, err := os.ReadFile("testdata/prose.urls")
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(wanted)) {
		if i >= len(got) || i >= len(wanted) || got[i] != wanted[i] {
			t.Fatalf("URL %d is %q, want %q", i+1, strings.Join(got[min(i, len(got)):], "\n"), strings.Join(wanted[min(i, len(wanted)):], "\n"))
		}
	}
}
