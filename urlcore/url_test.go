package urlcore

import (
	"errors"
	"strings"
	"testing"
)

// TestParseErrors checks the categories and offsets of errors.
func TestParseErrors(t *testing.T) {
	for _, tt := range []struct {
		in       string
		category Category
		offset   int
	}{
		{"", Empty, 0},
		{"  ", Empty, 2},
		{"http://a/\x00", IllegalChar, 9},
		{"http://a b/", IllegalChar, 8},
		{"http://a/b c\x00", IllegalChar, 12},
		{"http://a/%4", BadEscape, 9},
		{"/a:b", NoScheme, 0},
		{"a_b:c", BadScheme, 1},
		{"gopher:a", BadPath, 7},
		{"x-y:", Empty, 4},
		{"gopher://j@a/", UserinfoNotAllowed, 10},
		{"gopher://a$b/", BadHost, 10},
		{"gopher://a.-b/", BadHost, 11},
		{"gopher://a:0/", BadPort, 11},
		{"gopher://a:7x/", BadPort, 12},
		{"gopher://a/0b%0D", IllegalOctet, 13},
		{"ftp://a/b/c%0a", IllegalOctet, 11},
		{"telnet://a:b%0d@c/", IllegalOctet, 12},
		{"news:a%0Ab", IllegalOctet, 6},
		{"ftp://a/b;type=q", BadType, 15},
		{"nntp://a/b/c", BadArticle, 11},
		{" telnet://a/b", BadPath, 12},
		{"http://fe80::1/", BadHost, 7},
		{"https:a", BadPath, 6},
		{"wais://h//d?q", BadPath, 10},
		{"https://j@a/", UserinfoNotAllowed, 9},
	} {
		_, err := Parse(tt.in)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("Parse(%q) = %v, want an *Error", tt.in, err)
			continue
		}
		if e.Category != tt.category || e.Offset != tt.offset || e.Input != tt.in {
			t.Errorf("Parse(%q) = %s at %d of %q, want %s at %d", tt.in, e.Category, e.Offset, e.Input, tt.category, tt.offset)
		}
	}
}

// TestErrorKeepsSecrets checks that the text of an error does not contain a password.
func TestErrorKeepsSecrets(t *testing.T) {
	for _, in := range []string{
		"ftp://jo:hunter2@a$b/", "http://jo:hunter2@a/", "ftp://jo:hunter2@a:x/", "ftp://jo:hunter2 @a/", "ftp://jo:hunter2%0A@a/",
	} {
		_, err := Parse(in)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Parse(%q) = %v, want an error without the password", in, err)
		}
	}
}

func TestCanon(t *testing.T) {
	h := HostPort{Host: "H.example.org.", Port: 70}
	for _, tt := range []struct {
		in   URL
		want string
		err  Category
	}{
		{Gopher{HostPort: h}, "gopher://h.example.org/1", ""},
		{Gopher{HostPort: h, Type: '0', Plus: "+", HasPlus: true}, "gopher://h.example.org/0%09%09+", ""},
		{Gopher{HostPort: h, Type: '0', Plus: "+"}, "", IllegalOctet},
		{Gopher{HostPort: HostPort{Host: "[::1]"}}, "gopher://[::1]/1", ""},
		{Gopher{HostPort: HostPort{Host: "2001:DB8::1"}}, "gopher://[2001:db8::1]/1", ""},
		{Gopher{HostPort: HostPort{Host: "x::1]"}}, "", BadHost},
		{Gopher{HostPort: h, Type: 7}, "", BadGtype},
		{Gopher{HostPort: h, Selector: "a\tb"}, "", IllegalOctet},
		{Gopher{}, "", BadHost},
		{Gopher{HostPort: h, Secure: true}, "gophers://h.example.org/1", ""},
		{FTP{Server: Server{HostPort: HostPort{"h", 990}}, Secure: true}, "ftps://h/", ""},
		{News{Group: "a.b", Secure: true}, "", BadHost},
		{News{HostPort: HostPort{"h", 563}, Group: "a.b", Secure: true}, "nntps://h/a.b", ""},
		{Generic{"gophers", "//a/1"}, "", BadScheme},
		{FTP{Server: Server{HostPort: h}, Path: "a b/%41;", Type: 'I'}, "ftp://h.example.org:70/a%20b/A%3B;type=i", ""},
		{FTP{Server: Server{HostPort: h}, Path: "%"}, "", BadEscape},
		{FTP{Server: Server{HostPort: h, HasPassword: true}}, "", Unrepresentable},
		{FTP{Server: Server{HostPort: h, User: "x"}}, "", BadUser},
		{News{}, "", BadGroup},
		{News{Group: "a", MessageID: "a@b"}, "", BadArticle},
		{News{MessageID: "<a@b>"}, "news:a@b", ""},
		{News{HostPort: h, MessageID: "<a@b>"}, "news://h.example.org:70/a@b", ""},
		{News{HostPort: h, Group: "*"}, "news://h.example.org:70/*", ""},
		{News{HostPort: h, Group: "a.b"}, "nntp://h.example.org:70/a.b", ""},
		{News{HostPort: HostPort{Port: 119}, Group: "a.b"}, "", BadHost},
		{NNTP{HostPort: h, Group: "a.b", Article: 1}, "", BadArticle},
		{NNTP{Group: "a.b", Article: 1, HasArticle: true}, "nntp:a.b/1", ""},
		{NNTP{Group: "a.b", Article: 1, HasArticle: true, Secure: true}, "", BadHost},
		{NNTP{HostPort: HostPort{Port: 119}, Group: "a.b", Article: 1, HasArticle: true}, "", BadHost},
		{NNTP{Group: "a.b"}, "", BadHost},
		{NNTP{HostPort: h, Group: "a.b", Article: 1 << 63, HasArticle: true}, "", BadArticle},
		{HTTP{HostPort: h}, "http://h.example.org:70/", ""},
		{HTTP{HostPort: h, Path: "a"}, "", BadPath},
		{HTTP{HostPort: h, Secure: true}, "https://h.example.org:70/", ""},
		{HTTP{HostPort: HostPort{"h", 443}, Secure: true}, "https://h/", ""},
		{HTTP{HostPort: h, Name: "gemini"}, "gemini://h.example.org:70/", ""},
		{HTTP{HostPort: h, Name: "spartan"}, "spartan://h.example.org:70/", ""},
		{HTTP{HostPort: h, Name: "spartan", Secure: true}, "", BadScheme},
		{HTTP{HostPort: h, Name: "ftp"}, "", BadScheme},
		{Generic{"https", "//h/"}, "", BadScheme},
		{Telnet{Server: Server{HostPort: h}}, "telnet://h.example.org:70/", ""},
		{Telnet{Name: "ssh", Server: Server{HostPort: h}}, "", BadScheme},
		{Mailto{}, "", BadAddress},
		{WAIS{HostPort: h, HasSearch: true, HasDocument: true}, "", BadPath},
		{File{Host: "LOCALHOST", Path: "a"}, "file:///a", ""},
		{File{Path: "%zz"}, "", BadEscape},
		{Prospero{HostPort: h, Object: "a", Fields: "x=1"}, "", BadPath},
		{Prospero{HostPort: h, Object: "a", Fields: ";x=/"}, "prospero://h.example.org:70/a;x=%2F", ""},
		{Generic{"X-a", "b c"}, "x-a:b%20c", ""},
		{Generic{"gopher", "//a/"}, "", BadScheme},
		{Generic{"a:b", "c"}, "", BadScheme},
		{Generic{"a", "b#c"}, "", IllegalChar},
		{Generic{"a", ""}, "", Empty},
		{nil, "", Unrepresentable},
	} {
		u, err := Canon(tt.in)
		if tt.err != "" {
			if e, ok := errors.AsType[*Error](err); !ok || e.Category != tt.err {
				t.Errorf("Canon(%#v) = %v, %v, want %s", tt.in, u, err, tt.err)
			}
			continue
		}
		if err != nil || u.String() != tt.want {
			t.Errorf("Canon(%#v) = %v, %v, want %s", tt.in, u, err, tt.want)
			continue
		}
		if v, err := Parse(u.String()); err != nil || v != u {
			t.Errorf("Parse(%q) = %#v, %v, want %#v", u, v, err, u)
		}
	}
}

func TestGuess(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"gopher.example.org", "gopher://gopher.example.org/1"},
		{" Example.org ", "gopher://example.org/1"},
		{"localhost", "gopher://localhost/1"},
		{"example.org:7070", "gopher://example.org:7070/1"},
		{"localhost:7070/0/x", "gopher://localhost:7070/0/x"},
		{"example.org/phlogs", "gopher://example.org/1/phlogs"},
		{"example.org/1/phlogs", "gopher://example.org/1/phlogs"},
		{"192.0.2.1", "gopher://192.0.2.1/1"},
		{"192.0.2.1:21", "ftp://192.0.2.1/"},
		{"192.0.2.1:2628", "dict://192.0.2.1"},
		{"192.0.2.1:79", "finger://192.0.2.1"},
		{"192.0.2.1:43", "whois://192.0.2.1"},
		{"2001:db8::1", "gopher://[2001:db8::1]/1"},
		{"[2001:db8::1]:7070/0x", "gopher://[2001:db8::1]:7070/1/0x"},
		{"ftp.example.org", "ftp://ftp.example.org/"},
		{"ftp.example.org/pub/", "ftp://ftp.example.org/pub/"},
		{"example.org:/pub/x", "ftp://example.org/pub/x"},
		{"nas:/pub/x y", "ftp://nas/pub/x%20y"},
		{"gopher.example.org/0/a b", "gopher://gopher.example.org/0/a%20b"},
		{"gopher.example.org/0/a\tb", "!illegal-char"},
		{"a b/c", "!illegal-char"},
		{"joe@ftp.example.org/x", "ftp://joe@ftp.example.org/x"},
		{"joe@example.org:/x", "ftp://joe@example.org/x"},
		{"joe@ftp.example.org", "ftp://joe@ftp.example.org/"},
		{"www.example.com/a?b", "http://www.example.com/a?b"},
		{"example.com:8080", "http://example.com:8080/"},
		{"news.example.org/comp.lang.misc", "nntp://news.example.org/comp.lang.misc"},
		{"news.example.org", "news://news.example.org/*"},
		{"nntp:comp.lang.go/12", "nntp:comp.lang.go/12"},
		{"comp.lang.go", "news:comp.lang.go"},
		{"comp.lang.c++", "news:comp.lang.c++"},
		{"alt.folklore.computers", "news:alt.folklore.computers"},
		{"de.comp.os.unix", "news:de.comp.os.unix"},
		{"talk.example.com", "gopher://talk.example.com/1"},
		{"*", "news:*"},
		{"about:", "about:about"},
		{"<9404.AA01@mail.example.com>", "news:9404.AA01@mail.example.com"},
		{"9404.AA01@mail.example.com", "news:9404.AA01@mail.example.com"},
		{"jane.doe@example.org", "mailto:jane.doe@example.org"},
		{"/tmp/a b%20#c", "file:///tmp/a%20b%2520%23c"},
		{"~/notes", "file:///home/jo/notes"},
		{"~", "file:///home/jo"},
		{"<URL:gopher://h/1>", "gopher://h/1"},
		{"<URL:gopher://h\n/1>", "gopher://h/1"},
		{"URL:gopher://h/1", "gopher://h/1"},
		{"gopher://h/1#x", "gopher://h/1"},
		{"gopher://a$b/", "!bad-host"},
		{"gopher:h", "!bad-path"},
		{"http://h/a b", "http://h/a%20b"},
		{"https://h", "https://h/"},
		{"example.com:443/a", "https://example.com/a"},
		{"x-note:alpha", "x-note:alpha"},
		{"tel:5551234", "tel:5551234"},
		{"nfs:/p", "nfs:/p"},
		{"AFS:/x", "afs:/x"},
		{"x500:/c=us", "x500:/c=us"},
		{"z39.50:/h", "z39.50:/h"},
		{"gemini:/x", "!bad-path"},
		{"cso:h", "!bad-path"},
		{"cso://h/a%0D%0Aquit", "!illegal-octet"},
		{"gemini:1965", "!bad-path"},
		{"gopher//h.example/0/a b", "gopher://h.example/0/a%20b"},
		{"FTP//joe@h.example", "ftp://joe@h.example/"},
		{"nfs//h/p", "nfs://h/p"},
		{"gopher//a$b/", "!bad-host"},
		{"nas//p", "gopher://nas/1//p"},
		{"@example.org", "!userinfo-not-allowed"},
		{"mailto:a@h?subject=x", "mailto:a@h?subject=x"},
		{"h:99999", "h:99999"},
		{"h:0", "h:0"},
		{"d:e", "d:e"},
		{"", "!empty"},
		{"hello world", "!illegal-char"},
		{"a$b", "!bad-host"},
		{"./x", "!bad-host"},
		{"<", "!bad-host"},
	} {
		got := ""
		found, err := guess(tt.in, "/home/jo/")
		if e, ok := errors.AsType[*Error](err); ok {
			got = "!" + string(e.Category)
			if e.Input != tt.in || e.Offset < 0 || e.Offset > len(tt.in) {
				t.Errorf("guess(%q): the error has the input %q and the offset %d", tt.in, e.Input, e.Offset)
			}
		} else {
			got = found.URL.String()
		}
		if got != tt.want {
			t.Errorf("guess(%q) = %q, want %q (%v)", tt.in, got, tt.want, err)
		}
	}
}

func TestGopherItem(t *testing.T) {
	for _, in := range []string{
		"gopher://h/0/a", "gopher://h:7070/1", "telnet://h/", "telnet://j@h:70/", "tn3270://j@h/", "http://h/a",
		"rlogin://h/", "telnet://j:p@h/", "news:a.b", "gophers://h/1", "ftps://h/",
		"telnet://a%09e.example%0970@h/", "tn3270://a%09b@h/", "telnet://a%00@h/", "gopher://h/7a%09words",
	} {
		u, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		typ, selector, host, port := GopherItem(u)
		if host == "" {
			host, port = "menu.example.org", 70
		}
		if v, err := NewGopherItem(typ, selector, host, port); err != nil || v != u {
			t.Errorf("NewGopherItem(GopherItem(%s)) = %v, %v, want the same", in, v, err)
		}
	}
}

// TestWebItem checks the URLs of items of type h whose selectors are requests of HTTP.
func TestWebItem(t *testing.T) {
	for _, tt := range []struct {
		typ      byte
		selector string
		host     string
		port     uint16
		want     string
	}{
		{'h', "GET /", "H.example", 80, "http://h.example/"},
		{'h', "GET /~jo/a.html?x=1", "h.example", 8080, "http://h.example:8080/%7Ejo/a.html?x=1"},
		{'h', "GET /a b%20c", "h.example", 70, "http://h.example:70/a%20b%20c"},
		{'h', "GET /a HTTP/1.0", "h.example", 80, "http://h.example/a"},
		{'h', "/GET /a", "::1", 80, "http://[::1]/a"},
		{'h', "GET http://w.example/b", "proxy.example", 3128, "http://w.example/b"},
		{'h', "GET //a", "h.example", 80, "http://h.example//a"},
		{'h', "GET /%zz", "h.example", 80, "gopher://h.example:80/hGET%20/%25zz"},
		{'h', "GET news:a.b", "h.example", 70, "gopher://h.example/hGET%20news:a.b"},
		{'h', "GET", "h.example", 70, "gopher://h.example/hGET"},
		{'h', "/get /a", "h.example", 70, "gopher://h.example/h/get%20/a"},
		{'0', "GET /a", "h.example", 80, "gopher://h.example:80/0GET%20/a"},
	} {
		if u, err := NewGopherItem(tt.typ, tt.selector, tt.host, tt.port); err != nil || u.String() != tt.want {
			t.Errorf("NewGopherItem(%c, %q, %s, %d) = %v, %v; want %s", tt.typ, tt.selector, tt.host, tt.port, u, err, tt.want)
		}
	}
}

func checkParts(t testing.TB, u URL) {
	t.Helper()
	text := u.String()
	end := 0
	for _, p := range Parts(u) {
		if p.Start != end || p.End > len(text) || text[p.Start:p.End] != p.Text || p.Text == "" && p.Name == "delimiter" {
			t.Fatalf("Parts(%s): %q is at %d to %d, want %d", text, p.Text, p.Start, p.End, end)
		}
		if p.Name == "" || p.Rule == "" || p.Meaning == "" {
			t.Fatalf("Parts(%s): %+v lacks a name, rule or meaning", text, p)
		}
		if unescape(p.Text) != p.Value && p.Name != "host" {
			t.Fatalf("Parts(%s): %q has the value %q, want %q", text, p.Text, p.Value, unescape(p.Text))
		}
		end = p.End
	}
	if end != len(text) {
		t.Fatalf("Parts(%s) end at %d of %d", text, end, len(text))
	}
}

// TestErrorQuotesCharacters checks that an error quotes the illegal character, unless it is a
// control character or invalid.
func TestErrorQuotesCharacters(t *testing.T) {
	for in, want := range map[string]string{
		"~": `"~"`, "\u00e9": "\"\u00e9\"", "\u0080": "not ASCII", "\u009f": "not ASCII", "\u00a0": "\u00a0",
		"\xff": "not ASCII",
	} {
		if _, err := (Parser{Strict: true}).Parse("http://h/" + in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(http://h/%s) = %v, want %s in the error", in, err, want)
		}
	}
}

// TestDraftOctets checks that octets that are not UTF-8 are unchanged, even in a draft of 1993.
func TestDraftOctets(t *testing.T) {
	p, err := (Parser{Dialect: Draft199310}).Parse("gopher://h/0\xff\u00e9\u00ff")
	if g, ok := p.URL.(Gopher); !ok || g.Selector != "\xff\xe9\xff" {
		t.Errorf("Parse returns %#v, %v, want the octets ff e9 ff", p.URL, err)
	}
}
