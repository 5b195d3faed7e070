package history

import (
	"context"
	"database/sql"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gofer/internal/text/textquery"
)

const (
	// maxWords is the largest number of words in a search.
	maxWords = 16
	// maxRanked is the largest number of matching visits that Search ranks, the latest first. If the limit
	// of Search is larger, the limit counts instead.
	maxRanked = 2000
)

// Search returns at most limit visits. The URL and the title of a visit together contain all words, in
// any case. The visits are sorted by rank, and the visits of a rank by date, the latest first. Without
// words Search returns the latest visits. No character is special. Invalid rows are skipped.
func (s *Store) Search(ctx context.Context, words string, limit int) ([]Visit, error) {
	search := strings.Fields(textquery.Lower(words))
	search = search[:min(len(search), maxWords)]
	where, args := "last BETWEEN 0 AND ?", []any{latestTime}
	for _, w := range search {
		where += " AND instr(words, ?) > 0"
		args = append(args, w)
	}
	var found [ranks][]Visit
	err := s.read(ctx, func(db *sql.DB) error {
		found = [ranks][]Visit{}
		n := 0
		return eachVisit(ctx, db, where, args, func(_ int64, v Visit) bool {
			r := rank(search, v.Title, v.URL.String())
			if len(found[r]) < limit {
				found[r] = append(found[r], v)
			}
			n++
			return len(found[0]) < limit && (n < maxRanked || n < limit)
		})
	})
	all := slices.Concat(found[:]...)
	return all[:min(len(all), limit)], err
}

// ranks is the number of different results of the function rank.
const ranks = 3

// rank returns 0 if each word of search is the beginning of a word in the title, 1 if each is the
// beginning of a word in the title or the URL u, and 2 otherwise.
func rank(search []string, title, u string) int {
	title, u = textquery.Lower(title), searchText(u, "")
	r := 0
	for _, w := range search {
		switch {
		case startsWord(title, w):
		case startsWord(u, w):
			r = 1
		default:
			return 2
		}
	}
	return r
}

// startsWord reports whether a word of s begins with w.
func startsWord(s, w string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], w)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		if at == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return true
		}
		_, n := utf8.DecodeRuneInString(s[at:])
		at += n
	}
}

// searchText returns the text for Search: the URL, the URL without escapes, and the title.
func searchText(u, title string) string {
	plain, err := url.PathUnescape(u)
	if err != nil {
		plain = u
	}
	return textquery.Lower(u + "\n" + plain + "\n" + title)
}
