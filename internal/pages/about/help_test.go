package about

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestHelpListsSearchWords(t *testing.T) {
	c := &Client{Search: []SearchWord{{"v", "gopher://v.example/7/x?{q}"}}}
	got := show(t, c, "about:help")
	fetchtest.Contains(t, got, "heading|Search words\n", "the help")
	fetchtest.Contains(t, got, "info|v WORDS               gopher://v.example/7/x?{q}\n", "the help")
	fetchtest.NotContains(t, show(t, new(Client), "about:help"), "Search words", "without any")
}
