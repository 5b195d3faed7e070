package file

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// folders are a directory with a list that the user sees, and a directory of the user to which another user makes links.
type folders struct {
	*Client
	t            *testing.T
	list, victim string
}

// listFolders lists a new directory with files for the user.
func listFolders(t *testing.T, files map[string]string) *folders {
	t.Helper()
	s := &folders{Client: new(Client), t: t, list: writeFiles(t, files), victim: writeFiles(t, map[string]string{"thesis": "precious", "x": "precious"})}
	fetchtest.NoError(t, s.fetch("", ""))
	return s
}

// url returns the URL of a path below the list.
func (s *folders) url(path string) urlcore.URL { return urlOf(s.t, s.list+"/"+path) }

// fetch reads the file or directory at a path below the directory within. The list itself is read as the user opens it.
func (s *folders) fetch(path, within string) error {
	req := protocols.Request{URL: s.url(path), Known: &protocols.FileFacts{Size: 4}}
	if within != "" || path != "" {
		req.Within = s.url(within)
	}
	r, err := s.Fetch(s.t.Context(), req)
	if err != nil {
		return err
	}
	defer r.Close()
	if r.Body != nil {
		_, err = io.ReadAll(r.Body)
		return err
	}
	for _, err := range r.Lines {
		fetchtest.NoError(s.t, err)
	}
	return nil
}

// link puts a link in the place of an item.
func (s *folders) link(path, target string) {
	s.t.Helper()
	fetchtest.NoError(s.t, errors.Join(os.Rename(s.list+"/"+path, s.list+"/moved"), os.Symlink(target, s.list+"/"+path)))
}

// changes returns the results of everything that can be done with the items x and new of a directory.
func (s *folders) changes(dir string) map[string]error {
	ctx, within := s.t.Context(), s.url("")
	all := make(map[string]error)
	change := func(name string, c protocols.Change) {
		c.Within = within
		_, all[name] = s.Change(ctx, &c)
	}
	put := func(name string) error {
		return s.Put(ctx, s.url(dir+"/"+name), &protocols.Upload{Body: strings.NewReader("evil"), Size: 4, Replace: true, Within: within})
	}
	all["store"], all["replace"] = put("new"), put("x")
	all["list"], all["read"] = s.fetch(dir+"/", ""), s.fetch(dir+"/x", "")
	change("chmod", protocols.Change{Kind: protocols.Chmod, URL: s.url(dir + "/x"), Mode: "777"})
	change("make", protocols.Change{Kind: protocols.MakeDirectory, URL: s.url(dir + "/"), Name: "made"})
	change("rename", protocols.Change{Kind: protocols.Rename, URL: s.url(dir + "/x"), Name: "y"})
	change("rename back", protocols.Change{Kind: protocols.Rename, URL: s.url(dir + "/y"), Name: "x"})
	change("remove", protocols.Change{Kind: protocols.Remove, URL: s.url(dir + "/x")})
	return all
}

// TestNoLinkBelowTheList checks that nothing is read or changed through a link that has taken the place of a directory since it
// was listed, wherever the link leads to, and that the same is done in the directory itself.
func TestNoLinkBelowTheList(t *testing.T) {
	for _, target := range []string{"", "victim", "../b"} {
		s := listFolders(t, map[string]string{"a/d/x": "data", "a/e/x": "data", "b/thesis": "precious", "b/x": "precious"})
		if target == "victim" {
			target = s.victim
		}
		if target != "" {
			s.link("a/d", target)
		}
		for name, err := range s.changes("a/d") {
			if (err == nil) != (target == "") {
				t.Errorf("a link to %q: %s: %v", target, name, err)
			}
		}
		for _, dir := range []string{s.victim, s.list + "/b"} {
			fetchtest.Equal(t, namesIn(t, dir), "thesis x", "names with a link to %q", target)
		}
	}
}

// TestListedDirectoryIsReplaced checks that nothing is changed in another directory than the one that was listed under the path.
func TestListedDirectoryIsReplaced(t *testing.T) {
	s := listFolders(t, map[string]string{"x": "data"})
	fetchtest.NoError(t, os.Rename(s.list, s.list+".moved"))
	fetchtest.NoError(t, os.Symlink(s.victim, s.list))
	remove := func() error {
		_, err := s.Change(t.Context(), &protocols.Change{Kind: protocols.Remove, URL: s.url("x")})
		return err
	}
	if err := s.Put(t.Context(), s.url("new"), &protocols.Upload{Body: strings.NewReader(""), Size: 0}); err == nil || !strings.Contains(err.Error(), "list it again") {
		t.Errorf("a file was stored in another directory: %v", err)
	}
	if err := remove(); err == nil || !strings.Contains(err.Error(), "list it again") {
		t.Errorf("an item of another directory was removed: %v", err)
	}
	fetchtest.Equal(t, namesIn(t, s.victim), "thesis x", "names")
	fetchtest.NoError(t, s.fetch("", "")) // now the user sees the list
	fetchtest.NoError(t, remove())
}

// TestDirectoryMadeAgain checks that a directory that this program has put in the place of a listed one can be changed.
func TestDirectoryMadeAgain(t *testing.T) {
	s := listFolders(t, map[string]string{"d/x": "data", "e/x": "data"})
	for _, dir := range []string{"d/", "e/"} {
		fetchtest.CloseAtEnd(s.Fetch(t.Context(), protocols.Request{URL: s.url(dir)}))(t)
	}
	change := func(c protocols.Change) {
		t.Helper()
		fetchtest.Must(s.Change(t.Context(), &c))(t)
	}
	fetchtest.NoError(t, os.Rename(s.list+"/d", s.list+"/gone"))
	change(protocols.Change{Kind: protocols.MakeDirectory, URL: s.url(""), Name: "d"})
	change(protocols.Change{Kind: protocols.MakeDirectory, URL: s.url("d/"), Name: "y"})
	change(protocols.Change{Kind: protocols.Remove, URL: s.url("d/y/")})
	change(protocols.Change{Kind: protocols.Remove, URL: s.url("d/")})
	change(protocols.Change{Kind: protocols.Rename, URL: s.url("e/"), Name: "d"})
	change(protocols.Change{Kind: protocols.Remove, URL: s.url("d/x")})
}

// TestKindOfListedItem checks that an item of another kind than the listed one is neither read nor removed, and that a link
// that was listed is read.
func TestKindOfListedItem(t *testing.T) {
	s := listFolders(t, map[string]string{"x": "data", "d/x": "data"})
	fetchtest.NoError(t, os.Mkdir(s.list+"/f", 0o755))
	for _, path := range []string{"x/", "f"} { // x was a directory, and f a file
		if _, err := s.Change(t.Context(), &protocols.Change{Kind: protocols.Remove, URL: s.url(path)}); err == nil || !strings.Contains(err.Error(), "another kind of item") {
			t.Errorf("remove %s: %v", path, err)
		}
	}
	s.link("d/x", s.victim+"/x")
	if err := s.fetch("d/x", ""); err == nil {
		t.Error("a file was read through a link that was not listed")
	}
	r := fetchtest.CloseAtEnd(s.Fetch(t.Context(), protocols.Request{URL: s.url("d/x"), Within: s.url(""), Known: &protocols.FileFacts{Size: -1}}))(t)
	fetchtest.Equal(t, string(fetchtest.Must(io.ReadAll(r.Body))(t)), "precious", "content of a listed link")
	for _, c := range []protocols.Change{{Kind: protocols.Chmod, Mode: "777"}, {Kind: protocols.SetDate}} {
		c.URL = s.url("d/x")
		if _, err := s.Change(t.Context(), &c); err == nil || !strings.Contains(err.Error(), "it is a link") {
			t.Errorf("%v of a link: %v", c.Kind, err)
		}
	}
}

// TestManyListings checks that the oldest of too many listings is forgotten, and no other.
func TestManyListings(t *testing.T) {
	listed, other := fetchtest.Must(os.Stat(t.TempDir()))(t), fetchtest.Must(os.Stat(t.TempDir()))(t)
	var l listings
	for i := range maxListings + 1 {
		l.add("/"+strconv.Itoa(i), listed)
		l.add("/0", listed)
	}
	for path, want := range map[string]bool{"/0": false, "/1": true, "/2": false, "/" + strconv.Itoa(maxListings): false} {
		fetchtest.Equal(t, l.allows(path, other), want, "another directory may be at %s", path)
	}
}
