package followed

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"gofer/history"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
)

// kind finds the entries of pages of a kind. The ID of an entry identifies it within its page; the entries need no Source.
type kind interface {
	entries(p *page) []history.Entry
}

// The kinds of pages.
type (
	feedKind      struct{} // RSS, Atom, JSON Feed
	datedLinks    struct{} // a text with links that begin with dates, as in a gemlog
	menuKind      struct{} // a Gopher menu, and any other list of links
	directoryKind struct{} // a directory of FTP or of this machine
	articlesKind  struct{} // articles of a search in a newsgroup
	textKind      struct{} // any other text: one entry for each change
	binaryKind    struct{} // a file that is not text: one entry for each change of its date, size or other mark
)

// kindOf returns the kind of a page, or nil if it has none.
func kindOf(p *page) kind {
	switch {
	case p.Layout == protocols.LayoutBinary && cmp.Or(p.Version, protocols.FileVersion(p.Size, p.Modified)) == "":
		return nil
	case p.Layout == protocols.LayoutBinary:
		return binaryKind{}
	case p.Layout == protocols.LayoutDirectory:
		return directoryKind{}
	case p.Layout == protocols.LayoutArticles:
		return articlesKind{}
	case p.isFeed():
		return feedKind{}
	case p.URL.Scheme() == "finger":
		return textKind{}
	case p.Layout == protocols.LayoutMenu, p.Layout == protocols.LayoutGroups:
		return menuKind{}
	case len(datedLinks{}.entries(p)) > 0:
		return datedLinks{}
	}
	return textKind{}
}

func (feedKind) entries(p *page) (list []history.Entry) {
	for i := range p.lines {
		note, ok := p.lines[i].Note.(*protocols.Hypertext)
		if !ok || note.Entry == nil {
			continue
		}
		u, fragment := p.link(i)
		title := p.reading.Short(p.lines[i].Text)
		e := history.Entry{URL: u, Fragment: fragment, Title: title, Date: note.Entry.Date, ID: note.Entry.ID}
		if u == nil {
			e.URL = p.URL
		}
		e.ID = cmp.Or(e.ID, e.URL.String()+"\n"+title)
		e.Title = withoutDate(title, e.Date)
		list = append(list, e)
	}
	return list
}

// startDate matches the date that begins the text of a link ("Subscribing to Gemini pages", gemini://geminiprotocol.net/).
var startDate = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:=> )?(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d\S*)?[ \t]*[-–—:|]*[ \t]*`)
})

func (datedLinks) entries(p *page) (list []history.Entry) {
	for i := range p.lines {
		text := p.reading.Short(p.lines[i].Text)
		m := startDate().FindStringSubmatch(text)
		if m == nil {
			continue
		}
		u, fragment := p.link(i)
		date, err := time.Parse(time.DateOnly, m[1])
		if u == nil || err != nil {
			continue
		}
		title := cmp.Or(text[len(m[0]):], m[1])
		list = append(list, history.Entry{URL: u, Fragment: fragment, Title: title, Date: date, ID: u.String() + "#" + fragment + " " + m[1]})
	}
	return list
}

// anyDate matches a date in the text of an item of a menu.
var anyDate = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\d-])(\d{4}-\d\d-\d\d)(?:$|[^\d-])`)
})

// withoutDate returns a title without the date that begins it, also in brackets: lists of entries have a column for dates.
func withoutDate(title string, date time.Time) string {
	day, rest, _ := strings.Cut(title, " ")
	rest = strings.TrimLeft(rest, " -–—:|")
	if rest == "" || date.IsZero() || strings.Trim(day, "[]():") != date.UTC().Format(time.DateOnly) {
		return title
	}
	return rest
}

// entries identifies the items by their URLs: their texts may have numbers that change.
func (menuKind) entries(p *page) (list []history.Entry) {
	for i := range p.lines {
		u, fragment := p.link(i)
		if u == nil {
			continue
		}
		e := history.Entry{URL: u, Fragment: fragment, Title: p.reading.Short(p.lines[i].Text), ID: u.String() + "#" + fragment}
		if m := anyDate().FindStringSubmatch(e.Title); m != nil {
			e.Date, _ = time.Parse(time.DateOnly, m[1]) // zero if there is no such day
			e.Title = withoutDate(e.Title, e.Date)
		}
		list = append(list, e)
	}
	return list
}

func (directoryKind) entries(p *page) (list []history.Entry) {
	for i := range p.lines {
		l := &p.lines[i]
		u, _ := p.link(i)
		note, ok := l.Note.(*protocols.FileNote)
		if u == nil || l.Text == "." || l.Text == ".." {
			continue
		}
		e := history.Entry{URL: u, Title: p.reading.Short(l.Text), ID: u.String(), Changes: true}
		if ok {
			e.Date = note.Modified
			e.ID += "\n" + fileMark(note, l.Kind == protocols.Directory)
		}
		list = append(list, e)
	}
	return list
}

// fileMark returns a text that differs if the file has changed. Without the exact date it uses the day, because servers leave
// out the time of day when a file is half a year old.
func fileMark(n *protocols.FileNote, isDirectory bool) string {
	layout := time.RFC3339
	if n.DateOnly || n.Local {
		layout = time.DateOnly
	}
	mark := n.Modified.Format(layout)
	if size := n.ExactSize(); size >= 0 && !isDirectory {
		mark += " " + strconv.FormatInt(size, 10)
	}
	return mark
}

func (articlesKind) entries(p *page) (list []history.Entry) {
	for i := range p.lines {
		note, ok := p.lines[i].Note.(*protocols.ArticleNote)
		u, _ := p.link(i)
		if !ok || u == nil {
			continue
		}
		list = append(list, history.Entry{URL: u, Title: mimeheader.Text(p.reading, note.Subject), Date: note.Date, ID: cmp.Or(note.MessageID, u.String())})
	}
	return list
}

// entries compares the texts of the lines, without their blanks.
func (textKind) entries(p *page) []history.Entry {
	h := sha256.New()
	for i := range p.lines {
		_, _ = io.WriteString(h, strings.Join(strings.Fields(p.reading.Line(p.lines[i].Text)), " ")+"\n")
	}
	return changed(p, hex.EncodeToString(h.Sum(nil)))
}

func (binaryKind) entries(p *page) []history.Entry {
	return changed(p, cmp.Or(p.Version, protocols.FileVersion(p.Size, p.Modified)))
}

// changed returns the entry of a page that has the given mark.
func changed(p *page, mark string) []history.Entry {
	return []history.Entry{{URL: p.URL, Title: cmp.Or(p.title(), p.URL.String()), ID: mark, Changes: true}}
}
