package about

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// FolderURL returns the canonical URL of the bookmarks of a folder, "Name/Part".
func FolderURL(folder string) urlcore.URL {
	if u, err := urlcore.Canon(Page("bookmarks/" + escapeParts(folder))); err == nil {
		return u
	}
	return Page("bookmarks")
}

// escapeParts escapes the parts of a path.
func escapeParts(path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = urlcore.EscapeQuery(parts[i])
	}
	return strings.Join(parts, "/")
}

// Folder is the folder of a URL made by [FolderURL].
func Folder(u urlcore.URL) (folder string, ok bool) {
	g, ok := u.(urlcore.Generic)
	rest, below := strings.CutPrefix(g.Rest, "bookmarks/")
	folder = unescape(rest)
	return folder, ok && below && g.Name == "about" && folder != ""
}

// searchFrom is how many bookmarks are found without a search.
const searchFrom = 20

// bookmarks shows the bookmarks inside a folder that hold all of the words.
func (c *Client) bookmarks(ctx context.Context, folder, words string) []protocols.Line {
	if c.Bookmarks == nil {
		return []protocols.Line{text("There are no bookmarks.")}
	}
	all, err := c.Bookmarks(ctx)
	var lines []protocols.Line
	if words != "" || len(all) > searchFrom {
		lines = append(lines, protocols.Line{Kind: protocols.Search, Text: "Search the bookmarks", Link: Page("bookmarks?")})
	}
	if folder != "" || words != "" {
		lines = append(lines, link("All bookmarks", Page("bookmarks")))
	}
	if len(lines) > 0 {
		lines = append(lines, text(""))
	}
	items := filter(all, folder, words)
	switch {
	case err != nil:
		lines = append(lines, failure("The bookmarks cannot be read", err))
	case len(all) == 0:
		lines = append(lines, text("There are no bookmarks yet."))
	case len(items) == 0 && words != "":
		lines = append(lines, text("No bookmark has all of these words in its URL, title, folder or tags."))
	case len(items) == 0:
		lines = append(lines, text("There is no bookmark in this folder."))
	}
	last := ""
	rows := entries(items, nil)
	for i, it := range items {
		if it.Folder != last {
			if i > 0 { // folds with the folder above
				lines = append(lines, nested(text(""), last))
			}
			last = it.Folder
			lines = append(lines, protocols.Line{Kind: protocols.Directory, Text: last, Link: FolderURL(last)})
		}
		lines = append(lines, nested(rows[i], last))
	}
	if c.Changes != nil && len(items) > 0 {
		lines = append(lines, text(""), link("What is new in them since the last visit", Page("new")))
	}
	lines = append(lines, c.skippedLines()...)
	if c.File != "" {
		lines = append(lines, text(""), text("They are kept in "+c.File),
			text("in plain text: URL, title and #tags on a line, folders as ## Name/Part."))
	}
	return lines
}

// nested returns a line as one of a folder, or as it is if folder is "".
func nested(line protocols.Line, folder string) protocols.Line {
	if folder != "" {
		line.Note = protocols.Nested(1)
	}
	return line
}

// filter returns the items inside a folder that hold all of the words.
func filter(items []Item, folder, words string) []Item {
	wanted := strings.Fields(strings.ToLower(words))
	var kept []Item
	for _, it := range items {
		if folder != "" && it.Folder != folder && !strings.HasPrefix(it.Folder, folder+"/") {
			continue
		}
		known := strings.ToLower(it.URL.String() + "\n" + it.Title + "\n" + it.Folder)
		if !slices.ContainsFunc(wanted, func(w string) bool { return !strings.Contains(known, w) }) {
			kept = append(kept, it)
		}
	}
	return kept
}

// skippedLines lists the lines of the bookmark file that are not shown as they are.
func (c *Client) skippedLines() []protocols.Line {
	if c.SkippedLines == nil {
		return nil
	}
	skipped, err := c.SkippedLines()
	if err != nil {
		return nil // Bookmarks has told it
	}
	var lines []protocols.Line
	if len(skipped.Unread) > 0 {
		lines = append(lines, text("Lines that gofer does not understand: "+numbers(skipped.Unread)+" (kept as they are)"))
	}
	switch n := len(skipped.Passwords); {
	case n == 1:
		lines = append(lines, text("Line "+numbers(skipped.Passwords)+" holds a password; gofer leaves it out."))
	case n > 1:
		lines = append(lines, text("Lines that hold a password, which gofer leaves out: "+numbers(skipped.Passwords)))
	}
	if len(lines) > 0 {
		lines = append([]protocols.Line{text("")}, lines...)
	}
	return lines
}

// maxNumbers is how many numbers are told one by one.
const maxNumbers = 6

func numbers(list []int) string {
	var b strings.Builder
	for i, n := range list {
		if i == maxNumbers {
			fmt.Fprintf(&b, " and %d more", len(list)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}
