package about

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestDownloadActions checks that the actions of the downloads page are links, which Enter runs.
func TestDownloadActions(t *testing.T) {
	c := &Client{Downloads: func(string) []protocols.Line {
		return []protocols.Line{{Kind: protocols.Menu, Text: "Resume", Note: protocols.ActionResume}, {Text: "Save", Note: protocols.ActionSave}, {Kind: protocols.Menu, Text: "x"}}
	}}
	_, lines, err := fetchtest.CollectLines(t.Context(), t, c, protocols.Request{URL: Page("downloads")})
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, lines[0].Link, Page("downloads"), "the link of an action")
	fetchtest.Equal(t, lines[1].Link, nil, "the link of a remark")
	fetchtest.Equal(t, lines[2].Link, nil, "the link of a text")
}
