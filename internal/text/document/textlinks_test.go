package document

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestTextLinks(t *testing.T) {
	article, server := urlcore.URL(urlcore.News{MessageID: "here@x"}), urlcore.URL(urlcore.NNTP{
		HostPort: urlcore.HostPort{Host: "news.example.org"}, Group: "a.b", Article: 7, HasArticle: true,
	})
	for _, tt := range []struct {
		name string
		page urlcore.URL // URL of an article; nil: a text
		text string      // lines
		kind protocols.Kind
		want string // each link of the first line, with the text of the link
	}{
		{"none", nil, "a: b, c <d> and e", 0, ""},
		{"bare", nil, "see gopher://h/1/x, or (ftp://h/a).", 0, "gopher://h/1/x[gopher://h/1/x] ftp://h/a[ftp://h/a]"},
		{"in brackets", nil, "a <URL:gopher://h/> b <http://h/>.", 0, "gopher://h/1[<URL:gopher://h/>] http://h/[<http://h/>]"},
		{
			"punctuation", nil, "“http://h/a” ‹http://h/b› http://h/c。 http://h/d— http://h/é", 0,
			"http://h/a[http://h/a] http://h/b[http://h/b] http://h/c[http://h/c] http://h/d[http://h/d] http://h/%C3%A9[http://h/é]",
		},
		{"news and mail", nil, "news:a.b mailto:a@b.c", 0, "news:a.b[news:a.b] mailto:a@b.c[mailto:a@b.c]"},
		{"broken", nil, "see <URL:gopher://h/1/\n   a/b> and http://h/", 0, "gopher://h/1/a/b[<URL:gopher://h/1/|   a/b>]"},
		{"broken twice", nil, "x <URL:ftp://h/\na/\nb>", 0, "ftp://h/a/b[<URL:ftp://h/|a/|b>]"},
		{"broken in a quote", nil, "> x <URL:ftp://h/\n> a>", 0, "ftp://h/a[<URL:ftp://h/|> a>]"},
		{"broken in a quote of a quote", nil, "> > x <URL:ftp://h/\n> >   a>", 0, "ftp://h/a[<URL:ftp://h/|> >   a>]"},
		{"a quote that ends", nil, "> x <URL:ftp://h/\na>", 0, "ftp://h/[URL:ftp://h/]"},
		{"never closed", nil, "x <URL:ftp://h/\n\na>", 0, "ftp://h/[URL:ftp://h/]"},
		{
			"broken without brackets", nil, "gopher://h/1/li\n   brary\n", 0,
			"gopher://h/1/library[gopher://h/1/li|   brary]or gopher://h/1/li%20brary or gopher://h/1/li",
		},
		{
			"broken without brackets in a quote", nil, "> gopher://h/1/li\n> brary\n>", 0,
			"gopher://h/1/library[gopher://h/1/li|> brary]or gopher://h/1/li%20brary or gopher://h/1/li",
		},
		{"followed by prose", nil, "gopher://h/1/li\nbrary or not\n", 0, "gopher://h/1/li[gopher://h/1/li]"},
		{
			"broken after a hyphen", nil, "see gopher://h/1/a-\n  b, or\n", 0,
			"gopher://h/1/a-b[gopher://h/1/a-|  b]or gopher://h/1/ab or gopher://h/1/a-",
		},
		{"broken after a hyphen in brackets", nil, "see <gopher://h/1/a-\nb>, or", 0, "gopher://h/1/a-b[<gopher://h/1/a-|b>]or gopher://h/1/ab"},
		{
			"fragments", nil, "<URL:http://h/p#W> http://h/p#%C3%A9, <http://h/\np#a-\nb>", 0,
			"http://h/p[<URL:http://h/p#W>]#W http://h/p[http://h/p#%C3%A9]#%C3%A9 http://h/p[<http://h/|p#a-|b>]#a-b",
		},
		{"octets", nil, "\xe4 http://h/\xe4 \xe4", 0, "http://h/%E4[http://h/\xe4]"},
		{"an ID in a text", nil, "<12345@x>", 0, ""},
		{"an ID", article, "In article <abc@x> Ann (ann@x) wrote", 0, "news:abc@x[<abc@x>]"},
		{"an ID by its digits", article, "see <19931012.1234@x>", 0, "news:19931012.1234@x[<19931012.1234@x>]"},
		{"an ID by digits behind a letter", article, "see <abcd1234@x>", 0, "news:abcd1234@x[<abcd1234@x>]"},
		{"an ID behind a mail address", article, "<ann@example.org> in <1234@x>", 0, "news:1234@x[<1234@x>]"},
		{"a URL that looks like an ID", article, "see <news:12345@x>", 0, "news:12345@x[<news:12345@x>]"},
		{"an ID without a name", article, "see <@x> and article <@x>", 0, ""},
		{"a mail address", article, "Ann <ann@example.org> writes", 0, ""},
		{"an ID of a server", server, "Message-ID: <abc@x>", 0, "news://news.example.org/abc@x[<abc@x>]"},
		{"an ID in a header", article, "From: <12345@x>", protocols.Header, ""},
		{"an article by its number", article, "nntp:a.b/7", 0, "nntp:a.b/7[nntp:a.b/7]"},
		{
			"an article of the server",
			urlcore.NNTP{HostPort: urlcore.HostPort{Host: "h"}, Group: "a.b"},
			"<nntp:a.b/7>", 0, "nntp://h/a.b/7[<nntp:a.b/7>]",
		},
		{
			"IDs between URLs", article, "http://h/ <1@x> <news:b@x> <2@x>", 0,
			"http://h/[http://h/] news:1@x[<1@x>] news:b@x[<news:b@x>] news:2@x[<2@x>]",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			head := protocols.Head{URL: tt.page, Media: protocols.MediaArticle}
			if tt.page == nil {
				head.Media = "text/plain"
			}
			lines := strings.Split(tt.text, "\n")
			links, open := TextLinks(&head, &protocols.Line{Kind: tt.kind, Text: lines[0]}, lineOf(lines))
			var got []string
			for _, l := range links {
				text := lines[0][l.Start:]
				for k := 1; k <= l.EndLine; k++ {
					text += "|" + lines[k]
				}
				text = text[:len(text)-len(lines[l.EndLine])+l.End]
				if l.EndLine == 0 {
					text = lines[0][l.Start:l.End]
				}
				s := fmt.Sprintf("%s[%s]", l.URL, text)
				if l.Fragment != "" {
					s += "#" + l.Fragment
				}
				for k, u := range l.Readings {
					s += []string{"", " "}[min(k, 1)] + "or " + u.String()
				}
				got = append(got, s)
			}
			fetchtest.Equal(t, strings.Join(got, " "), tt.want)
			if open && len(lines) > 1 {
				t.Error("open is true, want false: all lines have been read")
			}
		})
	}
}

func lineOf(lines []string) func(int) (string, bool) {
	return func(k int) (string, bool) {
		if k < 0 || k >= len(lines) {
			return "", false
		}
		return lines[k], true
	}
}

// TestOpenTextLinks checks that lines with an unclosed angle bracket or a URL at the end are reported as open, because
// the next line may change their links.
func TestOpenTextLinks(t *testing.T) {
	for text, want := range map[string]bool{
		"a <URL:gopher://h/": true, "a <": true, "> <http:": true,
		"http://h/a": true, "see http://h/a-": true, "> http://h/a": true, "URL:http://h/a": true,
		"see http://h/a": false, "http://h/a b": false,
		"a": false, "a < b": false, "a <b>": false, "<URL:gopher://h/>": false,
	} {
		if _, open := TextLinks(&protocols.Head{}, &protocols.Line{Text: text}, lineOf([]string{text})); open != want {
			t.Errorf("TextLinks(%q): open is %v, want %v", text, open, want)
		}
	}
}

func TestContinuesOnNextLine(t *testing.T) {
	for line, want := range map[string]bool{"a": true, "> a": true, "": false, " ": false, "> ": false, "a>": false, "<": false} {
		fetchtest.Equal(t, ContinuesOnNextLine(line), want, "ContinuesOnNextLine(%q)", line)
	}
}

func FuzzTextLinks(f *testing.F) {
	f.Add("> <URL:gopher://h/\n> a> <1@x>")
	f.Add("a <\n\n>")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		head := protocols.Head{URL: urlcore.News{Group: "a"}, Media: protocols.MediaArticle}
		links, _ := TextLinks(&head, &protocols.Line{Text: lines[0]}, lineOf(lines))
		at := 0
		for _, l := range links {
			if l.Start < at || l.EndLine >= len(lines) || l.End > len(lines[l.EndLine]) || l.EndLine == 0 && l.End <= l.Start {
				t.Fatalf("TextLinks(%q): got the link %+v, want it inside the lines and not before octet %d", text, l, at)
			}
			if l.EndLine == 0 {
				at = l.End
			} else {
				at = len(lines[0])
			}
		}
	})
}
