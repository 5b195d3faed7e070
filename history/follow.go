package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"gofer/history/bookmarks"
	"gofer/urlcore"
)

// maxSources is the largest number of followed pages.
const maxSources = 1000

// Source is a page that the user follows.
type Source struct {
	URL       urlcore.URL
	Title     string // UTF-8 on one line, perhaps empty
	Followed  time.Time
	Checked   time.Time // the last attempt to read the page; zero: never
	Succeeded time.Time // the last success; zero: never
	Failure   string    // why the last attempt failed, or ""; UTF-8 on one line
	Failures  int       // the number of failed attempts since the last success
	State     string    // what the next attempt needs to know of this one; only the caller of KeepCheck reads it
	Unread    int       // unread entries
}

// The errors of Follow.
var (
	ErrManySources = fmt.Errorf("%d pages are followed: unfollow one first", maxSources)
	ErrOwnPage     = errors.New("gofer's own pages cannot be followed")
	ErrLongURL     = fmt.Errorf("URLs over %d octets cannot be followed", bookmarks.MaxURL)
)

// Follow adds a page to the followed pages, as AddSource does.
func (s *Store) Follow(ctx context.Context, u urlcore.URL, title string, at time.Time) (added bool, err error) {
	return s.AddSource(ctx, Source{URL: u, Title: title, Followed: at})
}

// AddSource adds a page to the followed pages. It reports whether the page was not followed before. The title is stored as one
// line of UTF-8; if it is empty, the first check of the page may set it. The password of the URL is never written.
func (s *Store) AddSource(ctx context.Context, src Source) (added bool, err error) {
	text := urlcore.Redact(src.URL).String()
	switch {
	case src.URL.Scheme() == "about":
		return false, ErrOwnPage
	case len(text) > bookmarks.MaxURL:
		return false, ErrLongURL
	}
	err = s.change(ctx, "follow a page", func(tx *sql.Tx) error {
		var known, total int
		err := tx.QueryRowContext(ctx, "SELECT count(*) FILTER (WHERE url = ?), count(*) FROM sources", text).Scan(&known, &total)
		switch {
		case err != nil || known > 0:
			return err
		case total >= maxSources:
			return ErrManySources
		}
		_, err = insertSource(ctx, tx, &src)
		added = err == nil
		return err
	})
	return added && err == nil, err
}

// change runs f in a transaction. It waits at most 5 s for another process that has locked the database, and Close waits
// a short time for it.
func (s *Store) change(ctx context.Context, doing string, f func(*sql.Tx) error) error {
	if !s.begin() {
		return s.wrap(doing, fs.ErrClosed)
	}
	defer s.changes.Done()
	return s.do(ctx, lockWait, doing, func(db *sql.DB) error { return transact(ctx, db, f) })
}

// insertSource adds a source, and returns the number of its row.
func insertSource(ctx context.Context, tx *sql.Tx, src *Source) (id int64, err error) {
	r, err := tx.ExecContext(ctx, `INSERT INTO sources (url, title, followed, checked, succeeded, failure, failures, state)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, urlcore.Redact(src.URL).String(), bookmarks.NormalizeTitle(src.Title), milliseconds(src.Followed),
		milliseconds(src.Checked), milliseconds(src.Succeeded), bookmarks.NormalizeTitle(src.Failure), src.Failures, src.State)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// milliseconds returns t as it is stored. Times that cannot be stored become 0.
func milliseconds(t time.Time) int64 {
	if ms := t.UnixMilli(); !t.IsZero() && ms > 0 && ms <= latestTime {
		return ms
	}
	return 0
}

// storedTime is the inverse function of milliseconds.
func storedTime(ms int64) time.Time {
	if ms <= 0 || ms > latestTime {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// Unfollow removes a page from the followed pages, with its entries. The function undo follows it again as before.
func (s *Store) Unfollow(ctx context.Context, u urlcore.URL) (undo func(context.Context) error, err error) {
	var src Source
	var entries []entryRow
	known := false
	err = s.change(ctx, "unfollow a page", func(tx *sql.Tx) error {
		entries, known = nil, false
		id, found, err := findSource(ctx, tx, u)
		if err != nil || id == 0 {
			return err
		}
		src, known = found, true
		if entries, err = entriesOf(ctx, tx, id); err != nil {
			return err
		}
		return dropSource(ctx, tx, id)
	})
	if err != nil || !known {
		return func(context.Context) error { return nil }, err
	}
	return func(ctx context.Context) error {
		return s.change(ctx, "follow a page again", func(tx *sql.Tx) error {
			if id, _, err := findSource(ctx, tx, u); err != nil || id != 0 {
				return err
			}
			id, err := insertSource(ctx, tx, &src)
			for i := len(entries) - 1; err == nil && i >= 0; i-- {
				err = insertEntry(ctx, tx, id, &entries[i])
			}
			if err == nil {
				err = countEntries(ctx, tx, "id = ?", id)
			}
			return err
		})
	}, nil
}

func dropSource(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM entries WHERE source = ?1; DELETE FROM sources WHERE id = ?1", id)
	return err
}

// forgetSources removes the followed pages of a host. It returns their number.
func forgetSources(ctx context.Context, tx *sql.Tx, host string) (n int, err error) {
	var ids []int64
	err = eachSource(ctx, tx, "1", nil, func(id int64, src Source) {
		if isOfHost(src.URL, src.Title, host) {
			ids = append(ids, id)
		}
	})
	for _, id := range ids {
		if err == nil {
			err = dropSource(ctx, tx, id)
		}
	}
	return len(ids), err
}

// Sources returns the followed pages, in the order of following.
func (s *Store) Sources(ctx context.Context) (list []Source, err error) {
	err = s.read(ctx, func(db *sql.DB) error {
		list = nil
		return eachSource(ctx, db, "1", nil, func(_ int64, src Source) { list = append(list, src) })
	})
	return list, err
}

// findSource returns a followed page and the number of its row, or 0 if u is not followed.
func findSource(ctx context.Context, q querier, u urlcore.URL) (id int64, src Source, err error) {
	err = eachSource(ctx, q, "url = ?", []any{urlcore.Redact(u).String()}, func(found int64, s Source) { id, src = found, s })
	return id, src, err
}

// eachSource calls yield for each followed page that meets an SQL condition. The first argument of yield is the number of
// the row. eachSource skips invalid rows.
func eachSource(ctx context.Context, q querier, condition string, args []any, yield func(int64, Source)) error {
	rows, err := q.QueryContext(ctx, `SELECT id, url, title, followed, checked, succeeded, failure, failures, state,
		(SELECT count(*) FROM entries WHERE source = sources.id AND read = 0)
		FROM sources WHERE `+condition+" ORDER BY id", args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var text, title, followed, checked, succeeded, failure, failures, state, unread any
		if err := rows.Scan(&id, &text, &title, &followed, &checked, &succeeded, &failure, &failures, &state, &unread); err != nil {
			return err
		}
		if u := storedURL(text); u != nil {
			yield(id, Source{
				URL: u, Title: storedText(title), Followed: timeOf(followed), Checked: timeOf(checked), Succeeded: timeOf(succeeded),
				Failure: storedText(failure), Failures: int(number(failures)), State: stateOf(state), Unread: int(number(unread)),
			})
		}
	}
	return rows.Err()
}

// The functions below return values of a row that damage may have changed.

func storedURL(v any) urlcore.URL {
	s, _ := v.(string)
	if s == "" || len(s) > bookmarks.MaxURL {
		return nil
	}
	u, err := urlcore.Parse(s)
	if err != nil {
		return nil
	}
	return u
}

func storedText(v any) string {
	s, _ := v.(string)
	return bookmarks.NormalizeTitle(s)
}

func number(v any) int64 {
	n, _ := v.(int64)
	return max(0, n)
}

func timeOf(v any) time.Time { return storedTime(number(v)) }

func stateOf(v any) string {
	s, _ := v.(string)
	if len(s) > MaxState {
		return ""
	}
	return s
}
