package document

import (
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/mimeheader"
	"gofer/protocols"
)

// TestWrongCharsets checks that a declared charset is ignored if the octets contradict it.
func TestWrongCharsets(t *testing.T) {
	for _, tt := range []struct{ name, charset, in, want string }{
		{"UTF-8 as Latin-1", "iso-8859-1", "Grüße, naïve café", "Grüße, naïve café"},
		{"UTF-8 as windows-1252", "windows-1252", "“quotes” – and more", "“quotes” – and more"},
		{"UTF-8 as ISO 8859-15", "iso-8859-15", "10 €", "10 €"},
		{"UTF-8 as KOI8-R", "koi8-r", "Кофе", "Кофе"},
		{"Latin-1 as Latin-1", "iso-8859-1", "Gr\xfc\xdfe", "Grüße"},
		{"KOI8-R as KOI8-R", "koi8-r", "\xeb\xcf\xc6\xc5", "Кофе"},
		{"line drawing of CP437", "ibm437", "\xcd\xcd\xcd\xbb", "═══╗"},
		{"Latin-1 as UTF-8", "utf-8", "Gr\xfc\xdfe", "Gr\xfc\xdfe"}, // articleLines does not guess a charset
		{"nothing declared", "", "Gr\xfc\xdfe", "Gr\xfc\xdfe"},
	} {
		header := "Content-Type: text/plain"
		if tt.charset != "" {
			header += "; charset=" + tt.charset
		}
		in := "Content-Type: multipart/mixed; boundary=b\n\n" + part("b", header, tt.in) + "--b--\n"
		if got := article(t, in); got[len(got)-1] != "info|"+tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got[len(got)-1], tt.want)
		}
	}
}

// brokenArticles contains malformed and hostile articles by name.
var brokenArticles = map[string]string{
	"a header line of 10 MB":     "Subject: " + strings.Repeat("long ", 2<<20) + "\nFrom: me\n\nbody\n",
	"a folded header of 10 MB":   "Subject:\n" + strings.Repeat(" long\n", 10<<20/6) + "\n\nbody\n",
	"a header that does not end": strings.Repeat("X-A: b\n", 300_000),
	"bare CR":                    "Subject: a\rFrom: b\r\rbody\rmore\r\n\nreal body\n",
	"NUL everywhere":             "Sub\x00ject: a\x00b\nFrom: x\x00y\n\na\x00b and a text that is long enough to be one\n",
	"escapes":                    "Subject: \x1b]0;title\x07\x1b[2J\nFrom: \x9b31mred\n\n\x1b[H\x1bPq\x1b\\text\n",
	"bidi tricks":                "Subject: \u202egnp.exe\u2066\nFrom: a\u202eb@c (\u2067x)\n\n\u202ereversed\n",
	"boundary of blanks":         "Content-Type: multipart/mixed; boundary=\"   \"\n\n--   \n\ntext\n--   --\n",
	"boundary of 1 MB":           "Content-Type: multipart/mixed; boundary=" + strings.Repeat("b", 1<<20) + "\n\ntext\n",
	"a part without an end": "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/alternative; " +
		"boundary=c\n\n--c\nContent-Type: text/html\n\n<p>open",
	"an empty multipart": "Content-Type: multipart/alternative; boundary=b\n\n--b--\n",
	"alternatives of attachments": "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: a/b\n" +
		"Content-Disposition: attachment; filename=\"/\"\n\n\n--b--\n",
	"a Content-Type of nothing":   "Content-Type: ;;;=\"\nContent-Transfer-Encoding: base63\n\ntext\n",
	"encoded words that are none": "Subject: =?utf-8?B?!!!!?= =?x?Q?a?= =?utf-8?Q?=00=0A=1B[31m?=\n\nbody\n",
	"yEnc that promises much": "\n=ybegin part=1 total=9999 line=128 size=9223372036854775807 name=a\n" +
		"=ypart begin=1 end=9223372036854775807\nabc\n=yend size=9223372036854775807 crc32=zz\n",
	"yEnc of negative sizes":         "\n=ybegin part=-1 total=-5 line=-1 size=-9 name=a\nabc\n",
	"uuencode whose lines are short": "\nbegin 644 /etc/passwd\nM\nM\nM#\n`\nend\n",
	"a name of 100 kB":               "Content-Type: image/png; name=\"" + strings.Repeat("n", 100_000) + "\"\n\nx\n",
}

// TestBrokenArticles checks that reading a malformed article ends, that the lines have a limited
// length, and that all attachments can be opened.
func TestBrokenArticles(t *testing.T) {
	for name, in := range brokenArticles {
		n, attachments := 0, 0
		for l, err := range loneArticle(strings.NewReader(in), nil) {
			fetchtest.NoError(t, err, "%s", name)
			n++
			if len(l.Text) > 1<<20+maxLine {
				t.Errorf("%s: got a line of %d octets, want at most %d", name, len(l.Text), 1<<20+maxLine)
			}
			if strings.HasPrefix(l.Text, "[attachment ") {
				attachments++
			}
			if l.Kind == protocols.Header && strings.ContainsAny(l.Text, "\r\n") {
				t.Errorf("%s: got the header line %q, want no line end in it", name, l.Text)
			}
		}
		if n == 0 || n > 2000 {
			t.Errorf("%s: got %d lines, want 1 to 2000", name, n)
		}
		for i := 1; i <= attachments; i++ {
			at, err := OpenAttachment(strings.NewReader(in), i)
			if err != nil {
				t.Errorf("%s: OpenAttachment(%d): %v", name, i, err)
				continue
			}
			if strings.ContainsAny(at.Name, "/\\\x00\x1b\u202e\n\r") || len(at.Name) > mimeheader.MaxName {
				t.Errorf("%s: attachment %d has the unsafe or long name %.200q", name, i, at.Name)
			}
			_, _ = io.Copy(io.Discard, at)
			_ = at.Close()
		}
	}
}

func FuzzArticleHeader(f *testing.F) {
	f.Add("From: a@b (Name)\nSubject: =?utf-8?Q?=C3=BC?= (1/2)\nReferences: <a@b><c@d>\n")
	f.Add("From: \"x\" <a@b>\n y\nNewsgroups: a,b\nSubject: [1/2] (3/4)\n")
	f.Fuzz(func(t *testing.T, header string) {
		p := PartsOf(strings.NewReader(header), nil)
		if p.Part < 0 || p.Part > p.Parts || p.Parts > protocols.MaxParts {
			t.Errorf("PartsOf(%q): got part %d of %d", header, p.Part, p.Parts)
		}
		if p.Part > 0 {
			if again := protocols.PartOfSubject(strings.Replace(p.Rest, "/", "1/", 1)); again.Parts > protocols.MaxParts {
				t.Errorf("PartOfSubject of the other words %q: got %+v, want at most %d parts", p.Rest, again, protocols.MaxParts)
			}
		}
		for _, s := range article(t, header+"\n\nbody\n") {
			if strings.ContainsAny(s, "\n") {
				t.Errorf("got the line %q, want no line end in it", s)
			}
		}
		if name := mimeheader.NameFirst(header); name == "" && header != "" {
			t.Errorf("NameFirst(%q) is empty", header)
		}
	})
}
