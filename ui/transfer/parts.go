package transfer

import (
	"cmp"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/charset"
	"gofer/internal/text/document"
	"gofer/internal/text/mimeheader"
	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// splitFile is a file with at least two parts among the tagged articles.
type splitFile struct {
	name  string
	total int                 // number of parts
	parts map[int]urlcore.URL // the tagged articles, by the number of the part
}

// splitFiles returns the files whose parts are among lines, and the other lines. The Subjects of the parts
// of a file differ only in the number.
func splitFiles(lines []protocols.Line) (files []*splitFile, others []protocols.Line) {
	type key struct {
		rest, from string
		parts      int // for Subjects such as "[/2] (3/9)" and "[1/2] (/9)", which have the same rest
	}
	byKey, fileOf := make(map[key]*splitFile), make([]*splitFile, len(lines))
	for i, line := range lines {
		note, ok := line.Note.(*protocols.ArticleNote)
		if !ok {
			continue
		}
		part := protocols.PartOfSubject(mimeheader.OneLine(mimeheader.Decode(note.Subject)))
		if part.Parts < 2 {
			continue
		}
		k := key{part.Rest, note.From, part.Parts}
		f := byKey[k]
		if f == nil {
			f = &splitFile{name: mimeheader.FileName(charset.Auto, part.FileName()), total: part.Parts, parts: make(map[int]urlcore.URL)}
			byKey[k] = f
		}
		if f.parts[part.Part] == nil {
			f.parts[part.Part], fileOf[i] = line.Link, f
		}
	}
	listed := make(map[*splitFile]bool)
	for i, line := range lines {
		f := fileOf[i]
		switch {
		case f == nil, len(f.parts) < 2:
			others = append(others, line)
		case !listed[f]:
			files, listed[f] = append(files, f), true
		}
	}
	return files, others
}

// links returns the tagged articles in the order of the parts.
func (f *splitFile) links() (links []urlcore.URL) {
	for _, n := range slices.Sorted(maps.Keys(f.parts)) {
		links = append(links, f.parts[n])
	}
	return links
}

// askToJoin asks whether to join the parts of files that are tagged. If the answer is no, it asks whether to
// save the articles. It returns false if no parts are tagged.
func (d *Downloads) askToJoin(items *viewer.Items) bool {
	files, others := splitFiles(items.Lines)
	b, n := &taggedSave{items: items, joined: make(map[urlcore.URL][]urlcore.URL)}, 0
	for _, f := range files {
		links := f.links()
		if u := document.JoinURL(links[0], cmp.Or(f.name, "joined")); u != nil {
			b.joined[u] = links
			b.rest = append(b.rest, download.Request{URL: u})
			n += f.total
		}
	}
	if n == 0 {
		return false
	}
	title := "Join " + english.Plural(n, "part", "")
	if len(b.joined) > 1 {
		title += " of " + english.Plural(len(b.joined), "file", "")
	}
	q := ask.NewQuestion(title+"?", false, func() tea.Cmd { return d.fillQueue(b) })
	if len(others) > 0 {
		q.Reason = english.Plural(len(others), "other item stays", "other items stay") + " tagged."
	}
	q.No = func() tea.Cmd { return d.askToSave(items) }
	items.View.Prompt = q
	return true
}
