package ftp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

var now = time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)

// TestLIST parses lines of real servers. The format of an entry is "kind name | size | date | -> target". A
// "?" follows a date without a time of day or a zone, and "~" precedes a rounded size.
func TestLIST(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"vsftpd", "-rw-r--r--    1 0        0             104 Nov 14  2023 README.txt", "file README.txt | 104 | 2023-11-14 00:00:00?"},
		{"vsftpd directory", "drwxr-xr-x   14 0        0            4096 Nov 21 06:11 pub", "dir pub | 4096 | 2026-11-21 06:11:00?"},
		{"proftpd", "-rw-r--r--   1 root     root          104 Nov 14  2023 README.txt", "file README.txt | 104 | 2023-11-14 00:00:00?"},
		{"pure-ftpd", "-rw-r--r--    1 0          0                 104 Nov 14  2023 README.txt", "file README.txt | 104 | 2023-11-14 00:00:00?"},
		{
			"link", "lrwxrwxrwx    1 0        0               8 Nov 21 06:11 to-empty -> ../empty",
			"link to-empty | 8 | 2026-11-21 06:11:00? | -> ../empty",
		},
		{
			"link with spaces",
			"lrwxrwxrwx    1 0        0              23 Nov 21 06:11 to name with space -> ../names/with space.txt",
			"link to name with space | 23 | 2026-11-21 06:11:00? | -> ../names/with space.txt",
		},
		{
			"link with an arrow in its name", "lrwxrwxrwx    1 0        0               1 Nov 21 06:11 a -> b -> c",
			"link a -> b | 1 | 2026-11-21 06:11:00? | -> c",
		},
		{
			"link with an arrow in its target", "lrwxrwxrwx    1 0        0               6 Nov 21 06:11 a -> b -> c",
			"link a | 6 | 2026-11-21 06:11:00? | -> b -> c",
		},
		{"link without a target", "lrwxrwxrwx    1 0        0               6 Nov 21 06:11 a", "link a | 6 | 2026-11-21 06:11:00?"},
		{
			"arrow in a file's name", "-rw-r--r--    1 0        0              26 Nov 14  2023 arrow -> target.txt",
			"file arrow -> target.txt | 26 | 2023-11-14 00:00:00?",
		},
		{
			"leading space", "-rw-r--r--    1 0        0              25 Nov 14  2023  leading.txt",
			"file  leading.txt | 25 | 2023-11-14 00:00:00?",
		},
		{"trailing and double space", "-rw-r--r--    1 0        0              25 Nov 14  2023 a  b ", "file a  b  | 25 | 2023-11-14 00:00:00?"},
		{
			"name is a date", "-rw-r--r--    1 0        0              19 Nov 14  2023 Jan  1 12:00",
			"file Jan  1 12:00 | 19 | 2023-11-14 00:00:00?",
		},
		{"name is a number", "-rw-r--r--    1 0        0              12 Nov 14  2023 12345", "file 12345 | 12 | 2023-11-14 00:00:00?"},
		{
			"name is a line", "-rw-r--r--    1 0        0              12 Nov 14  2023 -rw-r--r-- 1 a b 5 Jan 1 2000 x",
			"file -rw-r--r-- 1 a b 5 Jan 1 2000 x | 12 | 2023-11-14 00:00:00?",
		},
		{"name is a total", "-rw-r--r--    1 0        0              12 Nov 14  2023 total 12", "file total 12 | 12 | 2023-11-14 00:00:00?"},
		{"names a dot", "drwxr-xr-x    4 0        0            4096 Nov 21 06:11 .", "dir . | 4096 | 2026-11-21 06:11:00?"},
		{
			"latin-1", "-rw-r--r--    1 0        0              41 Nov 14  2023 gr\xfc\xdfe.txt",
			"file gr\xfc\xdfe.txt | 41 | 2023-11-14 00:00:00?",
		},
		{
			"escape", "-rw-r--r--    1 0        0              28 Nov 14  2023 esc\x1b[31mred.txt",
			"file esc\x1b[31mred.txt | 28 | 2023-11-14 00:00:00?",
		},
		{"no group", "-rw-r--r--   1 owner        1234 Apr 26 12:00 file", "file file | 1234 | 2026-04-26 12:00:00?"},
		{"no link count", "-rw-r--r--   owner group   1234 Apr 26 12:00 file", "file file | 1234 | 2026-04-26 12:00:00?"},
		{"owner with a space", "-rw-r--r--   1 Domain Users  Some Group  1234 Apr 26  2001 file", "file file | 1234 | 2001-04-26 00:00:00?"},
		{"SELinux", "-rw-r--r--.  1 root root  1234 Apr 26  2001 file", "file file | 1234 | 2001-04-26 00:00:00?"},
		{"ACL", "drwxrwxr-x+  1 root root  1234 Apr 26  2001 d", "dir d | 1234 | 2001-04-26 00:00:00?"},
		{"glued link count", "drwxr-xr-x1234 root root  1234 Apr 26  2001 d", "dir d | 1234 | 2001-04-26 00:00:00?"},
		{"sticky", "drwxrwsr-t   2 root root  1234 Apr 26  2001 d", "dir d | 1234 | 2001-04-26 00:00:00?"},
		{"size 08", "-rw-r--r--   1 a b  08 Apr 26  2001 f", "file f | 8 | 2001-04-26 00:00:00?"},
		{"size 0123", "-rw-r--r--   1 a b  0123 Apr 26  2001 f", "file f | 123 | 2001-04-26 00:00:00?"},
		{"size too big", "-rw-r--r--   1 a b  99999999999999999999 Apr 26  2001 f", "file f | -1 | 2001-04-26 00:00:00?"},
		{"size for people", "-rw-r--r--   1 a b  4.5K Apr 26  2001 f", "file f | ~4608 | 2001-04-26 00:00:00?"},
		{"device", "brw-rw----   1 root disk   8,   0 Nov 21 06:11 sda", "special sda | -1 | 2026-11-21 06:11:00?"},
		{"device, glued", "crw-rw-rw-   1 root root 1,3 Nov 21 06:11 null", "special null | -1 | 2026-11-21 06:11:00?"},
		{"pipe", "prw-r--r--   1 root root 0 Nov 21 06:11 p", "special p | 0 | 2026-11-21 06:11:00?"},
		{"29 February", "-rw-r--r--   1 a b  8 Feb 29  2000 f", "file f | 8 | 2000-02-29 00:00:00?"},
		{"29 February, no year", "-rw-r--r--   1 a b  8 Feb 29 10:00 f", "file f | 8 | 2024-02-29 10:00:00?"},
		{"30 February", "-rw-r--r--   1 a b  8 Feb 30  2000 f", "file f | 8 | -"},
		{"last year", "-rw-r--r--   1 a b  8 Dec 24 10:00 f", "file f | 8 | 2025-12-24 10:00:00?"},
		{"tomorrow by its zone", "-rw-r--r--   1 a b  8 Nov 21 19:00 f", "file f | 8 | 2026-11-21 19:00:00?"},
		{"one digit", "-rw-r--r--   1 a b  8 Apr  6  9:05 f", "file f | 8 | 2026-04-06 09:05:00?"},
		{"full time, BSD", "-rw-r--r--   1 a b  8 Nov 14 22:13:20 2023 f", "file f | 8 | 2023-11-14 22:13:20?"},
		{"weekday", "-rw-r--r--   1 a b  8 Tue Nov 14 22:13:20 2023 f", "file f | 8 | 2023-11-14 22:13:20?"},
		{"year in the name", "-rw-r--r--   1 a b  8 Nov 14 22:13 2023 f", "file 2023 f | 8 | 2026-11-14 22:13:00?"},
		{"long-iso", "-rw-r--r--   1 a b  8 2023-11-14 22:13 f", "file f | 8 | 2023-11-14 22:13:00?"},
		{"full-iso", "-rw-r--r--   1 a b  8 2023-11-14 22:13:20.000000000 +0100 f", "file f | 8 | 2023-11-14 21:13:20"},
		{"iso", "-rw-r--r--   1 a b  8 11-14 22:13 f", "file f | 8 | 2026-11-14 22:13:00?"},
		{"iso, old", "-rw-r--r--   1 a b  8 2023-11-14  f", "file f | 8 | 2023-11-14 00:00:00?"},
		{"German", "-rw-r--r--   1 a b  8 26. Mär 2001 f", "file f | 8 | 2001-03-26 00:00:00?"},
		{"German, other order", "-rw-r--r--   1 a b  8 Okt 26 2001 f", "file f | 8 | 2001-10-26 00:00:00?"},
		{"French", "-rw-r--r--   1 a b  8 26 août  2001 f", "file f | 8 | 2001-08-26 00:00:00?"},
		{"Spanish", "-rw-r--r--   1 a b  8 ene 26 12:00 f", "file f | 8 | 2026-01-26 12:00:00?"},
		{"Russian", "-rw-r--r--   1 a b  8 авг 26  2001 f", "file f | 8 | 2001-08-26 00:00:00?"},
		{"Japanese", "-rw-r--r--   1 a b  8 11月 14日 22:13 f", "file f | 8 | 2026-11-14 22:13:00?"},
		{"Chinese", "-rw-r--r--   1 a b  8 11月 14  2023 f", "file f | 8 | 2023-11-14 00:00:00?"},
		{"Latin-1 month", "-rw-r--r--   1 a b  8 M\xe4r 26 2001 f", "file f | 8 | 2001-03-26 00:00:00?"},
		{"unknown month", "-rw-r--r--   1 a b  8 Qux 26 12:00 f", "file f | 8 | -"},
		{"NetWare", "d [R----F--] supervisor            512       Jan 16 18:53    login", "dir login | 512 | 2026-01-16 18:53:00?"},
		{"NetWare file", "- [R----F--] rhesus             214059       Oct 20 15:27    cx.exe", "file cx.exe | 214059 | 2026-10-20 15:27:00?"},
		{
			"NetPresenz", "-------r--         326  1391972  1392298 Nov 22  1995 MegaPhone.sit",
			"file MegaPhone.sit | 1392298 | 1995-11-22 00:00:00?",
		},
		{"NetPresenz folder", "drwxrwxr-x               folder        2 May 10  1996 network", "dir network | 2 | 1996-05-10 00:00:00?"},
		{"ls -F", "drwxrwxr-x  2 a b 2 May 10  1996 d/", "dir d | 2 | 1996-05-10 00:00:00?"},
		{"no name", "-rw-r--r--   1 a b  8 Apr 26  2001", "?"},
		{"no name but the space", "-rw-r--r--   1 a b  8 Apr 26  2001 ", "?"},
		{"name is a space", "-rw-r--r--   1 a b  8 Apr 26  2001  ", "file   | 8 | 2001-04-26 00:00:00?"},
		{"IIS", "11-14-23  10:13PM                 1234 with space.txt", "file with space.txt | 1234 | 2023-11-14 22:13:00?"},
		{"IIS directory", "11-14-23  12:13AM       <DIR>          pub", "dir pub | -1 | 2023-11-14 00:13:00?"},
		{"IIS directory with a leading space", "11-14-23  12:13AM       <DIR>           pub", "dir  pub | -1 | 2023-11-14 00:13:00?"},
		{"IIS, four digits", "11-14-2023  12:13PM                 1234 a", "file a | 1234 | 2023-11-14 12:13:00?"},
		{"IIS, 24 hours", "2023-11-14  22:13                 1234 a", "file a | 1234 | 2023-11-14 22:13:00?"},
		{"IIS, 1999", "11-14-99  01:13AM                 1234 a", "file a | 1234 | 1999-11-14 01:13:00?"},
		{"DOS, commas", "14.11.2023  22:13         1,234 a", "file a | 1234 | 2023-11-14 22:13:00?"},
		{"DOS, slashes", "11/14/2023 10:13 PM 1234 a", "file a | 1234 | 2023-11-14 22:13:00?"},
		{"junction", `11-14-23  10:13PM       <JUNCTION>     data [D:\data]`, `link data | -1 | 2023-11-14 22:13:00? | -> D:\data`},
		{"EPLF", "+i8388621.48594,m825718503,r,s280,\tdjb.html", "file djb.html | 280 | 1996-03-01 22:15:03"},
		{"EPLF directory", "+i8388621.50690,m824255907,/,\t 514 ", "dir  514  | -1 | 1996-02-13 23:58:27"},
		{"VMS", "CORE.DIR;1                 1  8-SEP-1996 16:09 [SYSTEM] (RWE,RWE,RE,RE)", "dir CORE | -1 | 1996-09-08 16:09:00?"},
		{
			"VMS file", "README.TXT;12            5/8  14-NOV-2023 22:13:20  [OWNER]  (RWED,RWED,R,)",
			"file README.TXT;12 | ~2560 | 2023-11-14 22:13:20?",
		},
		{"VMS header", "Directory SYS$SYSDEVICE:[ANONYMOUS]", "info"},
		{"VMS trailer", "Total of 11 files, 2047/2064 blocks", "info"},
		{"VMS name", "A.TXT;1", "half"},
		{"VMS, nothing but the type", ".DIR;1 1 8-SEP-1996", "file .DIR;1 | ~512 | 1996-09-08 00:00:00?"},
		{"VMS, odd version", "A.TXT;x 5 14-NOV-2023", "?"},
		{"VMS, no name", ";1 5 14-NOV-2023", "?"},
		{"VMS, not in the first column", " A.TXT;1 5 14-NOV-2023", "?"},
		{"VMS, late date", "A.TXT;1 a b c 14-NOV-2023", "?"},
		{"EPLF without a name", "+i1,\t", "?"},
		{"EPLF, odd facts", "+r,sx,mx,\tf", "file f | -1 | -"},
		{"IIS, midnight", "12-31-23  12:00AM 1 a", "file a | 1 | 2023-12-31 00:00:00?"},
		{"IIS, 2069", "01-01-69  10:13AM 1 a", "file a | 1 | 2069-01-01 10:13:00?"},
		{"IIS, 1970", "01-01-70  10:13AM 1 a", "file a | 1 | 1970-01-01 10:13:00?"},
		{"IIS, day first", "13-12-23  10:13AM 1 a", "file a | 1 | 2023-12-13 10:13:00?"},
		{"IIS, 1899", "11-14-1899  10:13AM 1 a", "?"},
		{"IIS, no month", "00-11-23  10:13AM 1 a", "?"},
		{"IIS, no day", "11-00-23  10:13AM 1 a", "?"},
		{"IIS, no name", "11-14-23  10:13 PM 1234", "?"},
		{"IIS, odd size", "11-14-23  10:13PM x a", "?"},
		{"total with a unit", "totale: 12K", "skip"},
		{"total of nothing", "total ", "?"},
		{"odd unit", "-rw-r--r--   1 a b  8Kb Apr 26  2001 f", "?"},
		{"total", "total 12", "skip"},
		{"total in German", "insgesamt 1234", "skip"},
		{"empty", "", "skip"},
		{"blank", "   ", "skip"},
		{"refusal", "ls: .: Permission denied", "?"},
		{"words", "total garbage", "?"},
		{"half a name", "line.txt", "?"},
		{"permissions only", "-rw-r--r--", "?"},
		{"MVS", "WYOSPT 3420   2003/05/21  1  200  FB      80  8053  PS  48-MVS.FILE", "?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, v := parseLIST(tt.line, now)
			fetchtest.Equal(t, showEntry(e, v), tt.want, "%q", tt.line)
		})
	}
}

// TestDates parses dates at the bounds of their fields.
func TestDates(t *testing.T) {
	for in, want := range map[string]string{
		"Jan 1 00:00": "2026-01-01 00:00:00?", "Jan 31  2001": "2001-01-31 00:00:00?", "Jan 32  2001": "?",
		"Jan 0  2001": "?", "Jan 031  2001": "?",
		"Nov 14 23:59": "2026-11-14 23:59:00?", "Nov 14 24:00": "?", "Nov 14 22:60": "?", "Nov 14 22:5": "?",
		"Nov 14 :30": "?", "Nov 14 122:30": "?",
		"Nov 14 22:13:60 2023": "2023-11-14 22:14:00?", "Nov 14 22:13:61 2023": "?", "Nov 14 22:13:5 2023": "?",
		"2023-12-31 22:13": "2023-12-31 22:13:00?", "2023-01-01 22:13": "2023-01-01 22:13:00?", "2023-13-01 22:13": "?", "2023-00-14 22:13": "?",
		"2023-11-32 22:13": "?", "2023-11-00 22:13": "?", "2023-11-31 22:13": "-",
		"2023-11-14 22:13 +0530": "2023-11-14 16:43:00", "2023-11-14 22:13:20 -0530": "2023-11-15 03:43:20", "2023-11-31 22:13 +0000": "-",
		"12-31 22:13": "2025-12-31 22:13:00?", "01-01 22:13": "2026-01-01 22:13:00?", "13-01 22:13": "?",
		"00-14 22:13": "?", "11-32 22:13": "?", "11-00 22:13": "?",
		"12월 31일 22:13": "2025-12-31 22:13:00?", "1월 1일 22:13": "2026-01-01 22:13:00?", "13月 14日 22:13": "?",
		"0月 14日 22:13": "?", "11月 14日 2023年": "2023-11-14 00:00:00?",
		"Nov 22 06:59": "2026-11-22 06:59:00?", "Nov 22 07:00": "2025-11-22 07:00:00?", "Tue Qux": "?",
	} {
		e, v := parseLIST("-rw-r--r--   1 a b  8 "+in+" f", now)
		fetchtest.Equal(t, strings.TrimPrefix(showEntry(e, v), "file f | 8 | "), want, "%s", in)
	}
}

func showEntry(e entry, v lineClass) string {
	if v != itemLine {
		return [...]string{unknownLine: "?", skippedLine: "skip", infoLine: "info", nameLine: "half"}[v]
	}
	date := "-"
	if !e.modified.IsZero() {
		date = e.modified.Format(time.DateTime)
		if e.dateOnly || e.local {
			date += "?"
		}
	}
	rounded := ""
	if e.rounded && e.size >= 0 {
		rounded = "~"
	}
	s := fmt.Sprintf("%s %s | %s%d | %s", [...]string{"unknown", "file", "dir", "link", "special"}[e.kind], e.name, rounded, e.size, date)
	if e.target != "" {
		s += " | -> " + e.target
	}
	return s
}

func TestMLSD(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{
			"proftpd",
			"modify=20231114221320;perm=adfr;size=104;type=file;unique=FE00U2083B;UNIX.group=0;UNIX.mode=0644;UNIX.owner=0; README.txt",
			"file README.txt | 104 | 2023-11-14 22:13:20",
		},
		{"pure-ftpd", "type=dir;sizd=4096;modify=20261121061142;UNIX.mode=0755; dir", "dir dir | -1 | 2026-11-21 06:11:42"},
		{"link, proftpd", "modify=20261121052956;type=OS.unix=symlink;size=13; to-file", "link to-file | 13 | 2026-11-21 05:29:56"},
		{"link, pure-ftpd", "type=OS.unix=slink:../README.txt;size=13; to-file", "link to-file | 13 | - | -> ../README.txt"},
		{"link, space in the target", "type=OS.unix=slink:../with space.txt;size=17; to name", "link to name | 17 | - | -> ../with space.txt"},
		{"link, no size, space in the target", "type=OS.unix=slink:../a b; to name", "link to name | -1 | - | -> ../a b"},
		{"device", "type=OS.unix=chr-1/3; null", "special null | -1 | -"},
		{"this directory", "type=cdir;modify=20261121061142; /pub", "skip"},
		{"parent", "Type=PDir;modify=20261121061142; ..", "skip"},
		{"case", "Type=Dir;Size=1;MODIFY=20231114221320; d", "dir d | 1 | 2023-11-14 22:13:20"},
		{"fractions", "type=file;modify=20231114221320.123; f", "file f | -1 | 2023-11-14 22:13:20"},
		{"no last semicolon", "type=file;size=123 f", "file f | 123 | -"},
		{"no last semicolon, one in the name", "type=file;size=123 a; b", "file a; b | 123 | -"},
		{"no facts", " f", "unknown f | -1 | -"},
		{"leading and trailing space", "type=file;  f ", "file  f  | -1 | -"},
		{"semicolons in the name", "type=file; a; b;c", "file a; b;c | -1 | -"},
		{"odd size", "type=file;size=-1;modify=xx; f", "file f | -1 | -"},
		{"octal-looking size", "type=file;size=0123; f", "file f | 123 | -"},
		{"date that is none", "type=file;modify=20230230000000; f", "file f | -1 | -"},
		{"29 February", "type=file;modify=20240229000000; f", "file f | -1 | 2024-02-29 00:00:00"},
		{"unknown fact", "type=file;x.y=z;media-type=text/plain; f", "file f | -1 | -"},
		{"unknown type", "type=thing; f", "unknown f | -1 | -"},
		{"empty fact", "type=file;;size=1; f", "file f | 1 | -"},
		{"bare fact", "type=file;bare; f", "?"},
		{"short time", "type=file;modify=2023111422132; f", "file f | -1 | -"},
		{"no name", "type=file;", "?"},
		{"empty name", "type=file; ", "?"},
		{"a LIST line", "-rw-r--r--    1 0        0             104 Nov 14  2023 README.txt", "?"},
		{"one word", "line.txt", "?"},
		{"empty", "", "skip"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, v := parseMLSD(tt.line, now)
			fetchtest.Equal(t, showEntry(e, v), tt.want, "%q", tt.line)
		})
	}
}

// TestOwners checks the mode, owner and group of entries, and the precision of their dates.
func TestOwners(t *testing.T) {
	for _, tt := range []struct{ verb, line, mode, owner, group, date string }{
		{"LIST", "-rw-r--r--    1 0        0             104 Nov 14  2023 f", "rw-r--r--", "0", "0", "2023-11-14"},
		{"LIST", "drwxr-xr-x   14 ann      staff          4096 Nov 21 06:11 d", "rwxr-xr-x", "ann", "staff", "2026-11-21 06:11:00 local"},
		{"LIST", "-rw-r--r--   1 owner        1234 Apr 26 12:00 f", "rw-r--r--", "owner", "", "2026-04-26 12:00:00 local"},
		{"LIST", "-rw-r--r--   ann group   1234 Apr 26 12:00 f", "rw-r--r--", "ann", "group", "2026-04-26 12:00:00 local"},
		{"LIST", "-rw-r--r--   1 Domain Users  1234 Apr 26  2001 f", "rw-r--r--", "Domain", "Users", "2001-04-26"},
		{"LIST", "-rw-r--r--   1 Domain Users  Some Group  1234 Apr 26  2001 f", "rw-r--r--", "Domain Users  Some Group", "", "2001-04-26"},
		{"LIST", "drwxrwsr-t   2 root root  1234 Apr 26  2001 d", "rwxrwsr-t", "root", "root", "2001-04-26"},
		{"LIST", "brw-rw----   1 root disk   8,   0 Nov 21 06:11 sda", "rw-rw----", "root", "disk", "2026-11-21 06:11:00 local"},
		{"LIST", "-rw-r--r--   1 a b  8 2023-11-14 22:13:20.000000000 +0100 f", "rw-r--r--", "a", "b", "2023-11-14 21:13:20"},
		{"LIST", "-rw-r--r--   1 a b  8 2023-11-14  f", "rw-r--r--", "a", "b", "2023-11-14"},
		{"LIST", "-------r--         326  1391972  1392298 Nov 22  1995 f", "------r--", "1391972", "", "1995-11-22"},
		{"LIST", "d [R----F--] supervisor            512       Jan 16 18:53    login", "", "", "", "2026-01-16 18:53:00 local"},
		{"LIST", "11-14-23  10:13PM                 1234 f", "", "", "", "2023-11-14 22:13:00 local"},
		{"LIST", "A.TXT;1 5 14-NOV-2023 22:13 [O] (R)", "", "", "", "2023-11-14 22:13:00 local"},
		{"LIST", "A.TXT;1 5 14-NOV-2023", "", "", "", "2023-11-14"},
		{
			"MLSD",
			"modify=20231114221320;UNIX.group=0;UNIX.groupname=staff;UNIX.mode=04755;UNIX.owner=0;UNIX.ownername=ann; f",
			"rwsr-xr-x", "ann", "staff", "2023-11-14 22:13:20",
		},
		{"MLSD", "UNIX.mode=01777;UNIX.uid=5;UNIX.gid=6; f", "rwxrwxrwt", "5", "6", "-"},
		{"MLSD", "UNIX.mode=02640; f", "rw-r-S---", "", "", "-"},
		{"MLSD", "UNIX.mode=x; f", "", "", "", "-"},
	} {
		e, v := parserOf(tt.verb)(tt.line, now)
		date := "-"
		if !e.modified.IsZero() {
			date = e.modified.Format(map[bool]string{false: time.DateTime, true: time.DateOnly}[e.dateOnly])
		}
		if e.local {
			date += " local"
		}
		if v != itemLine || e.mode != tt.mode || e.owner != tt.owner || e.group != tt.group || date != tt.date {
			t.Errorf(
				"%s: mode, owner, group and date are %q, %q, %q, %q; want %q, %q, %q, %q", tt.line, e.mode, e.owner,
				e.group, date, tt.mode, tt.owner, tt.group, tt.date,
			)
		}
	}
}

// TestNameOnOwnLine parses a listing of VMS with names on separate lines.
func TestNameOnOwnLine(t *testing.T) {
	const in = "Directory SYS$X:[ANON]\r\n\r\nA_VERY_LONG_NAME_INDEED.TXT;1\r\n               5/8  14-NOV-2023 " +
		"22:13:20  [OWNER]  (RWED)\r\nALONE.TXT;2\r\nB.TXT;1 5 14-NOV-2023 22:13 [O] (R)\r\nLAST.TXT;3\r\n\r\nTotal of 4 files"
	want := []string{
		"info Directory SYS$X:[ANON]",
		"text A_VERY_LONG_NAME_INDEED.TXT;1 /A_VERY_LONG_NAME_INDEED.TXT%3B1",
		"problem ALONE.TXT;2",
		"text B.TXT;1 /B.TXT%3B1",
		"problem LAST.TXT;3",
		"info Total of 4 files",
	}
	var got []string
	listText(t, "LIST", in, func(l protocols.Line) { got = append(got, showLine(l)) })
	fetchtest.EqualSlices(t, got, want)
}

// listText parses a listing without a server.
func listText(t testing.TB, verb, text string, each func(protocols.Line)) {
	t.Helper()
	j, err := newRequest(urlcore.FTP{Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}, Path: "a%2Fb/c", Type: 'd'})
	fetchtest.NoError(t, err)
	l := fetchtest.Must(newLister(j, now))(t)
	if verb == "LIST" {
		l.dir.Path, l.prefix, l.verb = "x", "", verb
	}
	l.parse = parserOf(verb)
	err = l.readLines(wire.NewLineReader(strings.NewReader(text)), func(line protocols.Line, err error) bool {
		fetchtest.NoError(t, err)
		each(line)
		return true
	})
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
}

// daemonListings returns listings recorded from real servers, by "SERVER-COMMAND".
func daemonListings(t testing.TB) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("testdata/listings/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("found %d recorded listings, error %v", len(paths), err)
	}
	all := make(map[string]string)
	for _, path := range paths {
		data := fetchtest.Must(os.ReadFile(path))(t)
		all[strings.TrimSuffix(filepath.Base(path), ".txt")] = string(data)
	}
	return all
}

// TestDaemonListings checks that the odd names of the test tree are parsed with their sizes, and all items
// with a date, a mode and an owner. Up to three lines, from names with a line end, may remain unparsed.
func TestDaemonListings(t *testing.T) {
	for name, text := range daemonListings(t) {
		verb := name[strings.LastIndexByte(name, '-')+1:]
		owners := name != "pure-ftpd-MLSD" // this listing has no owners
		sizes, problems := make(map[string]int64), 0
		listText(t, verb, text, func(l protocols.Line) {
			n, ok := l.Note.(*protocols.FileNote)
			if !ok {
				problems++
				return
			}
			sizes[l.Text] = n.Size
			if n.Modified.IsZero() || n.Mode == "" || owners != (n.Owner != "") || owners != (n.Group != "") {
				t.Errorf("%s: the note of %q is %+v; want a date and a mode, and an owner and a group: %v", name, l.Text, n, owners)
			}
		})
		for _, odd := range append(realserver.OddNames(), "gr\xfc\xdfe.txt", "esc\x1b[31mred.txt", ".message") {
			want := int64(len("name: " + odd + "\n"))
			switch got, ok := sizes[odd]; {
			case len(odd) > 200: // the recorded listings omit this name
			case strings.HasPrefix(name, "pure-ftpd") && strings.Contains(odd, "\x1b"): // Pure-FTPd replaces control characters
			case !ok, slices.Contains(realserver.OddNames(), odd) && got != want:
				t.Errorf("%s: the size of %q is %d (listed: %v), want %d", name, odd, got, ok, want)
			}
		}
		if problems > 3 {
			t.Errorf("%s: %d lines were not parsed, want at most 3", name, problems)
		}
	}
}

func FuzzListing(f *testing.F) {
	for _, s := range []string{
		"-rw-r--r--    1 0        0             104 Nov 14  2023 README.txt",
		"lrwxrwxrwx    1 0        0               8 Nov 21 06:11 a -> b",
		"drwxr-xr-x 2 a b 3 2023-11-14 22:13:20.000000000 +0100  x y ",
		"d [R----F--] supervisor            512       Jan 16 18:53    login",
		"crw-rw-rw- 1 root root 1,3 11月 14日 22:13 null",
		"11-14-23  10:13PM       <DIR>          pub",
		"+i8388621.48594,m825718503,r,s280,\tdjb.html",
		"A.DIR;1\r\n 5/8  14-NOV-2023 22:13:20  [OWNER]  (RWED)",
		"type=OS.unix=slink:../a b;size=1; c;type=d\r\ntype=file; %2F/..\r\n \xff\x00\r\n",
		"..\n.\na/b;type=a\n \n\r\n%\n#?\n~",
	} {
		f.Add(s)
	}
	for _, sample := range foreignSamples {
		f.Add(sample.line)
	}
	f.Add(" Name     VV.MM   Created       Changed      Size  Init   Mod   Id\r\n$README\r\nMEMBER2")
	for _, text := range daemonListings(f) {
		f.Add(text)
		for line := range strings.Lines(text) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, verb := range []string{"MLSD", "LIST", "NLST"} {
			listText(t, verb, text, func(l protocols.Line) {
				if l.Link == nil {
					return
				}
				u := l.Link.(urlcore.FTP)
				fetchtest.CheckCanonical(t, u)
				// A name in VM/CMS is made of two fields of the line.
				fileName, fileType, _ := strings.Cut(l.Text, ".")
				if !strings.Contains(text, l.Text) && !(strings.Contains(text, fileName+" ") && strings.Contains(text, fileType)) {
					t.Fatalf("%s %q: the listing does not have the name %q", verb, text, l.Text)
				}
				if u.Name() != l.Text {
					t.Fatalf("%s %q: the name of %v is %q, want %q", verb, text, u, u.Name(), l.Text)
				}
				if whole, err := urlcore.NewFTP(u.Server, u.CWDs(), u.Name(), u.Type); err != nil || whole != u {
					t.Fatalf("%s %q: urlcore.NewFTP with the parts of %v = %v, %v; want the same URL", verb, text, u, whole, err)
				}
			})
		}
	})
}

func BenchmarkListing(b *testing.B) {
	lines := map[string]string{
		"MLSD": "modify=20231114221320;perm=adfr;size=104;type=file;unique=FE00U2083B;UNIX.group=0;UNIX.mode=0644;UNIX.owner=0; file%07d.txt\r\n",
		"LIST": "-rw-r--r--    1 0        0             104 Nov 14  2023 file%07d.txt\r\n",
	}
	for _, n := range []int{10_000, 1_000_000} {
		for _, verb := range []string{"MLSD", "LIST"} {
			b.Run(fmt.Sprintf("%s/%d", verb, n), func(b *testing.B) {
				var text strings.Builder
				for i := range n {
					fmt.Fprintf(&text, lines[verb], i)
				}
				b.SetBytes(int64(text.Len()))
				b.ReportAllocs()
				for b.Loop() {
					count := 0
					listText(b, verb, text.String(), func(protocols.Line) { count++ })
					if count != n {
						b.Fatalf("%d lines, want %d", count, n)
					}
				}
			})
		}
	}
}

// TestEnglishListing checks that a listing in English does not need the large table of words, which takes as long to make
// as a short round trip.
func TestEnglishListing(t *testing.T) {
	all := listWords
	defer func() { listWords = all }()
	listWords = func() map[string]time.Month {
		t.Error("the table was used")
		return nil
	}
	for _, line := range []string{
		"total 12",
		"-rw-r--r--    1 0        0            1024 Nov 29 15:20 f",
		"drwxr-xr-x   12 ftp      ftp          4096 nov 29  2020 d",
		"-rw-r--r--    1 ftp      ftp            12 Nov 29 15:20 f",
	} {
		parseLIST(line, time.Now())
	}
}
