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
		name       string
		kind       protocols.ChangeKind
		url        string // relative to the login directory
		to         string // new name, or mode for chmod
		dir        string // "=" and the URL of the target directory, or "" for no move
		replies    map[string]string
		wantSent   string // commands after the login
		wantURL    string // returned URL
		wantErr    string
		wantReason protocols.Reason
	}{
		{
			name: "a file", kind: remove, url: "d/a%20b", replies: map[string]string{"DELE": "250 gone"},
			wantSent: "CWD d|DELE a b", wantURL: "d/a%20b",
		},
		{
			name: "a directory", kind: remove, url: "d/e;type=d", replies: map[string]string{"RMD": "250 gone"},
			wantSent: "CWD d|RMD e", wantURL: "d/e;type=d",
		},
		{
			name: "a directory with a slash", kind: remove, url: "d/e/", replies: map[string]string{"RMD": "250 gone"},
			wantSent: "CWD d|RMD e", wantURL: "d/e;type=d",
		},
		{
			name: "a directory by a URL of a file", kind: remove, url: "e",
			replies: map[string]string{"DELE": "550 not plain", "RMD": "250 gone"}, wantSent: "DELE e|RMD e",
			wantURL: "e",
		},
		{
			name: "does not exist", kind: remove, url: "e",
			replies:  map[string]string{"DELE": "550 no such file", "RMD": "550 no such directory"},
			wantSent: "DELE e|RMD e", wantErr: "remove \"e\": the server said 550 no such file",
			wantReason: protocols.NotFound,
		},
		{
			name: "a backslash", kind: remove, url: "a%5Cb", replies: map[string]string{"DELE": "553 no"},
			wantSent: `DELE a\b`, wantErr: `remove "a\b": `, wantReason: protocols.Denied,
		},
		{
			name: "forbidden", kind: remove, url: "e", replies: map[string]string{"DELE": "553 no"}, wantSent: "DELE e",
			wantErr: "553 no", wantReason: protocols.Denied,
		},
		{
			name: "another positive code", kind: remove, url: "d/e;type=d", replies: map[string]string{"RMD": "200"},
			wantSent: "CWD d|RMD e", wantURL: "d/e;type=d",
		},
		{
			name: "not carried out", kind: remove, url: "e;type=d", replies: map[string]string{"RMD": "202 no"}, wantSent: "RMD e",
			wantErr: "202 no", wantReason: protocols.Malformed,
		},
		{
			name: "another greeting", kind: remove, url: "e", replies: map[string]string{"greeting": "230 already in", "DELE": "250 gone"},
			wantSent: "DELE e", wantURL: "e",
		},
		{
			name: "another greeting and name", kind: rename, url: "a", to: "b",
			replies:  map[string]string{"greeting": "230 already in", "RNFR": "350 to?", "RNTO": "200 done", "CWD b": "550 no"},
			wantSent: "SIZE b|CWD b|RNFR a|RNTO b", wantURL: "b",
		},
		{
			name: "the reply has lines", kind: remove, url: "e", replies: map[string]string{"DELE": "553-no\r\n553-553 never\r\n553 ever"}, wantSent: "DELE e",
			wantErr: "553 no\n553 never\never", wantReason: protocols.Denied,
		},
		{name: "the login directory", kind: remove, url: "", wantErr: "login directory", wantReason: protocols.BadURL},
		{name: "the root", kind: remove, url: "%2F;type=d", wantErr: "login directory", wantReason: protocols.BadURL},
		{
			name: "doubled IAC", kind: remove, url: "%FF",
			replies:  map[string]string{"DELE \xff\xff": "550 no", "DELE \xff": "250 gone"},
			wantSent: "DELE \xff\xff|DELE \xff", wantURL: "%FF",
		},
		{
			name: "another name", kind: rename, url: "d/a", to: "b c",
			replies:  map[string]string{"RNFR": "350 to?", "RNTO": "250 done", "CWD b c": "550 no"},
			wantSent: "CWD d|SIZE b c|CWD b c|RNFR a|RNTO b c", wantURL: "d/b%20c",
		},
		{
			name: "a directory's name", kind: rename, url: "d/a;type=d", to: "b",
			replies:  map[string]string{"RNFR": "350 to?", "RNTO": "250 done", "CWD b": "550 no"},
			wantSent: "CWD d|SIZE b|CWD b|RNFR a|RNTO b", wantURL: "d/b;type=d",
		},
		{
			name: "from the root", kind: rename, url: "%2Fa", to: "b",
			replies:  map[string]string{"RNFR": "350 to?", "RNTO": "250 done", "CWD /b": "550 no"},
			wantSent: "SIZE /b|CWD /b|RNFR /a|RNTO /b", wantURL: "%2Fb",
		},
		{
			name: "onto a file", kind: rename, url: "a", to: "b", replies: map[string]string{"SIZE b": "213 7"},
			wantSent: "SIZE b", wantErr: `Replace "b"`,
		},
		{
			name: "onto an unknown item", kind: rename, url: "a", to: "b",
			replies: map[string]string{"SIZE": "502 no", "MDTM": "502 no"}, wantSent: "SIZE b|MDTM b",
			wantErr: `Replace "b"`,
		},
		{
			name: "onto a directory", kind: rename, url: "a", to: "b", wantSent: "SIZE b|CWD b",
			wantErr: "already exists and is a directory", wantReason: protocols.Denied,
		},
		{
			name: "missing", kind: rename, url: "a", to: "b",
			replies: map[string]string{"RNFR": "550 no a", "CWD b": "550 no"}, wantSent: "SIZE b|CWD b|RNFR a",
			wantErr: "550 no a", wantReason: protocols.NotFound,
		},
		{
			name: "not renamed yet", kind: rename, url: "a", to: "b", replies: map[string]string{"RNFR": "250 done?", "CWD b": "550 no"},
			wantSent: "SIZE b|CWD b|RNFR a", wantErr: "250 done?", wantReason: protocols.Malformed,
		},
		{
			name: "refused at the end", kind: rename, url: "a", to: "b",
			replies:  map[string]string{"RNFR": "350 to?", "RNTO": "553 no", "CWD b": "550 no"},
			wantSent: "SIZE b|CWD b|RNFR a|RNTO b", wantErr: "553 no", wantReason: protocols.Denied,
		},
		{name: "a slash", kind: rename, url: "a", to: "b/c", wantErr: "is a path, not a name", wantReason: protocols.BadURL},
		{name: "a line end", kind: rename, url: "a", to: "b\r\nDELE c", wantErr: "line end", wantReason: protocols.BadURL},
		{name: "no name", kind: rename, url: "a", wantErr: "the name is empty", wantReason: protocols.BadURL},
		{name: "two dots", kind: mkdir, url: "a/;type=d", to: "..", wantErr: "is a path, not a name", wantReason: protocols.BadURL},
		{
			name: "a new directory", kind: mkdir, url: "d;type=d", to: "n w",
			replies: map[string]string{"MKD": `257 "n w" made`}, wantSent: "CWD d|MKD n w", wantURL: "d/n%20w;type=d",
		},
		{
			name: "in the login directory", kind: mkdir, url: "", to: "n",
			replies: map[string]string{"MKD": "257 made"}, wantSent: "MKD n", wantURL: "n;type=d",
		},
		{
			name: "exists", kind: mkdir, url: "", to: "n", replies: map[string]string{"MKD": "521 exists"},
			wantSent: "MKD n", wantErr: "already exists", wantReason: protocols.ServerFailed,
		},
		{
			name: "exists, in the text", kind: mkdir, url: "", to: "n",
			replies: map[string]string{"MKD": "550 Can't create directory: File exists"}, wantSent: "MKD n",
			wantErr: "File exists: it already exists", wantReason: protocols.ServerFailed,
		},
		{
			name: "exists, not in the text", kind: mkdir, url: "", to: "n",
			replies: map[string]string{"MKD": "550 failed", "CWD n": "250 in"}, wantSent: "MKD n|SIZE n|CWD n",
			wantErr: "550 failed: it already exists", wantReason: protocols.ServerFailed,
		},
		{
			name: "no parent", kind: mkdir, url: "", to: "n",
			replies: map[string]string{"MKD": "550 n: No such file or directory exists"}, wantSent: "MKD n",
			wantErr: "550", wantReason: protocols.NotFound,
		},
		{
			name: "no parent, not in the text", kind: mkdir, url: "", to: "n",
			replies: map[string]string{"MKD": "550 failed", "CWD n": "550 no"}, wantSent: "MKD n|SIZE n|CWD n",
			wantErr: "550 failed", wantReason: protocols.NotFound,
		},
		{
			name: "not empty", kind: remove, url: "e;type=d",
			replies: map[string]string{"RMD": "550 e: Directory not empty"}, wantSent: "RMD e",
			wantErr: "the directory is not empty", wantReason: protocols.ServerFailed,
		},
		{
			name: "not empty, not in the text", kind: remove, url: "e;type=d",
			replies: map[string]string{"RMD": "550 failed"}, wantSent: "RMD e|SIZE e|CWD e",
			wantErr: "the directory may not be empty", wantReason: protocols.ServerFailed,
		},
		{
			name: "refused without a cause", kind: remove, url: "e",
			replies:  map[string]string{"DELE": "550 failed", "RMD": "550 failed", "SIZE": "213 7"},
			wantSent: "DELE e|RMD e|SIZE e", wantErr: "550 failed: the server does not allow the removal",
			wantReason: protocols.ServerFailed,
		},
		{
			name: "not permitted", kind: chmod, url: "e", to: "600",
			replies: map[string]string{"SITE": "550 e: Operation not permitted"}, wantSent: "SITE CHMOD 600 e",
			wantErr: "550", wantReason: protocols.Denied,
		},
		{
			name: "another's directory", kind: rename, url: "a", to: "b",
			replies:  map[string]string{"RNFR": "350 to?", "RNTO": "451 Rename/move failure: Permission denied", "CWD b": "550 no"},
			wantSent: "SIZE b|CWD b|RNFR a|RNTO b", wantErr: "451", wantReason: protocols.Denied,
		},
		{
			name: "login required", kind: mkdir, url: "", to: "n",
			replies: map[string]string{"MKD": "530 not for anonymous"}, wantSent: "MKD n", wantErr: "requires a login",
		},
		{
			name: "a mode", kind: chmod, url: "d/a%20b", to: "640", replies: map[string]string{"SITE": "200 done"},
			wantSent: "CWD d|SITE CHMOD 640 a b", wantURL: "d/a%20b",
		},
		{
			name: "a mode of a directory", kind: chmod, url: "%2Fa;type=d", to: "1700",
			replies: map[string]string{"SITE": "200 done"}, wantSent: "SITE CHMOD 1700 /a", wantURL: "%2Fa;type=d",
		},
		{name: "no mode", kind: chmod, url: "a", to: "888", wantErr: "octal digits", wantReason: protocols.BadURL},
		{name: "a symbolic mode", kind: chmod, url: "a", to: "u+x", wantErr: "octal digits", wantReason: protocols.BadURL},
		{
			name: "no SITE CHMOD", kind: chmod, url: "a", to: "600", replies: map[string]string{"SITE": "500 what?"},
			wantSent: "SITE CHMOD 600 a", wantErr: "500 what?: the server cannot change modes",
			wantReason: protocols.NotSupported,
		},
		{
			name: "a superfluous command", kind: chmod, url: "a", to: "600",
			replies: map[string]string{"SITE": "202 ok"}, wantSent: "SITE CHMOD 600 a",
			wantErr: "the server cannot change modes (SITE CHMOD)", wantReason: protocols.NotSupported,
		},
		{
			name: "a mode that is not allowed", kind: chmod, url: "a", to: "600",
			replies: map[string]string{"SITE": "550 Permission denied"}, wantSent: "SITE CHMOD 600 a", wantErr: "550",
			wantReason: protocols.Denied,
		},
		{
			name: "a date", kind: date, url: "d/a",
			replies:  map[string]string{"FEAT": "211-\r\n MFMT\r\n211 end", "MFMT": "213 set"},
			wantSent: "CWD d|MFMT 20170714024001 a", wantURL: "d/a",
		},
		{
			name: "a date that is not allowed", kind: date, url: "a",
			replies:  map[string]string{"FEAT": "211-\r\n MFMT\r\n211 end", "MFMT": "550 Permission denied"},
			wantSent: "MFMT 20170714024001 a", wantErr: "550", wantReason: protocols.Denied,
		},
		{
			name: "a date by MDTM", kind: date, url: "a",
			replies:  map[string]string{"FEAT": "211-\r\n MDTM\r\n211 end", "MDTM": "213 set"},
			wantSent: "MDTM 20170714024001 a", wantURL: "a",
		},
		{
			name: "no date by MDTM", kind: date, url: "a",
			replies:  map[string]string{"FEAT": "211-\r\n MDTM\r\n211 end", "MDTM": "550 no such file"},
			wantSent: "MDTM 20170714024001 a", wantErr: "cannot set dates (MFMT)", wantReason: protocols.NotSupported,
		},
		{
			name: "no date of a directory", kind: date, url: "a;type=d",
			replies:  map[string]string{"FEAT": "211-\r\n MDTM\r\n211 end", "MDTM": "550 not a plain file"},
			wantSent: "MDTM 20170714024001 a", wantErr: "550", wantReason: protocols.NotFound,
		},
		{name: "no command for dates", kind: date, url: "a", wantErr: "cannot set dates (MFMT)", wantReason: protocols.NotSupported},
		{
			name: "to another directory", kind: rename, url: "d/a", dir: "=e/f;type=d",
			replies:  map[string]string{"RNFR": "350 to?", "RNTO": "250 done", "CWD a": "550 no", "PWD": `257 "/x ""y"""`},
			wantSent: `CWD e|CWD f|PWD|SIZE a|CWD a|CWD /x "y"|CWD d|RNFR a|RNTO /x "y"/a`, wantURL: "e/f/a",
		},
		{
			name: "to the login directory, renamed", kind: rename, url: "d/a;type=d", to: "b", dir: "=",
			replies:  map[string]string{"RNFR": "350 to?", "RNTO": "250 done", "CWD b": "550 no", "PWD": `257 "DISK:[X]"`},
			wantSent: `PWD|SIZE b|CWD b|CWD d|RNFR a|RNTO DISK:[X]b`, wantURL: "b;type=d",
		},
		{
			name: "from the root to another directory", kind: rename, url: "%2Fa", dir: "=d/",
			replies:  map[string]string{"RNFR": "350 to?", "RNTO": "250 done", "CWD a": "550 no"},
			wantSent: "CWD d|PWD|SIZE a|CWD a|CWD /home|RNFR /a|RNTO /home/a", wantURL: "d/a",
		},
		{
			name: "onto another's file", kind: rename, url: "a", dir: "=d/",
			replies: map[string]string{"SIZE a": "213 7"}, wantSent: "CWD d|PWD|SIZE a", wantErr: `Replace "a"`,
		},
		{
			name: "to no directory", kind: rename, url: "a", dir: "=d/",
			replies: map[string]string{"CWD d": "550 Failed to change directory."}, wantSent: "CWD d",
			wantErr: "the target directory does not exist", wantReason: protocols.NotFound,
		},
		{
			name: "without PWD", kind: rename, url: "a", dir: "=d/", replies: map[string]string{"PWD": "500 no"},
			wantSent: "CWD d|PWD", wantErr: "PWD", wantReason: protocols.NotSupported,
		},
		{name: "to another server", kind: rename, url: "a", dir: "=//example.org/d/", wantErr: "another server", wantReason: protocols.BadURL},
		{
			name: "connection lost", kind: mkdir, url: "", to: "n", replies: map[string]string{"MKD": ""},
			wantSent: "MKD n", wantErr: "connection lost", wantReason: protocols.Broken,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{replies: tt.replies})
			c := newClient(t)
			change := &protocols.Change{
				Kind: tt.kind, URL: parse(t, f.url(tt.url)), Name: tt.to,
				Modified: time.Date(2017, 7, 14, 2, 40, 1, 0, time.UTC),
			}
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
			case tt.wantErr == "" && (err != nil || u.String() != f.url(tt.wantURL)):
				t.Errorf("Change() = %v, %v; want %s", u, err, f.url(tt.wantURL))
			case tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr) || protocols.ReasonOf(err) != tt.wantReason):
				t.Errorf("Change() = %v with reason %v; want an error with %q and reason %v", err, protocols.ReasonOf(err), tt.wantErr, tt.wantReason)
			}
			_, sent, _ := strings.Cut(strings.Join(f.commands(), "|"), "|PWD|") // the last command of the login
			fetchtest.Equal(t, strings.TrimSuffix(sent, "|QUIT"), tt.wantSent, "sent")
		})
	}
}

// TestChangeServers makes each kind of change, except SetDate, on real servers.
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
			checkExists := func(name string, want bool) {
				t.Helper()
				if _, err := os.Stat(filepath.Join(s.Home, "notes", name)); (err == nil) != want {
					t.Errorf("os.Stat of %q: error %v; want the item to exist: %v", name, err, want)
				}
			}
			dir := must(do(protocols.MakeDirectory, notes, "new dir"))
			checkExists("new dir", true)
			file := fetchtest.Must(dir.(urlcore.FTP).Child("a.txt"))(t)
			fetchtest.NoError(t, c.Put(t.Context(), file, &protocols.Upload{Body: strings.NewReader("abc"), Size: 3}))
			moved := must(do(protocols.Rename, file, "gr\xfcn -x"))
			checkExists("new dir/gr\xfcn -x", true)
			checkExists("new dir/a.txt", false)
			fetchtest.NoError(t, c.Put(t.Context(), file, &protocols.Upload{Body: strings.NewReader("other"), Size: 5}))
			inText := file.(urlcore.FTP)
			inText.Type = 'a' // in ASCII type, ProFTPD refuses SIZE
			res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: inText}))(t)
			_ = fetchtest.Must(io.ReadAll(res.Body))(t)
			fetchtest.NoError(t, res.Close())
			var confirm *protocols.Confirm
			if _, err := do(protocols.Rename, moved, "a.txt"); !errors.As(err, &confirm) || confirm.Consent != protocols.ConsentReplace {
				t.Errorf("Change() renaming to an existing item = %v; want the question about replacing it", err)
			}
			if _, err := do(protocols.Remove, dir, ""); err == nil {
				t.Error("Change() removing a directory that is not empty: got no error")
			}
			deeper := must(do(protocols.MakeDirectory, dir, "d"))
			moved = must(c.Change(t.Context(), &protocols.Change{Kind: protocols.Rename, URL: moved, Dir: deeper}))
			checkExists("new dir/d/gr\xfcn -x", true)
			moved = must(c.Change(t.Context(), &protocols.Change{Kind: protocols.Rename, URL: moved, Dir: dir, Name: "b  c"}))
			checkExists("new dir/b  c", true)
			must(do(protocols.Remove, deeper, ""))
			for _, name := range []string{"\xff", "b\xff", "~d"} {
				made := must(do(protocols.MakeDirectory, dir, name))
				checkExists("new dir/"+name, true)
				must(do(protocols.Remove, made, ""))
			}
			for _, name := range append(realserver.OddNames(), "a\xffb") {
				if d.Name == "pure-ftpd" && (strings.Trim(name, " ") != name || strings.Contains(name, `\`)) {
					continue // Pure-FTPd changes names with leading or trailing blanks, and refuses backslashes
				}
				moved = must(c.Change(t.Context(), &protocols.Change{Kind: protocols.Rename, URL: moved, Name: name, Replace: true}))
				must(c.Change(t.Context(), &protocols.Change{Kind: protocols.Chmod, URL: moved, Mode: "704"}))
				info, err := os.Stat(filepath.Join(s.Home, "notes/new dir", name))
				fetchtest.NoError(t, err)
				fetchtest.Equal(t, info.Mode(), os.FileMode(0o704), "mode of %q", name)
				must(c.Change(t.Context(), &protocols.Change{Kind: protocols.Chmod, URL: moved, Mode: "644"}))
			}
			must(do(protocols.Remove, moved, ""))
			must(do(protocols.Remove, file, ""))
			dir = must(do(protocols.Rename, dir, "old"))
			checkExists("old", true)
			must(do(protocols.Remove, dir, ""))
			checkExists("old", false)
			if _, err := do(protocols.Remove, dir, ""); err == nil {
				t.Error("Change() removing a directory that was removed before: got no error")
			}
		})
	}
}

// TestListedRename checks that a listing without the new name decides where the server does not report whether an item exists, and
// only there.
func TestListedRename(t *testing.T) {
	for _, tt := range []struct {
		size     string
		listed   bool
		question bool
	}{
		{"502 no", true, false},
		{"502 no", false, true},
		{"213 7", true, true}, // it has come to exist since
	} {
		f := startFake(t, &fake{replies: map[string]string{"SIZE": tt.size, "MDTM": "502 no", "RNFR": "350 to?", "RNTO": "250 done"}})
		_, err := newClient(t).Change(t.Context(), &protocols.Change{
			Kind: protocols.Rename, URL: parse(t, f.url("a")), Name: "a", Dir: parse(t, f.url("d;type=d")), Listed: tt.listed,
		})
		if asked := protocols.QuestionOf(err) != nil; asked != tt.question || !asked && err != nil {
			t.Errorf("a move with the reply %s to SIZE, listed %v: %v; want a question: %v", tt.size, tt.listed, err, tt.question)
		}
	}
}
