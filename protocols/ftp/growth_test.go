package ftp

import (
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/memorygrowth"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// listings has the units of listings of any length, by command.
var listings = map[string][]memorygrowth.Input{
	"LIST": {
		{Name: "LIST files", Unit: "-rw-r--r-- 1 0 0 104 Nov 14 2023 a#\r\n"},
		{Name: "LIST links", Unit: "lrwxrwxrwx 1 0 0 104 Nov 14 2023 a -> b#\r\n"},
		{Name: "LIST foreign dates", Unit: "-rw-r--r-- 1 0 0 104 Нов 14 2023 a#\r\n"},
		{Name: "LIST short lines", Unit: "a\n"},
		{Name: "LIST blank lines", Unit: "\n"},
		{Name: "LIST totals", Unit: "total 1\r\n"},
		{Name: "LIST of Windows", Unit: "11-14-23  10:13PM       <DIR>          a#\r\n"},
		{Name: "LIST of VMS", Unit: "A#.TXT;1\r\n   5/8 14-NOV-2023 22:13:20 [OWNER] (RWED)\r\n"},
		{Name: "LIST of VMS without ends", Unit: "A;1\n"},
		{Name: "LIST in EPLF", Unit: "+i8388621.48594,m825718503,r,s280,\ta#\r\n"},
	},
	"MLSD": {
		{Name: "MLSD files", Unit: "type=file;size=1;modify=20231114221320; a#\r\n"},
		{Name: "MLSD the directory itself", Unit: "type=cdir; .\r\n"},
		{Name: "MLSD short lines", Unit: ";\n"},
	},
	"NLST": {
		{Name: "NLST files", Unit: "a#\r\n"},
		{Name: "NLST paths", Unit: "/a/%/#\r\n"},
		{Name: "NLST one line", Unit: "abcdefgh"},
	},
}

// longLines are single lines of any length, by command.
var longLines = map[string][]memorygrowth.Input{
	"LIST": {
		{Name: "LIST long name", Head: "-rw-r--r-- 1 0 0 104 Nov 14 2023 ", Unit: "a"},
		{Name: "LIST numbers", Head: "-rw-r--r-- ", Unit: "1 "},
		{Name: "LIST one number", Head: "-rw-r--r-- ", Unit: "1"},
		{Name: "LIST months", Head: "-rw-r--r-- 1 ", Unit: "Nov"},
		{Name: "LIST weekdays", Head: "-rw-r--r-- 1 ", Unit: "Mon "},
		{Name: "LIST arrows", Head: "lrwxrwxrwx 1 0 0 104 Nov 14 2023 a", Unit: " -> "},
		{Name: "LIST blanks", Head: "-rw-r--r-- ", Unit: " "},
		{Name: "LIST facts in EPLF", Head: "+", Unit: "r,", Tail: "\ta"},
		{Name: "LIST of Windows, numbers", Head: "11-14-23 10:13PM ", Unit: "1,", Tail: " a"},
		{Name: "LIST of VMS, one name", Unit: "A", Tail: ";1"},
	},
	"MLSD": {
		{Name: "MLSD facts", Unit: "size=1;", Tail: " a"},
		{Name: "MLSD empty facts", Unit: ";", Tail: " a"},
		{Name: "MLSD one fact", Head: "type=OS.unix=slink:", Unit: "a", Tail: "; a"},
		{Name: "MLSD link without end", Head: "type=OS.unix=slink:a", Unit: " a"},
	},
}

// controlInputs are replies of any number and length.
var controlInputs = []memorygrowth.Input{
	{Name: "replies", Unit: "250 a\r\n"},
	{Name: "replies of several lines", Unit: "250-a\r\n250-b\r\n c\r\n250 d\r\n"},
	{Name: "one reply", Head: "250-a\r\n", Unit: " a\n"},
	{Name: "one reply with codes", Unit: "250-\n"},
	{Name: "one line", Head: "250 ", Unit: "a"},
	{Name: "empty lines", Unit: "\n"},
	{Name: "passive addresses", Unit: "227 1 2 3 4,5,6,7,8\r\n"},
	{Name: "one passive address", Head: "227 ", Unit: "1,"},
}

// readControlText reads text as replies to PASV.
func readControlText(text string) error { return readReplies(strings.NewReader(text)) }

func readReplies(r io.Reader) error {
	c := newControl(cannedConn{in: r})
	s := &session{ctrl: c, logins: new(wire.Logins)}
	s.logins.Try("", wire.NewCredentials("", "a b c"))
	for {
		answer, err := c.roundTrip("PASV")
		if err != nil {
			return err
		}
		s.announcement(answer)
		_ = parseQuotedPath(s.maskErrorText(replyText(answer)))
		_, _ = portOfPASV(replyText(answer)), portOfEPSV(replyText(answer))
	}
}

func eachGrowth(tb testing.TB, f func(in memorygrowth.Input, limit int, read func(string))) {
	for verb, inputs := range listings {
		for _, in := range inputs {
			f(in, 150, func(text string) { listText(tb, verb, text, func(protocols.Line) {}) })
		}
	}
	for verb, inputs := range longLines {
		parse := parserOf(verb)
		for _, in := range inputs {
			f(in, 40, func(text string) { parse(text, now) })
		}
	}
	for _, in := range controlInputs {
		f(in, 100, func(text string) { _ = readControlText(text) })
	}
	for _, in := range []memorygrowth.Input{{Name: "text", Unit: "a\r\n"}, {Name: "text of returns", Unit: "\r"}} {
		f(in, 20, func(text string) { _, _ = io.Copy(io.Discard, newTextReader(strings.NewReader(text))) })
	}
}

func TestGrowth(t *testing.T) {
	eachGrowth(t, func(in memorygrowth.Input, most int, read func(string)) { memorygrowth.Check(t, in, most, read) })
}

// TestEndless checks that endless input without a complete reply, or without a line to show, is an error.
func TestEndless(t *testing.T) {
	long := strings.Repeat("a", 1000)
	for _, in := range []memorygrowth.Input{
		{Name: "reply line", Head: "250 ", Unit: long},
		{Name: "reply", Head: "250-a\r\n", Unit: " " + long + "\r\n"},
		{Name: "reply of codes", Unit: strings.Repeat("250-\r\n", 100)},
		{Name: "empty lines", Unit: strings.Repeat("\r\n", 100)},
		{Name: "no code", Unit: long},
	} {
		t.Run(in.Name, func(t *testing.T) {
			r := memorygrowth.NewEndlessReader(in, 2*maxReply)
			fetchtest.Reason(t, readReplies(r), protocols.TooBig)
			r.Check(t, 8*maxReply)
		})
	}
	for verb, in := range map[string]memorygrowth.Input{
		"LIST": {Name: "totals", Unit: strings.Repeat("total 1\r\n", 100)},
		"MLSD": {Name: "the directory itself", Unit: "type=cdir;a=" + long + "; .\r\n"},
		"NLST": {Name: "empty lines", Unit: strings.Repeat("\r\n", 100)},
	} {
		t.Run(verb, func(t *testing.T) {
			r := memorygrowth.NewEndlessReader(in, maxLine+2*wire.MaxLine)
			l, err := newLister(&request{url: urlcore.FTP{Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}}}, now)
			fetchtest.NoError(t, err)
			l.parse = parserOf(verb)
			err = l.readLines(wire.NewLineReader(r), func(line protocols.Line, _ error) bool {
				t.Errorf("readLines yielded %q; want no line", line.Text)
				return false
			})
			fetchtest.Reason(t, err, protocols.TooBig)
			r.Check(t, 1<<20)
		})
	}
}

// TestKeptNotes checks that no note holds on to the long line from which it was read.
func TestKeptNotes(t *testing.T) {
	blanks := strings.Repeat(" ", 60_000)
	for verb, inputs := range map[string][]memorygrowth.Input{
		"LIST": {
			{Name: "LIST files", Unit: "-rw-r--r--" + blanks + "1 me# us# 104 Nov 14 2023 a#\r\n"},
			{Name: "LIST links", Unit: "lrwxrwxrwx" + blanks + "1 0 0 104 Nov 14 2023 a -> b#\r\n"},
			{Name: "LIST of Windows", Unit: "11-14-23  10:13PM       <DIR> " + blanks + "a#\r\n"},
		},
		"MLSD": {{Name: "MLSD files", Unit: "type=file;size=1;unix.owner=o#;unix.mode=0644;x=" + strings.Repeat("a", 60_000) + "; a#\r\n"}},
	} {
		for _, in := range inputs {
			memorygrowth.CheckKept(t, in, func(r io.Reader) (notes []protocols.Note) {
				text, _ := io.ReadAll(r)
				listText(t, verb, string(text), func(l protocols.Line) {
					if l.Note != nil {
						notes = append(notes, l.Note)
					}
				})
				return notes
			})
		}
	}
}
