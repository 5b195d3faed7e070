package ftp

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestUnparsedLines checks that lines in no known format get their URLs from the names in NLST.
func TestUnparsedLines(t *testing.T) {
	const (
		f    = "-rw-r--r-- 1 a b 1 Jan  1  2000 f\r\n"
		mlsd = "211-Features:\r\n MLST type*;\r\n211 End\r\n"
	)
	for _, tt := range []struct {
		name    string
		replies map[string]string
		data    map[string]string
		want    []string
	}{
		{
			"between others", nil,
			map[string]string{"LIST": "? odd line of an odd name\r\n" + f + "and words\r\n", "NLST": "f\r\nodd name\r\n"},
			[]string{
				"binary f /f", "other ? odd line of an odd name /odd%20name", "problem and words",
			},
		},
		{"all", nil, map[string]string{"LIST": "A 1\r\nB 2\r\nmore 3\r\n", "NLST": "B\r\nC.TXT\r\nA\r\n"}, []string{
			"other A 1 /A", "other B 2 /B", "problem more 3", "text C.TXT /C.TXT",
		}},
		{"longest, and at the end", nil, map[string]string{"LIST": "? a b c\r\n? c a\r\n", "NLST": "a\r\na b c\r\n"}, []string{
			"other ? a b c /a%20b%20c", "other ? c a /a",
		}},
		{"part of a word", nil, map[string]string{"LIST": "? xa\r\n? ax\r\n", "NLST": "a\r\n"}, []string{
			"problem ? xa", "problem ? ax", "other a /a",
		}},
		{"the same line twice", nil, map[string]string{"LIST": "? a\r\n? a\r\n", "NLST": "a\r\n"}, []string{"other ? a /a", "problem ? a"}},
		{"not in the listing", nil, map[string]string{"LIST": f + "words\r\n", "NLST": "f\r\n.hidden\r\n.\r\n..\r\n\r\ng\r\n"}, []string{
			"binary f /f", "problem words", "other g /g",
		}},
		{
			"paths", nil,
			map[string]string{"LIST": f + "? g 12\r\n", "NLST": "/pub/f\r\n/pub/g\r\n"},
			[]string{"binary f /f", "other ? g 12 /%2Fpub%2Fg"},
		},
		{"a slash after the name", nil, map[string]string{"LIST": "? 12 g/\r\n", "NLST": "g\r\n"}, []string{"other ? 12 g/ /g"}},
		{
			"a name with a line end", nil,
			map[string]string{"LIST": f + "-rw-r--r-- 1 a b 1 Jan  1  2000 one\r\ntwo\r\n", "NLST": "f\r\none\r\ntwo\r\n"},
			[]string{
				"binary f /f", "binary one /one", "problem two",
			},
		},
		{"no NLST", map[string]string{"NLST": "502 no"}, map[string]string{"LIST": f + "words\r\n"}, []string{"binary f /f", "problem words"}},
		{"nothing in NLST", nil, map[string]string{"LIST": f + "words\r\n"}, []string{"binary f /f", "problem words"}},
		{"a name with a NUL", nil, map[string]string{"LIST": "? x\r\n", "NLST": "a\x00 x\r\n"}, []string{"problem ? x", "problem a\x00 x"}},
		{
			"only a name with a NUL", nil,
			map[string]string{"LIST": "-rw-r--r-- 1 a b 1 Jan  1  2000 a\x00b\r\n", "NLST": "a\x00b\r\n"},
			[]string{"problem a\x00b"},
		},
		{
			"VMS", nil,
			map[string]string{"LIST": "A.DIR;1 no privilege\r\nB.TXT;3 no privilege\r\n", "NLST": "X:[Y]B.TXT;3\r\nA.DIR;1\r\nC.DIR;1\r\n"},
			[]string{
				"directory A.DIR;1 no privilege /A;type=d", "text B.TXT;3 no privilege /X:%5BY%5DB.TXT%3B3", "directory C /C;type=d",
			},
		},
		{
			"MLSD",
			map[string]string{"FEAT": mlsd},
			map[string]string{"MLSD": "type=file; f\r\nodd g\r\n", "NLST": "f\r\ng\r\n"},
			[]string{"binary f /f", "other odd g /g"},
		},
		{
			"SYST",
			map[string]string{"SYST": "215 MVS is the operating system"},
			map[string]string{"LIST": "MEMBER1\r\nMEMBER2\r\n", "NLST": "not asked\r\n"},
			[]string{
				"binary MEMBER1 /MEMBER1", "binary MEMBER2 /MEMBER2",
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.replies == nil {
				tt.replies = map[string]string{}
			}
			if tt.replies["FEAT"] == "" {
				tt.replies["FEAT"] = "500 what"
			}
			c := newClient(t)
			_, lines, _, err := get(t, c, startFake(t, &fake{replies: tt.replies, data: tt.data}).url(""))
			fetchtest.NoError(t, err)
			fetchtest.EqualSlices(t, lines, tt.want)
			if c.idle.Len() != 1 {
				t.Error("the idle connection was not kept")
			}
		})
	}
}

// TestTruncatedListing checks that a truncated listing ends with the reply that reports the truncation.
func TestTruncatedListing(t *testing.T) {
	for verb, listing := range map[string]string{"MLSD": "type=file; f\r\n", "LIST": "-rw-r--r-- 1 a b 1 Jan  1  2000 f\r\n"} {
		replies := map[string]string{"FEAT": map[string]string{"MLSD": features, "LIST": "500 what"}[verb]}
		f := startFake(t, &fake{
			replies: replies, data: map[string]string{verb: listing},
			finalReply: "226-Options: -a -l\r\n226 Output truncated to 1 matches",
		})
		_, lines, _, err := get(t, newClient(t), f.url(""))
		fetchtest.NoError(t, err)
		fetchtest.EqualSlices(t, lines, []string{"binary f /f", "failure Options: -a -l\nOutput truncated to 1 matches"}, "lines by %s", verb)
	}
}

// TestForeignServers opens all items in listings of foreign servers.
func TestForeignServers(t *testing.T) {
	const no = "550 no such file or directory"
	for _, tt := range []struct {
		name      string
		replies   map[string]string
		list      string
		wantItems []string
	}{
		{"VMS", map[string]string{
			"SYST": "215 VMS system type", "PWD": `257 "DISK$U:[ANON]" is current directory.`,
			"CWD NOTES": "250 connected", "CWD DISK$U:[ANON]": "250 connected", "RETR README.TXT;12": "150 opening",
		}, "\r\nDirectory DISK$U:[ANON]\r\n\r\nNOTES.DIR;1    1/8   8-SEP-1996 " +
			"16:09 [SYSTEM] (RWE,RWE,RE,RE)\r\nREADME.TXT;12\r\n" +
			"     5/8   8-SEP-1996 16:09 [SYSTEM] (RWE,RWE,RE,RE)\r\n\r\nTotal of 2 files", []string{
			"directory /NOTES;type=d", "text /README.TXT%3B12",
		}},
		{"VMS, brackets only", map[string]string{
			"SYST": "215 VMS", "PWD": `257 "DISK$U:[ANON]"`,
			"CWD [.NOTES]": "250 connected", "CWD DISK$U:[ANON]": "250 connected",
		}, "NOTES.DIR;1    1/8   8-SEP-1996 16:09 [SYSTEM]\r\n", []string{"directory /NOTES;type=d"}},
		{"MVS", map[string]string{
			"SYST": "215 MVS is the operating system of this server.", "PWD": `257 "'ANN.'" is working directory.`,
			"CWD SOURCE.LIB":    "250 it is a partitioned data set",
			"CWD 'SYS1.MACLIB'": "250 it is a partitioned data set", "CWD 'ANN.'": "250 it is the name prefix",
			"RETR TEST.FILE": "125 sending", "RETR 'ANN.ALL'": "125 sending",
		}, "Volume Unit    Referred Ext Used Recfm Lrecl BlkSz Dsorg Dsname\r\n" +
			"VOL001 3390   2004/06/22  1  300  FB      80  9064  PS  TEST.FILE\r\n" +
			"VOL001 3390   2004/06/22  1  300  FB      80  9064  PS  'ANN.ALL'\r\n" +
			"VOL001 3390   2004/06/22  1  300  FB      80  9064  PO  SOURCE.LIB\r\n" +
			"VOL001 3390   2004/06/22  1  300  FB      80  9064  PO  'SYS1.MACLIB'\r\nMigrated   MIG.LIB\r\n", []string{
			"binary /TEST.FILE", "binary /'ANN.ALL'", "directory /SOURCE.LIB;type=d", "directory /'SYS1.MACLIB';type=d", "other /MIG.LIB",
		}},
		{"MVS members", map[string]string{
			"SYST": "215 MVS", "PWD": `257 "'ANN.'"`, "CWD 'ANN.'": "250 ok", "RETR PROG1": "125 sending", "RETR $READ": "125 sending",
		}, " Name     VV.MM   Created       Changed      Size  Init   Mod   Id\r\n" +
			" PROG1     01.01 2004/06/22 2004/06/22 16:32   128   128     0 ANN\r\n $READ\r\n", []string{
			"binary /PROG1", "binary /$READ",
		}},
		{"OS/400", map[string]string{
			"SYST": "215  OS/400 is the remote operating system.", "PWD": `257 "QGPL" is current library.`, "CWD QGPL": "250 ok",
			"RETR STOCK.FILE/STOCK.MBR": "150 sending", "CWD docs": "250 ok",
		}, "ANN      *MEM       STOCK.FILE/STOCK.MBR\r\nANN     12288 10/19/07 15:32:37 *DIR       docs/\r\n", []string{
			"binary /STOCK.FILE%2FSTOCK.MBR", "directory /docs;type=d",
		}},
		{"VM/CMS", map[string]string{
			"SYST": "215-z/VM Version 5\r\n215 VM is the operating system of this server.",
			"PWD":  `257 "ANN.191" is working directory`, "CWD ANN.191": "250 ok", "RETR PROFILE.EXEC": "150 sending",
		}, "PROFILE   EXEC    V        72      218        3 2006-11-05 16:39:53 ANN191\r\n", []string{"binary /PROFILE.EXEC"}},
		{"NonStop", map[string]string{
			"SYST": "215 NONSTOP GUARDIAN", "PWD": `257 "$DATA.ANN" is current`, "CWD $DATA.ANN": "250 ok", "RETR ORDERS": "150 sending",
		}, "File         Code             EOF  Last Modification    Owner  RWEP\r\n" +
			"ORDERS       101+          16684 18-Jun-99 14:34:55 255,255 \"oooo\"\r\n", []string{"binary /ORDERS"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for verb, reply := range map[string]string{"FEAT": "500 what", "CWD": no, "RETR": no} {
				tt.replies[verb] = reply
			}
			if tt.name == "MVS" {
				tt.replies["CWD MIG.LIB"] = "250 recalled" // the reply to CWD; the reply to RETR is a refusal
			}
			f := startFake(t, &fake{replies: tt.replies, data: map[string]string{"LIST": tt.list, "RETR": "content"}})
			c := newClient(t)
			_, lines, err := fetchtest.CollectLines(t.Context(), t, c, protocols.Request{URL: parse(t, f.url(""))})
			fetchtest.NoError(t, err)
			var items []string
			for _, line := range lines {
				if line.Link == nil {
					continue
				}
				u := line.Link.String()
				items = append(items, line.Kind.String()+" "+strings.TrimPrefix(u, strings.TrimSuffix(f.url(""), "/")))
				head, contents, body, err := get(t, c, u)
				fetchtest.NoError(t, err)
				if directory := head.Layout == protocols.LayoutDirectory; directory != (len(contents) > 0) || !directory && body != "content" {
					t.Errorf("fetching %s: lines %q, Body %q; want the lines of a directory, or the Body %q", u, contents, body, "content")
				}
			}
			fetchtest.EqualSlices(t, items, tt.wantItems)
		})
	}
}

// FuzzMatchNames checks that each name matches at most one line, and that this line contains all words of
// the name.
func FuzzMatchNames(f *testing.F) {
	f.Add("? a b c\n? c a\nX.DIR;1 no\n", "a\na b c\n[Y]X.DIR;1\n/pub/c")
	f.Add("a\na\n\t\n", "a\n/\n]\na")
	f.Fuzz(func(t *testing.T, listing, list string) {
		var lines []protocols.Line
		for text := range strings.SplitSeq(listing, "\n") {
			lines = append(lines, protocols.Line{Text: text})
		}
		names := strings.Split(list, "\n")
		remaining := make(map[string]int)
		for _, name := range names {
			remaining[name]++
		}
		for i, name := range matchNames(lines, names) {
			if name == "" {
				continue
			}
			if remaining[name]--; remaining[name] < 0 {
				t.Fatalf("matchNames: the name %q matched too many lines of %q", name, listing)
			}
			for part := range strings.FieldsFuncSeq(
				lastSegment(name), func(r rune) bool { return strings.ContainsRune(" ;\t\v\f\r\u0085\u00a0", r) },
			) {
				if !strings.Contains(lines[i].Text, part) {
					t.Fatalf("matchNames: %q of the name %q is not in the line %q", part, name, lines[i].Text)
				}
			}
		}
	})
}

// TestUnparsedLinesStopped checks that nothing is yielded after the consumer stops at a line in no known
// format, although links follow.
func TestUnparsedLinesStopped(t *testing.T) {
	f := startFake(t, &fake{
		replies: map[string]string{"FEAT": "211-Features:\r\n MLST type*;\r\n211 End\r\n", "NLST": "550 no"},
		data:    map[string]string{"MLSD": "type=OS.unix=symlink; link\r\nodd\r\n"},
	})
	res := fetchtest.Must(newClient(t).Fetch(t.Context(), protocols.Request{URL: parse(t, f.url(""))}))(t)
	defer res.Close()
	for line, err := range res.Lines {
		if err != nil || line.Text != "odd" {
			t.Errorf("the first line is %q, error %v; want %q", line.Text, err, "odd")
		}
		break
	}
}
