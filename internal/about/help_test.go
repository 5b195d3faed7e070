package about

import (
	"strings"
	"testing"
)

func TestHelpListsSearchWords(t *testing.T) {
	c := &Client{Search: []SearchWord{{"v", "gopher://v.example/7/x?{q}"}}}
	got := show(t, c, "about:help")
	if want := "heading|Search words\n"; !strings.Contains(got, want) {
		t.Errorf("the help lacks %q:\n%s", want, got)
	}
	if want := "info|v WORDS                 gopher://v.example/7/x?{q}\n"; !strings.Contains(got, want) {
		t.Errorf("the help lacks %q:\n%s", want, got)
	}
	if got := show(t, new(Client), "about:help"); strings.Contains(got, "Search words") {
		t.Errorf("without any:\n%s", got)
	}
}
