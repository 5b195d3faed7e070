package history

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"gofer/history/bookmarks"
	"gofer/internal/text/textquery"
	"gofer/urlcore"
)

const (
	// MaxText is the largest size of the text of a page that KeepText stores, in octets. The rest of the text is dropped.
	MaxText = 256 << 10
	// maxTextOctets is the largest size of all texts with their index, in octets. Beyond it, the texts of the pages that
	// were read longest ago are dropped.
	maxTextOctets = 64 << 20
	// textsBetweenTrims is the size of the texts that are stored before the limit maxTextOctets is checked again, in octets.
	textsBetweenTrims = 4 << 20
)

// KeepText stores the text of a page that was read, for [Store.SearchText]. The text is UTF-8, in lines that end with a line
// feed. It replaces an older text of the page. The text of a page without a visit is not stored, so that [Store.Forget]
// removes it for certain. KeepText waits at most 5 s for another process that has locked the database.
func (s *Store) KeepText(ctx context.Context, u urlcore.URL, text string, at time.Time) error {
	if u == nil || u.Scheme() == "about" {
		return nil
	}
	page := urlcore.Redact(u).String()
	text = storableText(text)
	if len(page) > bookmarks.MaxURL || text == "" {
		return nil
	}
	const doing = "remember the text of a page"
	if !s.begin() {
		return s.wrap(doing, fs.ErrClosed)
	}
	defer s.changes.Done()
	packed, words := packText(text), indexText(text)
	return s.do(ctx, lockWait, doing, func(db *sql.DB) error {
		trims := s.untrimmed == 0 || s.untrimmed >= textsBetweenTrims
		err := transact(ctx, db, func(tx *sql.Tx) error {
			err := insertText(ctx, tx, page, words, packed, at)
			if err == nil && trims {
				err = dropTexts(ctx, tx, maxTextOctets)
			}
			return err
		})
		if err == nil && trims {
			s.untrimmed = 0
		}
		s.untrimmed += len(text)
		return err
	})
}

// insertText stores the text of a visited page: its words for the index, and the compressed text.
func insertText(ctx context.Context, tx *sql.Tx, page, words string, packed []byte, at time.Time) error {
	var id, title, before any
	err := tx.QueryRowContext(ctx, "SELECT id, title, (SELECT text FROM texts WHERE texts.id = visits.id) FROM visits WHERE url = ?", page).Scan(&id, &title, &before)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	} else if err != nil {
		return err
	}
	if old, ok := before.([]byte); ok && string(old) == string(packed) {
		_, err := tx.ExecContext(ctx, "UPDATE texts SET at = ? WHERE id = ?", at.UnixMilli(), id)
		return err
	}
	name, _ := title.(string)
	for _, change := range []struct {
		query string
		args  []any
	}{
		{"DELETE FROM text_index WHERE rowid = ?", []any{id}},
		{"INSERT INTO text_index (rowid, title, text) VALUES (?, ?, ?)", []any{id, indexText(name), words}},
		{"INSERT OR REPLACE INTO texts (id, at, text) VALUES (?, ?, ?)", []any{id, at.UnixMilli(), packed}},
	} {
		if _, err := tx.ExecContext(ctx, change.query, change.args...); err != nil {
			return err
		}
	}
	return nil
}

// forgetTexts drops the texts of the pages whose visits were forgotten.
const forgetTexts = `DELETE FROM text_index WHERE rowid IN (SELECT id FROM texts WHERE id NOT IN (SELECT id FROM visits));
	DELETE FROM texts WHERE id NOT IN (SELECT id FROM visits);`

// packIndex removes the words of deleted texts from the index: until then, the index only marks them as deleted.
const packIndex = "INSERT INTO text_index (text_index) VALUES ('optimize')"

// dropTexts drops the texts of the pages read longest ago, so that the other texts and the index take at most limit octets.
func dropTexts(ctx context.Context, tx *sql.Tx, limit int64) error {
	for {
		var index, texts int64
		err := tx.QueryRowContext(ctx, `SELECT (SELECT coalesce(sum(length(block)), 0) FROM text_index_data),
			(SELECT coalesce(sum(length(text)), 0) FROM texts)`).Scan(&index, &texts)
		if err != nil || index+texts <= limit || texts == 0 {
			return err
		}
		// The index has no sizes of single texts, so it counts as a part of each. One tenth more is dropped, so that this
		// happens seldom.
		kept := float64(texts) * float64(limit) / float64(index+texts) * 0.9
		for _, query := range []string{
			`DELETE FROM text_index WHERE rowid IN (SELECT id FROM
				(SELECT id, sum(length(text)) OVER (ORDER BY at DESC, id DESC) AS total FROM texts) WHERE total > ?1)`,
			`DELETE FROM texts WHERE id IN (SELECT id FROM
				(SELECT id, sum(length(text)) OVER (ORDER BY at DESC, id DESC) AS total FROM texts) WHERE total > ?1)`,
		} {
			if _, err := tx.ExecContext(ctx, query, int64(kept)); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, packIndex); err != nil {
			return err
		}
	}
}

// storableText returns text as it is stored: at most MaxText octets of valid UTF-8, without NUL and without blank lines.
func storableText(text string) string {
	text = strings.ToValidUTF8(cutText(text, MaxText), "\uFFFD")
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\x00", " ")) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// cutText returns the beginning of text, at most size octets, which does not end within a character.
func cutText(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

// codec returns the encoder and the decoder of texts. They take memory, so they are made for the first text.
var codec = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	dec, decErr := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(4*MaxText))
	if err = errors.Join(err, decErr); err != nil {
		panic(err) // the options are wrong
	}
	return enc, dec
})

func packText(text string) []byte {
	enc, _ := codec()
	return enc.EncodeAll([]byte(text), nil)
}

// unpackText returns a stored text, or "" if it is damaged.
func unpackText(stored any) string {
	packed, _ := stored.([]byte)
	_, dec := codec()
	text, err := dec.DecodeAll(packed, nil)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}

// indexText returns text with its words as the index has them: in lower case, without accents.
func indexText(text string) string { return textquery.Split(textquery.Fold(text)) }
