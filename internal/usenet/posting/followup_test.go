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

func TestAttribution(t *testing.T) {
	const head = "From: =?utf-8?q?J=C3=B6rg?= <joe@example.org>\nDate: Fri, 3 Jan 2025 06:49:46 +0000\n" +
		"Message-ID: <1@x>\nNewsgroups: a.b,c.d\nSubject: =?iso-8859-1?q?Gr=FC=DFe?=\n\n"
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
