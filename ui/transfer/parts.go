package transfer

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/download"
	"gofer/internal/text/charset"
	"gofer/internal/text/document"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// splitFile is a file with at least two parts among the tagged articles.
type splitFile struct {
	name  string
	parts []urlcore.URL // the tagged articles; nil if the part is not tagged
}

// splitFiles returns the files whose parts are among lines, and the other lines. The Subjects of the parts
// of a file differ only in the number.
func splitFiles(lines []protocols.Line) (files []*splitFile, others []protocols.Line) {
	type key struct{ rest, from string }
	byKey, keys := make(map[key]*splitFile), make([]key, len(lines))
	for i, line := range lines {
		note, ok := line.Note.(*protocols.ArticleNote)
		if !ok {
			continue
		}
		part := protocols.PartOfSubject(mimeheader.OneLine(mimeheader.Decode(note.Subject)))
		if part.Parts < 2 {
			continue
		}
		k := key{part.Rest, note.From}
		f := byKey[k]
		if f == nil {
			f = &splitFile{name: mimeheader.FileName(charset.Auto, part.FileName()), parts: make([]urlcore.URL, part.Parts)}
			byKey[k] = f
		}
		if f.parts[part.Part-1] == nil {
			f.parts[part.Part-1], keys[i] = line.Link, k
		}
	}
	for i, line := range lines {
		f := byKey[keys[i]]
		switch {
		case f == nil, len(f.links()) < 2:
			others = append(others, line)
		case !slices.Contains(files, f):
			files = append(files, f)
		}
	}
	return files, others
}

// links returns the tagged articles.
func (f *splitFile) links() []urlcore.URL {
	return slices.DeleteFunc(slices.Clone(f.parts), func(u urlcore.URL) bool { return u == nil })
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
			n += len(f.parts)
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
