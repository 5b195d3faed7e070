package history

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gofer/history/bookmarks"
	"gofer/internal/text/textquery"
	"gofer/urlcore"
)

// Index finds visits and bookmarks by parts of their URLs or titles, to complete what the
// user types. It reads the database at its first use and keeps the rows in memory. It is safe
// for concurrent use.
type Index struct {
	visits *Store
	marks  *bookmarks.Store

	addedVisits sync.Map // records of the visits added by AddVisit, by canonical URL

	mu      sync.Mutex        // guards records, latest and total
	records map[string]record // records of the history, by canonical URL
	latest  time.Time         // latest visit in records
	total   int               // URLs in the history when it was last read

	table atomic.Pointer[table]
}

// Completion is a URL found by an Index.
type Completion struct {
	URL   string // canonical, without a password
	Title string // perhaps empty
}

// record describes one URL.
type record struct {
	Completion
	more   string // further words for the search
	marked bool
	last   time.Time
	count  int
}

// NewIndex returns an index of a history and bookmarks. Either may be nil.
func NewIndex(visits *Store, marks *bookmarks.Store) *Index {
	return &Index{visits: visits, marks: marks}
}

// AddVisit adds a visit to the index but not to the history. The index keeps it until the process ends.
func (x *Index) AddVisit(u urlcore.URL, title string, at time.Time) {
	text := urlcore.Redact(u).String()
	if len(text) <= bookmarks.MaxURL && u.Scheme() != "about" {
		x.addedVisits.Store(text, record{Completion: Completion{text, bookmarks.NormalizeTitle(title)}, last: at, count: 1})
	}
}

// Load reads the changes since the last call. Even after an error, Complete finds the rows
// that could be read.
func (x *Index) Load(ctx context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	err := x.loadVisits(ctx)
	marks, err2 := x.marks.List()
	found := make(map[string]record, len(x.records)+len(marks))
	maps.Copy(found, x.records)
	x.addedVisits.Range(func(text, r any) bool {
		if _, known := found[text.(string)]; !known {
			found[text.(string)] = r.(record)
		}
		return true
	})
	for _, m := range marks {
		r := found[m.URL.String()]
		r.URL, r.marked, r.more = m.URL.String(), true, m.Folder
		r.Title = cmp.Or(m.Title, r.Title)
		found[r.URL] = r
	}
	if ctx.Err() == nil {
		x.table.Store(newTable(found, time.Now()))
	}
	return errors.Join(err, err2)
}

func (x *Index) loadVisits(ctx context.Context) error {
	if x.visits == nil {
		return nil
	}
	visits, total, err := x.visits.VisitsSince(ctx, x.latest)
	if err != nil {
		return err
	}
	fresh := 0
	for _, v := range visits {
		if _, known := x.records[urlcore.Redact(v.URL).String()]; !known {
			fresh++
		}
	}
	if x.records == nil || total != x.total+fresh { // visits have been forgotten
		x.records = make(map[string]record, total)
		if !x.latest.IsZero() {
			if visits, total, err = x.visits.VisitsSince(ctx, time.Time{}); err != nil {
				x.records = nil
				return err
			}
		}
	}
	for _, v := range visits {
		text := urlcore.Redact(v.URL).String()
		x.records[text] = record{Completion: Completion{text, v.Title}, last: v.Last, count: v.Count}
		if v.Last.After(x.latest) {
			x.latest = v.Last
		}
	}
	x.total = total
	return nil
}

// loadTable returns the table. It loads the table first if necessary.
func (x *Index) loadTable(ctx context.Context) (*table, error) {
	if t := x.table.Load(); t != nil {
		return t, nil
	}
	err := x.Load(ctx)
	if t := x.table.Load(); t != nil {
		return t, nil
	}
	return new(table), cmp.Or(err, context.Cause(ctx))
}

// Complete returns at most limit URLs that match the text typed. A URL matches if each word of the text
// occurs in the URL, in its title or in the folder of its bookmark, in any case. URLs whose host begins
// with the first word come before the other URLs. Both groups are sorted by the number and the dates of
// the visits. Complete does not return the typed URL itself.
func (x *Index) Complete(ctx context.Context, typed string, limit int) ([]Completion, error) {
	words := strings.Fields(textquery.Lower(typed))
	if len(words) == 0 || limit <= 0 {
		return nil, nil
	}
	t, err := x.loadTable(ctx)
	if err != nil {
		return nil, err
	}
	return t.complete(ctx, words[:min(len(words), maxWords)], strings.TrimSpace(typed), limit)
}

// Recent loads the changes and returns at most limit visited URLs, the latest first.
func (x *Index) Recent(ctx context.Context, limit int) ([]string, error) {
	err := x.Load(ctx)
	t := x.table.Load()
	if t == nil {
		return nil, err
	}
	return t.recent[:min(limit, len(t.recent))], nil
}

// maxRecent is the largest number of URLs that Recent returns.
const maxRecent = 500

// table is the immutable data that an Index searches.
type table struct {
	entries []entry // the greatest score first
	folded  string  // the texts of all entries, joined
	recent  []string
}

// entry is one row of a table. The numbers are offsets in table.folded.
type entry struct {
	Completion
	begin, end uint32
	host       uint32 // start of the host, or of the text after the scheme
	name       uint32 // start of the host after a first label such as "gopher." or "ftp."
}

func newTable(found map[string]record, now time.Time) *table {
	type scoredRecord struct {
		record
		score float64
	}
	rows := make([]scoredRecord, 0, len(found))
	all := make([]*scoredRecord, 0, len(found)) // pointers are quicker to sort
	size := 0
	for _, r := range found {
		rows = append(rows, scoredRecord{r, r.score(now)})
		all = append(all, &rows[len(rows)-1])
		size += len(r.URL) + len(r.Title) + len(r.more) + 4
	}
	slices.SortFunc(all, func(a, b *scoredRecord) int {
		if c := b.last.Compare(a.last); c != 0 {
			return c
		}
		return strings.Compare(a.URL, b.URL)
	})
	t := &table{entries: make([]entry, 0, len(all))}
	for _, r := range all[:min(len(all), maxRecent)] {
		if r.count > 0 {
			t.recent = append(t.recent, r.URL)
		}
	}
	slices.SortStableFunc(all, func(a, b *scoredRecord) int { return cmp.Compare(b.score, a.score) })
	var b strings.Builder
	b.Grow(size)
	for _, r := range all {
		begin := b.Len()
		b.WriteString(strings.ToLower(r.URL))
		if plain, err := url.PathUnescape(r.URL); err == nil && plain != r.URL {
			b.WriteByte('\n')
			b.WriteString(textquery.Lower(plain))
		}
		for _, s := range []string{r.Title, r.more} {
			b.WriteByte('\n')
			b.WriteString(textquery.Lower(s))
		}
		b.WriteByte(0)
		host, name := hostOf(r.URL)
		t.entries = append(t.entries, entry{
			r.Completion, uint32(begin), uint32(b.Len()), uint32(begin + host), uint32(begin + name), //nolint:gosec // bounded by maxVisits and MaxURL
		})
	}
	t.folded = b.String()
	return t
}

// hostOf returns the index of the host in a canonical URL. The result name is the index after a
// first label that names a service, such as "gopher.".
func hostOf(u string) (host, name int) {
	host = strings.IndexByte(u, ':') + 1
	if strings.HasPrefix(u[host:], "//") {
		host += 2
		end := strings.IndexByte(u[host:], '/')
		if at := strings.LastIndexByte(u[host:host+max(0, end)], '@'); at >= 0 {
			host += at + 1
		}
	}
	for _, label := range []string{"gopher.", "ftp.", "news.", "nntp.", "www."} {
		if strings.HasPrefix(u[host:], label) {
			return host, host + len(label)
		}
	}
	return host, host
}

// score returns a number that is greater for URLs that the user is more likely to mean. It depends
// on the number and the dates of the visits. A bookmark counts as several recent visits.
func (r *record) score(now time.Time) float64 {
	n, weight := min(max(r.count, 0), 100), 0.1
	switch age := now.Sub(r.last); {
	case age < 4*24*time.Hour:
		weight = 1
	case age < 14*24*time.Hour:
		weight = 0.7
	case age < 31*24*time.Hour:
		weight = 0.5
	case age < 90*24*time.Hour:
		weight = 0.3
	}
	if r.marked {
		n, weight = n+5, max(weight, 0.5)
	}
	return float64(n) * weight
}

// sampleSize is the number of octets of table.folded that are used to find the rarest word.
const sampleSize = 32 << 10

// complete searches all texts for the rarest word, and then the entries that contain it for the
// other words.
func (t *table) complete(ctx context.Context, words []string, typed string, limit int) ([]Completion, error) {
	sample := t.folded[:min(len(t.folded), sampleSize)]
	rarest := slices.MinFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(sample, a), strings.Count(sample, b)), cmp.Compare(len(b), len(a)))
	})
	var hosts, others []Completion
	for at, n, e := 0, 0, 0; len(hosts) < limit; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		i := strings.Index(t.folded[at:], rarest)
		if i < 0 {
			break
		}
		e = t.entryAt(e, uint32(at+i)) //nolint:gosec // an offset in folded
		at = int(t.entries[e].end)
		byHost := t.matchesHost(&t.entries[e], words[0])
		if !byHost && len(others) == limit || t.entries[e].URL == typed || !t.containsAll(&t.entries[e], words) {
			continue
		}
		if byHost {
			hosts = append(hosts, t.entries[e].Completion)
		} else {
			others = append(others, t.entries[e].Completion)
		}
	}
	return slices.Concat(hosts, others[:min(len(others), max(0, limit-len(hosts)))]), nil
}

// entryAt returns the index of the entry that contains the octet at an offset in t.folded. It
// searches from the index start on.
func (t *table) entryAt(start int, offset uint32) int {
	step := 1
	for start+step < len(t.entries) && t.entries[start+step].begin <= offset {
		start += step
		step *= 2
	}
	step = min(step, len(t.entries)-start)
	return start + sort.Search(step, func(i int) bool { return t.entries[start+i].end > offset })
}

// matchesHost reports whether the host of an entry begins with a word. If the word contains a
// colon, it reports whether the URL begins with the word.
func (t *table) matchesHost(e *entry, word string) bool {
	if strings.Contains(word, ":") {
		return strings.HasPrefix(t.folded[e.begin:e.end], word)
	}
	return strings.HasPrefix(t.folded[e.host:e.end], word) || strings.HasPrefix(t.folded[e.name:e.end], word)
}

// containsAll reports whether an entry contains all words.
func (t *table) containsAll(e *entry, words []string) bool {
	for _, w := range words {
		if !strings.Contains(t.folded[e.begin:e.end], w) {
			return false
		}
	}
	return true
}
