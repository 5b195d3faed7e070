package sftp_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/protocols"
	"gofer/urlcore"
)

// startSshd starts OpenSSH's sshd, and returns it and the home directory of a user whose key it accepts.
func startSshd(t *testing.T) (s *realserver.Server, home string) {
	t.Helper()
	s = realserver.Sshd(t, "")
	signer, key := newKey(t)
	fetchtest.NoError(t, os.WriteFile(s.Home+"/.ssh/authorized_keys", ssh.MarshalAuthorizedKey(signer.PublicKey()), 0o644))
	home = t.TempDir()
	writeSSH(t, home, "id_ed25519", encodeKey(t, key, ""))
	return s, home
}

// TestOddFiles stores, lists, fetches, changes and removes files with odd names at sshd.
func TestOddFiles(t *testing.T) {
	s, home := startSshd(t)
	c := newClientOf(t, home)
	parent := "sftp://" + s.User + "@" + s.Addr + s.Home
	base := parent + "/odd"
	makeDir := protocols.Change{Kind: protocols.MakeDirectory, URL: fetchtest.Parse(t, parent+"/"), Name: "odd"}
	fetchtest.NoError(t, agree(func() error {
		_, err := c.Change(t.Context(), &makeDir)
		return err
	}))
	dir := fetchtest.Parse(t, base+";type=d").(urlcore.FTP)
	names := append(realserver.OddNames(), "new\nline", "-rf", "a;type=d", "\xff\xfe", " blank ", "~", "*", "%2F", "..x", "\\", "\x1b[31m", strings.Repeat("n", 255))
	urls := make(map[string]urlcore.URL)
	for i, name := range names {
		urls[name] = fetchtest.Must(dir.Child(name))(t)
		up := upload(strings.Repeat("x", i)) // the first one is empty
		fetchtest.NoError(t, c.Put(t.Context(), urls[name], up))
		up.Replace = true
		_, err := up.Body.(io.Seeker).Seek(0, io.SeekStart)
		fetchtest.NoError(t, errors.Join(err, c.Put(t.Context(), urls[name], up)))
	}
	_, lines := readLines(t, c, base+"/")
	fetchtest.Equal(t, len(lines), len(names), "files")
	for i, name := range names {
		note := lines[name].Note.(*protocols.FileNote)
		fetchtest.Equal(t, note.Size, int64(i), name)
		fetchtest.Equal(t, note.Modified.Equal(day), true, name, "has its date")
		fetchtest.Equal(t, lines[name].Link, urls[name])
		fetchtest.Equal(t, readText(t, c, protocols.Request{URL: lines[name].Link}), strings.Repeat("x", i), name)
	}
	for _, name := range names {
		_, err := c.Change(t.Context(), &protocols.Change{Kind: protocols.Chmod, URL: urls[name], Mode: "600"})
		_, err2 := c.Change(t.Context(), &protocols.Change{Kind: protocols.Rename, URL: urls[name], Name: name[:min(len(name), 250)] + "\n\xfe"})
		moved := fetchtest.Must(dir.Child(name[:min(len(name), 250)] + "\n\xfe"))(t)
		_, err3 := c.Change(t.Context(), &protocols.Change{Kind: protocols.Remove, URL: moved})
		fetchtest.NoError(t, errors.Join(err, err2, err3))
	}
	_, lines = readLines(t, c, base+"/")
	fetchtest.Equal(t, len(lines), 0, "files that are left")
}

// TestRemoveLinks removes links by the URLs that their lines have. What they lead to stays.
func TestRemoveLinks(t *testing.T) {
	s, home := startSshd(t)
	c := trusting{newClientOf(t, home)}
	dir := s.Home + "/links"
	fetchtest.NoError(t, errors.Join(os.Mkdir(dir, 0o755), os.Mkdir(dir+"/d", 0o755), os.Symlink("d", dir+"/to-d"), os.Symlink("none", dir+"/to-none"), s.ChownToAccount(dir)))
	_, lines := readLines(t, c, "sftp://"+s.User+"@"+s.Addr+dir+";type=d")
	for _, name := range []string{"to-d", "to-none"} {
		_, err := c.Change(t.Context(), &protocols.Change{Kind: protocols.Remove, URL: lines[name].Link})
		fetchtest.NoError(t, err)
	}
	fetchtest.EqualSlices(t, readNames(t, dir), []string{"d"})
}

// TestPermissions stores files where the account may not write or read at sshd.
func TestPermissions(t *testing.T) {
	s, home := startSshd(t)
	c := trusting{newClientOf(t, home)}
	base := "sftp://" + s.User + "@" + s.Addr + s.Home + "/"
	for _, dir := range []string{"fixed", "open"} {
		path := filepath.Join(s.Home, dir)
		fetchtest.NoError(t, errors.Join(os.Mkdir(path, 0o755), os.WriteFile(path+"/f", []byte("old"), 0o644), s.ChownToAccount(path+"/f"), os.Chmod(path+"/f", 0)))
	}
	fetchtest.NoError(t, s.ChownToAccount(s.Home+"/open"))
	fetchtest.Fails(t, protocols.Denied)(c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, base+"open/f")}))

	replace := func(name string) error {
		up := upload("new")
		up.Replace = true
		return c.Put(t.Context(), fetchtest.Parse(t, base+name), up)
	}
	fetchtest.NoError(t, replace("open/f"))
	fetchtest.ReturnsText(t, "new")(os.ReadFile(s.Home + "/open/f"))
	fetchtest.Equal(t, fetchtest.Must(os.Stat(s.Home+"/open/f"))(t).Mode().Perm(), 0, "the permissions of the replaced file")
	fetchtest.Equal(t, len(readNames(t, s.Home+"/open")), 1, "files in the directory")
	for name, cause := range map[string]string{"fixed/f": "takes no new file", "fixed/new": ""} {
		err := replace(name)
		fetchtest.Reason(t, err, protocols.Denied)
		fetchtest.Contains(t, err.Error(), cause)
	}
	fetchtest.ReturnsText(t, "old")(os.ReadFile(s.Home + "/fixed/f"))
}

// TestChangingFiles fetches and stores files that change meanwhile.
func TestChangingFiles(t *testing.T) {
	s := startServer(t, nil)
	c := s.newKnownClient(t)
	const size = 32 << 20 // more than is requested at a time
	for change, want := range map[int64]int64{size / 2: -1, size * 2: size} {
		path := s.write(t, "sparse", "")
		fetchtest.NoError(t, os.Truncate(path, size))
		res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s.url("/sparse"))}))(t)
		first := fetchtest.Must(res.Body.Read(make([]byte, 1)))(t)
		fetchtest.NoError(t, os.Truncate(path, change))
		n, err := io.Copy(io.Discard, res.Body)
		fetchtest.NoError(t, res.Close())
		if want < 0 {
			fetchtest.Reason(t, err, protocols.Broken)
			fetchtest.Contains(t, err.Error(), "shorter")
			continue
		}
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, int64(first)+n, want, "octets of the file when it was opened")
	}
	fetchtest.NoError(t, os.Remove(s.dir+"/sparse"))

	up := upload("12345678")
	up.Size = 4
	fetchtest.NoError(t, c.Put(t.Context(), fetchtest.Parse(t, s.url("/grows")), up))
	fetchtest.ReturnsText(t, "1234")(os.ReadFile(s.dir + "/grows"))
	for _, name := range []string{"grows", "new"} {
		up = upload("12345678")
		up.Size, up.Replace, up.Body = 9, true, bytes.NewReader([]byte("12345678"))
		err := c.Put(t.Context(), fetchtest.Parse(t, s.url("/"+name)), up)
		fetchtest.Reason(t, err, protocols.LocalFailure)
		fetchtest.Contains(t, err.Error(), "shortened")
	}
	fetchtest.ReturnsText(t, "1234")(os.ReadFile(s.dir + "/grows"))
	fetchtest.EqualSlices(t, readNames(t, s.dir), []string{"grows"})
}
