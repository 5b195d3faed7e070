package history

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"gofer/history/bookmarks"
	"gofer/urlcore"
)

// MaxEntryID is the largest length of the ID of an entry in octets.
const MaxEntryID = 64

// Entry is an item of a followed page.
type Entry struct {
	Source   urlcore.URL
	ID       string      // identifies the entry among those of all sources; at most MaxEntryID octets
	URL      urlcore.URL // what the entry opens
	Fragment string      // the place in the page of URL, or ""
	Title    string      // UTF-8 on one line, perhaps empty
	Date     time.Time   // by the source; zero: unknown
	Seen     time.Time   // when it was first found
	Read     bool
	// Changes reports that the source is known to change the item at URL, such as a file: another ID for the same URL is a new
	// version, which replaces the old one. It is not stored.
	Changes bool
}

// at returns the time that sorts the entry: its date, unless the date is unknown or later than tomorrow.
func (e *Entry) at() time.Time {
	if e.hasDate() {
		return e.Date
	}
	return e.Seen
}

func (e *Entry) hasDate() bool { return !e.Date.IsZero() && !e.Date.After(e.Seen.Add(24*time.Hour)) }

// entryRow is a stored entry.
type entryRow struct {
	Entry
	row    int64
	listed bool // the source listed it at the last check
	found  bool // the source lists it now
}

// size returns about the number of octets that the entry takes in the database, with its places in the indexes. It agrees with
// countEntries.
func (e *entryRow) size() int {
	return 100 + 2*len(e.urlText()) + len(e.Title) + len(e.Fragment) + 2*len(e.ID)
}

// text identifies the entry by its URL and its title.
func (e *entryRow) text() string { return e.urlText() + "\n" + e.Title }

func (e *entryRow) urlText() string { return urlcore.Redact(e.URL).String() }

// insertEntry adds an entry of the source with the number id.
func insertEntry(ctx context.Context, tx *sql.Tx, id int64, e *entryRow) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO entries (source, id, url, fragment, title, date, seen, at, read, listed)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, id, e.ID, e.urlText(), e.Fragment, e.Title, milliseconds(e.Date), milliseconds(e.Seen),
		milliseconds(e.at()), e.Read, e.listed)
	return err
}

// countEntries sets the number and the size of the entries of the sources that meet an SQL condition. The size includes the
// places of an entry in the indexes.
func countEntries(ctx context.Context, tx *sql.Tx, condition string, args ...any) error {
	_, err := tx.ExecContext(ctx, `UPDATE sources SET (entries, octets) = (SELECT count(*),
		coalesce(sum(100 + 2*length(CAST(url AS BLOB)) + length(CAST(title AS BLOB)) + length(CAST(fragment AS BLOB)) + 2*length(id)), 0)
		FROM entries WHERE source = sources.id) WHERE `+condition, args...)
	return err
}

// entriesOf returns the entries of the source with the number id, the newest first.
func entriesOf(ctx context.Context, q querier, id int64) (list []entryRow, err error) {
	err = eachEntry(ctx, q, "source = ?", []any{id}, -1, func(e entryRow) { list = append(list, e) })
	return list, err
}

// eachEntry calls yield for at most limit entries that meet an SQL condition, the newest first. A negative limit means all.
// It skips invalid rows.
func eachEntry(ctx context.Context, q querier, condition string, args []any, limit int, yield func(entryRow)) error {
	rows, err := q.QueryContext(ctx, `SELECT entries.rowid, (SELECT url FROM sources WHERE sources.id = entries.source), id, url, fragment, title,
		date, seen, read, listed FROM entries WHERE `+condition+" ORDER BY at DESC, entries.rowid DESC LIMIT ?", append(args, limit)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var row int64
		var source, id, text, fragment, title, date, seen, read, listed any
		if err := rows.Scan(&row, &source, &id, &text, &fragment, &title, &date, &seen, &read, &listed); err != nil {
			return err
		}
		e := entryRow{row: row, listed: number(listed) != 0, Entry: Entry{
			Source: storedURL(source), URL: storedURL(text), Fragment: storedText(fragment), Title: storedText(title),
			Date: timeOf(date), Seen: timeOf(seen), Read: number(read) != 0,
		}}
		if e.ID, _ = id.(string); e.Source != nil && e.URL != nil && e.ID != "" && len(e.ID) <= MaxEntryID {
			yield(e)
		}
	}
	return rows.Err()
}

// isShared is the SQL condition that another entry of the same source has the place (URL and fragment) of an entry, as entries of
// a feed without links have. Such an entry is read by its mark, not by a visit.
const isShared = `EXISTS (SELECT 1 FROM entries s WHERE s.source = entries.source AND s.url = entries.url
	AND s.fragment = entries.fragment AND s.id <> entries.id)`

// isRepeated is the SQL condition that a newer unread entry of another source has the place of an entry.
const isRepeated = `EXISTS (SELECT 1 FROM entries o WHERE o.url = entries.url AND o.read = 0 AND o.fragment = entries.fragment
	AND o.source <> entries.source AND (o.at, o.rowid) > (entries.at, entries.rowid)) AND NOT ` + isShared

// UnreadEntries returns at most limit unread entries of the followed pages, the newest first. Of entries of several sources that
// have the same place it returns the newest.
func (s *Store) UnreadEntries(ctx context.Context, limit int) (list []Entry, err error) {
	err = s.read(ctx, func(db *sql.DB) error {
		list = nil
		return eachEntry(ctx, db, "read = 0 AND NOT ("+isRepeated+")", nil, limit, func(e entryRow) { list = append(list, e.Entry) })
	})
	return list, err
}

// MarkRead marks entries as read or unread: those of a followed page, or of all if source is nil; and of these the ones with
// the given IDs, or all if ids is nil. Entries of other sources at the same places are marked as well. It returns the IDs of the
// entries of source that it changed: MarkRead(ctx, source, changed, !read) undoes the call.
func (s *Store) MarkRead(ctx context.Context, source urlcore.URL, ids []string, read bool) (changed []string, err error) {
	condition, args := "read = ?", []any{!read}
	if source != nil {
		condition += " AND source = (SELECT sources.id FROM sources WHERE sources.url = ?)"
		args = append(args, urlcore.Redact(source).String())
	}
	err = s.change(ctx, "mark entries as read", func(tx *sql.Tx) error {
		changed = nil
		if ids == nil {
			changed, err = markEntries(ctx, tx, read, condition, args)
			return err
		}
		for at := 0; at < len(ids); at += maxQueryURLs {
			part := ids[at:min(len(ids), at+maxQueryURLs)]
			all := args
			for _, id := range part {
				all = append(all[:len(all):len(all)], id)
			}
			done, err := markEntries(ctx, tx, read, condition+" AND id IN (?"+strings.Repeat(",?", len(part)-1)+")", all)
			if err != nil {
				return err
			}
			changed = append(changed, done...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// markEntries sets whether the entries that meet an SQL condition are read, and returns their IDs. It sets the same for the
// entries of other sources at their places.
func markEntries(ctx context.Context, tx *sql.Tx, read bool, condition string, args []any) (ids []string, err error) {
	if _, err := tx.ExecContext(ctx, "UPDATE entries SET read = ? WHERE read = ? AND (url, fragment) IN (SELECT url, fragment FROM entries WHERE "+
		condition+") AND NOT ("+condition+") AND NOT "+isShared,
		slices.Concat([]any{read, !read}, args, args)...); err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, "UPDATE entries SET read = ? WHERE "+condition+" RETURNING id", append([]any{read}, args...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id sql.RawBytes
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, string(id))
	}
	return ids, rows.Err()
}

// cleanEntry returns e as it is stored, or false if it cannot be stored.
func cleanEntry(e Entry, now time.Time) (entryRow, bool) {
	e.Title, e.Fragment = bookmarks.NormalizeTitle(e.Title), bookmarks.NormalizeTitle(e.Fragment)
	if e.ID == "" || len(e.ID) > MaxEntryID || e.URL == nil || e.URL.Scheme() == "about" {
		return entryRow{}, false
	}
	if e.Seen.IsZero() {
		e.Seen = now
	}
	e.Date = storedTime(milliseconds(e.Date))
	r := entryRow{Entry: e, listed: true}
	return r, len(r.urlText()) <= bookmarks.MaxURL
}
