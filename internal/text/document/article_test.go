package document

import (
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/charset"
	"gofer/protocols"
	"gofer/urlcore"
)

// loneArticle returns the lines of an article whose thread is unknown.
func loneArticle(r io.Reader, page urlcore.URL) iter.Seq2[protocols.Line, error] {
	return articleLines(r, page, charset.Auto, protocols.ThreadPlace{}, false, 0)
}

// article reads an article, with CR LF in place of LF. It returns the lines as "kind|text" or
// "kind|text|link". Lines with the note [protocols.OtherField] are left out.
func article(t *testing.T, text string) []string {
	t.Helper()
	return articleOn(t, urlcore.News{MessageID: "a@b"}, text)
}

// articleOn is like article, for a page with the given URL.
func articleOn(t *testing.T, page urlcore.URL, text string) []string {
	t.Helper()
	var got []string
	for l, err := range loneArticle(strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")), page) {
		fetchtest.NoError(t, err)
		if l.Note == protocols.OtherField {
			continue
		}
		s := l.Kind.String() + "|" + l.Text
		if l.Link != nil {
			s += "|" + l.Link.String()
		}
		got = append(got, s)
	}
	return got
}

func TestArticleLines(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{
			"headers in the order of readers",
			"Path: x!y\nMessage-ID: <c@d>\nNewsgroups: a.b\nDate: Fri, 03 Jan 2025\nSubject: Re:  Hi\nFrom: Me <a@b>\n" +
				"References: <a@x>\n <b@x>\nOrganization: Home\nFollowup-To: poster\n\nHello\n",
			"header|From: Me <a@b>\nheader|Subject: Re:  Hi\nheader|Date: Fri, 03 Jan 2025\nheader|Newsgroups: a.b|news:a.b\n" +
				"header|Followup-To: poster\nheader|Organization: Home\nheader|Message-ID: <c@d>|news:c@d\n" +
				"header|References: <a@x>|news:a@x\nheader|            <b@x>|news:b@x\ninfo|\ninfo|Hello",
		},
		{
			"several groups, one of them without a URL",
			"Newsgroups: a.b,c++,lab.кофе\nFollowup-To: a.b, c.d\n\n",
			"header|Newsgroups: a.b|news:a.b\nheader|            c++|news:c++\nheader|            lab.кофе|news:lab.%D0%BA%D0%BE%D1%84%D0%B5\n" +
				"header|Followup-To: a.b|news:a.b\nheader|             c.d|news:c.d\ninfo|",
		},
		{
			"malformed header lines do no harm",
			"From x Mon Jan\nSubject: s\nno colon here\nOdd Name: x\n : y\nFrom: me\n\nb\n",
			"header|From: me\nheader|Subject: s\nproblem|From x Mon Jan\nproblem|no colon here\nproblem|Odd Name: x\nproblem| : y\ninfo|\ninfo|b",
		},
		{
			"an archive", "Archived-At: <http://h/1> (a copy)\nArchived-At: <about:home>\nNewsgroups: a.b\n\n",
			"header|Newsgroups: a.b|news:a.b\nheader|Archived-At: <http://h/1> (a copy)|http://h/1\ninfo|",
		},
		{"an archive that is no URL", "Archived-At: <javascript:x>\n\n", "header|Archived-At: <javascript:x>\ninfo|"},
		{"a name behind the address", "Subject: a@b (s)\nFrom: a@b (Me)\n\n", "header|From: Me <a@b>\nheader|Subject: a@b (s)\ninfo|"},
		{"a long header line", "X: " + strings.Repeat("x", 3*maxLine) + "\nFrom: me\n\n", "header|From: me\ninfo|"},
		{"no body", "Subject: s\n", "header|Subject: s\ninfo|"},
		{"nothing", "", "info|"},
		{"no header", "\nbody\n", "info|\ninfo|body"},
		{
			"quotes and signature",
			"\n> quoted\nmine\n>> deeper\n-- \nsig\n> still sig\n",
			"info|\nquote|> quoted\ninfo|mine\nquote|>> deeper\nsignature|-- \nsignature|sig\nsignature|> still sig",
		},
		{
			"flowed",
			"Content-Type: text/plain; format=flowed\n\none \ntwo \nthree\n> q \n> r\n>\n from\n-- \nsig \nx\n",
			"info|\ninfo|one two three\nquote|> q r\nquote|>\ninfo|from\nsignature|-- \nsignature|sig x",
		},
		{
			"flowed with delsp",
			"Content-Type: text/plain; format=flowed; delsp=yes\n\nto \ngether\nlast \n",
			"info|\ninfo|together\ninfo|last",
		},
		{
			"quoted-printable, with escapes that are none",
			"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: Quoted-Printable\n\nGr=C3=BC=C3=9Fe =\nsoft =ZZ =4 =\n",
			"info|\ninfo|Grüße soft =ZZ =4 ",
		},
		{
			"quoted-printable that begins with a soft line end and ends in half an escape",
			"Content-Transfer-Encoding: quoted-printable\n\n=\nfaded =4\n", "info|\ninfo|faded =4",
		},
		{
			"base64 with a footer that is none",
			"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nR3LDvMOf\nZQo=\nlist footer!\n",
			"info|\ninfo|Grüße\ninfo|list footer!",
		},
		{"latin-1", "Content-Type: text/plain; charset=ISO-8859-1\n\ncaf\xe9 \x93x\x94\n", "info|\ninfo|café “x”"},
		{"koi8", "Content-Type: text/plain; charset=KOI8-R\n\n\xeb\xcf\xc6\xc5\n", "info|\ninfo|Кофе"},
		{"stateful", "Content-Type: text/plain; charset=ISO-2022-JP\n\n\x1b$BF|K\\8l\x1b(B\n", "info|\ninfo|日本語"},
		{
			"utf-16 in base64",
			"Content-Type: text/plain; charset=utf-16le\nContent-Transfer-Encoding: base64\n\nYQAKAGIACgA=\n",
			"info|\ninfo|a\ninfo|b",
		},
		{"unknown charset stays as it is", "Content-Type: text/plain; charset=x-no\n\ncaf\xe9\n", "info|\ninfo|caf\xe9"},
		{
			"mixed, with preamble and epilogue",
			"Content-Type: multipart/mixed; boundary=\"=_x 1\"\n\npreamble\n--=_x 1\n\nText.\n--=_x 1 \n" +
				"Content-Type: image/png; name=\"d.png\"\nContent-Transfer-Encoding: base64\n\nAAEC\nAw==\n--=_x 1--\nepilogue\n",
			"info|\ninfo|Text.\ninfo|\nimage|[attachment image/png, d.png, 4 octets]|about:attachment/1/d.png?news%3Aa%40b",
		},
		{
			"alternative",
			"Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nplain\n--b\n" +
				"Content-Type: text/html\n\n<p>x\n--b--\n",
			"info|\ninfo|plain\ninfo|\nhtml|[also as text/html, 4 octets]|about:attachment/2/2.html?news%3Aa%40b",
		},
		{
			"a malformed line in a part's header",
			"Content-Type: multipart/mixed; boundary=b\n\n--b\nthis is no header\nContent-Type: text/plain\n\nfirst\n--b\n\nsecond\n--b--\n",
			"info|\ninfo|first\ninfo|\ninfo|second",
		},
		{
			"hostile file names",
			"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Disposition: attachment; filename=\"../../etc/passwd\"\n\nx\n" +
				"--b\nContent-Type: application/x-y; name=\"C:\\\\a\\\\=?utf-8?Q?=C3=BC=0A?=.exe\"\n\n--b--\n",
			"info|\ntext|[text/plain, passwd]|about:attachment/1/passwd?news%3Aa%40b\ninfo|x\ninfo|\n" +
				"binary|[attachment application/x-y, ü .exe, 0 octets]|about:attachment/2/%C3%BC%20.exe?news%3Aa%40b",
		},
		{
			"nested, the inner one not closed",
			"Content-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: multipart/alternative; boundary=i\n\n--i\n\nin\n--o\n\nout\n--o--\n",
			"info|\ninfo|in\ninfo|\ninfo|out",
		},
		{
			"boundary that begins like another",
			"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=bb\n\n" +
				"--bb\n\nin\n--bbb\n--bb--\n--b\n\nout\n",
			"info|\ninfo|in\ninfo|--bbb\ninfo|\ninfo|out",
		},
		{
			"digest",
			"Content-Type: multipart/digest; boundary=d\n\n--d\n\nSubject: one\n\nfirst\n--d--\n",
			"info|\nheading|Enclosed message\nheader|Subject: one\ninfo|\ninfo|first",
		},
		{
			"multipart whose boundary never comes",
			"Content-Type: multipart/mixed; boundary=u\n\nonly text\n", "info|\ninfo|only text",
		},
		{"multipart without boundary", "Content-Type: multipart/mixed\n\ntext\n", "info|\ninfo|text"},
		{"malformed Content-Type", "Content-Type: text; charset\n\ntext\n", "info|\ninfo|text"},
		{
			"parameters against the rules",
			"Content-Type: multipart/mixed; boundary=a b; x\n\n--a b\n\nin\n--a b--\n", "info|\ninfo|in",
		},
		{
			"html only",
			"Content-Type: text/html\n\n<html><head><title>T</title><style>p{}</style></head>\n<body><!-- c > d --><h1>Head</h1><p>One &amp;\n two<br>three" +
				"<script>if (a<b) x()</script>\n<ul><li>item</ul><a title='a > b'>x</a> 1 < 2<pre>a  b\n c</pre></body>\n",
			"info|\nheading|Head\ninfo|\ninfo|One & two\ninfo|three\ninfo|\ninfo|  * item\ninfo|\ninfo|x 1 < 2\ninfo|\ninfo|a  b\ninfo| c",
		},
		{
			"another text is named",
			"Content-Type: text/x-diff; name=a.diff\n\n--- a\n",
			"info|\ntext|[text/x-diff, a.diff]|about:attachment/1/a.diff?news%3Aa%40b\ninfo|--- a",
		},
	}
	for _, tt := range tests {
		fetchtest.Equal(t, strings.Join(article(t, tt.in), "\n"), tt.want, "%s", tt.name)
	}
}

func TestHeaderLinks(t *testing.T) {
	const text = "Newsgroups: a.b,c++,lab.кофе\nFollowup-To: c.d\nMessage-ID: <c@d>\nReferences: <a@x>\n\n"
	tests := []struct{ page, groups, followup, articles string }{
		{"news:c@d", "news:", "news:c.d", "news:"},
		{"nntp://example.org/a.b/7", "nntp://example.org/", "nntp://example.org/c.d", "news://example.org/"},
		{"snews://example.org/c@d", "nntps://example.org/", "nntps://example.org/c.d", "snews://example.org/"},
		{"nntp://[::1]:1119/a.b/7", "nntp://[::1]:1119/", "nntp://[::1]:1119/c.d", "news://[::1]:1119/"},
		{"ftp://example.org/article", "news:", "news:c.d", "news:"},
	}
	for _, tt := range tests {
		want := []string{
			"header|Newsgroups: a.b|" + tt.groups + "a.b",
			"header|            c++|" + tt.groups + "c++",
			"header|            lab.кофе|" + tt.groups + "lab.%D0%BA%D0%BE%D1%84%D0%B5",
			"header|Followup-To: c.d|" + tt.followup,
			"header|Message-ID: <c@d>|" + tt.articles + "c@d",
			"header|References: <a@x>|" + tt.articles + "a@x",
			"info|",
		}
		got := articleOn(t, fetchtest.Parse(t, tt.page), text)
		fetchtest.EqualSlices(t, got, want, "on %s", tt.page)
	}
	if got := articleOn(t, nil, "Newsgroups: a.b\n\n"); got[0] != "header|Newsgroups: a.b|news:a.b" {
		t.Errorf("on a page without URL: got %q, want a link to news:a.b", got)
	}
}

func TestArticleIsBounded(t *testing.T) {
	var refs, groups strings.Builder
	for i := range 200 {
		refs.WriteString(" <r" + strconv.Itoa(i) + "@x>")
		groups.WriteString("a.b,")
	}
	got := article(t, "References:"+refs.String()+"\n\n")
	want := []string{
		"header|References: <r0@x>|news:r0@x", "header|            (195 older answers left out)",
		"header|            <r196@x>|news:r196@x", "header|            <r197@x>|news:r197@x",
		"header|            <r198@x>|news:r198@x", "header|            <r199@x>|news:r199@x", "info|",
	}
	fetchtest.EqualSlices(t, got, want, "200 references")
	if got := article(t, "Newsgroups: "+groups.String()+"\n\n"); len(got) != maxGroups+2 ||
		got[maxGroups] != "header|            (150 more groups)" {
		t.Errorf("200 groups: got %d lines, the last %q, want %d, the last \"(150 more groups)\"", len(got), got[len(got)-2:], maxGroups+2)
	}
	deep := ""
	for i := range 50 {
		deep += "Content-Type: multipart/mixed; boundary=b" + strconv.Itoa(i) + "\n\n--b" + strconv.Itoa(i) + "\n"
	}
	if got := article(t, deep+"\ntext\n"); got[len(got)-1] != "info|text" {
		t.Errorf("50 parts deep: got %q, want \"info|text\" at the end", got)
	}
	long := strings.Repeat("x", 3*maxLine)
	n := 0
	for _, s := range article(t, "Subject: "+long+"\n\n"+long+"\n") {
		n += strings.Count(s, "x")
		if len(s) > maxLine+100 {
			t.Errorf("got a line of %d octets, want at most %d", len(s), maxLine+100)
		}
	}
	if n < 3*maxLine {
		t.Errorf("got %d octets of the long line, want %d and more", n, 3*maxLine)
	}
}

var errCut = errors.New("cut off")

func TestTruncatedArticle(t *testing.T) {
	for _, text := range []string{
		"Subject: s\r\n", "Subject: s\r\n\r\nhalf", "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhalf",
	} {
		r := io.MultiReader(strings.NewReader(text), iotest.ErrReader(errCut))
		var last error
		var got []string
		for l, err := range loneArticle(r, nil) {
			got, last = append(got, l.Text), err
		}
		if !errors.Is(last, errCut) {
			t.Errorf("%q: ended with %v after %q, want %v", text, last, got, errCut)
		}
		if strings.Contains(text, "half") && got[len(got)-2] != "half" {
			t.Errorf("%q: got %q, want also the lines before the error", text, got)
		}
	}
}

func TestArticleStopsEarly(t *testing.T) {
	text := "Subject: s\r\nFrom: f\r\n\r\n" + strings.Repeat("line\r\n", 100_000)
	for stop := 1; stop < 8; stop++ {
		r := strings.NewReader(text)
		n := 0
		for range loneArticle(r, nil) {
			if n++; n == stop {
				break
			}
		}
		if r.Len() < len(text)/2 {
			t.Errorf("stopped at line %d: %d octets of %d were read, want less than half", stop, len(text)-r.Len(), len(text))
		}
	}
}

func FuzzArticle(f *testing.F) {
	f.Add("Subject: =?utf-8?Q?=C3=BC?=\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n" +
		"text\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>x</p><pre>\r\n--b--\r\n")
	f.Add("Content-Type: text/plain; format=flowed; charset=iso-2022-jp\nContent-Transfer-Encoding: base64\n\nYSAKYgo=\n!\n")
	f.Add("Content-Type: text/html\n\n<<a <!-- </ > &#0; &lt <li>\x00")
	f.Add("Content-Type: multipart/digest; boundary=\"\"\nContent-Transfer-Encoding: quoted-printable\n\n=\n==3D\n")
	f.Add("Newsgroups: a,b\n\tc\nReferences: <><x@y><\nMessage-ID: <a\x00@b>\n\n")
	f.Add("Content-Type: multipart/signed; boundary=b\n\n--b\nX: y\n\n-----BEGIN PGP SIGNED MESSAGE-----\n" +
		"Hash: x\n\n- -- \n-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----\n--b\n" +
		"Content-Type: application/pgp-signature\n\nz\n--b--\n")
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		for number := range 3 {
			_, _ = OpenSigned(strings.NewReader(text), number)
		}
		for l, err := range loneArticle(strings.NewReader(text), nil) {
			fetchtest.NoError(t, err)
			fetchtest.NotContains(t, l.Text, "\n", "a line of kind %v", l.Kind)
			if l.Kind == protocols.Header && strings.Contains(l.Text, "\r") {
				t.Errorf("got the header line %q, want no CR in it", l.Text)
			}
			if n++; n > 10*len(text)+10 {
				t.Fatalf("got %d lines from %d octets, want at most 10 for each octet", n, len(text))
			}
		}
	})
}

func BenchmarkArticle(b *testing.B) {
	text := "Subject: s\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n" +
		strings.Repeat("> a line of text as people write them, of some length\r\n", 20_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		n := 0
		for range loneArticle(strings.NewReader(text), nil) {
			n++
		}
		if n < 20_000 {
			b.Fatalf("got %d lines, want at least 20000", n)
		}
	}
}
