package download

import (
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestTreeQuestion saves a tree in which a file and a directory lead to a question about a port. It checks
// that both are left out, that the rest is saved, and that a resumed download saves the file after a yes.
func TestTreeQuestion(t *testing.T) {
	root, sub := ftpItem(t, nil, "d", 'd'), ftpItem(t, []string{"d"}, "sub", 'd')
	var agreed atomic.Bool
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		switch u {
		case root:
			return listing(u, protocols.LayoutDirectory, protocols.Line{Kind: protocols.Directory, Link: ftpItem(t, []string{"d"}, "sub", 'd')},
				protocols.Line{Kind: protocols.Binary, Link: ftpItem(t, []string{"d"}, "a", 0)},
				protocols.Line{Kind: protocols.Binary, Link: ftpItem(t, []string{"d"}, "b", 0)},
				protocols.Line{Kind: protocols.Binary, Link: ftpItem(t, []string{"d"}, "c", 0)}), nil
		case sub, ftpItem(t, []string{"d"}, "b", 0):
			if !agreed.Load() {
				return nil, &protocols.Confirm{
					Question: "Open a data connection to h:25", Consent: protocols.ConsentPort,
					GiveConsent: func() { agreed.Store(true) },
				}
			}
		}
		if u == sub {
			return listing(u, protocols.LayoutDirectory), nil
		}
		return document(u, "x"), nil
	})
	m := &Manager{Fetcher: f}
	defer m.Close()
	saved := filepath.Join(t.TempDir(), "saved")
	it, _ := m.Add(Request{URL: root, Path: saved, Tree: true})
	s := it.Wait()
	if s.Err == nil || s.State != Failed || s.Files != 2 {
		t.Fatalf("got state %d, %d files, error %v; want Failed (%d), 2 files, an error", s.State, s.Files, s.Err, Failed)
	}
	fetchtest.EqualSlices(
		t, leftOutTexts(&s),
		[]string{"sub: not confirmed: Open a data connection to h:25", "b: not confirmed: Open a data connection to h:25"},
		"items left out",
	)
	var confirm *protocols.Confirm
	if !errors.As(s.Err, &confirm) {
		t.Fatalf("error %v has no Confirm", s.Err)
	}
	confirm.GiveConsent()
	it.Resume()
	if s = it.Wait(); s.Err != nil || s.State != Saved || s.Files != 3 {
		t.Errorf("after the yes: state %d, %d files, error %v; want Saved (%d), 3 files", s.State, s.Files, s.Err, Saved)
	}
}
