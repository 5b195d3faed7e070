package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"gofer/internal/userfile"
	"gofer/urlcore"
)

const (
	// keep is how many URLs a Store remembers; the oldest are dropped.
	keep = 100_000
	// maxURL and maxTitle bound one row, in octets.
	maxURL, maxTitle = 16 << 10, 512
	// maxWords bounds one search.
	maxWords = 16
	// patience is how long another program may hold the database.
	patience = 5 * time.Second
)

// Store remembers the URLs that were visited, one row for each, in a SQLite
// database that any number of running programs share. It is safe for
// concurrent use. On a nil *Store every method does nothing and succeeds, so
// that a program goes on when its history cannot be opened.
type Store struct {
	db   *sql.DB
	path string
}

// Visit is one URL that was visited.
type Visit struct {
	URL   urlcore.URL
	Title string    // UTF-8 on one line, perhaps empty
	First time.Time // the first visit
	Last  time.Time // the latest visit
	Count int       // how many visits
}

// OpenStore opens the database at path, and makes it and its folders when they
// are missing, readable by nobody else. It may wait 5 s for another program, so
// it is best called where nobody waits. The error says why there is no history
// (no database, damaged, read-only, of a newer gofer); the *Store is nil then.
func OpenStore(path string) (*Store, error) {
	s, err := openStore(path)
	if err != nil {
		return nil, fmt.Errorf("history %s: %w", path, err)
	}
	return s, nil
}

func openStore(path string) (*Store, error) {
	if path == "" {
		return nil, errors.New("there is no folder to keep it in")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	// SQLite would make it readable for everybody; its other files follow it.
	f, err := userfile.Open(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(2)
	s := &Store{db: db, path: path}
	if err := s.prepare(); err != nil {
		_ = db.Close()
		return nil, err
	}
	return s, nil
}

func dsn(path string) string {
	q := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()),
			"journal_mode(WAL)",
			"synchronous(NORMAL)",
			"secure_delete(ON)",
		},
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// prepare brings the schema up to date and drops what is too old. SQLite does
// not wait for a program that is just switching a new database to WAL but
// answers "busy" at once, hence the loop.
func (s *Store) prepare() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		err := migrate(ctx, s.db)
		var e *sqlite.Error
		if err == nil {
			break
		}
		if !errors.As(err, &e) || e.Code()&0xff != sqlite3.SQLITE_BUSY {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(5 * time.Millisecond):
		}
	}
	return s.trim(ctx, keep)
}

// trim drops the oldest URLs until n are left.
func (s *Store) trim(ctx context.Context, n int) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM visits WHERE last <=
		(SELECT last FROM visits ORDER BY last DESC LIMIT 1 OFFSET ?)`, n)
	return err
}

// Close frees the database.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	return s.db.Close()
}

// Visit records that u was visited at a time. The title is kept as one line of
// UTF-8; an empty one leaves the title that is known. The password of u is
// never written. Pages of gofer's own (about:) and URLs over 16 KiB are not
// recorded.
func (s *Store) Visit(ctx context.Context, u urlcore.URL, title string, at time.Time) error {
	if s == nil || u == nil || u.Scheme() == "about" {
		return nil
	}
	text := urlcore.Redact(u).String()
	if len(text) > maxURL {
		return nil
	}
	title = oneLine(title, maxTitle)
	_, err := s.db.ExecContext(ctx, `INSERT INTO visits (url, title, words, first, last, count)
		VALUES (?1, ?2, ?3, ?4, ?4, 1)
		ON CONFLICT (url) DO UPDATE SET
			title = CASE ?2 WHEN '' THEN title ELSE ?2 END,
			words = CASE ?2 WHEN '' THEN words ELSE ?3 END,
			first = min(first, ?4),
			last  = max(last, ?4),
			count = count + 1`,
		text, title, searchText(text, title), at.UnixMilli())
	return s.wrap("record a visit", err)
}

// Recent returns the latest visits, the latest first.
func (s *Store) Recent(ctx context.Context, limit int) ([]Visit, error) {
	return s.Search(ctx, "", limit)
}

// Search returns the latest visits whose URL or title holds every one of the
// words, in any case and anywhere, the latest first. No character of words has
// a meaning of its own. Without words it is Recent.
func (s *Store) Search(ctx context.Context, words string, limit int) ([]Visit, error) {
	if s == nil || limit <= 0 {
		return nil, nil
	}
	var where strings.Builder
	var args []any
	for i, w := range strings.Fields(fold(words)) {
		if i == maxWords {
			break
		}
		where.WriteString(" AND instr(words, ?) > 0")
		args = append(args, w)
	}
	rows, err := s.db.QueryContext(ctx,
		"SELECT url, title, first, last, count FROM visits WHERE 1"+where.String()+
			" ORDER BY last DESC, id DESC LIMIT ?", append(args, limit)...)
	if err != nil {
		return nil, s.wrap("read", err)
	}
	defer rows.Close()
	var vs []Visit
	for rows.Next() {
		var v Visit
		var text string
		var first, last int64
		if err := rows.Scan(&text, &v.Title, &first, &last, &v.Count); err != nil {
			return vs, s.wrap("read", err)
		}
		if v.URL, err = urlcore.Parse(text); err != nil {
			continue
		}
		v.First, v.Last = time.UnixMilli(first), time.UnixMilli(last)
		vs = append(vs, v)
	}
	return vs, s.wrap("read", rows.Err())
}

// Visited returns which of the canonical URLs have been visited, and when last.
func (s *Store) Visited(ctx context.Context, urls []string) (map[string]time.Time, error) {
	seen := make(map[string]time.Time)
	if s == nil {
		return seen, nil
	}
	const batch = 500
	for len(urls) > 0 {
		n := min(batch, len(urls))
		if err := s.visited(ctx, urls[:n], seen); err != nil {
			return seen, s.wrap("read", err)
		}
		urls = urls[n:]
	}
	return seen, nil
}

func (s *Store) visited(ctx context.Context, urls []string, seen map[string]time.Time) error {
	args := make([]any, len(urls))
	for i, u := range urls {
		args[i] = u
	}
	rows, err := s.db.QueryContext(ctx, "SELECT url, last FROM visits WHERE url IN (?"+
		strings.Repeat(",?", len(urls)-1)+")", args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var u string
		var last int64
		if err := rows.Scan(&u, &last); err != nil {
			return err
		}
		seen[u] = time.UnixMilli(last)
	}
	return rows.Err()
}

// Forget removes one URL; its octets are overwritten in the database.
func (s *Store) Forget(ctx context.Context, u urlcore.URL) error {
	if s == nil || u == nil {
		return nil
	}
	_, err := s.db.ExecContext(ctx, "DELETE FROM visits WHERE url = ?", urlcore.Redact(u).String())
	return s.wrap("forget", errors.Join(err, s.truncate(ctx)))
}

// Clear removes every visit; their octets are overwritten in the database.
func (s *Store) Clear(ctx context.Context) error {
	if s == nil {
		return nil
	}
	_, err := s.db.ExecContext(ctx, "DELETE FROM visits")
	return s.wrap("clear", errors.Join(err, s.truncate(ctx)))
}

// truncate empties the write-ahead log, which still holds what was deleted. A
// program that is reading puts it off to the next checkpoint; that is no error.
func (s *Store) truncate(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

func (s *Store) wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("history %s: %s: %w", s.path, doing, err)
}

// searchText is what Search looks into: the URL as written, as it reads without
// escapes, and the title.
func searchText(u, title string) string {
	plain, err := url.PathUnescape(u)
	if err != nil {
		plain = u
	}
	return fold(u + "\n" + plain + "\n" + title)
}

// fold makes two texts equal that differ only in case or in invalid UTF-8.
func fold(s string) string {
	return strings.ToLower(strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD"))
}

// oneLine makes s one line of valid UTF-8 of at most limit octets, without
// control characters and with single blanks.
func oneLine(s string, limit int) string {
	if len(s) > 4*limit {
		s = s[:4*limit]
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= limit {
		return s
	}
	s = s[:limit]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s
}
