package ftp

import (
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// shapes are lines in uncommon forms: rounded sizes, months in any charset, columns that are missing or moved.
var shapes = []struct{ kind, line, want string }{
	{"size", "-rw-r--r--   1 root     staff     12.5k Mar  4 11:20 f", "file f | ~12800 | 2026-03-04 11:20:00?"},
	{"size", "-rw-r--r--   1 root     staff      1,5M Mar  4 11:20 f", "file f | ~1572864 | 2026-03-04 11:20:00?"},
	{"size", "-rw-r--r--   1 root     staff        2G Mar  4 11:20 f", "file f | ~2147483648 | 2026-03-04 11:20:00?"},
	{"size", "-rw-r--r--   1 root     staff     20KB Mar  4 11:20 f", "file f | ~20480 | 2026-03-04 11:20:00?"},
	{"size", "-rw-r--r--   1 root     staff    1.5MiB Mar  4 11:20 f", "file f | ~1572864 | 2026-03-04 11:20:00?"},
	{"size", "-rw-r--r--   1 root     staff      512B Mar  4 11:20 f", "file f | 512 | 2026-03-04 11:20:00?"},
	{"size", "-rw-r--r--   1 root     staff  1,234,567 Mar  4 11:20 f", "file f | 1234567 | 2026-03-04 11:20:00?"},
	{"size", "-rw-r--r--   1 root     staff  1.234.567 Mar  4 11:20 f", "file f | 1234567 | 2026-03-04 11:20:00?"},
	{"size", "-rw-r--r--   1 root     staff  9999999E Mar  4 11:20 f", "file f | -1 | 2026-03-04 11:20:00?"},
	{"size", "drwxr-xr-x   2 root     staff      4.0K Mar  4 11:20 d", "dir d | ~4096 | 2026-03-04 11:20:00?"},
	{"size", "14.11.2023  22:13         1.234.567 f", "file f | 1234567 | 2023-11-14 22:13:00?"},
	{"size", "11-14-23  10:13PM       33.5K f", "file f | ~34304 | 2023-11-14 22:13:00?"},

	{"month", "-rw-r--r-- 1 a b 8 \xec\xe0\xff 26 2001 cp1251", "file cp1251 | 8 | 2001-05-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 \xcd\xc1\xd1 26 2001 koi8-r", "file koi8-r | 8 | 2001-05-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 \xf1\xce\xd7 26 2001 koi8-r", "file koi8-r | 8 | 2001-01-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 26 \xe4\xe5\xea 12:00 cp1251", "file cp1251 | 8 | 2025-12-26 12:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 \xa0\xa2\xa3 26 2001 cp866", "file cp866 | 8 | 2001-08-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 \xb3\xb3\xf7 26 2001 unknown", "file unknown | 8 | -"},
	{"month", "-rw-r--r-- 1 a b 8 \xf1\xb3\xf7 26 2001 cp1251, Ukrainian", "file cp1251, Ukrainian | 8 | 2001-01-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 \xd3\xa6\xde 26 2001 koi8-u", "file koi8-u | 8 | 2001-01-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 d\xe9c. 26 2001 latin-1", "file latin-1 | 8 | 2001-12-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 26 ao\xfbt 2001 latin-1", "file latin-1 | 8 | 2001-08-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 F\xc9V 26 2001 latin-1", "file latin-1 | 8 | 2001-02-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 26. M\xe4rz 2001 latin-1", "file latin-1 | 8 | 2001-03-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 26. J\xe4nner 2001 latin-1", "file latin-1 | 8 | 2001-01-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 26 mar\xe7o 2001 latin-1", "file latin-1 | 8 | 2001-03-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 kes\xe4 26 2001 latin-1", "file latin-1 | 8 | 2001-06-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 m\xe1rc 26 2001 latin-2", "file latin-2 | 8 | 2001-03-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 pa\xbc 26 2001 latin-2", "file latin-2 | 8 | 2001-10-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 pa\x9f 26 2001 cp1250", "file cp1250 | 8 | 2001-10-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 \xf8\xedj 26 2001 latin-2", "file latin-2 | 8 | 2001-10-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 \xfeub 26 2001 latin-5", "file latin-5 | 8 | 2001-02-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 A\xf0u 26 2001 latin-5", "file latin-5 | 8 | 2001-08-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 \xc9\xe1\xed 26 2001 greek", "file greek | 8 | 2001-01-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 \xc4\xe5\xea 26 2001 cp1251 before greek", "file cp1251 before greek | 8 | 2001-12-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 Αύγ 26 2001 f", "file f | 8 | 2001-08-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 26 settembre 2001 f", "file f | 8 | 2001-09-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 26 Dezembro 2001 f", "file f | 8 | 2001-12-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 26 Mayıs 2001 f", "file f | 8 | 2001-05-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 12\x8c\x8e 26\x93\xfa 2001\x94N sjis", "file sjis | 8 | 2001-12-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 12\xd4\xc2 26\xc8\xd5 12:00 gbk", "file gbk | 8 | 2025-12-26 12:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 12\xa4\xeb 26\xa4\xe9 12:00 big5", "file big5 | 8 | 2025-12-26 12:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 12\xbf\xf9 26\xc0\xcf 12:00 euc-kr", "file euc-kr | 8 | 2025-12-26 12:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 2001年12月26日 f", "file f | 8 | 2001-12-26 00:00:00?"},
	{"month", "-rw-r--r-- 1 a b 8 十二月 26 2001 f", "file f | 8 | 2001-12-26 00:00:00?"},
	{"month", "\xe8\xf2\xee\xe3\xee 124", "skip"},
	{"month", "\xc9\xd4\xcf\xc7\xcf 124", "skip"},
	{"month", "total 12k", "skip"},

	{"permissions", "-rw-  1 root  staff  712 Mar  4 11:20 f", "file f | 712 | 2026-03-04 11:20:00?"},
	{"permissions", "drwx  1 root  staff  712 Mar  4 11:20 d", "dir d | 712 | 2026-03-04 11:20:00?"},
	{"permissions", "-rwxr--r-  1 root  staff  712 Mar  4 11:20 f", "file f | 712 | 2026-03-04 11:20:00?"},
	{"permissions", "    3  -rw-        1048   Mar 01 1993 00:03:33 +00:00  flash.bin", "file flash.bin | 1048 | 1993-03-01 00:03:33?"},
	{"permissions", "    4  drwx        1024   Mar 01 1993 00:03:33  crashinfo", "dir crashinfo | 1024 | 1993-03-01 00:03:33?"},
	{"permissions", "-[RWCEAFMS] ann          512       Jan 16 18:53    f", "file f | 512 | 2026-01-16 18:53:00?"},
	{"permissions", "-rw not permissions 12 Mar 4 11:20 f", "?"},
	{"permissions", "frw-r--r--   1 root     staff   712 Mar  4 11:20 f", "file f | 712 | 2026-03-04 11:20:00?"},
	{"permissions", "mrw-r--r--   1 root     staff   712 Mar  4 11:20 f", "file f | 712 | 2026-03-04 11:20:00?"},
	{"permissions", "Prw-r--r--   1 root     staff     0 Mar  4 11:20 f", "special f | 0 | 2026-03-04 11:20:00?"},

	{"indented", "  -rw-r--r--   1 root     staff   712 Mar  4 11:20  a b", "file  a b | 712 | 2026-03-04 11:20:00?"},
	{"indented", "\t-rw-r--r--   1 root     staff   712 Mar  4 11:20 f", "file f | 712 | 2026-03-04 11:20:00?"},
	{"indented", "  16 -rw-r--r--   1 root     staff   712 Mar  4 11:20 f", "file f | 712 | 2026-03-04 11:20:00?"},
	{"indented", " 712345  16 drwxr-xr-x   2 root     staff   712 Mar  4 11:20 d", "dir d | 712 | 2026-03-04 11:20:00?"},
	{"indented", " 1 2 3 -rw-r--r--   1 root     staff   712 Mar  4 11:20 f", "?"},

	{"OS/2", "           0 DIR           04-11-95   16:26  DATA", "dir DATA | 0 | 1995-04-11 16:26:00?"},
	{"OS/2", "           0           DIR   04-11-95   16:26  A DIR", "dir A DIR | 0 | 1995-04-11 16:26:00?"},
	{"OS/2", "         612      RHSA       04-11-95   16:38  f.bag", "file f.bag | 612 | 1995-04-11 16:38:00?"},
	{"OS/2", "           0 RSA  DIR        08-16-96   13:55  LOGS", "dir LOGS | 0 | 1996-08-16 13:55:00?"},
	{"OS/2", "       1,234      A          08-16-1996  1:55p  f", "file f | 1234 | 1996-08-16 13:55:00?"},
	{"OS/2", "         195       A         8-6-96  12:05am  f", "file f | 195 | 1996-08-06 00:05:00?"},
	{"DOS", "CMT             <DIR>           11-21-94        10:17", "dir CMT | -1 | 1994-11-21 10:17:00?"},
	{"DOS", "DESIGN.DOC          11264      05-11-95        14:20", "file DESIGN.DOC | 11264 | 1995-05-11 14:20:00?"},
	{"DOS", "README.TXT     1,234      Nov  6 1994 17:16", "file README.TXT | 1234 | 1994-11-06 17:16:00?"},
	{"DOS", "11-14-23  10:13p                  1234 f", "file f | 1234 | 2023-11-14 22:13:00?"},
	{"DOS", "98-05-07  16:58                  690 f", "file f | 690 | 1998-05-07 16:58:00?"},

	{"MVS", "JOBNAME  JOBID    OWNER    STATUS CLASS", "info"},
	{"MVS", "ANNJOB1  JOB00083 ANN      OUTPUT A        RC=0000 2 spool files", "file JOB00083 | -1 | -"},
	{"MVS", "BPXAS    STC02133 ++++++++ OUTPUT STC      RC=0000 3 spool files", "file STC02133 | -1 | -"},
	{"MVS", "ANN       TSU04711 ANN      ACTIVE TSU", "file TSU04711 | -1 | -"},
	{"MVS", "ANNJOB2   JOB01906  OUTPUT    3 Spool Files", "file JOB01906 | -1 | -"},
	{"MVS", "ANNJOB3   JOB01907  INPUT", "file JOB01907 | -1 | -"},
	{"MVS", "ANNJOB4   J0012345  HELD     3 Spool Files", "file J0012345 | -1 | -"},
	{"MVS", "VOL001 3390   2013/07/30  1   15  VB     256 27998  PS  ANN.DATA", "file ANN.DATA | ~849960 | 2013-07-30 00:00:00?"},
	{"MVS", "VOL001 3380   2013/07/30  1    2  VB     256 27998  PS-E ANN.LARGE", "file ANN.LARGE | ~94952 | 2013-07-30 00:00:00?"},
	{"MVS", "Volume Referred Ext     Tracks Used Recfm Lrecl BlkSz Dsorg Dsname", "info"},
	{"MVS", "VOL001 2013/07/30  1   15000    10 FB      80 27920  PO  ANN.PDS", "dir ANN.PDS | -1 | 2013-07-30 00:00:00?"},
	{"MVS", "VOL001 3390   PATH ANN.INDEX", "file ANN.INDEX | -1 | -"},
	{"MVS", "VOL001 3390   2013/07/30  1   15  VB     256 27998  PO-E 'ANN.PDSE'", "dir 'ANN.PDSE' | -1 | 2013-07-30 00:00:00?"},

	{"OS/400", "ANN             7 19/10/07 15:32:37 *STMF      f", "file f | 7 | 2007-10-19 15:32:37?"},
	{"OS/400", "ANN             7 10/11/07 15:32:37 *STMF      f", "file f | 7 | 2007-10-11 15:32:37?"},
	{"OS/400", "ANN             7 07/292 15:32:37 *STMF      f", "file f | 7 | 2007-10-19 15:32:37?"},
	{"OS/400", "ANN             7 2007-10-19 15.32.37 *DIR       d/", "dir d | 7 | 2007-10-19 15:32:37?"},
	{"OS/400", "ANN             7 19,10,07 15,32,37 *FILE      f", "file f | 7 | 2007-10-19 15:32:37?"},
	{"OS/400", "ANN             7 19.10.07 15.32.37 *FILE      f", "file f | 7 | 2007-10-19 15:32:37?"},
	{"OS/400", "ANN             7 07-10-31 15:32:37 *FILE      f", "file f | 7 | 2007-10-31 15:32:37?"},
	{"OS/400", "ANN             7 44/44/44 15:32:37 *FILE      f", "?"},

	{"VM", "NAMES     NETLOG  F        80       10        1 7/23/06 16:39:53 ANN191", "file NAMES.NETLOG | ~800 | 2006-07-23 16:39:53?"},
}

func TestShapes(t *testing.T) {
	for _, tt := range shapes {
		l := &lister{verb: "LIST", parse: parseLIST, now: now}
		e, v := l.parseEntry(tt.line)
		fetchtest.Equal(t, showEntry(e, v), tt.want, "%s: %q", tt.kind, tt.line)
	}
}

// TestPadding checks that blanks before all names are padding, and that blanks before some names are a part of them.
func TestPadding(t *testing.T) {
	const line = "-rw-r--r-- 1 a b 1 Jan  1  2000 "
	for _, tt := range []struct {
		name, list string
		want       []string
	}{
		{"one blank", line + " f\r\n" + line + " g\r\n", []string{"binary f /f", "binary g /g"}},
		{"two blanks, and one name with more", line + "  f\r\n" + line + "   g\r\n", []string{"binary f /f", "binary  g /%20g"}},
		{"not all", line + " f\r\n" + line + "g\r\n", []string{"binary  f /%20f", "binary g /g"}},
		{"a single name", line + " f\r\n", []string{"binary  f /%20f"}},
		{
			"a single name and the dots",
			"drwxr-xr-x 1 a b 1 Jan  1  2000  .\r\ndrwxr-xr-x 1 a b 1 Jan  1  2000  ..\r\n" + line + " f\r\n",
			[]string{"binary f /f"},
		},
		{
			"dots without blanks", "drwxr-xr-x 1 a b 1 Jan  1  2000 .\r\n" + line + " f\r\n" + line + " g\r\n",
			[]string{"binary  f /%20f", "binary  g /%20g"},
		},
		{"Windows", "11-14-23  10:13PM   1  f.txt\r\n11-14-23  10:13PM   1  g.txt\r\n", []string{"text f.txt /f.txt", "text g.txt /g.txt"}},
		{
			"many", strings.Repeat(line+" f\r\n", maxDeferred) + line + " g\r\n" + line + "h\r\n",
			append(slicesRepeat("binary f /f", maxDeferred), "binary g /g", "binary h /h"),
		},
		{"with other lines", line + " f\r\nwords\r\n" + line + " g\r\n", []string{"binary f /f", "binary g /g", "problem words"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{replies: map[string]string{"FEAT": "500 what", "NLST": "502 no"}, data: map[string]string{"LIST": tt.list}})
			_, lines, _, err := get(t, newClient(t), f.url(""))
			fetchtest.NoError(t, err)
			fetchtest.EqualSlices(t, lines, tt.want)
		})
	}
}

func slicesRepeat(s string, n int) (all []string) {
	for range n {
		all = append(all, s)
	}
	return all
}

// TestDateOrder checks that one line shows the order of day, month and year for the other lines.
func TestDateOrder(t *testing.T) {
	const head = "ANN             7 "
	for _, tt := range []struct{ first, second, want string }{
		{head + "10/11/07 15:32:37 *STMF f", head + "25/11/07 15:32:37 *STMF g", "2007-11-10 2007-11-25"},
		{head + "10/11/07 15:32:37 *STMF f", head + "11/25/07 15:32:37 *STMF g", "2007-10-11 2007-11-25"},
		{head + "10/11/07 15:32:37 *STMF f", head + "10/11/07 15:32:37 *STMF g", "2007-10-11 2007-10-11"},
		{head + "07/11/10 15:32:37 *STMF f", head + "99/11/25 15:32:37 *STMF g", "2007-11-10 1999-11-25"},
		{"-r--r--r-- 2 a b 22 05-04-2004 18:13 f", "-r--r--r-- 2 a b 22 25-04-2004 18:13 g", "2004-04-05 2004-04-25"},
		{"-r--r--r-- 2 a b 22 05-04-2004 18:13 f", "-r--r--r-- 2 a b 22 05-06-2004 18:13 g", "0001-01-01 0001-01-01"},
		{"-r--r--r-- 2 a b 22 05-05-2004 18:13 f", "-r--r--r-- 2 a b 22 04-25-2004 18:13 g", "2004-05-05 2004-04-25"},
	} {
		f := startFake(t, &fake{
			replies: map[string]string{"FEAT": "500 what"},
			data:    map[string]string{"LIST": tt.first + "\r\n" + tt.second + "\r\n"},
		})
		_, lines, err := fetchtest.CollectLines(t.Context(), t, newClient(t), protocols.Request{URL: parse(t, f.url(""))})
		fetchtest.NoError(t, err)
		var dates []string
		for _, line := range lines {
			dates = append(dates, line.Note.(*protocols.FileNote).Modified.Format(time.DateOnly))
		}
		fetchtest.Equal(t, strings.Join(dates, " "), tt.want, "dates of %q and %q", tt.first, tt.second)
	}
}
