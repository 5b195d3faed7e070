package external

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// files records the URL that it fetches.
type files struct{ opened string }

func (f *files) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	f.opened = req.URL.String()
	return nil, &protocols.Handoff{URL: req.URL}
}

// TestNames checks that a page of the mounted file system and its items have afs: URLs.
func TestNames(t *testing.T) {
	parse := func(s string) urlcore.URL { return fetchtest.Parse(t, s) }
	c := &Client{AFS: "/the mount/afs"}
	res := c.withNames(&protocols.Resource{Head: protocols.Head{URL: parse("file:///the%20mount/afs/cell.example/usr/")}, Lines: func(yield func(protocols.Line, error) bool) {
		for _, s := range []string{"file:///the%20mount/afs/cell.example/usr/a%20b%3f", "file:///etc/motd", "file://h/the%20mount/afs/cell.example/a", "gopher://h/"} {
			if !yield(protocols.Line{Link: parse(s)}, nil) {
				return
			}
		}
		yield(protocols.Line{}, nil)
	}})
	fetchtest.Equal(t, res.URL, parse("afs://cell.example/usr/"), "the URL of the page")
	var got []urlcore.URL
	for l := range res.Lines {
		got = append(got, l.Link)
	}
	want := []urlcore.URL{parse("afs://cell.example/usr/a%20b%3F"), parse("file:///etc/motd"), parse("file://h/the%20mount/afs/cell.example/a"), parse("gopher://h/"), nil}
	if !slices.Equal(got, want) {
		t.Errorf("got the links %v; want %v", got, want)
	}
}

func TestExplained(t *testing.T) {
	for s, want := range map[string]string{
		"x500://h.example/c=us":  "It names an entry of an X.500 directory; its form was never specified (October 1993 draft, X500).\nTry ldap://h.example/c=us instead.\nSet",
		"x500:c=us":              "\nTry ldap://HOST/c=us instead, with your own word for HOST, which the URL lacks.\n",
		"x500:us":                "with your own word for HOST and DN, which",
		"ssh://jo:pw@h.example/": "It names a session with a host by SSH (draft-salowey-secsh-uri-00).\nThe command ssh ssh://jo@h.example opens it.\n",
		"irc:c":                  "\nThe command weechat irc://SERVER/c opens it, with your own word for SERVER, which the URL lacks.\n",
		"vemmi://h.example/x":    "It names a videotex service (RFC 2122).\nNo program opens it today.\n",
		"view-source:x":          "It names the source of a page.\nNo program opens it today.\n",
	} {
		_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s)})
		_, planErr := new(Client).Plan(fetchtest.Parse(t, s))
		for _, err := range []error{err, planErr} {
			text := ""
			if e, ok := errors.AsType[*protocols.Error](err); ok {
				for _, l := range e.Lines {
					text += l.Text + "\n"
				}
			}
			fetchtest.Contains(t, text, want, "%s: %v", s, err)
		}
		f := new(files)
		if _, err := (&Client{Programs: f}).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s)}); f.opened != s {
			t.Errorf("Fetch(%s) opened %q, %v; want the same URL", s, f.opened, err)
		}
	}
}

// TestAFS checks that an afs: URL opens the mounted file. It must never open a file outside of the
// mount.
func TestAFS(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no mount")
	}
	root := t.TempDir()
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(root, "afs/cell.example/usr/a b"), 0o700))
	for _, name := range []string{"afs/cell.example/usr/a b/x.txt", "secret"} {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
	}
	fetchtest.NoError(t, os.Symlink("../../secret", filepath.Join(root, "afs/cell.example/out")))
	fetchtest.NoError(t, os.Symlink("usr", filepath.Join(root, "afs/cell.example/in")))
	for s, want := range map[string]string{
		"afs://cell.example/out": "", "afs://cell.example/in": "/afs/cell.example/in/",
		"afs://cell.example/usr/a%20b/x.txt": "/afs/cell.example/usr/a%20b/x.txt", "afs://cell.example/usr": "/afs/cell.example/usr/",
		"afs://cell.example/../../secret": "/afs/cell.example/secret", "afs://cell.example/%2E%2E/%2e%2e/secret": "/afs/cell.example/secret",
		"afs://cell.example/none": "/afs/cell.example/none", "afs://other.example/none": "", "afs:cell": "",
		"afs://u@cell.example/usr": "", "afs://cell.example:7/usr": "", "x-fs://cell.example/usr": "", "afs://cell.example/usr%00": "",
	} {
		f := new(files)
		_, err := (&Client{Files: f, AFS: root + "/afs"}).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s)})
		fetchtest.Equal(t, want != "" || protocols.ReasonOf(err) == protocols.Unsupported, true, "%s: the rest of a tree is saved after %v", s, err)
		if want != "" {
			want = "file://" + (&url.URL{Path: root}).EscapedPath() + want
		}
		fetchtest.Equal(t, f.opened, want, "%s: opened", s)
		for _, programs := range []protocols.Fetcher{nil, f} {
			steps, err := (&Client{Programs: programs, AFS: root + "/afs"}).Plan(fetchtest.Parse(t, s))
			if planned := err == nil && strings.HasSuffix(steps[0].Note, " "+want); planned != (want != "" && programs == nil) {
				t.Errorf("Plan(%s) = %v, %v; want a step that opens %q only without a program", s, steps, err, want)
			}
		}
	}
}
