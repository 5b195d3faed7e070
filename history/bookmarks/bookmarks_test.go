package bookmarks

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

func bookmarksFile(t *testing.T, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bookmarks.txt")
	fetchtest.NoError(t, errors.Join(os.WriteFile(path, []byte(data), 0o600), os.Chmod(path, 0o640))) // Chmod overrides the umask
	return path
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data := fetchtest.Must(os.ReadFile(path))(t)
	return string(data)
}

const handMade = "# mine\n\n" +
	"gopher://a.example/1 The A hole\n" +
	"  ftp://b.example/pub/;type=d\t Files   of  B  \r\n" +
	"Note: buy milk\nthis is not a URL\n\xff\xfe odd octets \n" +
	"\n## News \n" +
	"news:comp.lang.c\n" +
	"gopher://c.example/1 last, no line end"

func TestBookmarksSkippedLines(t *testing.T) {
	for _, tt := range []struct {
		data string
		want SkippedLines
	}{
		{"", SkippedLines{}},
		{handMade, SkippedLines{Invalid: []int{5, 6, 7}}},
		{"\uFEFF" + handMade, SkippedLines{Invalid: []int{5, 6, 7}}},
		{"\uFEFFnews:a.b\n\uFEFFnews:a.b\n", SkippedLines{Invalid: []int{2}}},
		{
			"ftp://joe:pw@h.example/ Files\n  \n#no\nftp://joe@h.example/\nftp://:@h.example/\nfoo://u:p@h.example/\nodd",
			SkippedLines{Invalid: []int{7}, Passwords: []int{1, 6}}, // an empty password is no secret
		},
	} {
		path := bookmarksFile(t, tt.data)
		got, err := Open(path).SkippedLines()
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("SkippedLines of %q = %+v, %v; want %+v", tt.data, got, err, tt.want)
		}
		fetchtest.Equal(t, readFile(t, path), tt.data, "the file")
	}
	var none *Store
	if got, err := none.SkippedLines(); err != nil || !reflect.DeepEqual(got, SkippedLines{}) {
		t.Errorf("SkippedLines of a nil Store = %+v, %v; want none", got, err)
	}
}

// TestBookmarksBelowAFile checks that a path below a file counts as a missing file.
func TestBookmarksBelowAFile(t *testing.T) {
	b := Open("/dev/null/.config/gofer/bookmarks.txt")
	if list, err := b.List(); err != nil || len(list) != 0 {
		t.Errorf("List = %v, %v; want no bookmarks and no error", list, err)
	}
	if _, err := b.SkippedLines(); err != nil {
		t.Errorf("SkippedLines: %v; want no error", err)
	}
}

// putTitle adds a bookmark for u. If there is one, putTitle changes its title, unless the parameter title is empty.
func putTitle(b *Store, u urlcore.URL, title string) error {
	m, _, err := b.Find(u)
	if err != nil {
		return err
	}
	m.URL, m.Title = u, cmp.Or(title, m.Title)
	return b.Put(nil, m)
}

func TestBookmarksEdit(t *testing.T) {
	for _, tt := range []struct {
		name, old, want string
		do              func(b *Store) error
	}{
		{"add to nothing", "", "gopher://n.example/1 New\n", func(b *Store) error {
			return putTitle(b, fetchtest.Parse(t, "gopher://n.example/1"), "New")
		}},
		{
			"add in front of the folders", handMade,
			strings.Replace(handMade, "octets \n", "octets \ngopher://n.example/1 New one\n", 1),
			func(b *Store) error {
				return putTitle(b, fetchtest.Parse(t, "gopher://n.example/1"), " New\n\x1bone\t")
			},
		},
		{"add after a line without end", "gopher://a.example/1 A", "gopher://a.example/1 A\nnews:x.y\n", func(b *Store) error {
			return putTitle(b, fetchtest.Parse(t, "news:x.y"), "")
		}},
		{"add to folders only", "## F\nnews:a.b\n", "news:x.y\n## F\nnews:a.b\n", func(b *Store) error {
			return putTitle(b, fetchtest.Parse(t, "news:x.y"), "")
		}},
		{"add again", handMade, strings.Replace(handMade, "The A hole", "Renamed", 1), func(b *Store) error {
			return putTitle(b, fetchtest.Parse(t, "gopher://a.example/1"), "Renamed")
		}},
		{
			"add again keeps CR LF", handMade,
			strings.Replace(handMade, "  ftp://b.example/pub/;type=d\t Files   of  B  \r\n", "ftp://b.example/pub/;type=d B\r\n", 1),
			func(b *Store) error {
				return putTitle(b, fetchtest.Parse(t, "ftp://b.example/pub/;type=d"), "B")
			},
		},
		{"add again without title", handMade, handMade, func(b *Store) error {
			return putTitle(b, fetchtest.Parse(t, "gopher://a.example/1"), "")
		}},
		{"add without the password", "", "ftp://u@h.example/x S\n", func(b *Store) error {
			return putTitle(b, fetchtest.Parse(t, "ftp://u:sesame@h.example/x"), "S")
		}},
		{"add to a byte order mark alone", "\uFEFF", "\uFEFFnews:x.y\n", func(b *Store) error {
			return putTitle(b, fetchtest.Parse(t, "news:x.y"), "")
		}},
		{"add again after a byte order mark", "\uFEFFnews:a.b A\r\n", "\uFEFFnews:a.b B\r\n", func(b *Store) error {
			return putTitle(b, fetchtest.Parse(t, "news:a.b"), "B")
		}},
		{"remove after a byte order mark", "\uFEFFnews:a.b A\nnews:c.d\n", "\uFEFFnews:c.d\n", func(b *Store) error {
			return b.Remove(fetchtest.Parse(t, "news:a.b"))
		}},
		{"remove", handMade, strings.Replace(handMade, "news:comp.lang.c\n", "", 1), func(b *Store) error {
			return b.Remove(fetchtest.Parse(t, "news:comp.lang.c"))
		}},
		{"remove twice there", "news:a.b 1\n# c\nnews:a.b 2\n", "# c\n", func(b *Store) error {
			return b.Remove(fetchtest.Parse(t, "news:a.b"))
		}},
		{"remove what is not there", handMade, handMade, func(b *Store) error {
			return b.Remove(fetchtest.Parse(t, "news:not.there"))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := bookmarksFile(t, tt.old)
			fetchtest.NoError(t, tt.do(Open(path)))
			fetchtest.Equal(t, readFile(t, path), tt.want)
			if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o640 {
				t.Errorf("the mode became %v, %v; want 0640", fi.Mode(), err)
			}
		})
	}
}

func TestBookmarksSymlink(t *testing.T) {
	target := bookmarksFile(t, "# there\n")
	dir := t.TempDir()
	link := filepath.Join(dir, "bookmarks.txt")
	fetchtest.NoError(t, os.Symlink(target, link))
	fetchtest.NoError(t, putTitle(Open(link), fetchtest.Parse(t, "news:x.y"), ""))
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the mode of the link became %v, %v; want a symbolic link", fi.Mode(), err)
	}
	fetchtest.Equal(t, readFile(t, target), "# there\nnews:x.y\n", "content of the target")
	dangling := filepath.Join(dir, "dangling")
	fetchtest.NoError(t, os.Symlink("later/b.txt", dangling))
	fetchtest.NoError(t, putTitle(Open(dangling), fetchtest.Parse(t, "news:x.y"), ""))
	fetchtest.Equal(t, readFile(t, filepath.Join(dir, "later/b.txt")), "news:x.y\n", "content of the dangling link's target")
}

func TestBookmarksTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "b.txt")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			b := Open(path)
			for j := range 10 {
				if err := putTitle(b, fetchtest.Parse(t, "news:g"+string(rune('a'+i))+"."+string(rune('a'+j))), ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	list, err := Open(path).List()
	if err != nil || len(list) != 80 {
		t.Errorf("List: got %d bookmarks, %v; want 80", len(list), err)
	}
}

func TestBookmarksErrors(t *testing.T) {
	none := Open("")
	u := fetchtest.Parse(t, "news:x.y")
	if list, err := none.List(); list != nil || err != nil {
		t.Errorf("List of a nil Store = %v, %v; want none", list, err)
	}
	if _, has, err := none.Find(u); has || err != nil {
		t.Errorf("Find in a nil Store = %v, %v; want false", has, err)
	}
	fetchtest.NoError(t, none.Put(nil, Bookmark{URL: u}))
	fetchtest.NoError(t, none.Remove(u))
	dir := Open(t.TempDir())
	if _, err := dir.List(); err == nil {
		t.Error("List of a folder succeeded")
	}
	if err := dir.Put(nil, Bookmark{URL: u}); err == nil || !strings.HasPrefix(err.Error(), "bookmarks ") {
		t.Errorf("Put to a folder: got %v, want an error that begins with \"bookmarks \"", err)
	}
	big := bookmarksFile(t, strings.Repeat("#\n", maxBookmarks/2+1))
	if err := putTitle(Open(big), u, ""); err == nil {
		t.Error("Put to a file over the limit succeeded")
	}
	if fi, err := os.Stat(big); err != nil || fi.Size() != maxBookmarks+2 {
		t.Errorf("got a file of %d octets, %v, want it unchanged", fi.Size(), err)
	}
}

func FuzzBookmarks(f *testing.F) {
	f.Add(handMade)
	f.Add("a:b\n##\n#\n\r\n")
	f.Add("## x\nnews:x.y\r")
	f.Fuzz(func(t *testing.T, data string) {
		path := filepath.Join(t.TempDir(), "b")
		fetchtest.NoError(t, os.WriteFile(path, []byte(data), 0o600))
		b, u := Open(path), fetchtest.Parse(t, "gopher://fuzz.example/1/unlikely")
		if _, has, err := b.Find(u); has || err != nil {
			return
		}
		fetchtest.NoError(t, putTitle(b, u, "t"))
		if _, has, err := b.Find(u); !has || err != nil {
			t.Fatalf("an added bookmark is missing: %v", err)
		}
		fetchtest.NoError(t, b.Remove(u))
		got := readFile(t, path)
		if got != data && got != data+"\n" {
			t.Errorf("Put and Remove changed %q to %q", data, got)
		}
	})
}

// TestCreate checks that Create makes a file that explains its format and holds no bookmark, and
// leaves an existing file unchanged.
func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "not", "there", "bookmarks.txt")
	b := Open(path)
	for range 2 {
		fetchtest.NoError(t, b.Create())
		data, err := os.ReadFile(path)
		list, err2 := b.List()
		if !strings.Contains(string(data), "## Name") || err != nil || len(list) > 0 || err2 != nil {
			t.Fatalf("Create wrote %q, %v; List = %v, %v; want an example of a heading and no bookmark", data, err, list, err2)
		}
	}
	fetchtest.NoError(t, os.WriteFile(path, []byte("gopher://h/ H\n"), 0o600))
	fetchtest.NoError(t, b.Create())
	if list, err := b.List(); len(list) != 1 || err != nil {
		t.Errorf("List after Create = %v, %v; want the bookmark of the existing file", list, err)
	}
}

func TestNormalizeTitle(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{" a\tb\r\n\x00c\x1b[31m ", "a b c[31m"},
		{"caf\xe9", "caf\uFFFD"},
		{"a\u202eb\u0085c", "ab c"},
		{strings.Repeat("é", 300), strings.Repeat("é", 256)},
		{"x" + strings.Repeat("é", 300), "x" + strings.Repeat("é", 255)},
	} {
		fetchtest.Equal(t, NormalizeTitle(tt.in), tt.want, "NormalizeTitle(%q)", tt.in)
	}
}
