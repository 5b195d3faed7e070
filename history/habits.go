package history

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"strings"
	"time"

	"gofer/urlcore"
)

const (
	maxHabits      = 2000 // the largest number of servers with habits; beyond it, those recorded longest ago are dropped
	maxHabitOctets = 4096 // the largest size of the habits of a server
)

// Habits returns what KeepHabits has recorded for the server at addr (host:port), or "". It does not wait long
// for another process that has locked the database.
func (s *Store) Habits(ctx context.Context, addr string) (text string, err error) {
	err = s.read(ctx, func(db *sql.DB) error {
		var stored any
		err := db.QueryRowContext(ctx, "SELECT text FROM habits WHERE addr = ?", addr).Scan(&stored)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if t, ok := stored.(string); ok && len(t) <= maxHabitOctets {
			text = t
		}
		return err
	})
	return text, err
}

// KeepHabits records a text about the server at addr (host:port): what the next connection need not ask. It
// returns at once, and Close waits a short time for the change. A text that is too long or cannot be recorded is
// dropped, because a connection can do without it.
func (s *Store) KeepHabits(addr, text string) {
	if len(text) > maxHabitOctets || len(addr) > maxHabitOctets {
		return
	}
	s.habitsMu.Lock()
	defer s.habitsMu.Unlock()
	if s.habits == nil {
		if !s.begin() {
			return
		}
		s.habits = make(map[string]string)
		go s.writeHabits()
	}
	s.habits[addr] = text
}

// writeHabits writes s.habits until it is empty.
func (s *Store) writeHabits() {
	defer s.changes.Done()
	for {
		s.habitsMu.Lock()
		all := s.habits
		s.habits = make(map[string]string)
		if len(all) == 0 {
			s.habits = nil
		}
		s.habitsMu.Unlock()
		if len(all) == 0 {
			return
		}
		ctx := context.Background()
		_ = s.do(ctx, lockWait, "remember the habits of servers", func(db *sql.DB) error {
			return transact(ctx, db, func(tx *sql.Tx) error { return insertHabits(ctx, tx, all, time.Now()) })
		})
	}
}

func insertHabits(ctx context.Context, tx *sql.Tx, all map[string]string, at time.Time) error {
	for addr, text := range all {
		if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO habits (addr, at, text) VALUES (?, ?, ?)", addr, at.UnixMilli(), text); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM habits WHERE addr NOT IN (SELECT addr FROM habits ORDER BY at DESC LIMIT ?)", maxHabits)
	return err
}

// forgetHabits drops the habits of the servers whose hosts no visit has. It returns the number of servers.
func forgetHabits(ctx context.Context, tx *sql.Tx) (n int, err error) {
	var addrs []string
	rows, err := tx.QueryContext(ctx, "SELECT addr FROM habits")
	if err != nil {
		return 0, err
	}
	for rows.Next() {
		var addr sql.RawBytes
		if err := rows.Scan(&addr); err != nil {
			_ = rows.Close()
			return 0, err
		}
		addrs = append(addrs, string(addr))
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(addrs) == 0 {
		return 0, err
	}
	visited := make(map[string]bool)
	err = eachVisit(ctx, tx, "1", nil, func(_ int64, v Visit) bool {
		visited[strings.ToLower(urlcore.Host(v.URL))] = true
		return true
	})
	for _, addr := range addrs {
		host, _, _ := net.SplitHostPort(addr)
		if err == nil && !visited[strings.ToLower(host)] {
			_, err = tx.ExecContext(ctx, "DELETE FROM habits WHERE addr = ?", addr)
			n++
		}
	}
	return n, err
}
