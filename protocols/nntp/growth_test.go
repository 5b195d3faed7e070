package nntp

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/memorygrowth"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// sessionOn returns a session that reads r.
func sessionOn(r io.Reader) *session {
	in := bufio.NewReaderSize(r, wire.MaxLine)
	return &session{
		ctx: context.Background(), server: &server{client: new(Client), Account: wire.Account{Addr: "h:119"}}, in: in,
		lines: wire.NewLineReader(in),
	}
}

func readGroups(r io.Reader) (lines int, err error) {
	for _, err := range sessionOn(r).groupLines(new(wire.Lease), nil) {
		if err != nil {
			return lines, err
		}
		lines++
	}
	return lines, nil
}

func readDescriptions(r io.Reader) {
	sessionOn(r).readDescriptions(context.Background(), reply{code: 215}, new(watchdog))
}

func overviewOn(r io.Reader) *overview {
	o := &overview{ses: sessionOn(r), lease: new(wire.Lease), newest: 1 << 30, span: span{1, 1 << 30}, reply: reply{code: 224}}
	o.ses.target = target{group: "a.b", host: urlcore.HostPort{Host: "h"}}
	return o
}

func readOverview(r io.Reader) error {
	o := overviewOn(r)
	err := o.readReply()
	sortByThread(o.newestArticles())
	return err
}

func readXHDR(r io.Reader) error {
	o := overviewOn(r)
	byNumber := map[uint64]*protocols.ArticleNote{}
	err := o.readText(func(line string) { o.setField(byNumber, "References", line) })
	sortByThread(o.newestArticles())
	return err
}

func readHeads(r io.Reader) error {
	o := overviewOn(r)
	for n := uint64(1); ; n++ {
		if err := o.readHead(n); err != nil {
			return err
		}
	}
}

func readReplies(r io.Reader) error {
	s := sessionOn(r)
	s.login = wire.NewCredentials("", "a b")
	for {
		answer, err := s.readReply()
		if err != nil {
			return err
		}
		parseMarks(answer.raw)
	}
}

func readBody(r io.Reader) {
	_, _ = io.Copy(io.Discard, &body{ses: sessionOn(r), lease: new(wire.Lease)})
}

func eachGrowth(f func(in memorygrowth.Input, limit int, read func(string))) {
	each := func(limit int, read func(io.Reader), inputs ...memorygrowth.Input) {
		for _, in := range inputs {
			f(in, limit, func(text string) { read(strings.NewReader(text)) })
		}
	}
	each(200, func(r io.Reader) { _, _ = readGroups(r) },
		memorygrowth.Input{Name: "groups", Unit: "a.b# 2 1 y\r\n"},
		memorygrowth.Input{Name: "groups without URL", Unit: "a/b# 2 1 y\r\n"},
		memorygrowth.Input{Name: "groups of short lines", Unit: "a\n"},
		memorygrowth.Input{Name: "groups of empty lines", Unit: "\n"},
		memorygrowth.Input{Name: "groups in one line", Unit: "a "},
	)
	each(150, readDescriptions,
		memorygrowth.Input{Name: "descriptions", Unit: "a.b# Text\r\n", Tail: ".\r\n"},
		memorygrowth.Input{Name: "descriptions of one group", Unit: "a T\n", Tail: ".\r\n"},
		memorygrowth.Input{Name: "descriptions in one line", Unit: "a ", Tail: "\n.\r\n"},
	)
	const article = "#\ts\tf\t\t<#@x>\t"
	each(200, func(r io.Reader) { _ = readOverview(r) },
		memorygrowth.Input{
			Name: "overview", Unit: "#\tRe: Big topic\tLab <lab@x>\tFri, 17 Jan 2025 20:04:09 -0000\t<#@x>\t\t1\t1\r\n",
			Tail: ".\r\n",
		},
		memorygrowth.Input{Name: "overview of one number", Unit: "1\ts\tf\t\t<a@x>\t<b@x>\r\n", Tail: ".\r\n"},
		memorygrowth.Input{Name: "overview of old dates", Unit: "#\ts\tf\tFriday, 17-Jan-25 20:04:09 GMT\t<#@x>\r\n", Tail: ".\r\n"},
		memorygrowth.Input{Name: "overview of short lines", Unit: "a\n", Tail: ".\r\n"},
		memorygrowth.Input{Name: "overview of tabs", Unit: "#" + strings.Repeat("\t", 100) + "\n", Tail: ".\r\n"},
		memorygrowth.Input{Name: "overview of Re", Unit: "#\t" + strings.Repeat("Re: ", 100) + "a\n", Tail: ".\r\n"},
		memorygrowth.Input{Name: "thread of one level", Unit: article + "<0@x>\r\n", Tail: ".\r\n"},
		memorygrowth.Input{Name: "threads that lack the first", Unit: article + "<none@x>\r\n", Tail: ".\r\n"},
		memorygrowth.Input{Name: "threads of missing articles", Unit: article + "<a#@x> <b#@x> <c#@x> <d#@x>\r\n", Tail: ".\r\n"},
		memorygrowth.Input{Name: "thread of itself", Unit: article + "<#@x>\r\n", Tail: ".\r\n"},
		memorygrowth.Input{Name: "references without blanks", Unit: article + strings.Repeat("<a#@x>", 100) + "\r\n", Tail: ".\r\n"},
		memorygrowth.Input{Name: "references without ends", Unit: article + strings.Repeat("<", 100) + "\r\n", Tail: ".\r\n"},
	)
	each(200, func(r io.Reader) { _ = readXHDR(r) }, memorygrowth.Input{Name: "XHDR", Unit: "# <a#@x>\r\n", Tail: ".\r\n"})
	each(150, func(r io.Reader) { _ = readHeads(r) },
		memorygrowth.Input{Name: "heads", Unit: "221 #\r\nSubject: s\r\nFrom: f\r\nMessage-ID: <#@x>\r\n.\r\n"},
		memorygrowth.Input{Name: "head with a folded header", Head: "221 1\r\nReferences:\r\n", Unit: " <#@x>\n"},
		memorygrowth.Input{Name: "head with a folded header of short lines", Head: "221 1\r\nSubject: s\r\n", Unit: " a\n"},
		memorygrowth.Input{Name: "head with a long line", Head: "221 1\r\nSubject: ", Unit: "abcdefgh"},
		memorygrowth.Input{Name: "head with many headers", Head: "221 1\r\n", Unit: "A: b\n"},
	)
	each(120, func(r io.Reader) { _ = readReplies(r) },
		memorygrowth.Input{Name: "replies", Unit: "211 3 1 3 a.b\r\n"},
		memorygrowth.Input{Name: "one reply", Head: "211 ", Unit: "1 "},
	)
	each(20, readBody,
		memorygrowth.Input{Name: "body", Unit: "a\r\n"},
		memorygrowth.Input{Name: "body of dots", Unit: "..\r\n"},
		memorygrowth.Input{Name: "body of one line", Unit: "abcdefgh"},
	)
	for name, refs := range threads {
		f(memorygrowth.Input{Name: name, Unit: "a"}, 60, func(text string) { sortByThread(threadOf(len(text), refs)) })
	}
}

// threadOf returns as many articles as an overview of the given number of octets may have. The function
// refs returns the references of each article.
func threadOf(octets int, refs func(i int) []string) []*protocols.ArticleNote {
	list := make([]*protocols.ArticleNote, octets/20)
	for i := range list {
		list[i] = &protocols.ArticleNote{Number: uint64(i + 1), MessageID: strconv.Itoa(i), References: refs(i)}
	}
	return list
}

// threads are functions that return the references of article i, for threads of several shapes.
var threads = map[string]func(i int) []string{
	"chain":             func(i int) []string { return []string{strconv.Itoa(i - 1)} },
	"chain upside down": func(i int) []string { return []string{strconv.Itoa(i + 1)} },
	"cycles":            func(i int) []string { return []string{strconv.Itoa(i ^ 1)} },
	"missing articles below a chain": func(i int) []string {
		return []string{strconv.Itoa(i - 1), "a" + strconv.Itoa(i), "b" + strconv.Itoa(i)}
	},
}

func TestGrowth(t *testing.T) {
	eachGrowth(func(in memorygrowth.Input, limit int, read func(string)) { memorygrowth.Check(t, in, limit, read) })
}

// TestEndless checks that endless answers without a line to show are errors.
func TestEndless(t *testing.T) {
	long := strings.Repeat("a", 1000)
	groups := func(r io.Reader) error {
		lines, err := readGroups(r)
		if lines > 0 {
			t.Errorf("got %d groups, want none", lines)
		}
		return err
	}
	for _, tt := range []struct {
		in     memorygrowth.Input
		read   func(io.Reader) error
		octets int64
		memory uint64
	}{
		{memorygrowth.Input{Name: "status line", Head: "211 ", Unit: long}, readReplies, 2 * wire.MaxLine, 4 * wire.MaxLine},
		{memorygrowth.Input{Name: "no status", Unit: long}, readReplies, 2 * wire.MaxLine, 4 * wire.MaxLine},
		{memorygrowth.Input{Name: "group", Unit: long}, groups, maxDropped + 3*wire.MaxLine, 1 << 20},
		{memorygrowth.Input{Name: "overview line", Head: "1\t", Unit: long}, readOverview, maxDropped + 3*wire.MaxLine, 1 << 20},
		{memorygrowth.Input{Name: "overview lines of nonsense", Unit: long + "\r\n"}, readOverviewOf500, 2 << 20, 4 << 20},
		{
			memorygrowth.Input{Name: "long overview lines", Unit: strings.Repeat(long, 66) + "\r\n"},
			readOverviewOf500,
			maxDropped + maxOverview + 3*wire.MaxLine, maxOverview + 8<<20,
		},
		{memorygrowth.Input{Name: "empty lines about a sparse group", Unit: "\r\n"}, readSparseOverview, maxOverview / 4, 6 * maxOverview},
		{memorygrowth.Input{Name: "head line", Head: "221 1\r\nSubject: ", Unit: long}, readHeads, maxDropped + 3*wire.MaxLine, 1 << 20},
		{
			memorygrowth.Input{Name: "folded head", Head: "221 1\r\nSubject: \r\n", Unit: " " + long + "\r\n"},
			readHeads, maxOverview + 1<<20, 1 << 20,
		},
		{memorygrowth.Input{Name: "head", Head: "221 1\r\n", Unit: "Subject: " + long + "\r\n"}, readHeads, maxOverview + 1<<20, 1 << 20},
		{memorygrowth.Input{Name: "skipped answer", Head: "215 groups\r\n", Unit: "a.b 1 1 y\r\n"}, readSkipped, 2 * maxDropped, 1 << 20},
	} {
		t.Run(tt.in.Name, func(t *testing.T) {
			r := memorygrowth.NewEndlessReader(tt.in, tt.octets)
			fetchtest.Reason(t, tt.read(r), protocols.TooBig)
			r.Check(t, tt.memory)
		})
	}
}

func readSkipped(r io.Reader) error {
	s := sessionOn(r)
	s.unanswered = []string{listActive}
	return s.skipAnswers()
}

func readOverviewOf500(r io.Reader) error {
	o := overviewOn(r)
	o.span = span{1, DefaultNewest}
	return o.readReply()
}

func readSparseOverview(r io.Reader) error {
	o := overviewOn(r)
	o.span = span{1, 1 << 60}
	return o.readReply()
}

// keptGroup is a group of which the name and the URL are kept.
type keptGroup struct {
	*protocols.GroupNote
	name string
	link urlcore.URL
}

// TestKeptNotes checks that no note holds on to the long line from which it was read.
func TestKeptNotes(t *testing.T) {
	blanks := strings.Repeat(" ", 60_000)
	groups := func(r io.Reader) (notes []protocols.Note) {
		for line, err := range sessionOn(r).groupLines(new(wire.Lease), nil) {
			if err == nil {
				notes = append(notes, keptGroup{line.Note.(*protocols.GroupNote), line.Text, line.Link}) // the groups are kept for completion
			}
		}
		return notes
	}
	described := func(r io.Reader) []protocols.Note {
		var notes []protocols.Note
		for _, text := range sessionOn(r).readDescriptions(context.Background(), reply{code: 215}, new(watchdog)) {
			notes = append(notes, &protocols.GroupNote{Description: text})
		}
		return notes
	}
	articles := func(read func(o *overview)) func(r io.Reader) []protocols.Note {
		return func(r io.Reader) (notes []protocols.Note) {
			o := overviewOn(r)
			read(o)
			for _, a := range o.newestArticles() {
				notes = append(notes, a)
			}
			return notes
		}
	}
	over := articles(func(o *overview) { _ = o.readReply() })
	xhdr := func(name string) func(io.Reader) []protocols.Note {
		return articles(func(o *overview) {
			byNumber := map[uint64]*protocols.ArticleNote{}
			_ = o.readText(func(line string) { o.setField(byNumber, name, line) })
		})
	}
	heads := articles(func(o *overview) {
		for n := uint64(1); o.readHead(n) == nil; n++ {
		}
	})
	for _, tt := range []struct {
		in   memorygrowth.Input
		read func(io.Reader) []protocols.Note
	}{
		{memorygrowth.Input{Name: "group", Unit: "a.b# 1 1 y" + blanks + "\r\n", Tail: ".\r\n"}, groups},
		{memorygrowth.Input{Name: "renamed group", Unit: "a.b#" + blanks + "1 1 =b.c#\r\n", Tail: ".\r\n"}, groups},
		{memorygrowth.Input{Name: "description", Unit: "a.b# text" + blanks + "\r\n", Tail: ".\r\n"}, described},
		{memorygrowth.Input{Name: "long description", Unit: "a.b# " + strings.Repeat("text ", 12_000) + "\r\n", Tail: ".\r\n"}, described},
		{memorygrowth.Input{Name: "article", Unit: "#\ts\tf\t\t<#@x>\t<1@x> <2@x>\t1\t1\tXref: h a:1" + blanks + "\r\n", Tail: ".\r\n"}, over},
		{memorygrowth.Input{Name: "article with other headers", Unit: "#\ts\tf\t\t<#@x>\t\t\t\tOther: " + blanks + "\r\n", Tail: ".\r\n"}, over},
		{memorygrowth.Input{Name: "XHDR of a Message-ID", Unit: "# " + blanks + "<#@x>\r\n", Tail: ".\r\n"}, xhdr("Message-ID")},
		{memorygrowth.Input{Name: "XHDR of references", Unit: "# <#@x>" + blanks + "\r\n", Tail: ".\r\n"}, xhdr("References")},
		{memorygrowth.Input{Name: "head", Unit: "221 #\r\nSubject: s\r\nReferences: <#@x>" + blanks + "\r\n.\r\n"}, heads},
	} {
		memorygrowth.CheckKept(t, tt.in, tt.read)
	}
}
