package history

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strconv"
	"time"

	"gofer/history/bookmarks"
	"gofer/urlcore"
)

// The bounds of the entries.
const (
	MaxState   = 64 << 10 // octets of Source.State
	MaxEntries = 2000     // entries of a source
	maxFresh   = 50       // unread entries that one check may add; the others are added as read
	maxFirst   = 20       // unread entries that the first check may add
	firstAge   = 30 * 24 * time.Hour
	dropAtOnce = 5000 // entries removed when there are too many
)

// entryBounds bounds the entries of all sources.
type entryBounds struct {
	entries int
	octets  int // that the entries take in the database, about
}

// KeepCheck records an attempt to read a followed page: src has the result, and entries are what the page lists, the newest
// first if they have no dates. If entries is nil, the page has not changed or could not be read. KeepCheck returns the number
// of entries that it added as unread.
//
// An entry with a known ID, or with a known URL and title, is not new. Of the first check, only entries of the last 30 days are
// unread, and at most 20. Of a later check, at most 50 are, and one more that says that there are others. If there are too
// many entries, those that no page lists any more are removed, read ones first and the oldest first; if that is not enough, new
// ones are not kept, and an entry says so. A page that is not followed any more is not recorded.
//
// The function movedTo returns the URL to which a server has redirected another, or nil if that is not known: the visit of the
// one has read the entry of the other. It may be nil.
func (s *Store) KeepCheck(ctx context.Context, src Source, entries []Entry, movedTo func(urlcore.URL) urlcore.URL) (fresh int, err error) {
	return s.keepCheck(ctx, src, entries, movedTo, entryBounds{entries: 200_000, octets: 64 << 20})
}

func (s *Store) keepCheck(ctx context.Context, src Source, entries []Entry, movedTo func(urlcore.URL) urlcore.URL, bounds entryBounds) (fresh int, err error) {
	err = s.change(ctx, "record the new entries of a page", func(tx *sql.Tx) error {
		fresh = 0
		id, known, err := findSource(ctx, tx, src.URL)
		if err != nil || id == 0 {
			return err
		}
		if err := updateSource(ctx, tx, id, &src, known.Title); err != nil || entries == nil {
			return err
		}
		c := check{tx: tx, id: id, url: src.URL, now: src.Checked, succeeded: known.Succeeded, movedTo: movedTo, bounds: bounds}
		fresh, err = c.keep(ctx, entries)
		return err
	})
	if err != nil {
		return 0, err
	}
	return fresh, nil
}

func updateSource(ctx context.Context, tx *sql.Tx, id int64, src *Source, knownTitle string) error {
	state := src.State
	if len(state) > MaxState {
		state = ""
	}
	_, err := tx.ExecContext(ctx, "UPDATE sources SET title = ?, checked = ?, succeeded = ?, failure = ?, failures = ?, state = ? WHERE id = ?",
		cmp.Or(knownTitle, bookmarks.NormalizeTitle(src.Title)), milliseconds(src.Checked), milliseconds(src.Succeeded),
		bookmarks.NormalizeTitle(src.Failure), src.Failures, state, id)
	return err
}

// check compares the entries that a page lists with the stored ones.
type check struct {
	tx        *sql.Tx
	id        int64 // the number of the row of the source
	url       urlcore.URL
	now       time.Time // when the page was read
	succeeded time.Time // the last success before; zero: this is the first check
	movedTo   func(urlcore.URL) urlcore.URL

	known  []entryRow
	byID   map[string]*entryRow
	byURL  map[string]*entryRow
	byText map[string]*entryRow // by URL and title
	fresh  []entryRow
	rest   bool // not all new entries are in fresh as unread
	bounds entryBounds
}

func (c *check) keep(ctx context.Context, entries []Entry) (unread int, err error) {
	if c.known, err = entriesOf(ctx, c.tx, c.id); err != nil {
		return 0, err
	}
	c.index()
	rows, cut := listedRows(entries, c.now)
	for i := range rows {
		if err := c.compare(ctx, &rows[i]); err != nil {
			return 0, err
		}
	}
	if rest := c.byID[c.restID()]; rest != nil {
		rest.found = cut // it stays, read or unread, as long as there are too many entries
	}
	unread = c.limitUnread()
	for _, step := range []func(context.Context) error{c.drop, c.makeRoom, c.insert} {
		if err := step(ctx); err != nil {
			return 0, err
		}
	}
	if err := c.keepRest(ctx, cut); err != nil {
		return 0, err
	}
	return min(unread, len(c.fresh)), countEntries(ctx, c.tx, "id = ?", c.id)
}

// listedRows returns at most MaxEntries of the entries as they are stored, the newest first, and whether it has left out others.
func listedRows(entries []Entry, now time.Time) (rows []entryRow, cut bool) {
	seen := make(map[string]bool)
	for _, e := range entries {
		if r, ok := cleanEntry(e, now); ok && !seen[r.ID] {
			seen[r.ID] = true
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b entryRow) int { return b.at().Compare(a.at()) })
	return rows[:min(len(rows), MaxEntries)], len(rows) > MaxEntries
}

func (c *check) index() {
	c.byID, c.byURL, c.byText = make(map[string]*entryRow), make(map[string]*entryRow), make(map[string]*entryRow)
	for i := range c.known {
		e := &c.known[i]
		c.byID[e.ID], c.byURL[e.urlText()], c.byText[e.text()] = e, e, e
	}
}

// compare looks for the listed entry e among the stored ones. If e is new, it becomes one of c.fresh.
func (c *check) compare(ctx context.Context, e *entryRow) error {
	old := c.byID[e.ID]
	if old == nil && !e.Changes {
		old = c.byText[e.text()]
	}
	if old != nil {
		same := old.listed && old.text() == e.text() && old.Fragment == e.Fragment && old.Date.Equal(e.Date)
		old.found = true
		if same {
			return nil
		}
		_, err := c.tx.ExecContext(ctx, "UPDATE entries SET url = ?, fragment = ?, title = ?, date = ?, listed = 1 WHERE rowid = ?",
			e.urlText(), e.Fragment, e.Title, milliseconds(e.Date), old.row)
		return err
	}
	var err error
	if old = c.byURL[e.urlText()]; e.Changes && old != nil {
		old.found = true
		_, err = c.tx.ExecContext(ctx, "DELETE FROM entries WHERE rowid = ?", old.row)
	}
	if err == nil {
		e.Read, err = c.isRead(ctx, e)
	}
	c.fresh = append(c.fresh, *e)
	c.byText[e.text()] = e
	return err
}

// isRead reports whether the new entry e was read before it was found: its URL, or the one to which it redirects, was visited
// after its date, or if it has none, after the last check. The first check reads entries without dates, or with old ones, as well.
func (c *check) isRead(ctx context.Context, e *entryRow) (bool, error) {
	first, since := c.succeeded.IsZero(), c.succeeded
	if e.hasDate() {
		since = e.Date
	} else if first {
		return true, nil
	}
	if first && c.now.Sub(since) > firstAge {
		return true, nil
	}
	if e.Changes {
		return false, nil
	}
	visited, err := c.wasVisited(ctx, e.URL, since)
	if err != nil || visited || c.movedTo == nil {
		return visited, err
	}
	to := c.movedTo(e.URL)
	if to == nil {
		return false, nil
	}
	return c.wasVisited(ctx, to, since)
}

func (c *check) wasVisited(ctx context.Context, u urlcore.URL, since time.Time) (visited bool, err error) {
	const query = "SELECT EXISTS (SELECT 1 FROM visits WHERE url = ? AND last >= ?)"
	err = c.tx.QueryRowContext(ctx, query, urlcore.Redact(u).String(), milliseconds(since)).Scan(&visited)
	return visited, err
}

// limitUnread bounds the number of unread entries among the new ones and returns it.
func (c *check) limitUnread() (unread int) {
	limit := maxFresh
	if c.succeeded.IsZero() {
		limit = maxFirst
	}
	for i := range c.fresh {
		e := &c.fresh[i]
		if !e.Read && unread == limit {
			e.Read = true
			c.rest = !c.succeeded.IsZero()
		} else if !e.Read {
			unread++
		}
	}
	return unread
}

// drop notes which stored entries are not listed any more, and removes some of them if there are too many.
func (c *check) drop(ctx context.Context) error {
	total := len(c.fresh)
	for i := range c.known {
		e := &c.known[i]
		total++
		if e.listed && !e.found {
			if _, err := c.tx.ExecContext(ctx, "UPDATE entries SET listed = 0 WHERE rowid = ?", e.row); err != nil {
				return err
			}
		}
	}
	if total <= MaxEntries {
		return nil
	}
	_, err := c.tx.ExecContext(ctx, "DELETE FROM entries WHERE rowid IN (SELECT rowid FROM entries WHERE source = ? AND listed = 0 ORDER BY read DESC, at LIMIT ?)",
		c.id, total-MaxEntries)
	return err
}

// makeRoom removes entries of any sources if there are too many, and if that is not enough, entries of c.fresh.
func (c *check) makeRoom(ctx context.Context) error {
	if len(c.fresh) == 0 {
		return nil
	}
	for dropped := false; ; dropped = true {
		if err := countEntries(ctx, c.tx, "id = ?", c.id); err != nil {
			return err
		}
		var entries, octets int
		if err := c.tx.QueryRowContext(ctx, "SELECT sum(entries), sum(octets) FROM sources").Scan(&entries, &octets); err != nil {
			return err
		}
		n := 0
		for n < len(c.fresh) && entries+n < c.bounds.entries && octets+c.fresh[n].size() <= c.bounds.octets {
			octets += c.fresh[n].size()
			n++
		}
		if n == len(c.fresh) || dropped {
			c.rest = c.rest || n < len(c.fresh)
			c.fresh = c.fresh[:n]
			return nil
		}
		if _, err := c.tx.ExecContext(ctx, `DELETE FROM entries WHERE rowid IN
			(SELECT rowid FROM entries WHERE listed = 0 ORDER BY read DESC, at LIMIT ?)`, dropAtOnce); err != nil {
			return err
		}
		if err := countEntries(ctx, c.tx, "1"); err != nil {
			return err
		}
	}
}

// insert adds the new entries. Of entries with the same date the first gets the last row, because lists begin with the last row.
func (c *check) insert(ctx context.Context) error {
	for i := len(c.fresh) - 1; i >= 0; i-- {
		if err := insertEntry(ctx, c.tx, c.id, &c.fresh[i]); err != nil {
			return err
		}
	}
	return nil
}

// restID returns the ID of the entry that stands for entries that are left out.
func (c *check) restID() string { return "rest-" + strconv.FormatInt(c.id, 10) }

// keepRest adds an unread entry that stands for entries that are left out: new ones, or, once, those that are too many.
func (c *check) keepRest(ctx context.Context, cut bool) error {
	e := entryRow{listed: true, Entry: Entry{ID: c.restID(), URL: c.url, Seen: c.now}}
	switch {
	case c.rest:
		e.Title = "more new entries than are listed here"
	case cut && c.byID[e.ID] == nil:
		e.Title = "more entries than can be compared with the last check"
	default:
		return nil
	}
	return insertEntry(ctx, c.tx, c.id, &e)
}
