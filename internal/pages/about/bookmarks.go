package about

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// folderURL returns the canonical URL of the page of a bookmark folder, which is given as
// "Name/Part".
func folderURL(folder string) urlcore.URL {
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

// Folder returns the folder of a URL made by [folderURL].
func Folder(u urlcore.URL) (folder string, ok bool) {
	g, ok := u.(urlcore.Generic)
	rest, below := strings.CutPrefix(g.Rest, "bookmarks/")
	folder = unescape(rest)
	return folder, ok && below && g.Name == "about" && folder != ""
}

// bookmarksPage lists the bookmarks that are inside folder and contain all words.
func (c *Client) bookmarksPage(ctx context.Context, r request) ([]protocols.Line, error) {
	if r.queried && r.query == "" {
		return nil, askWords(&r, "Search the bookmarks")
	}
	if c.Bookmarks == nil {
		return []protocols.Line{text("There are no bookmarks.")}, nil
	}
	folder, words := unescape(r.part), unescape(r.query)
	all, err := c.Bookmarks(ctx)
	var lines []protocols.Line
	if words != "" || len(all) > 0 {
		lines = append(lines, protocols.Line{Kind: protocols.Search, Text: "Search the bookmarks", Link: Page("bookmarks?")})
	}
	if folder != "" || words != "" {
		lines = append(lines, link("All bookmarks", Page("bookmarks")))
	}
	if len(lines) > 0 {
		lines = append(lines, text(""))
	}
	items := filterItems(all, folder, words)
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
	lines = append(lines, folderLines(items, entryRows(items, nil), "", 0)...)
	if len(items) > 0 && c.Followed != nil {
		lines = append(lines, text(""), protocols.Line{Text: "Follow the bookmark under the cursor", Note: protocols.ActionFollow})
	}
	lines = append(lines, c.skippedLinesNote()...)
	if c.BookmarkFile != "" {
		lines = append(lines, text(""), text("They are kept in "+c.BookmarkFile),
			text("in plain text: URL, title and #tags on a line, folders as ## Name/Part."))
	}
	return lines, nil
}

// bookmarkFolder is a folder of bookmarks: the items in it and in its subfolders, with their rows.
type bookmarkFolder struct {
	name  string
	items []Item
	rows  []protocols.Line
}

// folderLines returns the rows of the items in a folder: first the rows of its bookmarks, then each
// subfolder with its own rows below. The parameter parent is the path of the folder with a slash at
// its end, or "". All items are in the folder or its subfolders.
func folderLines(items []Item, rows []protocols.Line, parent string, depth int) (lines []protocols.Line) {
	var folders []*bookmarkFolder
	byName := make(map[string]*bookmarkFolder)
	for i, it := range items {
		rest := strings.TrimPrefix(strings.TrimPrefix(it.Folder+"/", "/"), parent)
		if rest == "" {
			lines = append(lines, nestLine(rows[i], depth))
			continue
		}
		name, _, _ := strings.Cut(rest, "/")
		f := byName[name]
		if f == nil {
			f = &bookmarkFolder{name: name}
			byName[name], folders = f, append(folders, f)
		}
		f.items, f.rows = append(f.items, it), append(f.rows, rows[i])
	}
	for k, f := range folders {
		if depth == 0 && len(lines) > 0 { // a blank line belongs to the folder above it, and is hidden with that folder
			lines = append(lines, nestLine(text(""), min(k, 1)))
		}
		lines = append(lines, nestLine(protocols.Line{Kind: protocols.Directory, Text: f.name, Link: folderURL(parent + f.name)}, depth))
		lines = append(lines, folderLines(f.items, f.rows, parent+f.name+"/", depth+1)...)
	}
	return lines
}

// nestLine returns the line with a note of the number of folders around it.
func nestLine(line protocols.Line, folders int) protocols.Line {
	line.Note = protocols.Nested(folders)
	return line
}

// filterItems returns the items that are inside folder and contain all words.
func filterItems(items []Item, folder, words string) []Item {
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

// skippedLinesNote lists the numbers of the lines of the bookmark file that the page omits, or shows
// without their password.
func (c *Client) skippedLinesNote() []protocols.Line {
	if c.SkippedLines == nil {
		return nil
	}
	skipped, err := c.SkippedLines()
	if err != nil {
		return nil // Bookmarks has returned the error
	}
	var lines []protocols.Line
	if len(skipped.Invalid) > 0 {
		lines = append(lines, text("Lines that gofer does not understand: "+formatNumbers(skipped.Invalid)+" (kept as they are)"))
	}
	if len(skipped.Passwords) > 0 {
		lines = append(lines, text("Bookmarks shown without their password, in lines "+formatNumbers(skipped.Passwords)))
	}
	if len(lines) > 0 {
		lines = append([]protocols.Line{text("")}, lines...)
	}
	return lines
}

// formatNumbers lists the first six numbers, and says how many more there are.
func formatNumbers(list []int) string {
	text := strings.ReplaceAll(strings.Trim(fmt.Sprint(list[:min(len(list), 6)]), "[]"), " ", ", ")
	if n := len(list) - 6; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
