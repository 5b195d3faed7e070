package history

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"time"

	"gofer/history/bookmarks"
	"gofer/urlcore"
)

// maxVisits is the largest number of URLs in a Store. Beyond it, the URLs visited longest ago are
// dropped.
const maxVisits = 100_000

// Visit is one URL that was visited.
type Visit struct {
	URL   urlcore.URL
	Title string    // UTF-8 on one line, perhaps empty
	First time.Time // the first visit
	Last  time.Time // the latest visit
	Count int       // number of visits
}

// latestTime is the latest possible time of a visit, in milliseconds: the end of the year 9999.
const latestTime int64 = 253402300799999

// upsert records a visit. It replaces invalid times and values of the wrong type in a damaged row.
const upsert = `INSERT INTO visits (url, title, words, first, last, count)
	VALUES (?1, ?2, ?3, ?4, ?4, 1)
	ON CONFLICT (url) DO UPDATE SET
		title = CASE WHEN ?2 = '' AND typeof(title) = 'text' THEN title ELSE ?2 END,
		words = CASE WHEN ?2 = '' AND typeof(words) = 'text' THEN words ELSE ?3 END,
		first = CASE WHEN first >= 0 AND first < ?4 THEN first ELSE ?4 END,
		last  = CASE WHEN last > ?4 AND last <= ?5 THEN last ELSE ?4 END,
		count = CASE typeof(count) WHEN 'integer' THEN count + 1 ELSE 1 END`

// Visit records a visit of u, and marks the entries of followed pages that lead to u, or to a URL of asked, as read: asked has
// the URLs that the server redirected to u. The title is stored as one line of UTF-8. An empty title does not replace a known one. The password of u is never written. Gofer's own pages (about:) and URLs over
// 16 KiB are not recorded. While another process has locked the database, Visit waits without
// a time limit, but not after s was closed.
func (s *Store) Visit(ctx context.Context, u urlcore.URL, title string, at time.Time, asked ...urlcore.URL) error {
	if u == nil || u.Scheme() == "about" {
		return nil
	}
	text := urlcore.Redact(u).String()
	if len(text) > bookmarks.MaxURL {
		return nil
	}
	if !s.begin() {
		return s.wrap("record a visit", fs.ErrClosed)
	}
	defer s.changes.Done()
	title = bookmarks.NormalizeTitle(title)
	err := s.do(ctx, noLimit, "record a visit", func(db *sql.DB) error {
		err := transact(ctx, db, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, upsert, text, title, searchText(text, title), at.UnixMilli(), latestTime)
			for _, entry := range append([]urlcore.URL{u}, asked...) {
				if err == nil {
					_, err = tx.ExecContext(ctx, "UPDATE entries SET read = 1 WHERE url = ? AND read = 0 AND NOT "+isShared, urlcore.Redact(entry).String())
				}
			}
			return err
		})
		if err == nil && !s.trimmed {
			err = trim(ctx, db, maxVisits)
			s.trimmed = err == nil
		}
		return err
	})
	if errors.Is(err, ErrBusy) {
		s.mu.Lock()
		s.lost++
		s.mu.Unlock()
	}
	return err
}

// trim drops the URLs visited longest ago until n URLs are left.
func trim(ctx context.Context, db *sql.DB, n int) error {
	_, err := db.ExecContext(ctx, `DELETE FROM visits WHERE last <=
		(SELECT last FROM visits ORDER BY last DESC LIMIT 1 OFFSET ?);`+forgetPages, n)
	return err
}

// VisitsSince returns the URLs whose latest visit was at the given time or later, the latest first, and
// the number of all URLs.
func (s *Store) VisitsSince(ctx context.Context, at time.Time) (vs []Visit, total int, err error) {
	from := int64(0)
	if !at.IsZero() {
		from = at.UnixMilli()
	}
	err = s.do(ctx, readWait, "read", func(db *sql.DB) error {
		vs = nil
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM visits").Scan(&total); err != nil {
			return err
		}
		return eachVisit(ctx, db, "last BETWEEN ? AND ?", []any{from, latestTime}, func(_ int64, v Visit) bool {
			vs = append(vs, v)
			return true
		})
	})
	return vs, total, err
}

// eachVisit calls yield for each visit that meets an SQL condition, the latest visit first. The first
// argument of yield is the number of the row. eachVisit skips invalid rows, and stops when yield
// returns false.
func eachVisit(ctx context.Context, db querier, condition string, args []any, yield func(int64, Visit) bool) error {
	rows, err := db.QueryContext(ctx,
		"SELECT rowid, url, title, first, last, count FROM visits WHERE "+condition+" ORDER BY last DESC, rowid DESC", args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id, text, title, first, last, count any
		if err := rows.Scan(&id, &text, &title, &first, &last, &count); err != nil {
			return err
		}
		n, ok1 := id.(int64)
		if v, ok2 := visitOf(text, title, first, last, count); ok1 && ok2 && !yield(n, v) {
			return nil
		}
	}
	return rows.Err()
}

// visitOf makes a Visit from the values of a row. After damage a row may have any values.
func visitOf(text, title, first, last, count any) (v Visit, ok bool) {
	s, ok1 := text.(string)
	from, ok2 := first.(int64)
	to, ok3 := last.(int64)
	n, ok4 := count.(int64)
	if !ok1 || !ok2 || !ok3 || !ok4 || len(s) > bookmarks.MaxURL || from < 0 || from > latestTime || to < 0 || to > latestTime {
		return v, false
	}
	u, err := urlcore.Parse(s)
	if err != nil {
		return v, false
	}
	known, _ := title.(string)
	return Visit{
		URL: u, Title: bookmarks.NormalizeTitle(known),
		First: time.UnixMilli(from), Last: time.UnixMilli(to), Count: int(n),
	}, true
}
