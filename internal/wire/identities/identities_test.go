package identities

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// newStore returns a store in a new folder with the identity "me".
func newStore(t *testing.T) *Store {
	t.Helper()
	s := Open(filepath.Join(t.TempDir(), "identities"))
	fetchtest.NoError(t, s.Make("me", 1))
	return s
}

// nameAt returns the name of the identity that is sent.
func nameAt(t *testing.T, s *Store, addr, path string) string {
	t.Helper()
	id, err := s.Choose(addr, path)
	fetchtest.NoError(t, err)
	if id == nil {
		return ""
	}
	return id.Name
}

// TestScopes checks that an identity is sent only where it was accepted, also by another program that reads the files.
func TestScopes(t *testing.T) {
	s := newStore(t)
	fetchtest.NoError(t, s.Make("other", 1))
	fetchtest.Equal(t, nameAt(t, s, "h:1965", "/a"), "", "before a yes")
	s.Accept(Scope{"h:1965", "/a"}, "me")
	s.Accept(Scope{"h:1965", "/a/b"}, "other")
	s.Accept(Scope{"h:990", ""}, "me")
	fetchtest.NoError(t, s.Settle())
	for _, store := range []*Store{s, Open(s.dir)} {
		for _, tt := range [...]struct{ addr, path, want string }{
			{"h:1965", "/a", "me"},
			{"H:1965", "/a/", "me"},
			{"h:1965", "/a/c", "me"},
			{"h:1965", "/a/b/c", "other"},
			{"h:1965", "/ab", ""},
			{"h:1965", "/", ""},
			{"h:1965", "/A", ""},
			{"h:1966", "/a", ""},
			{"sub.h:1965", "/a", ""},
			{"h:1965", "/a/../x", ""},
			{"h:1965", "/a/%2e%2E/x", ""},
			{"h:1965", "/a/..%2fx", ""},
			{"h:1965", "/a/%zz", ""},
			{"h:1965", "/a/..;x/x", ""},
			{"h:990", "", "me"},
			{"h:990", "/any/../path", "me"},
		} {
			fetchtest.Equal(t, nameAt(t, store, tt.addr, tt.path), tt.want, "%s%s", tt.addr, tt.path)
		}
	}
	s.Accept(Scope{"h:1965", "/a"}, "other") // replaces the other one
	s.SendNone(Scope{"h:990", ""})
	fetchtest.NoError(t, s.Settle())
	for _, store := range []*Store{s, Open(s.dir)} {
		fetchtest.Equal(t, nameAt(t, store, "h:1965", "/a"), "other", "after another choice")
		fetchtest.Equal(t, nameAt(t, store, "h:990", ""), "", "after none was chosen")
	}
	fetchtest.NoError(t, s.Remove("other"))
	fetchtest.Equal(t, nameAt(t, s, "h:1965", "/a"), "", "after it was removed")
}

// TestScopeInFile checks that no path of a scope is read as another one, and that the other lines of a file stay.
func TestScopeInFile(t *testing.T) {
	const note = "# my account of 2026\n"
	s := newStore(t)
	pem := fetchtest.Must(os.ReadFile(s.path("me")))(t)
	fetchtest.NoError(t, os.WriteFile(s.path("me"), append([]byte(note), pem...), 0o600))
	for _, path := range []string{"/-----BEGIN%20CERTIFICATE-----", "/-----BEGIN", "/a"} {
		s.Accept(Scope{"h:1965", path}, "me")
	}
	fetchtest.NoError(t, s.Settle())
	store := Open(s.dir)
	for path, want := range map[string]string{"/": "", "/x": "", "/-----BEGIN/x": "me", "/-----BEGIN%20CERTIFICATE-----": "me", "/a": "me"} {
		fetchtest.Equal(t, nameAt(t, store, "h:1965", path), want, path)
	}
	store.SendNone(Scope{"h:1965", "/"})
	fetchtest.NoError(t, store.Settle())
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(s.path("me")))(t)), note+string(pem), "the file without scopes")
}

// TestSendNone checks that nothing is sent for any part of a scope, also in a later run.
func TestSendNone(t *testing.T) {
	for _, tt := range [...]struct{ accepted, none, want string }{
		{"/a", "/a", ""},
		{"/a", "/a/b", ""},
		{"/a/b", "/a", ""},
		{"/a", "/b", "me"},
		{"", "/a", ""},
	} {
		s := newStore(t)
		s.Accept(Scope{"h:1965", tt.accepted}, "me")
		fetchtest.NoError(t, s.Settle())
		s.SendNone(Scope{"h:1965", tt.none})
		for _, store := range []*Store{s, Open(s.dir)} {
			fetchtest.Equal(t, nameAt(t, store, "h:1965", tt.accepted), tt.want, "%s after none for %s", tt.accepted, tt.none)
		}
	}
}

// TestUnsafeFiles checks that an identity that others can read, or that is not what it seems, is refused with a reason, and that
// nothing is sent in its place.
func TestUnsafeFiles(t *testing.T) {
	read := func(s *Store, name string) []byte { return fetchtest.Must(os.ReadFile(s.path(name)))(t) }
	for name, tt := range map[string]struct {
		spoil func(s *Store) error
		want  string
	}{
		"readable":        {func(s *Store) error { return os.Chmod(s.path("me"), 0o640) }, "chmod 600"},
		"readable folder": {func(s *Store) error { return os.Chmod(s.dir, 0o755) }, "chmod 700"},
		"link": {func(s *Store) error {
			moved := filepath.Join(filepath.Dir(s.dir), "elsewhere.pem")
			return errors.Join(os.Rename(s.path("me"), moved), os.Symlink(moved, s.path("me")))
		}, "a link"},
		"second name": {func(s *Store) error { return os.Link(s.path("me"), filepath.Join(filepath.Dir(s.dir), "second")) }, "several names"},
		"key of another": {func(s *Store) error {
			fetchtest.NoError(t, s.Make("other", 1))
			certificate, _, _ := strings.Cut(string(read(s, "me")), "-----BEGIN PRIVATE")
			_, key, _ := strings.Cut(string(read(s, "other")), "-----BEGIN PRIVATE")
			fetchtest.NoError(t, s.Remove("other"))
			return os.WriteFile(s.path("me"), []byte(certificate+"-----BEGIN PRIVATE"+key), 0o600)
		}, "does not match"},
		"no key": {func(s *Store) error {
			certificate, _, _ := strings.Cut(string(read(s, "me")), "-----BEGIN PRIVATE")
			return os.WriteFile(s.path("me"), []byte(certificate), 0o600)
		}, "no key"},
		"huge": {func(s *Store) error {
			return os.WriteFile(s.path("me"), append(read(s, "me"), make([]byte, maxFile)...), 0o600)
		}, "too large"},
		"folder in its place": {func(s *Store) error { return errors.Join(os.Remove(s.path("me")), os.Mkdir(s.path("me"), 0o700)) }, "a directory"},
		"odd name": {func(s *Store) error {
			return os.Rename(s.path("me"), filepath.Join(s.dir, "m\x1b[2Je"+suffix))
		}, "letters a to z"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			s.Accept(Scope{"h:1965", "/"}, "me")
			fetchtest.NoError(t, s.Settle())
			fetchtest.NoError(t, tt.spoil(s))
			s = Open(s.dir)
			list, err := s.List()
			for _, f := range list {
				err = errors.Join(err, f.Fault)
				if strings.Contains(f.Name, "\x1b") {
					t.Errorf("got the name %q, want it clean", f.Name)
				}
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("List: got %v, want an error with %q", err, tt.want)
			}
			if id, _ := s.Choose("h:1965", "/"); id != nil {
				t.Error("the identity is sent")
			}
			if _, err := s.Choose("other:1965", "/"); err != nil {
				t.Errorf("Choose for another server: %v", err)
			}
		})
	}
}

func TestMakeAndImport(t *testing.T) {
	s := newStore(t)
	for _, name := range []string{"", "../x", "a/b", "a\nb", "a\x1bb", ".hidden", "é", "CON", choiceNew, strings.Repeat("x", maxName+1), "Me"} {
		if err := s.Make(name, 1); err == nil {
			t.Errorf("Make(%q): got no error, want one", name)
		}
	}
	info := fetchtest.Must(os.Stat(s.path("me")))(t)
	folder := fetchtest.Must(os.Stat(s.dir))(t)
	fetchtest.Equal(t, info.Mode().Perm(), 0o600, "mode of the file")
	fetchtest.Equal(t, folder.Mode().Perm(), 0o700, "mode of the folder")

	s.Accept(Scope{"h:1965", "/"}, "me")
	fetchtest.NoError(t, s.Settle())
	into := Open(filepath.Join(t.TempDir(), "identities"))
	fetchtest.NoError(t, into.Import("", s.path("me")))
	fetchtest.Equal(t, nameAt(t, into, "h:1965", "/"), "", "the scope of an imported file")
	list := fetchtest.Must(into.List())(t)
	mine := fetchtest.Must(s.List())(t)
	fetchtest.Equal(t, list[0].Fingerprint, mine[0].Fingerprint, "the imported certificate")
}

// TestPrivateMode checks that private mode sends only what was chosen in this run, and writes nothing.
func TestPrivateMode(t *testing.T) {
	s := newStore(t)
	s.Accept(Scope{"h:1965", "/a"}, "me")
	fetchtest.NoError(t, s.Settle())
	s = Open(s.dir)
	s.IsPrivate = func() bool { return true }
	fetchtest.Equal(t, nameAt(t, s, "h:1965", "/a"), "", "accepted in an earlier run")
	s.Accept(Scope{"h:1965", "/b"}, "me")
	fetchtest.Equal(t, nameAt(t, s, "h:1965", "/b"), "me", "accepted in this run")
	fetchtest.Equal(t, nameAt(t, Open(s.dir), "h:1965", "/b"), "", "in another run")
	if err := s.Make("new", 1); err == nil {
		t.Error("private mode keeps a new identity")
	}
	s.Forget()
	fetchtest.Equal(t, nameAt(t, s, "h:1965", "/b"), "", "after Forget")
}

// TestExpired checks that an expired identity is not sent before a yes.
func TestExpired(t *testing.T) {
	s := newStore(t)
	old := fetchtest.Must(generate("old", time.Now().Add(-time.Minute)))(t)
	fetchtest.NoError(t, s.write("old", old))
	s.Accept(Scope{"h:1965", "/"}, "old")
	id := fetchtest.Must(s.Choose("h:1965", "/"))(t)
	confirm := fetchtest.As[*protocols.Confirm](t, id.Unsent)
	confirm.GiveConsent()
	if id = fetchtest.Must(s.Choose("h:1965", "/"))(t); id.Unsent != nil {
		t.Errorf("after a yes: got %v, want no question", id.Unsent)
	}
}

// TestAsk checks each answer of the form.
func TestAsk(t *testing.T) {
	u := fetchtest.Parse(t, "gemini://h/a")
	for _, tt := range [...]struct {
		answers []string
		path    string
		want    string // the name that is sent for path
		fails   bool
	}{
		{[]string{"me", "", "20", "/a"}, "/a/b", "me", false},
		{[]string{"me", "", "20", "/"}, "/x", "me", false},
		{[]string{choiceNew, "new", "20", "/a"}, "/a", "new", false},
		{[]string{choiceOnce, "", "20", "/a"}, "/a", "anonymous (this run only)", false},
		{[]string{choiceNone, "", "20", "/a"}, "/a", "", false},
		{[]string{choiceNew, "", "20", "/a"}, "/a", "", true},
		{[]string{"me", "", "20", "/b"}, "/b", "", true}, // the page would ask again
		{[]string{choiceNew, "new", "soon", "/a"}, "/a", "", true},
		{[]string{choiceNew, "a\nScope: evil:1965/", "1", "/a"}, "/a", "", true},
		{[]string{"me", "", "20", "/a\nScope: evil:1965/"}, "/a", "", true},
		{[]string{"nobody", "", "20", "/a"}, "/a", "", true},
	} {
		s := newStore(t)
		if tt.answers[0] == choiceNone {
			s.Accept(Scope{"h:1965", "/a"}, "me")
		}
		ask := fetchtest.Must(s.Ask(u, Scope{"h:1965", "/a"}, "who are you"))(t)
		got, err := ask.With(tt.answers)
		if (err != nil) != tt.fails || err == nil && got != u {
			t.Errorf("%q: got %v, %v", tt.answers, got, err)
		}
		fetchtest.Equal(t, nameAt(t, s, "h:1965", tt.path), tt.want, "%q", tt.answers)
		fetchtest.Equal(t, nameAt(t, s, "evil:1965", "/"), "", "%q at another server", tt.answers)
	}
	s := newStore(t)
	ask := fetchtest.Must(s.Ask(fetchtest.Parse(t, "https://h/my%20notes/x"), Scope{"h:443", "/"}, ""))(t)
	_, err := ask.With([]string{"me", "", "20", "my notes"})
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, nameAt(t, s, "h:443", "/my%20notes/y"), "me", "a typed path")
	s.Refuses = true
	if ask, err := s.Ask(u, Scope{"h:1965", "/a"}, ""); err == nil {
		t.Errorf("restricted: got %v, want an error", ask)
	}
}

// TestTakenName checks that an identity is not accepted in place of a new one that cannot be made.
func TestTakenName(t *testing.T) {
	s := newStore(t)
	s.AcceptNew(Scope{"h:1965", "/"}, "me", 1)
	if err := s.Settle(); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("got %v, want that the name is taken", err)
	}
	fetchtest.Equal(t, nameAt(t, s, "h:1965", "/"), "", "the old identity")
}

var _ wire.Identities = (*Store)(nil)
