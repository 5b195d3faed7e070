// Package feed reads the entries of feeds: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, and JSON Feed 1.0 and 1.1.
//
// Package gofeed parses a feed only if all of it is well-formed, and has no bounds. Therefore [Parse] first goes
// through the feed, and cuts it after the last complete entry that is within the bounds. The beginning of an
// endless, broken or interrupted feed is then a feed too.
package feed

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/atom"
	"github.com/mmcdole/gofeed/rss"

	"gofer/internal/text/mimeheader"
)

// Bounds of a feed.
const (
	MaxSize    = 8 << 20 // octets of a feed; callers pass no more to Parse
	MaxEntries = 1000    // entries of a feed
	maxDepth   = 100     // nested elements
	maxParts   = 150_000 // elements with their attributes, or members of JSON objects
	maxLinks   = 20      // enclosures of an entry
)

// Feed is a feed. Its strings are valid UTF-8, but they may contain control characters.
type Feed struct {
	Title       string
	Description string   // HTML
	URL         string   // the reference to the site, or ""
	Bases       []string // of URL
	TextBases   []string // of the links in Description
	Entries     []Entry  // the newest first; entries without a date are last, in the order of the feed
	Problem     string   // why entries may be missing, as a sentence, or ""
}

// Entry is an entry of a feed. References are written as in the feed. Each of Bases, the outermost first, is
// relative to the one before it, and the first one to the URL of the feed (XML Base, section 4). A base that cannot be one,
// such as a mail address, is to be left out. In RSS without xml:base, the page of an entry is relative to the site of the
// feed, and the summary to the page, because it is a part of that page.
type Entry struct {
	Title        string
	URL          string // the reference to the page of the entry, or ""
	URLBases     []string
	Date         time.Time // the date of the publication, or else of the last change, in UTC; zero if unknown
	DateText     string    // the date in the feed if it cannot be read
	Author       string
	Summary      string // HTML: the summary, or else the content
	SummaryBases []string
	ID           string
	Enclosures   []Enclosure
	Bases        []string // of Enclosures
}

// Enclosure is a file of an entry, such as the recording of a podcast.
type Enclosure struct {
	URL   string // a reference
	Media string // media type, or ""
	Size  int64  // octets, or -1 if unknown
}

var errNoFeed = errors.New("it is not a feed")

// Parse parses a feed in UTF-8, whatever its XML declaration says. It returns an error if text has neither entries
// nor a title.
func Parse(text string) (*Feed, error) {
	text = removeInvalid(text)
	var f *Feed
	var err error
	if strings.HasPrefix(text, "{") {
		f, err = parseJSON(text)
	} else {
		f, err = parseXML(text)
	}
	if err != nil {
		return nil, err
	}
	if len(f.Entries) == 0 && f.Title == "" {
		return nil, errNoFeed
	}
	slices.SortStableFunc(f.Entries, func(a, b Entry) int { return b.Date.Compare(a.Date) })
	return f, nil
}

// invalidReference matches references to characters that XML does not allow (XML 1.0, section 2.2).
const invalidReference = `&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01]|6553[45])|[xX]0*(?:[0-8bBcCeEfF]|1[\da-fA-F]|[fF]{3}[eEfF]));`

// removeInvalid returns text from its first character on, without a byte order mark, an XML declaration, and
// characters that XML does not allow.
func removeInvalid(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	text = strings.TrimLeft(text, "\ufeff \t\r\n")
	if declaration, rest, ok := strings.Cut(text, "?>"); ok && xmlDeclaration(declaration) {
		text = strings.TrimLeft(rest, " \t\r\n")
	}
	if strings.Contains(text, "&#") {
		text = regexp.MustCompile(invalidReference).ReplaceAllString(text, "")
	}
	return text
}

func xmlDeclaration(s string) bool {
	return strings.HasPrefix(s, "<?xml") && strings.Trim(s[5:min(6, len(s))], " \t\r\n") == ""
}

// parseXML parses RSS or Atom.
func parseXML(text string) (*Feed, error) {
	o := scanXML(text)
	var parsed *gofeed.Feed
	var err error
	if o.root == "feed" {
		var f *atom.Feed
		if f, err = (&atom.Parser{}).Parse(strings.NewReader(o.text)); err == nil {
			parsed, err = (&gofeed.DefaultAtomTranslator{}).Translate(f)
		}
	} else {
		var f *rss.Feed
		if f, err = (&rss.Parser{}).Parse(strings.NewReader(o.text)); err == nil {
			parsed, err = (&gofeed.DefaultRSSTranslator{DisableContentImageScan: true}).Translate(f)
		}
	}
	if err != nil {
		return nil, err
	}
	parsed.Title = o.title.decode(parsed.Title)
	f := newFeed(parsed, o.title.plain)
	f.Bases, f.TextBases, f.Problem = o.bases, o.bases, cmp.Or(o.problem, f.Problem)
	if o.root != "feed" {
		f.TextBases = implyBases(o.bases, f.URL)
		if len(o.bases) == 0 && len(f.URL) > maxBase {
			f.Problem = cmp.Or(f.Problem, problemBase)
		}
	}
	if len(f.Entries) > len(o.entries) {
		f.Entries = f.Entries[:len(o.entries)]
	}
	for i := range f.Entries {
		e := o.entries[i].newEntry(parsed.Items[i])
		if o.root != "feed" {
			e.URLBases, e.SummaryBases = implyBases(e.Bases, f.URL), implyBases(e.SummaryBases, f.URL, e.URL)
		}
		f.Entries[i] = e
	}
	return f, nil
}

// implyBases returns the explicit bases, or else the references that are not "" and not too long.
func implyBases(explicit []string, references ...string) []string {
	if len(explicit) > 0 {
		return explicit
	}
	return slices.DeleteFunc(references, func(s string) bool { return s == "" || len(s) > maxBase })
}

// newEntry returns the entry with this outline.
func (o *entryOutline) newEntry(item *gofeed.Item) Entry {
	item.Title = o.title.decode(item.Title)
	e := newEntry(item, o.title.plain)
	text := &o.summary
	e.Summary = item.Description
	if isBlank(e.Summary) {
		e.Summary, text = item.Content, &o.content
	}
	if e.Summary = text.decode(e.Summary); text.plain {
		e.Summary = escape(e.Summary)
	}
	e.Bases, e.URLBases, e.SummaryBases = o.bases, o.bases, o.bases
	if len(text.bases) > 0 {
		e.SummaryBases = text.bases
	}
	e.setTitle()
	return e
}

func newFeed(parsed *gofeed.Feed, plainTitle bool) *Feed {
	f := &Feed{
		Title: plainText(parsed.Title, plainTitle), Description: parsed.Description, URL: strings.TrimSpace(parsed.Link),
		Entries: make([]Entry, len(parsed.Items)),
	}
	if slices.ContainsFunc(parsed.Items, func(item *gofeed.Item) bool { return len(item.Enclosures) > maxLinks }) {
		f.Problem = problemFiles
	}
	return f
}

// newEntry returns an entry without the fields that depend on its format.
func newEntry(item *gofeed.Item, plainTitle bool) Entry {
	e := Entry{Title: plainText(item.Title, plainTitle), URL: strings.TrimSpace(item.Link), ID: strings.TrimSpace(item.GUID)}
	if e.URL == "" && strings.Contains(e.ID, "://") { // a guid is usually a URL (RSS 2.0, "guid")
		e.URL = e.ID
	}
	if e.Date = cmp.Or(dateOf(item.PublishedParsed, item.Published), dateOf(item.UpdatedParsed, item.Updated)); e.Date.IsZero() {
		e.DateText = plainText(cmp.Or(item.Published, item.Updated), false)
	}
	for _, a := range item.Authors {
		if a != nil && e.Author == "" {
			e.Author = plainText(cmp.Or(a.Name, a.Email), false)
		}
	}
	for _, x := range item.Enclosures[:min(len(item.Enclosures), maxLinks)] {
		if x == nil || strings.TrimSpace(x.URL) == "" {
			continue
		}
		size, err := strconv.ParseInt(strings.TrimSpace(x.Length), 10, 64)
		if err != nil || size <= 0 { // podcasts write 0 for an unknown size
			size = -1
		}
		e.Enclosures = append(e.Enclosures, Enclosure{URL: strings.TrimSpace(x.URL), Media: strings.TrimSpace(x.Type), Size: size})
	}
	return e
}

// maxTitle is the length in characters of a title that is made of a summary.
const maxTitle = 70

// setTitle makes a title of the summary if the entry has none.
func (e *Entry) setTitle() {
	if e.Title != "" {
		return
	}
	title := []rune(plainText(e.Summary[:min(len(e.Summary), 4<<10)], false))
	if len(title) > maxTitle {
		short, _, _ := cutLast(string(title[:maxTitle]), " ")
		title = []rune(short + " …")
	}
	e.Title = cmp.Or(string(title), e.URL, e.ID)
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// dateOf returns a parsed date, or else the date in text.
func dateOf(parsed *time.Time, text string) time.Time {
	if parsed != nil {
		return parsed.UTC()
	}
	return mimeheader.ParseDate(text).UTC()
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
