package history

import (
	"context"
	"database/sql"
	"io/fs"
	"net"
	"slices"
	"strings"
	"time"

	"gofer/urlcore"
)

// Selection selects visits. Exactly one of its fields is set.
type Selection struct {
	URL  urlcore.URL
	Host string    // host of the URL, in any case
	Day  time.Time // selects the URLs whose latest visit was on this day, in the time zone of Day
	All  bool
}

// Forgotten is what Forget removed.
type Forgotten struct {
	Visits  int // number of visited URLs
	Sources int // number of followed pages
	Servers int // number of servers whose habits were removed
}

// Forget removes the selected visits with the texts of their pages, and the habits of the servers whose hosts no other visit
// has. If a host is selected, it also removes its followed pages with their entries. Otherwise they stay, as bookmarks do. Then Forget overwrites the removed
// rows in the files of the database. If another process prevents this by reading the database, Forget returns what it removed
// and an error. Each step waits at most 5 s for other processes.
func (s *Store) Forget(ctx context.Context, sel Selection) (f Forgotten, err error) {
	if !s.begin() {
		return f, s.wrap("forget", fs.ErrClosed)
	}
	defer s.changes.Done()
	err = s.do(ctx, lockWait, "forget", func(db *sql.DB) error {
		return transact(ctx, db, func(tx *sql.Tx) error {
			if f.Visits, err = forget(ctx, tx, sel); err == nil && sel != (Selection{}) {
				f.Servers, err = forgetHabits(ctx, tx)
			}
			if err == nil && sel.Host != "" {
				f.Sources, err = forgetSources(ctx, tx, sel.Host)
			}
			return err
		})
	})
	if err != nil || f == (Forgotten{}) {
		return Forgotten{}, err
	}
	return f, s.overwrite(ctx)
}

// Overwrite overwrites what was removed in the files of the database, as Forget does.
func (s *Store) Overwrite(ctx context.Context) error {
	if !s.begin() {
		return s.wrap("overwrite what was removed", fs.ErrClosed)
	}
	defer s.changes.Done()
	return s.overwrite(ctx)
}

func (s *Store) overwrite(ctx context.Context) error {
	const doing = "overwrite what was removed"
	// secure_delete does not overwrite the copies that SQLite made when it split or merged its pages.
	err := s.do(ctx, lockWait, doing, func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, packIndex+"; VACUUM")
		return err
	})
	if err != nil {
		return err
	}
	// The write-ahead log still contains the old pages of the database.
	return s.do(ctx, lockWait, doing, func(db *sql.DB) error {
		var busy, log, done int
		err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done)
		if err == nil && busy != 0 {
			err = ErrBusy
		}
		return err
	})
}

// forgetPages drops the links and the texts of the pages whose visits were forgotten.
const forgetPages = "DELETE FROM pages WHERE NOT EXISTS (SELECT 1 FROM visits WHERE visits.url = pages.url);" + forgetTexts

func forget(ctx context.Context, tx *sql.Tx, sel Selection) (n int, err error) {
	remove := func(condition string, args ...any) error {
		r, err := tx.ExecContext(ctx, "DELETE FROM visits WHERE "+condition, args...)
		if err != nil {
			return err
		}
		rows, err := r.RowsAffected()
		n += int(rows)
		return err
	}
	switch {
	case sel.URL != nil:
		err = remove("url = ?", urlcore.Redact(sel.URL).String())
	case sel.Host != "":
		var ids []int64
		ids, err = idsOfHost(ctx, tx, sel.Host)
		for _, id := range ids {
			if err == nil {
				err = remove("rowid = ?", id)
			}
		}
	case !sel.Day.IsZero():
		y, m, d := sel.Day.Date()
		from := time.Date(y, m, d, 0, 0, 0, 0, sel.Day.Location()).UnixMilli()
		to := time.Date(y, m, d+1, 0, 0, 0, 0, sel.Day.Location()).UnixMilli()
		err = remove("last >= ? AND last < ?", from, to)
		if err == nil { // URLs that were visited again get a later first visit
			_, err = tx.ExecContext(ctx, "UPDATE visits SET first = last WHERE first >= ? AND first < ?", from, to)
		}
	case sel.All:
		err = remove("1")
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, forgetPages)
	}
	return n, err
}

// idsOfHost returns the row numbers of the visited URLs of a host. It includes URLs without a host if their
// title contains the host: "Newsgroups of host:119".
func idsOfHost(ctx context.Context, tx *sql.Tx, host string) (ids []int64, err error) {
	host = strings.Trim(host, "[]")
	err = eachVisit(ctx, tx, "1", nil, func(id int64, v Visit) bool {
		if isOfHost(v.URL, v.Title, host) {
			ids = append(ids, id)
		}
		return true
	})
	return ids, err
}

func isOfHost(u urlcore.URL, title, host string) bool {
	h := urlcore.Host(u)
	return strings.EqualFold(h, host) || h == "" && mentionsHost(title, host)
}

// mentionsHost reports whether title has host or host:port as a word.
func mentionsHost(title, host string) bool {
	return slices.ContainsFunc(strings.Fields(title), func(word string) bool {
		if h, _, err := net.SplitHostPort(word); err == nil {
			word = h
		}
		return strings.EqualFold(strings.Trim(word, "[]"), host)
	})
}
