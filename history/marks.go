package history

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"gofer/history/bookmarks"
	"gofer/urlcore"
)

const (
	// MaxLinks is the largest number of links of one page. NewLinks does not record a page with more.
	MaxLinks = 10_000
	// maxLinkOctets is the largest size of the recorded links of all pages, in octets. Beyond it, the
	// links of the pages loaded longest ago are dropped.
	maxLinkOctets = 16 << 20
	// oneVisit is the time within which several loads of a page count as one visit.
	oneVisit = 30 * time.Minute
	// maxQueryURLs is the largest number of URLs in one query.
	maxQueryURLs = 200
)

// Visited reports for each URL whether it has been visited. The URLs are canonical and have no
// passwords.
func (s *Store) Visited(ctx context.Context, urls []string) (visited []bool, err error) {
	visited = make([]bool, len(urls))
	at := make(map[string][]int, len(urls))
	for i, u := range urls {
		at[u] = append(at[u], i)
	}
	err = s.read(ctx, func(db *sql.DB) error {
		for part := range slices.Chunk(urls, maxQueryURLs) {
			args := make([]any, len(part))
			for i, u := range part {
				args[i] = u
			}
			rows, err := db.QueryContext(ctx, "SELECT url FROM visits WHERE url IN (?"+strings.Repeat(",?", len(part)-1)+")", args...)
			if err != nil {
				return err
			}
			for rows.Next() {
				var u sql.RawBytes
				if err := rows.Scan(&u); err != nil {
					_ = rows.Close()
					return err
				}
				for _, i := range at[string(u)] {
					visited[i] = true
				}
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil {
				return err
			}
		}
		return nil
	})
	return visited, err
}

// NewLinks records the links of a completely loaded page. The links are hashes, which must be even
// numbers. It returns the links that were not there at the last visit, and none at the first visit.
// Loads within half an hour are the same visit. A page of more than [MaxLinks] links is not
// recorded. NewLinks does not wait long for another process that has locked the database.
func (s *Store) NewLinks(ctx context.Context, u urlcore.URL, links []uint64, at time.Time) (fresh []uint64, err error) {
	if len(links) > MaxLinks || u == nil || u.Scheme() == "about" {
		return nil, nil
	}
	text := urlcore.Redact(u).String()
	if len(text) > bookmarks.MaxURL {
		return nil, nil
	}
	if !s.begin() {
		return nil, s.wrap("remember the links of a page", fs.ErrClosed)
	}
	defer s.changes.Done()
	err = s.do(ctx, readWait, "remember the links of a page", func(db *sql.DB) error {
		err := transact(ctx, db, func(tx *sql.Tx) error {
			before, err := linksOf(ctx, tx, text)
			if err != nil {
				return err
			}
			now := markNew(before, links, at)
			fresh = now.fresh()
			_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO pages (url, at, links) VALUES (?, ?, ?)",
				text, at.UnixMilli(), now.encode())
			if err == nil && s.compares%64 == 0 {
				err = dropLinks(ctx, tx, maxLinkOctets)
			}
			return err
		})
		if err != nil {
			fresh = nil
			return err
		}
		s.compares++
		return nil
	})
	return fresh, err
}

// pageLinks holds the sorted hashes of the links of a page. The lowest bit of a hash marks a link
// that was new at the last visit. So a page takes one row of limited size, and the marks survive a
// reload.
type pageLinks struct {
	at    time.Time // when the page was last loaded; zero if the page is unknown
	links []uint64
}

const isNew = 1

func (p pageLinks) fresh() (list []uint64) {
	for _, l := range p.links {
		if l&isNew != 0 {
			list = append(list, l&^isNew)
		}
	}
	return list
}

func (p pageLinks) encode() []byte {
	b := make([]byte, 0, 8*len(p.links))
	for _, l := range p.links {
		b = binary.LittleEndian.AppendUint64(b, l)
	}
	return b
}

// markNew returns the links of a page and marks the new ones. The parameter at is the time when the page was
// loaded. The parameter previous holds the links of the load before.
func markNew(previous pageLinks, links []uint64, at time.Time) pageLinks {
	now := pageLinks{at: at, links: make([]uint64, len(links))}
	old := make(map[uint64]uint64, len(previous.links))
	for _, l := range previous.links {
		old[l&^isNew] = l & isNew
	}
	since := at.Sub(previous.at)
	again := since >= 0 && since < oneVisit
	for i, l := range links {
		l &^= isNew
		mark, known := old[l]
		if !previous.at.IsZero() && (!known || again && mark != 0) {
			l |= isNew
		}
		now.links[i] = l
	}
	slices.Sort(now.links)
	now.links = slices.Compact(now.links)
	return now
}

// linksOf returns the recorded links of a page. It ignores a damaged row.
func linksOf(ctx context.Context, q querier, url string) (pageLinks, error) {
	var at, blob any
	err := q.QueryRowContext(ctx, "SELECT at, links FROM pages WHERE url = ?", url).Scan(&at, &blob)
	if err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return pageLinks{}, err
	}
	ms, ok1 := at.(int64)
	octets, ok2 := blob.([]byte)
	if !ok1 || blob != nil && !ok2 || ms < 0 || ms > latestTime || len(octets) > 8*MaxLinks {
		return pageLinks{}, nil
	}
	p := pageLinks{at: time.UnixMilli(ms)}
	for ; len(octets) >= 8; octets = octets[8:] {
		p.links = append(p.links, binary.LittleEndian.Uint64(octets))
	}
	return p, nil
}

// dropLinks drops the links of the pages loaded longest ago, so that the links of the other pages take
// at most limit octets.
func dropLinks(ctx context.Context, tx *sql.Tx, limit int) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM pages WHERE url IN (SELECT url FROM
		(SELECT url, sum(length(links) + length(url) + 16) OVER (ORDER BY at DESC, url) AS total FROM pages)
		WHERE total > ?)`, limit)
	return err
}
