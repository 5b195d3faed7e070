package bookmarks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

const folderFile = "gopher://top.example/1 Top #a #b2\n" +
	"\n## phlogs\ngopher://p.example/1 P\n# a comment\nodd line\n" +
	"\n## phlogs/unix\ngopher://u.example/1 U\n" +
	"\n## News\nnews:comp.lang.c C\n"

func TestBookmarksPut(t *testing.T) {
	top := fetchtest.Parse(t, "gopher://top.example/1")
	fresh := fetchtest.Parse(t, "news:n.x")
	for _, tt := range []struct {
		name, old, want string
		do              func(b *Store) error
	}{
		{"in a folder", folderFile, strings.Replace(folderFile, "odd line\n", "odd line\nnews:n.x N #t\n", 1), func(b *Store) error {
			return b.Put(nil, Bookmark{URL: fresh, Title: "N", Folder: " phlogs/ ", Tags: []string{"t", "", "two words", "#"}})
		}},
		{
			"in a new folder inside of one", folderFile,
			strings.Replace(folderFile, "U\n", "U\n\n## phlogs/new one\nnews:n.x\n", 1), func(b *Store) error {
				return b.Put(nil, Bookmark{URL: fresh, Folder: "phlogs / new  one"})
			},
		},
		{"in a new folder", "news:a.b", "news:a.b\n\n## New\nnews:n.x\n", func(b *Store) error {
			return b.Put(nil, Bookmark{URL: fresh, Folder: "New"})
		}},
		{"in a new file and folder", "", "## New\nnews:n.x\n", func(b *Store) error {
			return b.Put(nil, Bookmark{URL: fresh, Folder: "New"})
		}},
		{
			"moved", folderFile,
			strings.Replace(
				strings.Replace(folderFile, "gopher://top.example/1 Top #a #b2\n", "", 1), "c C\n",
				"c C\ngopher://top.example/1 Top\n", 1,
			),
			func(b *Store) error {
				return b.Put(nil, Bookmark{URL: top, Title: "Top", Folder: "News"})
			},
		},
		{"moved out of the folders", "## F\nnews:n.x N\n", "news:n.x N\n## F\n", func(b *Store) error {
			return b.Put(nil, Bookmark{URL: fresh, Title: "N"})
		}},
		{"with another URL", folderFile, strings.Replace(folderFile, "gopher://top.example/1", "news:n.x", 1), func(b *Store) error {
			return b.Put(top, Bookmark{URL: fresh, Title: "Top", Tags: []string{"a", "b2"}})
		}},
		{"with the URL of another", "news:a.b A\nnews:n.x X\n", "news:n.x A\n", func(b *Store) error {
			return b.Put(fetchtest.Parse(t, "news:a.b"), Bookmark{URL: fresh, Title: "A"})
		}},
		{"of a Gopher+ item", "", "gopher://p.example/0/a A\n", func(b *Store) error {
			return b.Put(nil, Bookmark{URL: fetchtest.Parse(t, "gopher://p.example/0/a%09%09+"), Title: "A"})
		}},
		{"of a Gopher+ item that has one", "gopher://p.example/0/a%09%09+ A\n", "gopher://p.example/0/a B\n", func(b *Store) error {
			plus := fetchtest.Parse(t, "gopher://p.example/0/a%09%09+")
			if _, known, err := b.Find(plus); !known || err != nil {
				return fmt.Errorf("Find: %v, %w", known, err)
			}
			return b.Put(plus, Bookmark{URL: plus, Title: "B"})
		}},
		{"of a view", "gopher://p.example/0/a\n", "gopher://p.example/0/a\ngopher://p.example/0/a%09%09+text/html H\n", func(b *Store) error {
			return b.Put(nil, Bookmark{URL: fetchtest.Parse(t, "gopher://p.example/0/a%09%09+text/html"), Title: "H"})
		}},
		{"unchanged", "  news:n.x \t N   #t\r\n", "  news:n.x \t N   #t\r\n", func(b *Store) error {
			return b.Put(nil, Bookmark{URL: fresh, Title: "N", Tags: []string{"t"}})
		}},
		{"rename a folder", folderFile, strings.ReplaceAll(folderFile, "## phlogs", "## Journals/all"), func(b *Store) error {
			return b.RenameFolder("phlogs", "Journals / all")
		}},
		{"rename to nothing", folderFile, folderFile, func(b *Store) error {
			if b.RenameFolder("phlogs", " / ") == nil {
				return errors.New("RenameFolder to an empty name returned no error")
			}
			return nil
		}},
		{
			"remove a folder", folderFile,
			"gopher://top.example/1 Top #a #b2\n\n# a comment\nodd line\n\n\n## News\nnews:comp.lang.c C\n",
			func(b *Store) error {
				n, err := b.RemoveFolder("phlogs")
				fetchtest.Equal(t, n, 2, "removed")
				return err
			},
		},
		{
			"add", folderFile,
			strings.Replace(folderFile, "#b2\n", "#b2\nnews:n.x\n", 1) + "news:n.y Y\n\n## Other\nftp://u@h.example/x F\n",
			func(b *Store) error {
				n, err := b.Add(
					Bookmark{URL: top, Title: "known"}, Bookmark{URL: fresh}, Bookmark{URL: fetchtest.Parse(t, "news:n.y"), Title: "Y", Folder: "News"},
					Bookmark{URL: fresh, Title: "twice", Folder: "Other"}, Bookmark{
						URL: fetchtest.Parse(t, "ftp://u:sesame@h.example/x"), Title: "F", Folder: "Other",
					})
				fetchtest.Equal(t, n, 3, "added")
				return err
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := bookmarksFile(t, tt.old)
			var c Change
			b := Open(path)
			fetchtest.NoError(t, tt.do(b.Recording(&c)))
			fetchtest.Equal(t, readFile(t, path), tt.want)
			fetchtest.Equal(t, c.Size() > 0, tt.old != tt.want, "recorded a change")
			fetchtest.NoError(t, b.Revert(&c))
			fetchtest.Equal(t, readFile(t, path), tt.old, "after Revert")
		})
	}
}

// TestRevert reverts a change after another process has changed the file. It keeps the other change, or changes nothing
// if both have changed the same line.
func TestRevert(t *testing.T) {
	const a, b, c = "news:a.a A\n", "news:b.b B\n", "news:c.c C\n"
	for _, tt := range []struct {
		name, old, other string
		change           func(*Store) error
		want             string // "": refused
	}{
		{
			"added", a, a + c, func(s *Store) error { return s.Put(nil, Bookmark{URL: fetchtest.Parse(t, "news:b.b"), Title: "B"}) },
			"",
		},
		{"removed, another added", a + b, a + c, func(s *Store) error { return s.Remove(fetchtest.Parse(t, "news:b.b")) }, a + b + c},
		{"removed, another removed", a + b + c, c, func(s *Store) error { return s.Remove(fetchtest.Parse(t, "news:b.b")) }, b + c},
		{
			"changed, changed", a + b, a + "news:b.b Other\n",
			func(s *Store) error { return s.Put(nil, Bookmark{URL: fetchtest.Parse(t, "news:b.b"), Title: "Mine"}) }, "",
		},
		{
			"moved, another added", a + "## f\n" + b, c + "## f\n" + b + a,
			func(s *Store) error {
				return s.Put(nil, Bookmark{URL: fetchtest.Parse(t, "news:a.a"), Title: "A", Folder: "f"})
			},
			a + c + "## f\n" + b,
		},
		{"folder removed, another renamed", "## f\n" + a + "## g\n" + b, "## h\n" + b, func(s *Store) error {
			_, err := s.RemoveFolder("f")
			return err
		}, "## f\n" + a + "## h\n" + b},
	} {
		path := bookmarksFile(t, tt.old)
		var c Change
		s := Open(path)
		fetchtest.NoError(t, tt.change(s.Recording(&c)), tt.name)
		fetchtest.NoError(t, os.WriteFile(path, []byte(tt.other), 0o600), tt.name)
		err, want := s.Revert(&c), tt.want
		if want == "" {
			fetchtest.ErrorIs(t, err, ErrChangedSince, tt.name)
			want = tt.other
		} else {
			fetchtest.NoError(t, err, tt.name)
		}
		fetchtest.Equal(t, readFile(t, path), want, tt.name)
	}
}

// TestRevertTogether checks that concurrent changes and their reversals do not lose each other.
func TestRevertTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.txt")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 10 {
				var c Change
				b := Open(path).Recording(&c)
				if err := b.Put(nil, Bookmark{URL: fetchtest.Parse(t, fmt.Sprintf("news:a.n%d.n%d", i, j))}); err != nil {
					t.Error(err)
				}
				if err := Open(path).Revert(&c); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if list, err := Open(path).List(); err != nil || len(list) != 0 {
		t.Errorf("List at the end: got %d bookmarks, %v; want none", len(list), err)
	}
}

func TestTags(t *testing.T) {
	for _, tt := range []struct{ text, title, tags string }{
		{"", "", ""},
		{"A title", "A title", ""},
		{"A title #one  #two #one", "A title", "one two"},
		{"C #", "C #", ""},
		{"Issue #12", "Issue #12", ""},
		{"#one in front", "#one in front", ""},
		{"#one", "", "one"},
		{"a ##b", "a ##b", ""},
		{"#ö#x #ü", "#ö#x", "ü"},
	} {
		title, tags := SplitTags(tt.text)
		if title != tt.title || strings.Join(tags, " ") != tt.tags {
			t.Errorf("SplitTags(%q) = %q, %q; want %q, %q", tt.text, title, tags, tt.title, tt.tags)
		}
		m := Bookmark{Title: title, Tags: tags}
		if again, _ := SplitTags(m.Text()); again != title {
			t.Errorf("SplitTags(%q) = %q, want the title %q", m.Text(), again, title)
		}
	}
}

// TestAddTogether checks that adding bookmarks together writes the same file as adding them one
// by one.
func TestAddTogether(t *testing.T) {
	var list []Bookmark
	for i, folder := range []string{"", "a/b", "z", "a/c", "a", "", "z/y", "a/b", "News/Old", "q", "a/c/d", "z"} {
		list = append(list, Bookmark{URL: fetchtest.Parse(t, fmt.Sprintf("gopher://h%d.example/1", i)), Folder: folder})
	}
	for _, old := range []string{
		"", "\n\n", handMade, "news:x.y", "## a", "## a/b\n\n\n## z\n# end\n\n", "##\nnews:x.y\n",
		"news:x.y\n## z\nnews:x.z\n\n## a\n## z\nnews:z.z\n",
		"## News/Old\r\nnews:x.y\r\n",
	} {
		path, path2 := bookmarksFile(t, old), bookmarksFile(t, old)
		for _, m := range list {
			added := fetchtest.Must(Open(path).Add(m))(t)
			fetchtest.Equal(t, added, 1, "added to %q", old)
		}
		fetchtest.Equal(t, fetchtest.Must(Open(path2).Add(list...))(t), len(list), "added to %q", old)
		fetchtest.Equal(t, readFile(t, path2), readFile(t, path), "after %q", old)
	}
}

// TestBookmarksFragment checks that the fragment of a bookmark is kept in the file.
func TestBookmarksFragment(t *testing.T) {
	b := Open(filepath.Join(t.TempDir(), "bookmarks"))
	u := fetchtest.Must(urlcore.Parse("https://matrix.to/"))(t)
	fetchtest.NoError(t, b.Put(nil, Bookmark{URL: u, Fragment: "/#room:x", Title: "Room"}))
	list := fetchtest.Must(b.List())(t)
	if len(list) != 1 || list[0].Fragment != "/#room:x" || lineOf(list[0]) != "https://matrix.to/#/#room:x Room" {
		t.Errorf("got %+v, want the fragment /#room:x", list)
	}
}
