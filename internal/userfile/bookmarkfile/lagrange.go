package bookmarkfile

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"gofer/history/bookmarks"
)

// lagrangeEntry is a table of Lagrange's bookmarks.ini, which is TOML. An entry without a URL is a
// folder. Parent is the number of the folder that contains the entry, or 0.
type lagrangeEntry struct {
	URL    string `toml:"url"`
	Title  string `toml:"title"`
	Tags   string `toml:"tags"`
	Parent int    `toml:"parent,omitempty"`
	Order  int    `toml:"order,omitempty"`
}

func writeLagrange(w *bufio.Writer, list []bookmarks.Bookmark) {
	last, open := 0, []int{0} // the numbers of the last entry and of the open folders
	add := func(e lagrangeEntry) {
		last++
		e.Parent, e.Order = open[len(open)-1], last
		text, _ := toml.Marshal(e) // no error, because e has only strings and numbers
		fmt.Fprintf(w, "[%d]\n%s\n", last, text)
	}
	walkFolders(list, func(name string, _ int) {
		add(lagrangeEntry{Title: name})
		open = append(open, last)
	}, func(int) {
		open = open[:len(open)-1]
	}, func(b *bookmarks.Bookmark, _ int) {
		untagged := bookmarks.Bookmark{URL: b.URL, Fragment: b.Fragment, Title: b.Title}
		add(lagrangeEntry{URL: reference(b), Title: titleOf(&untagged), Tags: strings.Join(b.Tags, " ")})
	})
}

func readLagrange(data []byte, keep func(string, bookmarks.Bookmark)) error {
	for line := range bytes.Lines(data) {
		if len(line) > maxText { // go-toml takes minutes for a long dotted key
			return fmt.Errorf("a line has more than %d KiB", maxText>>10)
		}
	}
	var file map[string]any
	if err := toml.Unmarshal(data, &file); err != nil {
		return err
	}
	entries := make(map[int]lagrangeEntry)
	for key, value := range file {
		table, isTable := value.(map[string]any)
		number, err := strconv.Atoi(key)
		if !isTable || err != nil {
			continue // another value of the file, such as recentfolder
		}
		text := func(name string) string { s, _ := table[name].(string); return oneLine(s) }
		count := func(name string) int { n, _ := table[name].(int64); return int(n) }
		entries[number] = lagrangeEntry{URL: text("url"), Title: text("title"), Tags: text("tags"), Parent: count("parent"), Order: count("order")}
	}
	var numbers []int
	for number := range entries {
		numbers = append(numbers, number)
	}
	slices.SortFunc(numbers, func(a, b int) int { return cmp.Or(entries[a].Order-entries[b].Order, a-b) })
	for _, number := range numbers {
		e := entries[number]
		if e.URL == "" {
			continue
		}
		// Tags that begin with a dot, such as ".subscribed", are instructions for Lagrange.
		tags := slices.DeleteFunc(tagList(e.Tags), func(tag string) bool { return strings.HasPrefix(tag, ".") })
		keep(e.URL, bookmarks.Bookmark{Title: e.Title, Folder: lagrangeFolder(entries, e.Parent), Tags: tags})
	}
	return nil
}

// lagrangeFolder returns the path of the folder with the given number. The path has at most maxDepth
// elements, even if folders contain each other.
func lagrangeFolder(entries map[int]lagrangeEntry, number int) string {
	var path []string
	for e, ok := entries[number]; ok && e.URL == "" && len(path) < maxDepth; e, ok = entries[e.Parent] {
		path = append(path, e.Title)
	}
	slices.Reverse(path)
	var in folders
	for _, name := range path {
		in.enter(name)
	}
	return in.String()
}
