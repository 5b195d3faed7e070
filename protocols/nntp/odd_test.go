package nntp

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestLongLines fetches lines of 10 MB. The lines must be cut in lists and complete in an article.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 10<<20)
	f := startFake(t, map[string]string{
		"GROUP": "211 2 1 2 a.b", "LIST NEWSGROUPS": "215 go\na.b\tText\n.", "LIST ACTIVE": "215 go\na.b 2 1 y\n" + long + "\n.",
		"OVER": "224 go\n1\t" + long + "\n2\tshort\n.", "ARTICLE": "220 go\nSubject: " + long + "\nFrom: me\n\nbody\n.",
		"GROUP endless": "411 " + long,
	})
	c := f.client()
	fetchtest.Returns(t, "Subject: "+long+"\r\nFrom: me\r\n\r\nbody\r\n", "article")(fetchBody(t, c, urlcore.News{MessageID: "a@b"}))
	for u, want := range map[urlcore.URL]string{urlcore.News{Group: "*"}: "a.b", urlcore.News{Group: "a.b"}: "short"} {
		_, lines, err := fetchLines(t, c, u)
		found := false
		for _, l := range lines {
			found = found || l.Text == want
			if len(l.Text) > wire.MaxLine {
				t.Errorf("Fetch(%s): a line has %d octets, want at most %d", u, len(l.Text), wire.MaxLine)
			}
		}
		if !found || err != nil {
			t.Errorf("Fetch(%s): %d lines, error %v; want a line %q", u, len(lines), err, want)
		}
	}
	fetchtest.Fails(t, protocols.TooBig, "an answer without an end")(c.Fetch(
		t.Context(), protocols.Request{URL: urlcore.News{Group: "endless"}},
	))
}

// TestOddOctets checks that NUL and a CR within a line are kept.
func TestOddOctets(t *testing.T) {
	const odd = "a\x00b\rc\r\rd"
	f := startFake(t, map[string]string{
		"GROUP": "211 1 1 1 a.b \x00\rb", "OVER": "224 \x00\r\n1\t" + odd + "\tme\r\t\t<x\x00@y>\n.",
		"ARTICLE":         "220 \x00\nSubject: " + odd + "\n\n" + odd + "\r\n\x00.\n.\r.\n.",
		"LIST NEWSGROUPS": "215 go\na.b\t" + odd + "\n.", "LIST ACTIVE": "215 go\na.b 1 1 y\nx\x00\r 1 1 y\n.",
	})
	c := f.client()
	fetchtest.Returns(t, "Subject: "+odd+"\r\n\r\n"+odd+"\r\r\n\x00.\r\n\r.\r\n", "article")(fetchBody(t, c, urlcore.News{MessageID: "a@b"}))
	_, lines, err := fetchLines(t, c, urlcore.News{Group: "a.b"})
	if err != nil || len(lines) != 1 || lines[0].Text != odd {
		t.Errorf("group: lines %q, error %v; want the subject %q", lines, err, odd)
	}
	_, lines, err = fetchLines(t, c, urlcore.News{Group: "*"})
	if err != nil || len(lines) != 2 || lines[0].Note.(*protocols.GroupNote).Description != odd || lines[1].Link != nil {
		t.Errorf("list of groups: lines %+v, error %v; want the description %q and a group without a link", lines, err, odd)
	}
}

// TestConnectionLost checks that the octets before the connection was lost are returned, with an error,
// and that the connection is not reused.
func TestConnectionLost(t *testing.T) {
	for _, end := range []string{"half\r\n", "half a line without an end\x00", "half\r\n."} {
		addr := serveGreeting(t, func(conn net.Conn, in *bufio.Scanner) {
			in.Scan()
			_, _ = io.WriteString(conn, "220 go\r\nSubject: s\r\n\r\n"+end)
		})
		c := &Client{Server: addr}
		got, err := fetchBody(t, c, urlcore.News{MessageID: "a@b"})
		if !strings.HasPrefix(got, "Subject: s\r\n\r\nhalf") || protocols.ReasonOf(err) != protocols.Broken || c.idle.Len() != 0 {
			t.Errorf(
				"article that ends in %q: got %q, error %v, %d idle connections; want the first half, Broken, none",
				end, got, err, c.idle.Len(),
			)
		}
		_ = c.Close()
	}
}

// FuzzAnswers reads arbitrary octets as lists, overviews, headers and articles.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte("215 go\r\na.b 1 1 y\r\n..\r\n.\r\n"))
	f.Add([]byte("224 go\n1\ts\tf\td\t<a@b>\t<c@d>\t1\t2\n.\n"))
	f.Add([]byte("221 1\nSubject: s\n folded\nFrom: f\n.\n430 no\n"))
	f.Add([]byte("211 1 2\r\n\x00\r\r\n.\r"))
	f.Add(append(bytes.Repeat([]byte("x"), wire.MaxLine+1), "\n.\n"...))
	f.Fuzz(func(t *testing.T, input []byte) {
		_, _ = readGroups(bytes.NewReader(input))
		readDescriptions(io.MultiReader(bytes.NewReader(input), strings.NewReader("\n.\n"))) // an answer without an end would close the connection
		_ = readOverview(bytes.NewReader(input))
		_ = readXHDR(bytes.NewReader(input))
		_ = readHeads(bytes.NewReader(input))
		_ = readReplies(bytes.NewReader(input))
		got, err := io.ReadAll(&body{ses: sessionOn(bytes.NewReader(input)), lease: new(wire.Lease)})
		if len(got) > len(input) || err == nil && !bytes.Contains(append([]byte("\n"), input...), []byte("\n.")) {
			t.Errorf(
				"body returned %d octets of %d, error %v; want no more octets, and an error if there is no final dot",
				len(got), len(input), err,
			)
		}
	})
}
