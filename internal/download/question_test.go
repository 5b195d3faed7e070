package download

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gofer/protocols"
	"gofer/urlcore"
)

// TestTreeQuestion has a server name the port of another service for one file and one
// directory of a tree: both are named as left out, all else is saved, and after the yes
// the file is, too.
func TestTreeQuestion(t *testing.T) {
	root := ftpItem(t, nil, "d", 'd')
	var agreed atomic.Bool
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		switch u {
		case root:
			return listing(u, protocols.LayoutDirectory, protocols.Line{Kind: protocols.Directory, Link: ftpItem(t, []string{"d"}, "sub", 'd')},
				protocols.Line{Kind: protocols.Binary, Link: ftpItem(t, []string{"d"}, "a", 0)},
				protocols.Line{Kind: protocols.Binary, Link: ftpItem(t, []string{"d"}, "b", 0)},
				protocols.Line{Kind: protocols.Binary, Link: ftpItem(t, []string{"d"}, "c", 0)}), nil
		case ftpItem(t, []string{"d"}, "sub", 'd'), ftpItem(t, []string{"d"}, "b", 0):
			if !agreed.Load() {
				return nil, &protocols.Confirm{Question: "Open a data connection to h:25", Consent: protocols.ConsentPort, Yes: func() { agreed.Store(true) }}
			}
		}
		return document(u, "x"), nil
	})
	m := &Manager{Fetcher: f}
	defer m.Close()
	saved := filepath.Join(t.TempDir(), "saved")
	it, _ := m.Add(Request{URL: root, Path: saved, Tree: true})
	s := it.Wait()
	if s.Err == nil || s.State != Failed || s.Files != 2 || !strings.Contains(s.Err.Error(), "b: not confirmed: Open a data connection to h:25") {
		t.Fatalf("saved %d files, %v", s.Files, s.Err)
	}
	if !slices.ContainsFunc(s.Notes, func(n string) bool { return strings.HasPrefix(n, "not listed: sub: not confirmed: ") }) {
		t.Errorf("the directory is not named: %q", s.Notes)
	}
	var confirm *protocols.Confirm
	if !errors.As(s.Err, &confirm) {
		t.Fatalf("nothing to agree to in %v", s.Err)
	}
	confirm.Yes()
	it.Resume()
	if s = it.Wait(); s.Err != nil || s.State != Saved || s.Files != 3 {
		t.Errorf("after the yes: %d files, %v", s.Files, s.Err)
	}
}
