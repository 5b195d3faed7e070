package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// namesIn returns the names in a directory, separated by blanks.
func namesIn(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	for _, e := range fetchtest.Must(os.ReadDir(dir))(t) {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

// isReplaceQuestion reports whether err asks whether to replace a file, and answers yes.
func isReplaceQuestion(err error) bool {
	q, ok := errors.AsType[*protocols.Confirm](err)
	if ok {
		q.GiveConsent()
	}
	return ok && q.Consent == protocols.ConsentReplace
}

// TestPut checks that a stored file is complete or not there, asks before it replaces another one, and keeps dates and modes.
func TestPut(t *testing.T) {
	root := writeFiles(t, map[string]string{"old": "old", "dir/x": ""})
	fetchtest.NoError(t, os.Chmod(root+"/old", 0o640))
	at := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	c := new(Client)
	put := func(name, body string, up protocols.Upload) (*protocols.Upload, error) {
		up.Body, up.Modified = strings.NewReader(body), at
		err := c.Put(t.Context(), urlOf(t, root+"/"+name), &up)
		if isReplaceQuestion(err) {
			up.Body = strings.NewReader(body)
		}
		return &up, err
	}
	_, err := put("new", "content", protocols.Upload{Size: 7, Mode: "4755"})
	fetchtest.NoError(t, err)
	info := fetchtest.Must(os.Stat(root + "/new"))(t)
	fetchtest.Equal(t, info.Mode(), fs.FileMode(0o755), "mode without setuid")
	fetchtest.Equal(t, info.ModTime().UTC(), at, "date")

	up, err := put("old", "replaced", protocols.Upload{Size: -1})
	fetchtest.Equal(t, up.Replace, true, "the question %v is answered", err)
	fetchtest.Equal(t, up.ExistingSize, int64(3), "size of the existing file")
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(root+"/old"))(t)), "old", "before the answer")
	fetchtest.NoError(t, c.Put(t.Context(), urlOf(t, root+"/old"), up))
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(root+"/old"))(t)), "replaced", "after the answer")
	fetchtest.Equal(t, fetchtest.Must(os.Stat(root+"/old"))(t).Mode(), fs.FileMode(0o640), "mode of a replaced file")

	fetchtest.NoError(t, os.Symlink("/etc/passwd", root+"/link"))
	for name, want := range map[string]string{"dir": "has this name", "link": "has this name", "none/x": "no such file"} {
		if _, err := put(name, "x", protocols.Upload{Size: 1, Replace: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	if _, err := put("short", "content", protocols.Upload{Size: 8}); err == nil || !strings.Contains(err.Error(), "7 of 8 octets") {
		t.Errorf("a body that ends early: %v", err)
	}
	fetchtest.Equal(t, namesIn(t, root), "dir link new old", "no part is left")
}

// TestChange checks the changes of a directory, and that a link is changed and not its target.
func TestChange(t *testing.T) {
	root := writeFiles(t, map[string]string{"a": "a", "b": "b", "dir/x": "", "other/y": ""})
	fetchtest.NoError(t, os.Symlink("other", root+"/link"))
	c := new(Client)
	dir := func(path string) urlcore.URL { return fetchtest.Must(urlcore.Parse("file://" + root + "/" + path))(t) }
	change := func(ch protocols.Change) (urlcore.URL, error) { return c.Change(t.Context(), &ch) }
	u, err := change(protocols.Change{Kind: protocols.Rename, URL: dir("a"), Name: "c d"})
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, u, dir("c%20d"), "URL of the renamed file")
	_, err = change(protocols.Change{Kind: protocols.Rename, URL: dir("b"), Name: "c d"})
	fetchtest.Equal(t, isReplaceQuestion(err), true, "a question before another file is replaced")
	u, err = change(protocols.Change{Kind: protocols.Rename, URL: dir("dir/"), Dir: dir("other/")})
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, u, dir("other/dir/"), "URL of the moved directory")
	u, err = change(protocols.Change{Kind: protocols.MakeDirectory, URL: dir(""), Name: "new"})
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, u, dir("new/"), "URL of the new directory")
	_, err = change(protocols.Change{Kind: protocols.Remove, URL: dir("link/")}) // as the directory lists a link to a directory
	fetchtest.NoError(t, err)
	_, err = change(protocols.Change{Kind: protocols.Chmod, URL: dir("b"), Mode: "600"})
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, fetchtest.Must(os.Stat(root+"/b"))(t).Mode(), fs.FileMode(0o600), "mode")
	fetchtest.Equal(t, namesIn(t, root), "b c d new other", "names")
	fetchtest.Equal(t, namesIn(t, filepath.Join(root, "other")), "dir y", "names")

	for _, bad := range []protocols.Change{
		{Kind: protocols.Remove, URL: dir("other/")}, // not empty
		{Kind: protocols.Remove, URL: urlcore.File{}},
		{Kind: protocols.MakeDirectory, URL: dir(""), Name: "../x"},
		{Kind: protocols.Rename, URL: dir("b"), Name: ".."},
		{Kind: protocols.Chmod, URL: dir("b"), Mode: "x"},
	} {
		if _, err := change(bad); err == nil {
			t.Errorf("%v of %v %q succeeded", bad.Kind, bad.URL, bad.Name)
		}
	}
	c.Restricted = true
	if _, err := change(protocols.Change{Kind: protocols.Remove, URL: dir("b")}); !errors.Is(err, protocols.ErrRestricted) {
		t.Errorf("in restricted mode: %v", err)
	}
}
