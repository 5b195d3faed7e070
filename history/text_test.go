package history

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
)

// readPage records a visit and the text of its page.
func readPage(t testing.TB, s *Store, u, title, text string, at int64) {
	t.Helper()
	visit(t, s, u, title, at)
	fetchtest.NoError(t, s.KeepText(t.Context(), mustParse(t, u), text, time.Unix(at, 0)))
}

// foundTexts returns the found pages by the end of their URLs, with their lines.
func foundTexts(t testing.TB, s *Store, words string) string {
	t.Helper()
	found, err := s.SearchText(t.Context(), words, 10)
	if err != nil {
		t.Errorf("SearchText(%q): %v", words, err)
	}
	var b []string
	for _, f := range found {
		u := f.URL.String()
		b = append(b, u[strings.LastIndexByte(u, '/')+1:]+"|"+f.Line)
	}
	return strings.Join(b, "\n")
}

func TestSearchText(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	long := strings.Repeat("left ", 100) + "middle " + strings.Repeat("right ", 100)
	readPage(t, s, "gopher://a.example/0/fox", "Animals", "\n  The quick brown fox\njumps over\r\nthe lazy dog.\n", 1)
	readPage(t, s, "gopher://a.example/0/cafe", "Caf\u00e9", "Un cafe\u0301 noir\nEine Mo\u0308we, zwei M\u00f6wen\n", 2)
	readPage(t, s, "gopher://a.example/0/wide", "", "\u65e5\u672c\u8a9e\u306e\u6587\u7ae0\n\ud55c\uad6d\uc5b4 \ubb38\uc7a5\n", 3)
	readPage(t, s, "gopher://a.example/0/long", "Long", long, 4)
	readPage(t, s, "gopher://a.example/0/dogs", "Dogs and foxes", "No animal here.\nC++ and foo_bar, x-y-z\n", 5)
	for words, want := range map[string]string{
		"brown":                "fox|The quick brown fox",
		"BROWN Fox":            "fox|The quick brown fox",
		"brown dog":            "fox|The quick brown fox",
		"dog":                  "dogs|\nfox|the lazy dog.", // the last word is a beginning, and a title counts more
		"dog jumps":            "fox|jumps over",
		"lazy ca":              "",
		"ju":                   "fox|jumps over",
		"ju over":              "",
		`"brown fox"`:          "fox|The quick brown fox",
		`"fox brown"`:          "",
		`"brown fo"`:           "",
		`"fox jumps"`:          "fox|The quick brown fox",
		"dog -brown":           "dogs|",
		"dog -dogs":            "fox|the lazy dog.",
		`dog -"quick brown"`:   "dogs|",
		"-brown":               "",
		"- brown":              "fox|The quick brown fox",
		"CAFE":                 "cafe|Un cafe\u0301 noir",
		"m\u00f6we":            "cafe|Eine Mo\u0308we, zwei M\u00f6wen",
		"mowen":                "cafe|Eine Mo\u0308we, zwei M\u00f6wen",
		"\u672c\u8a9e":         "wide|\u65e5\u672c\u8a9e\u306e\u6587\u7ae0",
		"\u8a9e\u672c":         "",
		"\ud55c\uad6d":         "wide|\ud55c\uad6d\uc5b4 \ubb38\uc7a5",
		"middle":               "long|..." + strings.TrimSpace(long[480:660]) + "...",
		"x-y-z":                "dogs|C++ and foo_bar, x-y-z",
		"C++":                  "cafe|Un cafe\u0301 noir\ndogs|C++ and foo_bar, x-y-z",
		"foo OR bar":           "",
		"title:dogs":           "",
		"NEAR(brown fox)":      "",
		"brown*":               "fox|The quick brown fox",
		"":                     "",
		"\x00":                 "",
		"+++":                  "",
		"brown\x00fox":         "fox|The quick brown fox",
		"brown \x1b[31m fox":   "",
		"brown\u202e fox \xff": "fox|The quick brown fox",
	} {
		if words == "middle" {
			if got := foundTexts(t, s, words); !strings.HasPrefix(got, "long|...left") || !strings.Contains(got, " middle ") || !strings.HasSuffix(got, "right...") || len(got) > maxPart+20 {
				t.Errorf("%q: got %q, want the part of the long line", words, got)
			}
			continue
		}
		fetchtest.Equal(t, foundTexts(t, s, words), want, "%q", words)
	}
	fetchtest.Equal(t, s.DamagedFile(), "", "the database is as before")
}

// FuzzSearchText checks that no text is an error for SQLite, which would count as a damaged database.
func FuzzSearchText(f *testing.F) {
	for _, seed := range []string{
		`"`, `""`, `"""`, `a"b`, `"a`, `-"`, `-`, `- -`, `a -`, `(`, `)`, `*`, `a*`, `^a`, `a:b`, `a AND`, `NOT`, `a NOT b`, `NEAR(a b, 2)`, `{a b}: c`, `+a`, `a + b`,
		"a\x00b", "\xff", "\u0301", "\U0001F600", "\U0001F600 a", "\u0600 \u0e33", `'; DROP TABLE visits; --`, strings.Repeat("a ", 100), strings.Repeat("-a", 100), strings.Repeat("x", 1<<16), "\u2028", "\ue000", "a\u0301\u0301b",
	} {
		f.Add(seed)
	}
	s := open(f, filepath.Join(f.TempDir(), "h.sqlite"))
	readPage(f, s, "gopher://a.example/0/fox", "Animals", "The quick brown fox\n", 1)
	f.Fuzz(func(t *testing.T, words string) {
		if _, err := s.SearchText(t.Context(), words, 10); err != nil || s.DamagedFile() != "" {
			t.Errorf("SearchText(%q): %v, damaged file %q", words, err, s.DamagedFile())
		}
	})
}

func TestKeepText(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	fetchtest.NoError(t, s.KeepText(t.Context(), mustParse(t, "gopher://a.example/0/unvisited"), "fox", time.Unix(1, 0)))
	fetchtest.NoError(t, s.KeepText(t.Context(), mustParse(t, "about:home"), "fox", time.Unix(1, 0)))
	readPage(t, s, "ftp://joe:secret@a.example/x", "", "an old fox\x00s tail\nESC \x1b[31m", 1)
	fetchtest.Equal(t, foundTexts(t, s, "fox"), "x|an old fox s tail", "the first text")
	readPage(t, s, "ftp://joe@a.example/x", "", "a young dog", 2)
	fetchtest.Equal(t, foundTexts(t, s, "fox")+foundTexts(t, s, "dog"), "x|a young dog", "the text after a change")
	readPage(t, s, "ftp://joe@a.example/x", "", "a young dog", 3)
	fetchtest.Equal(t, foundTexts(t, s, "young dog"), "x|a young dog", "the unchanged text")
	readPage(t, s, "ftp://joe@a.example/x", "", " \n\x00\n", 4)
	fetchtest.Equal(t, foundTexts(t, s, "young dog"), "x|a young dog", "after a blank page")
	run(t, s, "UPDATE texts SET text = 'damaged'")
	fetchtest.Equal(t, foundTexts(t, s, "young dog"), "x|", "with a damaged text")
}

// TestKeepHostileText stores pages of one line, of a million words and of many octets.
func TestKeepHostileText(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	var words strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&words, "w%x ", i*7919)
	}
	for name, text := range map[string]string{
		"line": strings.Repeat("x", 64<<20), "lines": strings.Repeat("line of text\n", 5<<20), "words": words.String(), "characters": strings.Repeat("\u65e5", 1<<20),
		"octets": strings.Repeat("\xff\x00\x1b", 1<<20), "blanks": strings.Repeat(" \n", 1<<20),
	} {
		readPage(t, s, "gopher://a.example/0/"+name, "", text, 1)
	}
	fetchtest.Equal(t, foundTexts(t, s, "w1eef"), "words|"+words.String()[:strings.LastIndexByte(words.String()[:maxPart], ' ')]+"...", "a word at the beginning")
	var index int64
	fetchtest.NoError(t, s.db.QueryRow("SELECT sum(length(block)) FROM text_index_data").Scan(&index))
	if most := int64(6 * MaxText); index > most {
		t.Errorf("the index has %d octets, want at most %d", index, most)
	}
}

// TestTextsAreBounded drops the texts of the pages that were read longest ago.
func TestTextsAreBounded(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	for i := range 20 {
		readPage(t, s, fmt.Sprintf("gopher://a.example/0/p%d", i), "", strings.Repeat(fmt.Sprintf("common %x ", i*7919), 50), int64(i))
	}
	readPage(t, s, "gopher://a.example/0/p3", "", "common again", 30)
	size := func() (n int64) {
		fetchtest.NoError(t, s.db.QueryRow("SELECT (SELECT sum(length(block)) FROM text_index_data) + (SELECT sum(length(text)) FROM texts)").Scan(&n))
		return n
	}
	limit := size() / 2
	trimTo := func(limit int64) {
		t.Helper()
		fetchtest.NoError(t, transact(t.Context(), s.db, func(tx *sql.Tx) error { return dropTexts(t.Context(), tx, limit) }))
	}
	trimTo(1 << 40)
	found := fetchtest.Must(s.SearchText(t.Context(), "common", 100))(t)
	fetchtest.Equal(t, len(found), 20, "pages below the limit")
	trimTo(limit)
	if n := size(); n > limit {
		t.Errorf("dropTexts left %d octets, want at most %d", n, limit)
	}
	fetchtest.Equal(t, foundTexts(t, s, "again"), "p3|common again", "the page that was read again")
	found = fetchtest.Must(s.SearchText(t.Context(), "common", 100))(t)
	for _, f := range found {
		if f.Last.Unix() < 10 {
			t.Errorf("%s, which was read long ago, is still found", f.URL)
		}
	}
	if len(found) < 4 {
		t.Errorf("dropTexts left %d pages", len(found))
	}
}

// TestForgottenTextIsOverwritten searches the files of the database for words of forgotten texts.
func TestForgottenTextIsOverwritten(t *testing.T) {
	for name, sel := range map[string]Selection{
		"a URL": {URL: mustParse(t, "gopher://gone.example/0/xyzzyplugh")}, "a host": {Host: "gone.example"}, "all": {All: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, filepath.Join(dir, "h.sqlite"))
			for i := range 100 {
				readPage(t, s, fmt.Sprintf("gopher://kept.example/0/%d", i), "kept", strings.Repeat(fmt.Sprintf("filler%x ", i*7919), i), int64(i))
			}
			readPage(t, s, "gopher://gone.example/0/xyzzyplugh", "Title Xyzzyplugh", "an old Xyzzyplugh", 100)
			readPage(t, s, "gopher://gone.example/0/xyzzyplugh", "Title Xyzzyplugh", "a new xyzzyplugh2\n", 101)
			for _, word := range []string{"yzzyplugh", "yzzyplugh2"} {
				if grep(t, dir, word) == 0 {
					t.Fatalf("%s is not on disk: the test looks in the wrong place", word)
				}
			}
			fetchtest.Must(s.Forget(t.Context(), sel))(t)
			fetchtest.Equal(t, grep(t, dir, "yzzyplugh"), 0, "copies of the word on disk")
			fetchtest.Equal(t, foundTexts(t, s, "xyzzyplugh"), "", "pages with the word")
			if kept := foundTexts(t, s, "filler1eef"); (kept == "") != sel.All {
				t.Errorf("other pages after forgetting %s: %q", name, kept)
			}
		})
	}
}
