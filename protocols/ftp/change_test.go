package ftp

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestChange(t *testing.T) {
	const remove, rename, mkdir, chmod, date = protocols.Remove, protocols.Rename, protocols.MakeDirectory, protocols.Chmod, protocols.SetDate
	for _, tt := range []struct {
		name    string
		kind    protocols.ChangeKind
		path    string // of the URL
		to      string // for chmod, the mode
		dir     string // the path of the URL to move to, after "="
		replies map[string]string
		sent    string // after the login
		url     string // what comes back
		err     string
		reason  protocols.Reason
	}{
		{name: "a file", kind: remove, path: "d/a%20b", replies: map[string]string{"DELE": "250 gone"}, sent: "CWD d|DELE a b", url: "d/a%20b"},
		{name: "a directory", kind: remove, path: "d/e;type=d", replies: map[string]string{"RMD": "250 gone"}, sent: "CWD d|RMD e", url: "d/e;type=d"},
		{name: "a directory with a slash", kind: remove, path: "d/e/", replies: map[string]string{"RMD": "250 gone"}, sent: "CWD d|RMD e", url: "d/e;type=d"},
		{name: "what is a directory after all", kind: remove, path: "e", replies: map[string]string{"DELE": "550 not plain", "RMD": "250 gone"}, sent: "DELE e|RMD e", url: "e"},
		{name: "neither", kind: remove, path: "e", replies: map[string]string{"DELE": "550 no such file", "RMD": "550 no such directory"}, sent: "DELE e|RMD e", err: "remove \"e\": the server said 550 no such file", reason: protocols.NotThere},
		{name: "a backslash", kind: remove, path: "a%5Cb", replies: map[string]string{"DELE": "553 no"}, sent: `DELE a\b`, err: `remove "a\b": `, reason: protocols.Denied},
		{name: "forbidden", kind: remove, path: "e", replies: map[string]string{"DELE": "553 no"}, sent: "DELE e", err: "553 no", reason: protocols.Denied},
		{name: "the login directory", kind: remove, path: "", err: "directory of the login", reason: protocols.BadURL},
		{name: "the root", kind: remove, path: "%2F;type=d", err: "directory of the login", reason: protocols.BadURL},
		{name: "doubled IAC", kind: remove, path: "%FF", replies: map[string]string{"DELE \xff\xff": "550 no", "DELE \xff": "250 gone"}, sent: "DELE \xff\xff|DELE \xff", url: "%FF"},
		{name: "another name", kind: rename, path: "d/a", to: "b c", replies: map[string]string{"RNFR": "350 to?", "RNTO": "250 done", "CWD b c": "550 no"}, sent: "CWD d|SIZE b c|CWD b c|RNFR a|RNTO b c", url: "d/b%20c"},
		{name: "a directory's name", kind: rename, path: "d/a;type=d", to: "b", replies: map[string]string{"RNFR": "350 to?", "RNTO": "250 done", "CWD b": "550 no"}, sent: "CWD d|SIZE b|CWD b|RNFR a|RNTO b", url: "d/b;type=d"},
		{name: "from the root", kind: rename, path: "%2Fa", to: "b", replies: map[string]string{"RNFR": "350 to?", "RNTO": "250 done", "CWD /b": "550 no"}, sent: "SIZE /b|CWD /b|RNFR /a|RNTO /b", url: "%2Fb"},
		{name: "onto a file", kind: rename, path: "a", to: "b", replies: map[string]string{"SIZE b": "213 7"}, sent: "SIZE b", err: `Replace "b"`},
		{name: "onto what nobody knows", kind: rename, path: "a", to: "b", replies: map[string]string{"SIZE": "502 no", "MDTM": "502 no"}, sent: "SIZE b|MDTM b", err: `Replace "b"`},
		{name: "onto a directory", kind: rename, path: "a", to: "b", sent: "SIZE b|CWD b", err: "is a directory that is there already", reason: protocols.Denied},
		{name: "not there", kind: rename, path: "a", to: "b", replies: map[string]string{"RNFR": "550 no a", "CWD b": "550 no"}, sent: "SIZE b|CWD b|RNFR a", err: "550 no a", reason: protocols.NotThere},
		{name: "refused at the end", kind: rename, path: "a", to: "b", replies: map[string]string{"RNFR": "350 to?", "RNTO": "553 no", "CWD b": "550 no"}, sent: "SIZE b|CWD b|RNFR a|RNTO b", err: "553 no", reason: protocols.Denied},
		{name: "a slash", kind: rename, path: "a", to: "b/c", err: "cannot be a name", reason: protocols.BadURL},
		{name: "a line end", kind: rename, path: "a", to: "b\r\nDELE c", err: "line end", reason: protocols.BadURL},
		{name: "no name", kind: rename, path: "a", err: "cannot be a name", reason: protocols.BadURL},
		{name: "two dots", kind: mkdir, path: "a/;type=d", to: "..", err: "cannot be a name", reason: protocols.BadURL},
		{name: "a new directory", kind: mkdir, path: "d;type=d", to: "n w", replies: map[string]string{"MKD": `257 "n w" made`}, sent: "CWD d|MKD n w", url: "d/n%20w;type=d"},
		{name: "in the login directory", kind: mkdir, path: "", to: "n", replies: map[string]string{"MKD": "257 made"}, sent: "MKD n", url: "n;type=d"},
		{name: "there already", kind: mkdir, path: "", to: "n", replies: map[string]string{"MKD": "521 exists"}, sent: "MKD n", err: "there already", reason: protocols.ServerFailed},
		{name: "there already, in words", kind: mkdir, path: "", to: "n", replies: map[string]string{"MKD": "550 Can't create directory: File exists"}, sent: "MKD n", err: "File exists: it is there already", reason: protocols.ServerFailed},
		{name: "there already, without words", kind: mkdir, path: "", to: "n", replies: map[string]string{"MKD": "550 failed", "CWD n": "250 in"}, sent: "MKD n|SIZE n|CWD n", err: "550 failed: it is there already", reason: protocols.ServerFailed},
		{name: "no parent", kind: mkdir, path: "", to: "n", replies: map[string]string{"MKD": "550 n: No such file or directory exists"}, sent: "MKD n", err: "550", reason: protocols.NotThere},
		{name: "no parent, without words", kind: mkdir, path: "", to: "n", replies: map[string]string{"MKD": "550 failed", "CWD n": "550 no"}, sent: "MKD n|SIZE n|CWD n", err: "550 failed", reason: protocols.NotThere},
		{name: "not empty", kind: remove, path: "e;type=d", replies: map[string]string{"RMD": "550 e: Directory not empty"}, sent: "RMD e", err: "it is not empty", reason: protocols.ServerFailed},
		{name: "not empty, without words", kind: remove, path: "e;type=d", replies: map[string]string{"RMD": "550 failed"}, sent: "RMD e|SIZE e|CWD e", err: "it may not be empty", reason: protocols.ServerFailed},
		{name: "refused without words", kind: remove, path: "e", replies: map[string]string{"DELE": "550 failed", "RMD": "550 failed", "SIZE": "213 7"}, sent: "DELE e|RMD e|SIZE e", err: "550 failed: the server does not allow it", reason: protocols.ServerFailed},
		{name: "not permitted", kind: chmod, path: "e", to: "600", replies: map[string]string{"SITE": "550 e: Operation not permitted"}, sent: "SITE CHMOD 600 e", err: "550", reason: protocols.Denied},
		{name: "another's directory", kind: rename, path: "a", to: "b", replies: map[string]string{"RNFR": "350 to?", "RNTO": "451 Rename/move failure: Permission denied", "CWD b": "550 no"}, sent: "SIZE b|CWD b|RNFR a|RNTO b", err: "451", reason: protocols.Denied},
		{name: "it needs a login", kind: mkdir, path: "", to: "n", replies: map[string]string{"MKD": "530 not for anonymous"}, sent: "MKD n", err: "requires a login"},
		{name: "a mode", kind: chmod, path: "d/a%20b", to: "640", replies: map[string]string{"SITE": "200 done"}, sent: "CWD d|SITE CHMOD 640 a b", url: "d/a%20b"},
		{name: "a mode of a directory", kind: chmod, path: "%2Fa;type=d", to: "1700", replies: map[string]string{"SITE": "200 done"}, sent: "SITE CHMOD 1700 /a", url: "%2Fa;type=d"},
		{name: "no mode", kind: chmod, path: "a", to: "888", err: "octal digits", reason: protocols.BadURL},
		{name: "a symbolic mode", kind: chmod, path: "a", to: "u+x", err: "octal digits", reason: protocols.BadURL},
		{name: "no SITE CHMOD", kind: chmod, path: "a", to: "600", replies: map[string]string{"SITE": "500 what?"}, sent: "SITE CHMOD 600 a", err: "500 what?: it has no SITE CHMOD", reason: protocols.NotSupported},
		{name: "a superfluous command", kind: chmod, path: "a", to: "600", replies: map[string]string{"SITE": "202 ok"}, sent: "SITE CHMOD 600 a", err: "it has no SITE CHMOD", reason: protocols.NotSupported},
		{name: "a mode that is not allowed", kind: chmod, path: "a", to: "600", replies: map[string]string{"SITE": "550 Permission denied"}, sent: "SITE CHMOD 600 a", err: "550", reason: protocols.Denied},
		{name: "a date", kind: date, path: "d/a", replies: map[string]string{"FEAT": "211-\r\n MFMT\r\n211 end", "MFMT": "213 set"}, sent: "CWD d|MFMT 20170714024001 a", url: "d/a"},
		{name: "a date that is not allowed", kind: date, path: "a", replies: map[string]string{"FEAT": "211-\r\n MFMT\r\n211 end", "MFMT": "550 Permission denied"}, sent: "MFMT 20170714024001 a", err: "550", reason: protocols.Denied},
		{name: "a date by MDTM", kind: date, path: "a", replies: map[string]string{"FEAT": "211-\r\n MDTM\r\n211 end", "MDTM": "213 set"}, sent: "MDTM 20170714024001 a", url: "a"},
		{name: "no date by MDTM", kind: date, path: "a", replies: map[string]string{"FEAT": "211-\r\n MDTM\r\n211 end", "MDTM": "550 no such file"}, sent: "MDTM 20170714024001 a", err: "no MFMT", reason: protocols.NotSupported},
		{name: "no date of a directory", kind: date, path: "a;type=d", replies: map[string]string{"FEAT": "211-\r\n MDTM\r\n211 end", "MDTM": "550 not a plain file"}, sent: "MDTM 20170714024001 a", err: "550", reason: protocols.NotThere},
		{name: "no command for dates", kind: date, path: "a", err: "no MFMT", reason: protocols.NotSupported},
		{name: "to another directory", kind: rename, path: "d/a", dir: "=e/f;type=d", replies: map[string]string{"RNFR": "350 to?", "RNTO": "250 done", "CWD a": "550 no", "PWD": `257 "/x ""y"""`}, sent: `CWD e|CWD f|PWD|SIZE a|CWD a|CWD /x "y"|CWD d|RNFR a|RNTO /x "y"/a`, url: "e/f/a"},
		{name: "to the login directory, renamed", kind: rename, path: "d/a;type=d", to: "b", dir: "=", replies: map[string]string{"RNFR": "350 to?", "RNTO": "250 done", "CWD b": "550 no", "PWD": `257 "DISK:[X]"`}, sent: `PWD|SIZE b|CWD b|CWD d|RNFR a|RNTO DISK:[X]b`, url: "b;type=d"},
		{name: "from the root to another directory", kind: rename, path: "%2Fa", dir: "=d/", replies: map[string]string{"RNFR": "350 to?", "RNTO": "250 done", "CWD a": "550 no"}, sent: "CWD d|PWD|SIZE a|CWD a|CWD /home|RNFR /a|RNTO /home/a", url: "d/a"},
		{name: "onto another's file", kind: rename, path: "a", dir: "=d/", replies: map[string]string{"SIZE a": "213 7"}, sent: "CWD d|PWD|SIZE a", err: `Replace "a"`},
		{name: "to no directory", kind: rename, path: "a", dir: "=d/", replies: map[string]string{"CWD d": "550 Failed to change directory."}, sent: "CWD d", err: "the target directory does not exist", reason: protocols.NotThere},
		{name: "without PWD", kind: rename, path: "a", dir: "=d/", replies: map[string]string{"PWD": "500 no"}, sent: "CWD d|PWD", err: "PWD", reason: protocols.NotSupported},
		{name: "to another server", kind: rename, path: "a", dir: "=//example.org/d/", err: "another server", reason: protocols.BadURL},
		{name: "broken off", kind: mkdir, path: "", to: "n", replies: map[string]string{"MKD": ""}, sent: "MKD n", err: "connection lost", reason: protocols.Broken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{replies: tt.replies})
			c := newClient(t)
			change := &protocols.Change{Kind: tt.kind, URL: parse(t, f.url(tt.path)), Name: tt.to, Modified: time.Date(2017, 7, 14, 2, 40, 1, 0, time.UTC)}
			if tt.kind == chmod {
				change.Name = ""
				change.Mode = tt.to
			}
			if dir, ok := strings.CutPrefix(tt.dir, "=//"); ok {
				change.Dir = parse(t, "ftp://"+dir)
			} else if dir, ok := strings.CutPrefix(tt.dir, "="); ok {
				change.Dir = parse(t, f.url(dir))
			}
			u, err := c.Change(t.Context(), change)
			switch {
			case tt.err == "" && (err != nil || u.String() != f.url(tt.url)):
				t.Errorf("got %v, %v, want %s", u, err, tt.url)
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) || protocols.ReasonOf(err) != tt.reason):
				t.Errorf("got %v (%v), want %q", err, protocols.ReasonOf(err), tt.err)
			}
			_, sent, _ := strings.Cut(strings.Join(f.commands(), "|"), "|PWD|") // of the login
			fetchtest.Equal(t, strings.TrimSuffix(sent, "|QUIT"), tt.sent, "sent")
		})
	}
}

// TestChangeServers changes a directory of real servers.
func TestChangeServers(t *testing.T) {
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			s := d.Start(t)
			c := &Client{PlainPasswords: true}
			defer c.Close()
			notes := parse(t, "ftp://"+s.User+":"+s.Password+"@"+s.Addr+"/notes/;type=d")
			do := func(kind protocols.ChangeKind, u urlcore.URL, name string) (urlcore.URL, error) {
				t.Helper()
				change := &protocols.Change{Kind: kind, URL: u, Name: name}
				at, err := c.Change(t.Context(), change)
				return at, err
			}
			must := func(u urlcore.URL, err error) urlcore.URL {
				t.Helper()
				fetchtest.NoError(t, err)
				return u
			}
			is := func(name string, there bool) {
				t.Helper()
				if _, err := os.Stat(filepath.Join(s.Home, "notes", name)); (err == nil) != there {
					t.Errorf("%s: %v, want it there: %v", name, err, there)
				}
			}
			dir := must(do(protocols.MakeDirectory, notes, "new dir"))
			is("new dir", true)
			file := fetchtest.Must(dir.(urlcore.FTP).Child("a.txt"))(t)
			fetchtest.NoError(t, c.Put(t.Context(), file, &protocols.Upload{Body: strings.NewReader("abc"), Size: 3}))
			moved := must(do(protocols.Rename, file, "gr\xfcn -x"))
			is("new dir/gr\xfcn -x", true)
			is("new dir/a.txt", false)
			fetchtest.NoError(t, c.Put(t.Context(), file, &protocols.Upload{Body: strings.NewReader("other"), Size: 5}))
			inText := file.(urlcore.FTP)
			inText.Type = 'a' // in ASCII type proftpd has no SIZE
			res := fetchtest.Must(c.Fetch(t.Context(), inText))(t)
			_ = fetchtest.Must(io.ReadAll(res.Body))(t)
			fetchtest.NoError(t, res.Close())
			var confirm *protocols.Confirm
			if _, err := do(protocols.Rename, moved, "a.txt"); !errors.As(err, &confirm) || confirm.Consent != protocols.ConsentReplace {
				t.Errorf("onto what is there: got %v", err)
			}
			if _, err := do(protocols.Remove, dir, ""); err == nil {
				t.Error("a directory that is not empty is removed")
			}
			deeper := must(do(protocols.MakeDirectory, dir, "d"))
			moved = must(c.Change(t.Context(), &protocols.Change{Kind: protocols.Rename, URL: moved, Dir: deeper}))
			is("new dir/d/gr\xfcn -x", true)
			moved = must(c.Change(t.Context(), &protocols.Change{Kind: protocols.Rename, URL: moved, Dir: dir, Name: "b  c"}))
			is("new dir/b  c", true)
			must(do(protocols.Remove, deeper, ""))
			for _, name := range []string{"\xff", "b\xff", "~d"} {
				made := must(do(protocols.MakeDirectory, dir, name))
				is("new dir/"+name, true)
				must(do(protocols.Remove, made, ""))
			}
			for _, name := range append(realserver.OddNames(), "a\xffb") {
				if d.Name == "pure-ftpd" && (strings.Trim(name, " ") != name || strings.Contains(name, `\`)) {
					continue // it stores "_" in place of blanks at the ends, and forbids the other
				}
				moved = must(c.Change(t.Context(), &protocols.Change{Kind: protocols.Rename, URL: moved, Name: name, Replace: true}))
				must(c.Change(t.Context(), &protocols.Change{Kind: protocols.Chmod, URL: moved, Mode: "704"}))
				info, err := os.Stat(filepath.Join(s.Home, "notes/new dir", name))
				fetchtest.NoError(t, err)
				fetchtest.Equal(t, info.Mode(), os.FileMode(0o704), "mode of "+name)
				must(c.Change(t.Context(), &protocols.Change{Kind: protocols.Chmod, URL: moved, Mode: "644"}))
			}
			must(do(protocols.Remove, moved, ""))
			must(do(protocols.Remove, file, ""))
			dir = must(do(protocols.Rename, dir, "old"))
			is("old", true)
			must(do(protocols.Remove, dir, ""))
			is("old", false)
			if _, err := do(protocols.Remove, dir, ""); err == nil {
				t.Error("what is gone is removed again")
			}
		})
	}
}
