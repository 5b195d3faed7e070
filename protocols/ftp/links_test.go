package ftp

import (
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/protocols"
	"gofer/urlcore"
)

// listTwice lists a directory over a new and an idle connection. It returns the lines of the second
// listing, with the targets of links, and the commands for the first listing.
func listTwice(t *testing.T, f *fake, hidden bool) (lines, commands []string) {
	t.Helper()
	c := newClient(t)
	for range 2 {
		_, all, err := fetchtest.CollectLines(t.Context(), t, c, protocols.Request{URL: parse(t, f.url("d;type=d")), Hidden: hidden})
		fetchtest.NoError(t, err)
		lines = nil
		for _, l := range all {
			s := l.Text
			if n, ok := l.Note.(*protocols.FileNote); ok && n.Target != "" {
				s += " -> " + n.Target
			}
			lines = append(lines, s)
		}
	}
	for _, line := range f.commands() {
		if verb, _, _ := strings.Cut(line, " "); verb == "MLSD" || verb == "LIST" || verb == "NLST" {
			commands = append(commands, line)
		}
	}
	if f.connections() > 2 {
		t.Errorf("there were %d connections, want at most 2", f.connections())
	}
	return lines, commands[:len(commands)/2]
}

func TestListings(t *testing.T) {
	const (
		proftpd    = "211-Features:\r\n MLST modify*;UNIX.groupname*;\r\n211 End\r\n"
		noFeatures = "211 no features\r\n"
		mlsdLinks  = "type=file; f\r\ntype=OS.unix=symlink; l\r\ntype=dir; z\r\n"
		dots       = "drwxr-xr-x 2 a b 1 Jan  1  2000 .\r\n"
		fileLine   = "-rw-r--r-- 1 a b 1 Jan  1  2000 f\r\n"
		linkLine   = "lrwxrwxrwx 1 a b 6 Jan  1  2000 l -> target\r\n"
		dangling   = "lrwxrwxrwx 1 a b 4 Jan  1  2000 gone -> away\r\n"
	)
	for _, tt := range []struct {
		name          string
		features      string
		replies, data map[string]string
		hidden        bool
		want          []string
		commands      []string
	}{
		{
			"targets", features, nil,
			map[string]string{"MLSD": mlsdLinks, "LIST -a": dots + fileLine + linkLine + dangling},
			false,
			[]string{"f", "z", "l -> target"},
			[]string{"MLSD", "LIST -a"},
		},
		{
			"dangling", proftpd, nil,
			map[string]string{"MLSD": mlsdLinks, "LIST -a": dots + dangling + fileLine + linkLine},
			false,
			[]string{"f", "z", "l -> target", "gone -> away"},
			[]string{"MLSD", "LIST -a"},
		},
		{
			"dangling alone", proftpd, nil,
			map[string]string{"MLSD": "type=cdir; .\r\n", "LIST -a": dots + dangling},
			false,
			[]string{"gone -> away"},
			[]string{"MLSD", "LIST -a"},
		},
		{
			"a link that is listed as a file", proftpd, nil,
			map[string]string{"MLSD": "type=file; l\r\n", "LIST -a": linkLine},
			false,
			[]string{"l"},
			[]string{"MLSD", "LIST -a"},
		},
		{"no links", features, nil, map[string]string{"MLSD": "type=file; f\r\n"}, false, []string{"f"}, []string{"MLSD"}},
		{"targets in MLSD", features, nil, map[string]string{"MLSD": "type=OS.unix=slink:x; l\r\n"}, false, []string{"l -> x"}, []string{"MLSD"}},
		{
			"links to . and .., which LIST omits", features, nil,
			map[string]string{
				"MLSD": "type=cdir;unique=1; .\r\ntype=pdir;unique=2; ..\r\ntype=OS.unix=symlink;unique=2; up\r\n" +
					"type=OS.unix=symlink;unique=1; dot\r\ntype=OS.unix=symlink;unique=3; l\r\n",
				"LIST -a": dots + linkLine,
			},
			false,
			[]string{"up -> ..", "dot -> .", "l -> target"},
			[]string{"MLSD", "LIST -a"},
		},
		{
			"LIST refused", features,
			map[string]string{"LIST -a": "550 no"},
			map[string]string{"MLSD": mlsdLinks},
			false,
			[]string{"f", "z", "l"},
			[]string{"MLSD", "LIST -a"},
		},
		{
			"dot files", noFeatures, nil,
			map[string]string{"LIST": fileLine, "LIST -a": dots + fileLine + strings.Replace(fileLine, " f", " .f", 1)},
			true,
			[]string{"f", ".f"},
			[]string{"LIST -a"},
		},
		{"not asked for", noFeatures, nil, map[string]string{"LIST": fileLine}, false, []string{"f"}, []string{"LIST"}},
		{"dot files of MLSD", features, nil, map[string]string{"MLSD": "type=file; .f\r\n"}, true, []string{".f"}, []string{"MLSD"}},
		{
			"option refused", noFeatures,
			map[string]string{"LIST -a": "501 no"},
			map[string]string{"LIST": fileLine},
			true,
			[]string{"f"},
			[]string{"LIST -a", "LIST"},
		},
		{
			"option mistaken for a name", noFeatures, nil,
			map[string]string{"LIST": fileLine, "LIST -a": ""},
			true,
			[]string{"f"},
			[]string{"LIST -a", "LIST"},
		},
		{
			"option not found", noFeatures,
			map[string]string{"LIST -a": "450 no such file"},
			map[string]string{"LIST": fileLine},
			true,
			[]string{"f"},
			[]string{"LIST -a", "LIST"},
		},
		{"an empty directory", noFeatures, nil, map[string]string{"LIST": "", "LIST -a": dots}, true, nil, []string{"LIST -a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.replies == nil {
				tt.replies = map[string]string{}
			}
			tt.replies["FEAT"] = tt.features
			lines, commands := listTwice(t, startFake(t, &fake{replies: tt.replies, data: tt.data}), tt.hidden)
			if !slices.Equal(lines, tt.want) || !slices.Equal(commands, tt.commands) {
				t.Errorf("lines %q, commands %q; want %q, %q", lines, commands, tt.want, tt.commands)
			}
		})
	}
}

// TestLinksInStatus lists a directory of a server like ProFTPD twice. The links that MLSD omits are in the reply to STAT. If
// this reply has no listing, LIST is sent, and STAT not again.
func TestLinksInStatus(t *testing.T) {
	const status = "212-Status of .:\r\n drwxr-xr-x 2 a b 1 Jan  1  2000 .\r\n lrwxrwxrwx 1 a b 4 Jan  1  2000  gone -> away\r\n212 End"
	long := strings.Replace(status, "212 End", strings.Repeat(" -rw-r--r-- 1 a b 1 Jan  1  2000 f\r\n", maxStat/35)+"212 End", 1)
	for _, tt := range []struct{ name, stat, line, want string }{
		{"listed", status, " gone", "MLSD|STAT -a .|MLSD|STAT -a ."},
		{"refused", "502 what", "here", "MLSD|STAT -a .|LIST -a|MLSD|LIST -a"},
		{"status of the server", "211 all is well", "here", "MLSD|STAT -a .|LIST -a|MLSD|LIST -a"},
		{"too long", long, "", "MLSD|STAT -a .|MLSD|STAT -a ."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{
				replies: map[string]string{"FEAT": "211-\r\n MLST UNIX.groupname*;\r\n211 End", "STAT": tt.stat},
				data:    map[string]string{"MLSD": "type=file; f\r\n", "LIST -a": "lrwxrwxrwx 1 a b 4 Jan  1  2000 here -> away\r\n"},
			})
			lines, _ := listTwice(t, f, false)
			fetchtest.Equal(t, strings.Join(lines, "|"), strings.TrimSuffix("f|"+tt.line+" -> away", "| -> away"), "lines")
			listings := slices.DeleteFunc(f.commands(), func(line string) bool {
				return !isTransfer(line) && !strings.HasPrefix(line, "STAT")
			})
			fetchtest.Equal(t, strings.Join(listings, "|"), tt.want, "commands")
		})
	}
}

// TestLinksOfDaemons checks that real servers list the same links and the same names that begin with a dot.
func TestLinksOfDaemons(t *testing.T) {
	for name, start := range map[string]func(testing.TB) *realserver.Server{"vsftpd": realserver.Vsftpd, "proftpd": realserver.Proftpd} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			c := newClient(t)
			list := func(path string) (found []string) {
				r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: parse(t, "ftp://"+s.Addr+"/"+path), Hidden: true}))(t)
				defer r.Close()
				for l, err := range r.Lines {
					fetchtest.NoError(t, err)
					if n, ok := l.Note.(*protocols.FileNote); ok {
						found = append(found, strings.TrimSuffix(l.Text+" -> "+n.Target, " -> "))
						if n.Mode == "" || n.Owner == "" || n.Modified.IsZero() || n.DateOnly && n.Local {
							t.Errorf("the note of %s is %+v; want a mode, an owner and a date", l.Text, n)
						}
						if u, ok := l.Link.(urlcore.FTP); !ok || u.Name() != l.Text {
							t.Errorf("the link of %s is %v; want a URL with this name", l.Text, l.Link)
						}
					}
				}
				slices.Sort(found)
				return found
			}
			want := []string{
				"dangling -> no-such-file", "to name with space -> ../names/with space.txt", "to-dir -> ../deep",
				"to-file -> ../README.txt",
			}
			fetchtest.EqualSlices(t, list("pub/links;type=d"), want)
			if got := list("pub;type=d"); !slices.Contains(got, ".message") {
				t.Errorf("the listing has no .message: %q", got)
			}
		})
	}
}
