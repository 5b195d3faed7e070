package history

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// migrations upgrade the schema of a database: the entry at index n upgrades version n to
// version n+1. PRAGMA user_version holds the version. Entries are added, never changed.
var migrations = [...]string{
	`CREATE TABLE visits (
		id    INTEGER PRIMARY KEY,
		url   TEXT NOT NULL UNIQUE,  -- canonical, without a password
		title TEXT NOT NULL,
		words TEXT NOT NULL,         -- what Search looks into, in lower case
		first INTEGER NOT NULL,      -- milliseconds since 1970
		last  INTEGER NOT NULL,
		count INTEGER NOT NULL
	);
	CREATE INDEX visits_last ON visits (last);`,
	`CREATE TABLE pages (
		url   TEXT NOT NULL UNIQUE,  -- canonical, without a password
		at    INTEGER NOT NULL,      -- when it was loaded whole, milliseconds since 1970
		links BLOB NOT NULL          -- 64-bit hashes, see pageLinks
	);`,
	`CREATE TABLE habits (
		addr TEXT NOT NULL UNIQUE,   -- host:port
		at   INTEGER NOT NULL,       -- when it was recorded, milliseconds since 1970
		text TEXT NOT NULL           -- see Store.KeepHabits
	);`,
	`CREATE TABLE sources (
		id        INTEGER PRIMARY KEY,
		url       TEXT NOT NULL UNIQUE, -- canonical, without a password
		title     TEXT NOT NULL,
		followed  INTEGER NOT NULL,     -- milliseconds since 1970, as all times; 0 means never
		checked   INTEGER NOT NULL,
		succeeded INTEGER NOT NULL,
		failure   TEXT NOT NULL,
		failures  INTEGER NOT NULL,
		state     TEXT NOT NULL,
		entries   INTEGER NOT NULL DEFAULT 0, -- number and size of its entries
		octets    INTEGER NOT NULL DEFAULT 0
	);
	CREATE TABLE entries (
		source   INTEGER NOT NULL,      -- sources.id
		id       TEXT NOT NULL,
		url      TEXT NOT NULL,         -- canonical, without a password
		fragment TEXT NOT NULL,
		title    TEXT NOT NULL,
		date     INTEGER NOT NULL,
		seen     INTEGER NOT NULL,
		at       INTEGER NOT NULL,      -- the order: date, or seen if there is no credible date
		read     INTEGER NOT NULL,      -- 0 or 1
		listed   INTEGER NOT NULL,      -- 1 if the source listed it at the last check
		UNIQUE (source, id)
	);
	CREATE INDEX entries_unread ON entries (at) WHERE read = 0;
	CREATE INDEX entries_source ON entries (source) WHERE read = 0;
	CREATE INDEX entries_url ON entries (url) WHERE read = 0;`,
	// The index has no copy of the texts, which would take twice the room of compressed texts.
	`CREATE TABLE texts (
		id   INTEGER PRIMARY KEY,    -- of the row in visits, and in text_index
		at   INTEGER NOT NULL,       -- when the page was read, milliseconds since 1970
		text BLOB NOT NULL           -- compressed by zstd
	);
	CREATE VIRTUAL TABLE text_index USING fts5 (
		title, text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
	);`,
}

// migrate upgrades db to the newest version. Several processes may call it at the same time:
// the transaction is immediate, so one of them upgrades and the others find the new version.
func migrate(ctx context.Context, db *sql.DB) error {
	have, err := version(ctx, db)
	if err != nil {
		return err
	}
	if have == len(migrations) {
		return nil
	}
	return transact(ctx, db, func(tx *sql.Tx) error {
		have, err := version(ctx, tx)
		switch {
		case err != nil:
			return err
		case have > len(migrations):
			return fmt.Errorf("a newer gofer wrote it (schema %d, this gofer knows %d): no history is kept", have, len(migrations))
		case have < 0:
			return fmt.Errorf("%w: it has the schema %d", errDamaged, have)
		}
		setVersion := fmt.Sprintf("PRAGMA user_version = %d", len(migrations))
		for _, m := range append(slices.Clone(migrations[have:]), setVersion) {
			if _, err := tx.ExecContext(ctx, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// transact runs f in a transaction. If f fails, no change is made.
func transact(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func version(ctx context.Context, q querier) (int, error) {
	var n int
	err := q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&n)
	return n, err
}
