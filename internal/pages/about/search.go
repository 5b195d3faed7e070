package about

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gofer/protocols"
)

// SearchName is the name of the page that searches in what was read.
const SearchName = "search"

// maxFoundTexts is the largest number of pages that a search in what was read lists.
const maxFoundTexts = 100

func searchTextLine() protocols.Line {
	return protocols.Line{Kind: protocols.Search, Text: "Search in what was read", Link: Page(SearchName + "?")}
}

// searchPage lists the pages whose remembered text has all words, each with the line that has the words.
func (c *Client) searchPage(ctx context.Context, r request) ([]protocols.Line, error) {
	if r.queried && r.query == "" {
		return nil, askWords(&r, "Search in what was read")
	}
	lines := []protocols.Line{searchTextLine()}
	if !c.RemembersText {
		lines = append(lines, text(""), text("The text of pages is not remembered. The setting remember_text turns it on."))
		if c.Settings != nil {
			lines = append(lines, link("The settings", Page("settings")))
		}
	}
	words := unescape(r.query)
	if words == "" {
		return append(lines, text(""),
			text("A page has all words, the last of them perhaps as the beginning of a longer one."),
			text(`Words in "double quotes" follow each other; -word leaves out the pages with it.`)), nil
	}
	found, err := c.Texts(ctx, words, maxFoundTexts)
	lines = append(lines, text(""), heading("Pages with: "+words))
	if state := c.historyState(err); len(state) > 0 {
		lines = append(lines, state...)
	}
	if err == nil && len(found) == 0 {
		return append(lines, text("No remembered page has all of these words.")), nil
	}
	lines = append(lines, c.foundLines(found)...)
	if len(found) == maxFoundTexts {
		lines = append(lines, text(""), text(fmt.Sprintf("These are the best %d; more words find fewer.", maxFoundTexts)))
	}
	return lines, nil
}

// foundLines returns the rows of found pages, each with the line that has the words below it.
func (c *Client) foundLines(found []FoundText) (lines []protocols.Line) {
	now, width := c.now(), 0
	when := func(t time.Time) string {
		date := relativeTime(t.In(now.Location()), now)
		width = max(width, len(date))
		return date
	}
	items := make([]Item, len(found))
	for i, f := range found {
		items[i] = f.Item
	}
	rows := entryRows(items, when)
	for i, f := range found {
		if lines = append(lines, rows[i]); f.Line != "" {
			lines = append(lines, text(strings.Repeat(" ", width+2)+f.Line))
		}
	}
	return lines
}
