package document

import (
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/charset"
	"gofer/protocols"
	"gofer/urlcore"
)

// part returns a part of a multipart with the boundary b.
func part(b, header, body string) string { return "--" + b + "\n" + header + "\n\n" + body + "\n" }

func TestAlternatives(t *testing.T) {
	const (
		multi = "Content-Type: multipart/alternative; boundary=b\n\n"
		text  = "Content-Type: text/plain"
		html  = "Content-Type: text/html"
	)
	words := part("b", text, "words")
	hyper := part("b", html, "<p>hyper</p>")
	related := part("b", "Content-Type: multipart/related; boundary=r", part("r", html, "<p>hyper <a href='cid:i@x'>i</a>")+
		part("r", "Content-Type: image/png\nContent-ID: <i@x>", "PNG")+"--r--")
	mixed := part("b", "Content-Type: multipart/mixed; boundary=m", part("m", html, "<p>hyper</p>")+
		part("m", "Content-Type: application/pdf; name=d.pdf", "PDF")+"--m--")
	tests := []struct{ name, in, text, html string }{
		{
			"text first", words + hyper + "--b--",
			"info|words\ninfo|\nhtml|[also as text/html, 12 octets]",
			"info|hyper\ninfo|\ntext|[also as text/plain, 5 octets]",
		},
		{
			"hypertext first", hyper + words + "--b--",
			"info|words\ninfo|\nhtml|[also as text/html, 12 octets]",
			"info|hyper\ninfo|\ntext|[also as text/plain, 5 octets]",
		},
		{"hypertext alone", hyper + "--b--", "info|hyper", "info|hyper"},
		{
			"several lines", part("b", text, "one\ntwo\nthree") + hyper + "--b--",
			"info|one\ninfo|two\ninfo|three\ninfo|\nhtml|[also as text/html, 12 octets]",
			"info|hyper\ninfo|\ntext|[also as text/plain, 13 octets]",
		},
		{"text alone", words + "--b--", "info|words", "info|words"},
		{"a text without words", part("b", text, " \n") + hyper + "--b--", "info|hyper", "info|hyper"},
		{
			"hypertext with its pictures", words + related + "--b--",
			"info|words\ninfo|\nhtml|[also as text/html, 32 octets]\nimage|[attachment image/png, 3 octets]",
			"info|hyper i\ninfo|\nimage|[attachment image/png, 3 octets]\ninfo|\ntext|[also as text/plain, 5 octets]",
		},
		{
			"hypertext with attachments", words + mixed + "--b--",
			"info|words\ninfo|\nhtml|[also as text/html, 12 octets]\ndocument|[attachment application/pdf, d.pdf, 3 octets]",
			"info|hyper\ninfo|\ndocument|[attachment application/pdf, d.pdf, 3 octets]\ninfo|\ntext|[also as text/plain, 5 octets]",
		},
		{
			"another text before", part("b", "Content-Type: text/x-watch-html", "odd") + words + "--b--",
			"info|words\ninfo|\ntext|[also as text/x-watch-html, 3 octets]",
			"info|words\ninfo|\ntext|[also as text/x-watch-html, 3 octets]",
		},
		{
			"nothing to show", part("b", "Content-Type: a/b", "x") + "--b--", "binary|[attachment a/b, 1 octet]",
			"binary|[attachment a/b, 1 octet]",
		},
		{
			"an alternative within",
			part("b", "Content-Type: multipart/alternative; boundary=c", part("c", html, "<p>in</p>")+part("c", text, "inner")+"--c--") + "--b--",
			"info|inner\ninfo|\nhtml|[also as text/html, 9 octets]", "info|in\ninfo|\ntext|[also as text/plain, 5 octets]",
		},
		{
			"a long second best", part("b", html, strings.Repeat("<p>x", maxHeld/64)) + words + "--b--", "", "",
		},
	}
	for _, tt := range tests {
		for prefer, want := range map[bool]string{false: tt.text, true: tt.html} {
			var got []string
			for l, err := range articleLines(strings.NewReader(multi+tt.in+
				"\n"), urlcore.News{MessageID: "a@b"}, charset.Auto, protocols.ThreadPlace{}, prefer, 0) {
				fetchtest.NoError(t, err, "%s", tt.name)
				if l.Kind != protocols.Header {
					got = append(got, l.Kind.String()+"|"+l.Text)
				}
			}
			if want == "" { // the hypertext is too long to be held, so the text is an attachment even if it is preferred
				if last := got[len(got)-1]; !strings.HasSuffix(last, "|[also as text/plain, 5 octets]") || slices.Contains(got, "info|words") {
					t.Errorf("%s: got the last line %q, want the first part as text and the second as attachment", tt.name, last)
				}
				continue
			}
			fetchtest.Equal(t, strings.Join(got[1:], "\n"), want, "%s, HTML %t", tt.name, prefer)
		}
	}
}

// TestOpenAlternatives opens the parts of an alternative by their numbers.
func TestOpenAlternatives(t *testing.T) {
	in := "Content-Type: multipart/alternative; boundary=b\n\n" + part("b", "Content-Type: text/html", "<p>1</p>") +
		part("b", "Content-Type: text/plain", "22") + part("b", "Content-Type: text/calendar; name=c.ics", "333") + "--b--\n"
	want := map[int]string{1: "text/html", 2: "text/plain", 3: "text/calendar"}
	for n, media := range want {
		at := fetchtest.Must(OpenAttachment(strings.NewReader(in), n))(t)
		fetchtest.Equal(t, at.Media, media, "attachment %d", n)
		_ = at.Close()
	}
}

func TestBinaryParts(t *testing.T) {
	nul := "\x00\x01\x02\x03 binary\n"
	tests := []struct{ name, in, want string }{
		{"a NUL in a text", "\nwords\x00 and more words, enough of them\n", "info|\ninfo|words\x00 and more words, enough of them"},
		{
			"a body that is none", "Subject: s\n\n" + nul,
			"header|Subject: s\ninfo|\nbinary|[attachment application/octet-stream, 11 octets]|about:attachment/1/1.bin?news%3Aa%40b",
		},
		{
			"a body that is none, in a charset", "Content-Type: text/plain; charset=iso-8859-1\n\n" + nul,
			"info|\nbinary|[attachment application/octet-stream, 11 octets]|about:attachment/1/1.bin?news%3Aa%40b",
		},
		{"bells", "\n\a\awords\n", "info|\ninfo|\a\awords"},
		{"two controls in 40 octets", "\n\x01\x02" + strings.Repeat("x", 36) + "\n", "info|\ninfo|\x01\x02" + strings.Repeat("x", 36)},
		{
			"two controls in 39 octets", "\n\x01\x02" + strings.Repeat("x", 35) + "\n",
			"info|\nbinary|[attachment application/octet-stream, 37 octets]|about:attachment/1/1.bin?news%3Aa%40b",
		},
		{"a picture without a word", "\nGIF89a\x01\x02\n", "info|\nimage|[attachment image/gif, 8 octets]|about:attachment/1/1.gif?news%3Aa%40b"},
		{
			"a text and one that is none",
			"Content-Type: multipart/mixed; boundary=b\n\n" + part("b", "A: b", "words") + part("b", "Content-Type: text/plain", nul) + "--b--\n",
			"info|\ninfo|words\ninfo|\nbinary|[attachment application/octet-stream, 13 octets]|about:attachment/1/1.bin?news%3Aa%40b",
		},
		{
			"words before", "\nwords\n" + strings.Repeat("\x00", 50) + "\n",
			"info|\ninfo|words\nbinary|[attachment application/octet-stream, 57 octets]|about:attachment/1/1.bin?news%3Aa%40b",
		},
	}
	for _, tt := range tests {
		fetchtest.Equal(t, strings.Join(article(t, tt.in), "\n"), tt.want, "%s", tt.name)
	}
}
