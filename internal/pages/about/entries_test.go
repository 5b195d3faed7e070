package about

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEntriesDiffer(t *testing.T) {
	long := strings.Repeat("x", 100)
	visits := []struct{ url, title, want string }{
		{"nntp://127.0.0.1:21120/lab.general", "lab.general", "lab.general  (127.0.0.1:21120)"},
		{"nntp://127.0.0.1:21121/lab.general", "lab.general", "lab.general  (127.0.0.1:21121)"},
		{"nntp://h.example/lab.general", "lab.general", "lab.general  (h.example)"},
		{"news:lab.general", "lab.general", "lab.general  (news)"},
		{"gopher://[::1]:7070/1", "Hole", "Hole  ([::1]:7070)"},
		{"gopher://h.example/1/a", "Index", "Index  (h.example/1/a)"},
		{"gopher://h.example/1/b", "Index", "Index  (h.example/1/b)"},
		{"gopher://h.example/1/c", "Other", "Other  (h.example)"},
		{"gopher://h.example/1x", "Same", "Same  (gopher://h.example/1x)"},
		{"ftp://h.example/1x", "Same", "Same  (ftp://h.example/1x)"},
		{"gopher://h.example/0/" + long + "1/" + long, "Far", "gopher://h.example/0/" + long + "1/" + long},
		{"gopher://h.example/0/" + long + "2/" + long, "Far", "gopher://h.example/0/" + long + "2/" + long},
		{"gopher://h.example/0/" + long, "", "gopher://h.example/0/" + strings.Repeat("x", 22) + "..." + strings.Repeat("x", 23)},
		{"gopher://h.example/0/t1", long, strings.Repeat("x", 48) + "...  (h.example/0/t1)"},
		{"gopher://h.example/0/t2", long, strings.Repeat("x", 48) + "...  (h.example/0/t2)"},
		{"ftp://" + long + "@evil.example/", "", "ftp://" + strings.Repeat("x", 23) + "..." + strings.Repeat("x", 23) + "@evil.example/"},
		{"ftp://ftp.gnu.org%2F" + long + "@evil.example/a", "gnu", "gnu  (ftp.gnu.org%2...xxxxxxxxxxxxx@evil.example/a)"},
		{"ftp://ftp.gnu.org%2F" + long + "@evil.example/b", "gnu", "gnu  (ftp.gnu.org%2...xxxxxxxxxxxxx@evil.example/b)"},
		{"ftp://ftp.gnu.org%2F" + long + "@evil.example/c", "gnu", "gnu  (ftp.gnu.org%2...xxxxxxxxxxxxx@evil.example/c)"},
		{"mailto:joe@h.example", "Joe", "Joe  (mailto)"},
		{"https://h.example:8080/", "Web", "Web  (h.example:8080)"},
	}
	var items []Item
	for _, v := range visits {
		items = append(items, Item{URL: parse(t, v.url), Title: v.title, At: now})
	}
	for i, l := range entryRows(items, clock) {
		if want := "00:30  " + visits[i].want; l.Text != want || l.Link != items[i].URL {
			t.Errorf("%s: got\n%s\nwant\n%s", visits[i].url, l.Text, want)
		}
		if n := utf8.RuneCountInString(l.Text); n > rowWidth && visits[i].title != "Far" {
			t.Errorf("got %d characters, want at most %d: %s", n, rowWidth, l.Text)
		}
	}
	twice := entryRows([]Item{items[5], items[5]}, clock)
	if twice[0].Text != twice[1].Text || !strings.HasSuffix(twice[0].Text, "Index  (h.example)") {
		t.Errorf("one URL twice: got %q, want the same short line twice", twice)
	}
}
