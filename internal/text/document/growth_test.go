package document

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/memorygrowth"
	"gofer/protocols"
	"gofer/urlcore"
)

const (
	inParts    = "Content-Type: multipart/mixed; boundary=b\n\n"
	htmlHeader = "Content-Type: text/html\n\n"
	flowed     = "Content-Type: text/plain; format=flowed\n\n"
)

// articles contains an input for each kind of article that is parsed by different code.
var articles = []memorygrowth.Input{
	{Name: "many short lines", Head: "\n", Unit: "a\n"},
	{Name: "one line", Head: "\n", Unit: "abcdefgh"},
	{Name: "flowed short lines", Head: flowed, Unit: "a \n"},
	{Name: "flowed blanks", Head: flowed, Unit: " \n"},
	{Name: "flowed quotes", Head: flowed, Unit: ">a \n"},
	{Name: "flowed with delsp", Head: "Content-Type: text/plain; format=flowed; delsp=yes\n\n", Unit: "a \n"},
	{Name: "carriage returns", Head: "\n", Unit: "\r"},
	{Name: "charset", Head: "Content-Type: text/plain; charset=koi8-r\n\n", Unit: "\xeb\xcf\xc6\xc5\n"},
	{Name: "base64 in short lines", Head: "Content-Transfer-Encoding: base64\n\n", Unit: "YQo=\n"},
	{Name: "base64 in one line", Head: "Content-Transfer-Encoding: base64\n\n", Unit: "YWJj"},
	{Name: "base64 in blank lines", Head: "Content-Transfer-Encoding: base64\n\n", Unit: "\n"},
	{Name: "quoted-printable", Head: "Content-Transfer-Encoding: quoted-printable\n\n", Unit: "=C3=BC\n"},
	{Name: "quoted-printable soft ends", Head: "Content-Transfer-Encoding: quoted-printable\n\n", Unit: "=\n"},
	{Name: "quoted-printable in one line", Head: "Content-Transfer-Encoding: quoted-printable\n\n", Unit: "=3D"},

	{Name: "many headers", Unit: "A: b\n", Tail: "\n"},
	{Name: "long folded header", Head: "Subject: s\n", Unit: " a\n", Tail: "\n"},
	{Name: "long header line", Head: "Subject: ", Unit: "abcd ", Tail: "\n\n"},
	{Name: "lines that are no headers", Unit: "a\n", Tail: "\n"},
	{Name: "encoded words", Head: "Subject:\n", Unit: " =?utf-8?Q?a?=\n", Tail: "\n"},
	{Name: "encoded words in turns", Head: "Subject:\n", Unit: " =?utf-8?Q?a?= =?koi8-r?B?6w==?=\n", Tail: "\n"},
	{Name: "encoded words with text between", Head: "Subject:\n", Unit: " =?utf-8?Q?a?= b\n", Tail: "\n"},
	{Name: "encoded words that are none", Head: "Subject:\n", Unit: " =?=?=?a?Q?=?\n", Tail: "\n"},
	{Name: "encoded words without end", Head: "Subject:\n", Unit: " =?utf-8?Q?abcdefgh\n", Tail: "\n"},
	{Name: "References", Head: "References:\n", Unit: " <#@x>\n", Tail: "\n"},
	{Name: "References without blanks", Head: "References:\n", Unit: " <#@x><a#@x>\n", Tail: "\n"},
	{Name: "Newsgroups", Head: "Newsgroups: a\n", Unit: " ,a#\n", Tail: "\n"},
	{Name: "parameters", Head: "Content-Type: text/plain\n", Unit: " ;a#=b\n", Tail: "\n\nbody\n"},
	{Name: "parameters in pieces", Head: "Content-Type: text/plain\n", Unit: " ;a*#=b\n", Tail: "\n\nbody\n"},
	{Name: "parameters against the rules", Head: "Content-Type: text/plain; a b\n", Unit: " ;a=\"b\n", Tail: "\n\nbody\n"},

	{Name: "empty parts", Head: inParts, Unit: "--b\n"},
	{Name: "parts without headers", Head: inParts, Unit: "--b\n\na\n"},
	{Name: "parts with a charset", Head: inParts, Unit: "--b\nContent-Type: text/plain; charset=koi8-r\n\na\n"},
	{Name: "parts of HTML", Head: inParts, Unit: "--b\nContent-Type: text/html\n\n<p>a\n"},
	{Name: "attachments", Head: inParts, Unit: "--b\nContent-Type: a/b\n\na\n"},
	{Name: "enclosed messages", Head: "Content-Type: multipart/digest; boundary=b\n\n", Unit: "--b\n\nSubject: s\n\na\n"},
	{Name: "lines like a boundary", Head: inParts + "--b\n\n", Unit: "--bb\n"},
	{Name: "lines like a long boundary", Head: "Content-Type: multipart/mixed; boundary=" + strings.Repeat("b", 8000) + "\n\n", Unit: "--b\n"},
	{Name: "nested parts", Unit: "Content-Type: multipart/mixed; boundary=b#\n\n--b#\n"},
	{Name: "preamble", Head: inParts, Unit: "a\n"},
	{Name: "epilogue", Head: inParts + "--b--\n", Unit: "a\n"},

	{Name: "alternatives", Head: "Content-Type: multipart/alternative; boundary=b\n\n", Unit: "--b\nContent-Type: text/html\n\n<p>a\n"},
	{
		Name: "alternatives without words", Head: "Content-Type: multipart/alternative; boundary=b\n\n",
		Unit: "--b\nContent-Type: text/plain\n\n\n",
	},
	{Name: "nested alternatives", Unit: "Content-Type: multipart/alternative; boundary=b#\n\n--b#\n"},
	{Name: "yEnc", Head: "\n=ybegin line=9 size=9 name=a\n", Unit: "abcdefgh\n"},
	{Name: "yEnc without data", Head: "\n", Unit: "=ybegin line=9 size=9 name=a\n"},
	{Name: "yEnc in parts", Head: "\n", Unit: "=ybegin part=1 line=9 size=9 name=a\n=ypart begin=1 end=2\nab\n=yend size=2\n"},
	{Name: "uuencode", Head: "\nbegin 644 a\n", Unit: "#0V%T\n"},
	{Name: "uuencode without data", Head: "\n", Unit: "begin 644 a\n"},
	{Name: "uuencoded files", Head: "\n", Unit: "begin 644 a\n`\nend\n"},
	{Name: "octets that are no text", Head: "\n", Unit: "\x00\n"},
	{Name: "parts that are no text", Head: inParts, Unit: "--b\n\n\x00\x00\n"},

	{Name: "HTML in one line", Head: htmlHeader, Unit: "abcd "},
	{Name: "HTML in blocks", Head: htmlHeader, Unit: "<p>a"},
	{Name: "tags", Head: htmlHeader, Unit: "<b>"},
	{Name: "tags without end", Head: htmlHeader, Unit: "<a b='"},
	{Name: "angle brackets", Head: htmlHeader, Unit: "<"},
	{Name: "comments", Head: htmlHeader, Unit: "<!-- a -->"},
	{Name: "one comment", Head: htmlHeader + "<!--", Unit: "-a-"},
	{Name: "script", Head: htmlHeader + "<script>", Unit: "a<b "},
	{Name: "entities", Head: htmlHeader, Unit: "&amp;&#65;&x"},
	{Name: "preformatted", Head: htmlHeader + "<pre>", Unit: "a\n"},
	{Name: "preformatted carriage returns", Head: htmlHeader + "<pre>", Unit: "\r"},
}

func readArticle(text string) {
	for range loneArticle(strings.NewReader(text), urlcore.News{MessageID: "a@b"}) {
	}
}

func TestArticleGrowth(t *testing.T) {
	for _, in := range articles {
		memorygrowth.Check(t, in, 200, readArticle) // a part with a charset takes two buffers of 4 KiB
	}
}

// unshownBefore is the initial number of unshown octets in the tests with endless documents. These
// tests reach maxUnshown after 8 MiB.
const unshownBefore = maxUnshown - 8<<20

// TestUnshownArticle reads an article without lines up to maxUnshown.
func TestUnshownArticle(t *testing.T) {
	r := memorygrowth.NewEndlessReader(memorygrowth.Input{Name: "header line", Unit: strings.Repeat("a", 1000)}, maxUnshown+2*maxLine)
	d, err := Open(protocols.Head{Media: protocols.MediaArticle}, r)
	fetchtest.NoError(t, err)
	for _, err = range d.Lines() {
	}
	fetchtest.Reason(t, err, protocols.TooBig)
	r.Check(t, 2<<20)
}

// TestEndlessArticle reads endless articles that yield no lines, or only a few lines at the
// beginning.
func TestEndlessArticle(t *testing.T) {
	long := strings.Repeat("a", 1000)
	for _, in := range []memorygrowth.Input{
		{Name: "header line within", Head: "Subject: s\nA:", Unit: long},
		{Name: "attachment", Head: inParts + "--b\nContent-Type: a/b\n\n", Unit: long + "\n"},
		{Name: "attachment of one line", Head: inParts + "--b\nContent-Type: a/b\n\n", Unit: long},
		{Name: "attachment in base64", Head: "Content-Type: a/b\nContent-Transfer-Encoding: base64\n\n", Unit: long},
		{Name: "blank lines of base64", Head: "Content-Transfer-Encoding: base64\n\n", Unit: strings.Repeat(" ", 1000) + "\n"},
		{Name: "charset that is all shifts", Head: "Content-Type: text/plain; charset=iso-2022-jp\n\n", Unit: strings.Repeat("\x1b(B", 1000)},
		{Name: "epilogue", Head: inParts + "--b--\n", Unit: long + "\n"},
		{Name: "empty parts", Head: inParts, Unit: "--b\nA: " + long + "\n\n"},
		{Name: "comment", Head: htmlHeader + "<!--", Unit: long},
		{Name: "tags", Head: htmlHeader, Unit: "<b " + long + ">"},
	} {
		t.Run(in.Name, func(t *testing.T) {
			r := memorygrowth.NewEndlessReader(in, maxUnshown-unshownBefore+2*maxLine)
			a := &articleReader{in: bufio.NewReaderSize(r, maxLine), unshown: unshownBefore}
			var lines []string
			a.yield = func(l protocols.Line, _ error) bool {
				a.unshown = unshownBefore
				lines = append(lines, l.Text)
				return len(lines) <= 100
			}
			a.showMessage(&entity{article: a}, 0)
			if protocols.ReasonOf(a.err) != protocols.TooBig || a.stopped {
				t.Errorf("ended with %v after the lines %.1000q, want reason TooBig", a.err, lines)
			}
			if strings.HasPrefix(in.Name, "attachment") && !strings.HasPrefix(lines[len(lines)-1], "[attachment a/b, at least ") {
				t.Errorf("the last line is %q, want it to say how much of the attachment came", lines[len(lines)-1])
			}
			r.Check(t, 2<<20)
		})
	}
}

// TestKeptNotes checks that no note holds on to the long header or tag from which it was read.
func TestKeptNotes(t *testing.T) {
	long, link := strings.Repeat("a", 60_000), strings.Repeat("a", 12_000)
	for _, tt := range []struct {
		in    memorygrowth.Input
		media string
	}{
		{
			memorygrowth.Input{Name: "messages", Unit: "From a@b Mon Jan  1 00:00:00 2024\nSubject: s#\nFrom: f\nOther: " + long + "\n\ntext\n\n"},
			"application/mbox",
		},
		{memorygrowth.Input{Name: "tags", Unit: "<p class=" + long + " id=b#>a</p>"}, "text/html"},
		{memorygrowth.Input{Name: "gemtext", Unit: "=> gemini://h/#" + strings.Repeat(" ", 60_000) + "a\n"}, "text/gemini"},
		{memorygrowth.Input{Name: "long links", Unit: "=> gemini://h/#" + link + "\n"}, "text/gemini"},
		{memorygrowth.Input{Name: "long links of HTML", Unit: "<a href=#" + link + ">a</a><br>"}, "text/html"},
		{memorygrowth.Input{Name: "long fragments of HTML", Unit: "<a href='b#" + link + "'>a</a><br>"}, "text/html"},
	} {
		memorygrowth.CheckKept(t, tt.in, func(r io.Reader) (notes []protocols.Note) {
			d, err := Open(protocols.Head{URL: urlcore.HTTP{HostPort: urlcore.HostPort{Host: "h.example"}, Path: "/p"}, Media: tt.media}, r)
			if err != nil {
				t.Fatal(err)
			}
			for line := range d.Lines() {
				if line.Note != nil {
					notes = append(notes, line.Note)
				}
			}
			return notes
		})
	}
}
