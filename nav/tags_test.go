package nav

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// tagFile returns the line of a file or, if the name ends in a slash, of a directory.
func tagFile(name string, size int64) protocols.Line {
	kind := protocols.Text
	if strings.HasSuffix(name, "/") {
		kind = protocols.Directory
	}
	return protocols.Line{Kind: kind, Text: name, Link: testURL("test:dir/" + name), Note: &protocols.FileNote{Size: size}}
}

// tagTab is a session that loads a directory.
type tagTab struct {
	t *testing.T
	s Session
}

// open loads the directory, which has the given lines. The parameter ends is the error after them,
// or nil.
func (tb *tagTab) open(reload bool, ends error, lines ...protocols.Line) *Page {
	u := testURL("test:dir")
	l := Open(tb.t.Context(), fetchFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{
			Head: protocols.Head{URL: u, Layout: protocols.LayoutDirectory}, Closer: io.NopCloser(nil),
			Lines: func(yield func(protocols.Line, error) bool) {
				for _, line := range lines {
					if !yield(line, nil) {
						return
					}
				}
				if ends != nil {
					yield(protocols.Line{}, ends)
				}
			},
		}, nil
	}), protocols.Request{URL: u})
	begin := tb.s.Begin
	if reload {
		begin = tb.s.Reload
	}
	begin(l)
	head, err := l.Wait()
	tb.s.Answer(l, head)
	for err == nil {
		var more Lines
		more, err = l.Next()
		tb.s.Append(l, more, err)
	}
	return tb.s.Page()
}

// wantTags compares the texts of the tagged lines and their count.
func wantTags(t *testing.T, p *Page, names ...string) {
	t.Helper()
	var got []string
	for i := range p.Lines.Len() {
		if p.IsTagged(i) {
			got = append(got, p.Lines.WithoutLink(i).Text)
		}
	}
	slices.Sort(got)
	fetchtest.EqualSlices(t, got, names, "tagged")
	fetchtest.Equal(t, p.Tags.Count, len(names), "count")
}

func tagLines(p *Page, names ...string) {
	for i := range p.Lines.Len() {
		if slices.Contains(names, p.Lines.WithoutLink(i).Text) {
			p.Tag(i, true)
		}
	}
}

// TestTagsAreCounted checks that each tagged item is counted once.
func TestTagsAreCounted(t *testing.T) {
	tb := &tagTab{t: t}
	p := tb.open(false, nil, tagFile("a", 10), tagFile("b", 200), tagFile("c", -1), tagFile("d/", 4096),
		protocols.Line{Text: "no item"}, protocols.Line{Text: "reload", Link: testURL("test:x"), Note: protocols.ActionReload},
		protocols.Line{Text: "article", Link: testURL("test:y"), Note: &protocols.ArticleNote{Bytes: 3000}})
	for range 2 {
		for i := -1; i <= p.Lines.Len(); i++ {
			p.Tag(i, true)
		}
		wantTags(t, p, "a", "article", "b", "c", "d/")
	}
	tb.s.Sort(p, Order{By: "size", Reversed: true})
	wantTags(t, p, "a", "article", "b", "c", "d/")
	p.Untag(testURL("test:dir/b"), testURL("test:dir/none"))
	wantTags(t, p, "a", "article", "c", "d/")
	p.Tag(p.Lines.IndexLink(testURL("test:dir/a"), 0), false)
	wantTags(t, p, "article", "c", "d/")
	p.UntagAll()
	wantTags(t, p)
	p.Layout = protocols.LayoutText
	if p.Tag(0, true) {
		t.Error("a line of a text is tagged")
	}
}

// TestTagsOutlastAPreview checks that the items of a preview stay tagged in the lines that replace
// it.
func TestTagsOutlastAPreview(t *testing.T) {
	p := &Page{Head: protocols.Head{Layout: protocols.LayoutDirectory}, Lines: linesOf(tagFile("a", 1), tagFile("b", 2))}
	tagLines(p, "b")
	p.replacePreview(linesOf(tagFile("0", 9), tagFile("a", 1), tagFile("b", 5)))
	p.restoreTags(0, true)
	wantTags(t, p, "b")
}
