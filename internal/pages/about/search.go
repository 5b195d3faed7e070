package about

import (
	"context"
	"fmt"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// SearchName is the name of the page that searches in what was read.
const SearchName = "search"

// maxFoundTexts is the largest number of pages that a search in what was read lists.
const maxFoundTexts = 100

// foundIndent is before the lines below a found page. It is narrow, because URLs and lines are long.
const foundIndent = "    "

// SearchedWords returns the words of u, a page that searches in what was read, or "".
func SearchedWords(u urlcore.URL) string {
	g, _ := u.(urlcore.Generic)
	_, query, _ := strings.Cut(g.Rest, "?")
	return unescape(query)
}

func searchTextLine() protocols.Line {
	return protocols.Line{Kind: protocols.Search, Text: "Search in what was read", Link: Page(SearchName + "?")}
}

// searchPage lists the pages whose remembered text has all words, each with its URL and the line that has the words.
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

// foundLines returns for each found page a row with the date and the title, and below it the URL and the line with the words.
// A page without a title has only its URL.
func (c *Client) foundLines(found []FoundText) (lines []protocols.Line) {
	now := c.now()
	for _, f := range found {
		u := f.URL.String()
		row := fmt.Sprintf("%8s  ", relativeTime(f.At.In(now.Location()), now))
		if f.Title == "" {
			lines = append(lines, link(row+u, f.URL))
		} else {
			lines = append(lines, link(row+cut(f.Title, rowWidth-len(row)), f.URL), text(foundIndent+u))
		}
		if f.Line != "" {
			lines = append(lines, text(foundIndent+f.Line))
		}
	}
	return lines
}
