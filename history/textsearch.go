package history

import (
	"context"
	"database/sql"
	"strings"
	"unicode/utf8"

	"gofer/history/bookmarks"
	"gofer/internal/text/textquery"
)

// FoundText is a page that SearchText has found.
type FoundText struct {
	Visit
	Line string // the part of the text that has most of the words, on one line; "" if only the title has them
}

// SearchText returns at most limit pages whose text, stored by [Store.KeepText], or title has all words, in any case and
// with any accents, the best match first. The last wanted word may be the beginning of a longer one. Words in double quotes must
// follow each other, and a page with a word after a minus sign is left out. No other character is special. Without a word
// that a page must have, SearchText finds nothing.
func (s *Store) SearchText(ctx context.Context, words string, limit int) ([]FoundText, error) {
	query := textQuery{textquery.Parse(words)}
	match := query.match()
	if match == "" {
		return nil, nil
	}
	var found []FoundText
	var texts []any
	err := s.read(ctx, func(db *sql.DB) error {
		found, texts = nil, nil
		rows, err := db.QueryContext(ctx, `SELECT url, title, first, last, count, texts.text FROM
			(SELECT rowid AS id, bm25(text_index, 8.0, 1.0) AS rank FROM text_index WHERE text_index MATCH ? ORDER BY rank, id LIMIT ?) AS found
			JOIN visits ON visits.id = found.id JOIN texts ON texts.id = found.id ORDER BY found.rank, last DESC`, match, limit)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var u, title, first, last, count, text any
			if err := rows.Scan(&u, &title, &first, &last, &count, &text); err != nil {
				return err
			}
			if v, ok := visitOf(u, title, first, last, count); ok {
				found, texts = append(found, FoundText{Visit: v}), append(texts, text)
			}
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	for i := range found {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		found[i].Line = query.bestPart(unpackText(texts[i]))
	}
	return found, nil
}

// textQuery is a search through texts.
type textQuery struct{ textquery.Query }

// match returns the query for SQLite (FTS5, "Full-text Query Syntax"), or "" if no word is wanted. Each term is in quotes
// and consists of letters, digits and blanks, so that no text is an error or an operator.
func (q textQuery) match() string {
	if len(q.Wanted) == 0 {
		return ""
	}
	list := func(terms []textquery.Term, operator string) string {
		texts := make([]string, len(terms))
		for i, t := range terms {
			if texts[i] = `"` + strings.Join(t.Words, " ") + `"`; t.Prefix {
				texts[i] += " *"
			}
		}
		return "(" + strings.Join(texts, operator) + ")"
	}
	match := list(q.Wanted, " AND ")
	if len(q.Unwanted) > 0 {
		match += " NOT " + list(q.Unwanted, " OR ")
	}
	return match
}

// maxPart is the largest size of the part of a text that is shown, in octets, without the marks of omitted text.
const maxPart = 200

// bestPart returns the first part of a text that has most of the wanted words, or "" if no part has any.
func (q textQuery) bestPart(text string) string {
	best, most, all := "", 0, 0
	for _, t := range q.Wanted {
		all += len(t.Words)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for begin := 0; begin < len(line); {
			end := begin + partLength(line[begin:])
			if n := q.count(line[begin:end]); n > most {
				best, most = markOmitted(line, begin, end), n
			}
			if most == all {
				return best
			}
			begin = end
		}
	}
	return best
}

// partLength returns the length of the beginning of line that is shown: if possible, it ends at a blank.
func partLength(line string) int {
	if len(line) <= maxPart {
		return len(line)
	}
	if blank := strings.LastIndexByte(line[:maxPart], ' '); blank > 0 {
		return blank
	}
	return len(cutText(line, maxPart))
}

// markOmitted returns a part of a line with a mark at each end that lacks text.
func markOmitted(line string, begin, end int) string {
	part := bookmarks.NormalizeTitle(line[begin:end])
	if begin > 0 {
		part = "..." + part
	}
	if end < len(line) {
		part += "..."
	}
	return part
}

// count returns the number of wanted words in a part of a text.
func (q textQuery) count(part string) (n int) {
	part = textquery.Fold(part)
	for _, t := range q.Wanted {
		for _, word := range t.Words {
			first, _ := utf8.DecodeRuneInString(word)
			if startsWord(part, word) || textquery.IsUnspaced(first) && strings.Contains(part, word) {
				n++
			}
		}
	}
	return n
}
