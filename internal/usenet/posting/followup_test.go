package posting

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
)

// article reads an article from text, which has LF in place of CRLF.
func article(t *testing.T, text string) *document.Original {
	t.Helper()
	m := fetchtest.Must(document.ReadOriginal(strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n"))))(t)
	return m
}

func TestReferences(t *testing.T) {
	var hundred, last []string
	for i := range 100 {
		hundred = append(hundred, fmt.Sprintf("<%d.abcdefghij@example.org>", i))
	}
	last = slices.Concat(hundred[:1], hundred[66:])
	long := "<" + strings.Repeat("x", 300) + "@y>"
	for _, tt := range []struct{ header, want string }{
		{"Message-ID: <2@x>", "<2@x>"},
		{"Message-ID: <2@x>\nReferences: <0@x>\n <1@x>", "<0@x> <1@x> <2@x>"},
		{"Message-ID: <2@x>\nReferences: <0@x><1@x>", "<0@x> <1@x> <2@x>"},
		{"Message-ID: <2@x>\nReferences: a comment <0@x> <bad> <1@x", "<0@x> <2@x>"},
		{"Message-ID: <2@x>\nReferences: <1@x> <0@x> <1@x>", "<0@x> <1@x> <2@x>"},
		{"Message-ID: <2@x>\nReferences: <2@x>", "<2@x>"},
		{"Message-ID: <2@x>\nIn-Reply-To: <1@x>", "<1@x> <2@x>"},
		{"Message-ID: <2@x>\nIn-Reply-To: <0@x> of <1@x>", "<2@x>"},
		{"Message-ID: <2@x>\nReferences: <0@x>\nIn-Reply-To: <1@x>", "<0@x> <2@x>"},
		{"Message-ID: <2@x>\nReferences: " + long + " <1@x>", "<1@x> <2@x>"},
		{"Message-ID: <2@x>\nReferences: <1\u00e4@x> <1@x>", "<1@x> <2@x>"},
		{"Subject: no identifier\nReferences: <1@x>", "<1@x>"},
		{"Message-ID: <2@x>\nReferences: " + strings.Join(hundred, "\n "), strings.Join(append(last, "<2@x>"), " ")},
	} {
		got := makeReferences(article(t, tt.header+"\n\n"))
		if got != tt.want || len(got) > maxReferences {
			t.Errorf("%.100s:\n got %s (%d)\nwant %s", tt.header, got, len(got), tt.want)
		}
	}
}

func TestAnswerSubject(t *testing.T) {
	for subject, want := range map[string]string{
		"x": "Re: x", "Re: x": "Re: x", "RE:x": "Re: x", "Re: Re: x": "Re: x", "AW: Re: x": "Re: x", "Re[2]: x": "Re: x", "Sv: Antw: x": "Re: x",
		"": "Re: ", "Regarding: x": "Re: Regarding: x", "new (was: old)": "Re: new", "Re: new (Was: Re: old)": "Re: new", "(was: old)": "Re: (was: old)", "Re: (was) x": "Re: (was) x",
		"Grüße": "Re: Grüße",
	} {
		fetchtest.Equal(t, makeAnswerSubject(subject), want, "%q", subject)
	}
}

func TestAttribution(t *testing.T) {
	const head = "From: =?utf-8?q?J=C3=B6rg?= <joe@example.org>\nDate: Fri, 3 Jan 2025 06:49:46 +0000\nMessage-ID: <1@x>\nNewsgroups: a.b,c.d\nSubject: =?iso-8859-1?q?Gr=FC=DFe?=\n\n"
	for _, tt := range []struct{ header, setting, want string }{
		{head, "On %d, %n wrote:", "On 2025-01-03, Jörg wrote:"},
		{head, "%n <%a> in %i, %g about %s: 100%%", "Jörg <joe@example.org> in <1@x>, a.b, c.d about Grüße: 100%"},
		{"From: joe@example.org (Joe)\nDate: long ago\n\n", "%d %n %a", "long ago Joe joe@example.org"},
		{"From: joe\n\n", "%d%n %a", "joe joe"},
		{"From: =?x-unknown?q?J?= <joe@example.org>\n\n", "%n %a", "J joe@example.org"},
		{"From: \x1b[2Jjoe <a@b>\n\n", "%n", "\x1b[2Jjoe"},
	} {
		c := &Client{Attribution: tt.setting}
		fetchtest.Equal(t, c.makeAttribution(article(t, tt.header)), tt.want, "%q", tt.header)
	}
}

func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"a\n\nb":                         "> a\n>\n> b\n",
		"> a\n>> b\nc":                   ">> a\n>>> b\n> c\n",
		"a\n-- \nJoe\nPhone":             "> a\n",
		"a\n-- \nnot the last\n-- \nJoe": "> a\n> --\n> not the last\n",
		"a\n--\nb":                       "> a\n> --\n> b\n",
		"a\n> -- \n> Joe":                "> a\n>> --\n>> Joe\n",
		"a\n\n\n":                        "> a\n",
		"\n\n":                           "",
	} {
		fetchtest.Equal(t, quoteText(strings.Split(text, "\n"), false), want, "%q", text)
	}
}

func TestMailboxes(t *testing.T) {
	for raw, want := range map[string]string{
		"joe@example.org":                        "joe@example.org",
		"Joe <joe@example.org>, ann@b":           `"Joe" <joe@example.org>, ann@b`,
		"joe@example.org (Joe)":                  `"Joe" <joe@example.org>`,
		`=?utf-8?q?J=C3=B6rg_=22x=22?= <j@b>`:    `"Jörg \"x\"" <j@b>`,
		"=?x-unknown?q?J?= <joe@example.org>":    `"J" <joe@example.org>`,
		"=?koi8-r?q?=E9=2C?= <i@x>":              `"И," <i@x>`,
		"nobody":                                 "nobody",
		"\"Evil\r\nBcc: x@y\" <joe@example.org>": `"Evil  Bcc: x@y" <joe@example.org>`,
	} {
		fetchtest.Equal(t, formatMailboxes(raw), want, "%q", raw)
	}
}

// TestQuotedArticles checks that the text of each kind of article is quoted in UTF-8, without
// attachments.
func TestQuotedArticles(t *testing.T) {
	const mixed = "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\n\nGr\xfc\xdfe\n--b\nContent-Type: image/png; name=x.png\n\nxxx\n--b--\n"
	for _, tt := range []struct{ name, article, want string }{
		{"plain", "Subject: x\n\nHello\n", "> Hello\n"},
		{"quoted-printable", "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nGr=C3=BC=C3=9Fe =\nan alle\n", "> Grüße an alle\n"},
		{"declared", "Content-Type: text/plain; charset=koi8-r\n\n\xf0\xd2\xc9\xd7\xc5\xd4\n", "> Привет\n"},
		{"undeclared", "Subject: x\n\nSch\xf6ne Gr\xfc\xdfe aus K\xf6ln\n", "> Schöne Grüße aus Köln\n"},
		{"wrongly declared", "Content-Type: text/plain; charset=us-ascii\n\nGrüße\n", "> Grüße\n"},
		{"with an attachment", mixed, "> Grüße\n"},
		{"flowed", "Content-Type: text/plain; format=flowed\n\none \ntwo\n", "> one two\n"},
	} {
		a := article(t, tt.article)
		fetchtest.Equal(t, quoteText(a.Text, a.Flowed), tt.want, "%s", tt.name)
	}
}
