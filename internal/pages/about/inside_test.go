package about

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/archive"
	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/urlcore"
)

func tarGz(files map[string]string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		_ = w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Typeflag: tar.TypeReg})
		_, _ = io.WriteString(w, text)
	}
	_, _ = w.Close(), z.Close()
	return b.String()
}

func gz(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

// TestEntryKinds checks that the kind of an entry follows from the last element of its path.
func TestEntryKinds(t *testing.T) {
	for name, want := range map[string]protocols.Kind{
		"a.c": protocols.Text, "proj/README": protocols.Text, "proj-1.0/Makefile": protocols.Text,
		"proj.c/noext": protocols.Binary, `d\COPYING`: protocols.Text,
	} {
		data := strings.NewReader(tarGz(map[string]string{name: "x"}))
		for line, err := range entryLines(t.Context(), data, parse(t, "ftp://h.example/a.tgz")) {
			if err != nil || line.Kind != want {
				t.Errorf("%s: got %v, %v, want %v", name, line.Kind, err, want)
			}
		}
	}
}

// TestInside opens the content of archives, compressed files and mailboxes, even inside archives.
func TestInside(t *testing.T) {
	const evil = "../../etc/\x1b[2Jpasswd"
	mail := "From joe\nSubject: one\n\nfirst\n\nFrom ann\nSubject: two\n" +
		"Content-Type: image/png; name=\"p.png\"\nContent-Transfer-Encoding: base64\n\nAAEC\n"
	inner := tarGz(map[string]string{"in.txt": "inside"})
	documents := map[string]string{
		"ftp://h.example/evil.tgz":    tarGz(map[string]string{evil: "evil text"}),
		"ftp://h.example/outer.tgz":   tarGz(map[string]string{"d/inner.tgz": inner}),
		"ftp://h.example/text.txt.gz": gz("a text\n"),
		"ftp://h.example/mail.mbox":   mail,
		"ftp://h.example/mail.gz":     gz(mail),
		"ftp://h.example/plain.txt":   "no archive\n",
		"ftp://h.example/cut.tgz":     inner[:len(inner)/2],
	}
	closes := new(closeCounter)
	opened := 0
	c := client(t)
	c.Open = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		u := req.URL
		if u.Scheme() == "about" {
			return c.Fetch(ctx, req)
		}
		opened++
		if archive.WithSizeLimit(ctx) != ctx {
			t.Errorf("Open(%s): the context has no size limit", u)
		}
		switch data, ok := documents[u.String()]; {
		case ok:
			return &protocols.Resource{Head: protocols.Head{URL: u}, Body: strings.NewReader(data), Closer: closes}, nil
		case u.String() == "ftp://h.example/;type=d":
			return &protocols.Resource{Lines: yieldLines(t.Context(), nil), Closer: closes}, nil
		}
		opened--
		return nil, errors.New("not there")
	}
	get := func(u urlcore.URL) (text, links string, err error) {
		t.Helper()
		r, err := c.Fetch(t.Context(), protocols.Request{URL: u})
		if err != nil {
			return "", "", err
		}
		defer r.Close()
		if r.Body != nil {
			b, err := io.ReadAll(r.Body)
			return string(b), r.Media + " " + r.Title, err
		}
		for l, err := range r.Lines {
			if err != nil {
				return text, links, err
			}
			text += l.Text + "\n"
			if l.Link != nil {
				links += l.Link.String() + "\n"
			}
		}
		return text, links, nil
	}
	at := func(s string) urlcore.URL { return parse(t, s) }
	outer := document.EntryURL(at("ftp://h.example/outer.tgz"), 1, "inner.tgz")
	mailInside := document.EntryURL(at("ftp://h.example/mail.gz"), 1, "mail")
	for _, tt := range []struct {
		url         urlcore.URL
		text, links string
		err         string
	}{
		{document.ArchiveURL(at("ftp://h.example/evil.tgz")), evil + "\n", "about:entry/1/%1B%5B2Jpasswd?ftp%3A%2F%2Fh.example%2Fevil.tgz\n", ""},
		{document.EntryURL(at("ftp://h.example/evil.tgz"), 1, "x.txt"), "evil text", "text/plain x.txt", ""},
		{document.EntryURL(at("ftp://h.example/evil.tgz"), 2, "x"), "", "", "no entry 2"},
		{document.EntryURL(at("ftp://h.example/evil.tgz"), 0, "x"), "", "", "about:"},
		{
			document.ArchiveURL(at("ftp://h.example/text.txt.gz")), "text.txt\n",
			"about:entry/1/text.txt?ftp%3A%2F%2Fh.example%2Ftext.txt.gz\n", "",
		},
		{document.EntryURL(at("ftp://h.example/text.txt.gz"), 1, "text.txt"), "a text\n", "text/plain text.txt", ""},
		{document.ArchiveURL(outer), "in.txt\n", document.EntryURL(outer, 1, "in.txt").String() + "\n", ""},
		{document.EntryURL(outer, 1, "in.txt"), "inside", "text/plain in.txt", ""},
		{document.MessageURL(at("ftp://h.example/mail.mbox"), 1), "Subject: one\n\nfirst\n\n", "message/rfc822 message.eml", ""},
		{document.MessageURL(at("ftp://h.example/mail.mbox"), 3), "", "", "there is no such message"},
		{document.MessageURL(mailInside, 1), "Subject: one\n\nfirst\n\n", "message/rfc822 message.eml", ""},
		{document.AttachmentURL(document.MessageURL(at("ftp://h.example/mail.mbox"), 2), 1, "p.png"), "\x00\x01\x02", "image/png p.png", ""},
		{document.ArchiveURL(at("ftp://h.example/plain.txt")), "", "", "it is not an archive"},
		{document.ArchiveURL(at("ftp://h.example/cut.tgz")), "", "", "ends too early"},
		{document.ArchiveURL(at("ftp://h.example/;type=d")), "", "", "not a document"},
		{document.ArchiveURL(at("ftp://h.example/none")), "", "", "not there"},
		{document.ArchiveURL(at("about:home")), "", "", "no such page"},
		{document.ArchiveURL(document.ArchiveURL(at("ftp://h.example/evil.tgz"))), "", "", "about:"},
		{at("about:archive?no%20URL"), "", "", "is missing"},
		{at("about:entry/x/y?ftp%3A%2F%2Fh.example%2Fevil.tgz"), "", "", "about:"},
	} {
		text, links, err := get(tt.url)
		switch {
		case tt.err == "" && (err != nil || text != tt.text || links != tt.links):
			t.Errorf("%v: got %q, %q, %v, want %q, %q", tt.url, text, links, err, tt.text, tt.links)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%v: got %v, want %q", tt.url, err, tt.err)
		}
	}
	if closes.n != opened {
		t.Errorf("%d documents were closed, want %d", closes.n, opened)
	}
	opened, closes.n = 0, 0
	evilTgz := at("ftp://h.example/evil.tgz")
	for i, tt := range []struct {
		url  urlcore.URL
		want int // expected number of documents fetched after this step
	}{
		{document.ArchiveURL(evilTgz), 1},
		{document.EntryURL(evilTgz, 1, "x.txt"), 1},
		{document.EntryURL(evilTgz, 1, "x.txt"), 1},
		{document.ArchiveURL(outer), 2},
		{document.EntryURL(outer, 1, "in.txt"), 2},
		{document.EntryURL(evilTgz, 1, "x.txt"), 3}, // only the last archive is kept
		{document.ArchiveURL(outer), 4},             // no longer kept
	} {
		if _, _, _ = get(tt.url); opened != tt.want || closes.n != opened {
			t.Errorf("%d: %v: %d documents were fetched and %d closed, want %d", i, tt.url, opened, closes.n, tt.want)
		}
	}
	deep := at("ftp://h.example/outer.tgz")
	for range 100 {
		if deep != nil {
			deep = document.EntryURL(deep, 1, "inner.tgz")
		}
	}
	if deep != nil {
		t.Errorf("archives within 100 archives: EntryURL returns %d octets, want no URL", len(deep.String()))
	}
}

// TestKeepMailbox checks that messages come from the kept mailbox if it was read whole as a page.
// A file that is not a mailbox, or was read in part, is fetched again.
func TestKeepMailbox(t *testing.T) {
	mail := "From joe\nSubject: one\n\nfirst\n\nFrom ann\nSubject: two\n\nsecond\n"
	mbox := parse(t, "ftp://h.example/mail")
	for _, tt := range []struct {
		name, file string
		read       int64
		want       int // number of fetches
	}{
		{"whole", mail, 1 << 20, 1},
		{"a part", mail, 10, 3},
		{"no mailbox", "\n" + mail, 1 << 20, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			closes, fetched := new(closeCounter), 0
			c := client(t)
			c.Open = func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
				fetched++
				return &protocols.Resource{Head: protocols.Head{URL: req.URL}, Body: strings.NewReader(tt.file), Closer: closes}, nil
			}
			page := fetchtest.Must(c.Open(t.Context(), protocols.Request{URL: mbox}))(t)
			c.KeepMailbox(page)
			fetchtest.Must(io.Copy(io.Discard, io.LimitReader(page.Body, tt.read)))(t)
			_ = page.Close()
			for n, want := range []string{"Subject: one\n\nfirst\n\n", "Subject: two\n\nsecond\n"} {
				r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: document.MessageURL(mbox, n+1)}))(t)
				fetchtest.ReturnsText(t, want, "message %d", n+1)(io.ReadAll(r.Body))
				_ = r.Close()
			}
			if fetched != tt.want || closes.n != fetched {
				t.Errorf("%d documents were fetched and %d closed, want %d", fetched, closes.n, tt.want)
			}
		})
	}
}
