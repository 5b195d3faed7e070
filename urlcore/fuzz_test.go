package urlcore

import (
	"strings"
	"testing"
)

// parsers returns a parser for each mode and dialect.
func parsers() []Parser {
	var p []Parser
	for d := RFC1738; d <= Draft199403; d++ {
		for _, strict := range []bool{false, true} {
			p = append(p, Parser{Dialect: d, Strict: strict, NewsHost: "news.example.org", Readings: d == RFC1738})
		}
	}
	return p
}

// checkCanonical checks that parsing the text of u gives u again.
func checkCanonical(t *testing.T, u URL) {
	t.Helper()
	text := u.String()
	if g, ok := u.(Generic); ok && schemeOf(g.Name) != nil && schemeOf(g.Name).recent {
		// Only a Parser for a draft parses these URLs as Generic.
		if p, err := (Parser{Dialect: Draft199403}).Parse(text); err != nil || p.URL != u {
			t.Fatalf("Parse(%q) = %#v, %v, want %#v", text, p.URL, err, u)
		}
		return
	}
	v, err := Parse(text)
	if err != nil || v != u {
		t.Fatalf("Parse(%q) = %#v, %v, want %#v", text, v, err, u)
	}
	if c, err := Canon(u); err != nil || c != u {
		t.Fatalf("Canon(%#v) = %#v, %v, want the same", u, c, err)
	}
	checkParts(t, u)
	if g, err := Guess(text); err == nil && g != u && bareSchemeLength(text) > 0 {
		t.Fatalf("Guess(%q) = %#v, want %#v", text, g, u)
	}
}

func FuzzParse(f *testing.F) {
	for _, v := range readVectors(f) {
		if v.Context == "full" && len(v.Input) < 1000 {
			f.Add(v.Input)
		}
	}
	for _, s := range []string{
		"ftp:///joe:pw@h/", "file://localhost:/a", "x-y:", "wais://h/d/t?q", "nntp://h/a.b/", "snews://h:119/%FF@b",
		"news:///a.%FF", "nntps://h/*",
		"news:a.b?from=x&since=2020-02-29", "nntp://h/a?message-id=x%40y&subject=%C3%BC", "news:a?b%40c", "snews://h/a?before=2020-01-01&from=",
		"gophers://h/7a%09b", "ftps://u:p@h:21/a;type=d",
		"z39.50r://h/a+b%2B?d%2F;esn=F;rs=x+1.2", "z39.50s://h/a;search=title=a%26&b;record=2", "z39.50s://h;scan=%3B",
		"ldap://h/cn=a%5C,b?cn,x?SUB?(cn=%2A)?!e-bindname=a%2cb,x", "ldaps:///???", "ldap://h?a", "ldap://h/??base??#f",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if masked := MaskPassword(s); len(masked) != len(s) || MaskPassword(masked) != masked {
			t.Fatalf("MaskPassword(%q) = %q; MaskPassword of this = %q, want the same", s, masked, MaskPassword(masked))
		}
		for _, p := range parsers() {
			parsed, err := p.Parse(s)
			if err != nil {
				e := err.(*Error)
				if e.Category == "" || e.Reason == "" || e.Offset < 0 || e.Offset > len(s) || e.Input != s {
					t.Fatalf("Parse(%q): bad error %#v", s, e)
				}
				continue
			}
			u := parsed.URL
			checkCanonical(t, u)
			_ = parsed.Warnings.Names()
			if up, ok := Up(u); ok {
				checkCanonical(t, up)
			}
			checkCanonical(t, Redact(u))
			if p.Strict && !(p.Dialect == Draft199310 && strings.Trim(s, " ") != s) {
				p.Strict = false
				if lenient, err := p.Parse(s); err != nil || lenient != parsed {
					t.Fatalf("%v: Parse(%q) = %#v strictly, %#v, %v leniently", p.Dialect, s, parsed, lenient, err)
				}
			}
		}
	})
}

func FuzzExtract(f *testing.F) {
	for _, v := range readVectors(f) {
		if v.Context == "text" {
			f.Add(v.Input)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range parsers() {
			end := 0
			for _, found := range p.Extract(s) {
				if found.Start < end || found.End <= found.Start || found.End > len(s) {
					t.Fatalf("Extract(%q) found a URL at %d to %d, want it after %d", s, found.Start, found.End, end)
				}
				end = found.End
				if !MayContainURL(s) {
					t.Fatalf("MayContainURL(%q) is false, but Extract finds %v", s, found.URL)
				}
				checkCanonical(t, found.URL)
				for _, a := range found.Alternatives {
					checkCanonical(t, a)
				}
			}
		}
	})
}

func FuzzResolve(f *testing.F) {
	for _, v := range readVectors(f) {
		if v.Context == "partial" && v.Base != nil {
			f.Add(*v.Base, v.Input)
		}
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		for _, p := range parsers() {
			b, err := p.Resolve(nil, base)
			if err != nil {
				continue
			}
			r, err := p.Resolve(b.URL, ref)
			if err != nil {
				if e := err.(*Error); e.Offset < 0 || e.Offset > len(ref) || e.Input != ref {
					t.Fatalf("Resolve(%s, %q): bad error %#v", b.URL, ref, e)
				}
				continue
			}
			checkCanonical(t, r.URL)
			if full, err := (Parser{}).Resolve(b.URL, r.URL.String()); err != nil || full.URL != r.URL {
				t.Fatalf("Resolve(%s, %s) = %v, %v, want the full URL unchanged", b.URL, r.URL, full.URL, err)
			}
		}
	})
}

func FuzzGuess(f *testing.F) {
	for _, s := range []string{
		"gopher.example.org:70/0/a", "comp.lang.go", "<a@b>", "a@b", "~/x", "/a b", "h:/p", "[::1]:1", "::1", "a:1/b",
		"news.a.b/c.d", "joe@h/x", "*", "<URL:x:\ny>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		found, err := guess(s, "/home")
		if err == nil {
			for _, u := range append(found.Alternatives, found.URL) {
				checkCanonical(t, u)
			}
			return
		}
		if e := err.(*Error); e.Category == "" || e.Offset < 0 || e.Offset > len(s) || e.Input != s {
			t.Fatalf("guess(%q): bad error %#v", s, e)
		}
	})
}

// FuzzNative builds URLs from octets and checks that the URLs contain these octets.
func FuzzNative(f *testing.F) {
	f.Add("gopher.example.org", uint16(70), byte('0'), "/a b\xff%?#", "search\x00", "+text/plain")
	f.Add("192.0.2.1", uint16(21), byte('d'), "a/b;type=i", "..", "")
	f.Add("h", uint16(0), byte('1'), "a@b", "a\r\nb", "+\t1\r\n+-1\r\na\tb\r\n.\r\n")
	f.Add("H.", uint16(1), byte(0), "comp.lang.c++", "<x@y>", "?")
	f.Fuzz(func(t *testing.T, host string, port uint16, typ byte, a, b, c string) {
		h := HostPort{Host: host, Port: port}
		login := Server{HostPort: h, User: a, HasUser: true, Password: b, HasPassword: true}
		canonical := func(u URL) URL {
			v, err := Canon(u)
			if err != nil {
				return nil
			}
			checkCanonical(t, v)
			return v
		}
		if u, ok := canonical(Gopher{HostPort: h, Selector: a, Search: b, Plus: c, Type: typ, HasSearch: true, HasPlus: true, Secure: port&1 != 0}).(Gopher); ok && (u.Selector != a ||
			u.Search != b || u.Plus != c) {
			t.Fatalf("Canon returns %#v, want the octets %q %q %q", u, a, b, c)
		}
		if u, err := NewGopherItem(typ, a, host, port); err == nil {
			checkCanonical(t, u)
		}
		if u, err := NewFTP(login, []string{a, b}, c, typ); err == nil {
			checkCanonical(t, u)
			cwds := u.CWDs()
			if len(cwds) != 2 || cwds[0] != a || cwds[1] != b || u.Name() != c || u.User != a || u.Password != b {
				t.Fatalf("NewFTP(%q, %q, %q) = %#v", a, b, c, u)
			}
		}
		if u, err := NewFile(host, []string{a, b}, c); err == nil {
			checkCanonical(t, u)
			if s := u.Segments(); len(s) != 3 || s[0] != a || s[1] != b || s[2] != c {
				t.Fatalf("NewFile(%q, %q, %q) = %#v", a, b, c, u)
			}
		}
		if u, err := NewProspero(h, a, [][2]string{{b, c}, {c, a}}); err == nil {
			checkCanonical(t, u)
			if v := u.FieldValues(); u.Object != a || len(v) != 2 || v[0] != [2]string{b, c} || v[1] != [2]string{c, a} {
				t.Fatalf("NewProspero(%q, %q, %q) = %#v", a, b, c, u)
			}
		}
		canonical(Telnet{"tn3270", login})
		canonical(News{MessageID: a})
		canonical(News{Group: a})
		canonical(News{Group: a, Search: b})
		canonical(News{HostPort: h, Group: a, Search: NewsSearch{b, "", c}.String()})
		if u, ok := canonical(NNTP{HostPort: h, Group: "a", Search: NewsSearch{a, b, c}.String()}).(NNTP); ok {
			if s := SearchOf(u); s[0] != strings.Join(strings.Fields(a), " ") || s[1] != strings.Join(strings.Fields(b), " ") {
				t.Fatalf("SearchOf(%#v) = %q, want the words %q %q", u, s, a, b)
			}
		}
		canonical(News{HostPort: h, MessageID: a, Secure: true})
		canonical(News{HostPort: h, Group: a, Secure: true})
		canonical(NNTP{HostPort: h, Group: a, Article: uint64(port), HasArticle: true, Secure: typ&1 != 0})
		canonical(Mailto{Address: a})
		canonical(WAIS{HostPort: h, Database: a, Search: b, HasSearch: true})
		if u, ok := canonical(WAIS{HostPort: h, Database: a, Type: b, Document: c, HasDocument: true}).(WAIS); ok && (u.Database != a ||
			u.Type != b || u.Document != c) {
			t.Fatalf("Canon returns %#v, want the octets %q %q %q", u, a, b, c)
		}
		canonical(HTTP{h, "/" + a, b, true, false, ""})
		canonical(HTTP{h, "/" + a, b, true, true, ""})
		canonical(HTTP{h, "/" + a, b, true, false, "gemini"})
		canonical(FTP{Server: login, Path: c})
		canonical(FTP{Server: login, Path: c, Secure: true})
		canonical(Prospero{h, a, b})
		canonical(Generic{a, b})
	})
}

// TestEveryOctetEverywhere puts each octet, unchanged and escaped, at each position of a URL of
// each scheme.
func TestEveryOctetEverywhere(t *testing.T) {
	for _, s := range []string{
		"gopher://h.a:70/1a%09b%09c", "http://h.a:80/a?b#c", "https://h.a/a?b", "ftp://u:p@h.a:21/a/b;type=i",
		"news:a.b", "news:a@b.c", "nntp:a.b/1", "nntp://h.a:1/a.b/1", "news:a?from=b&since=2020-01-02",
		"nntp://h.a/a?subject=b",
		"telnet://u:p@h.a:1/", "mailto:a@b.c", "wais://h.a:1/d?s", "wais://h.a:1/d/t/p", "file://h.a/a",
		"prospero://h.a:1/a;b=c", "x-y:z", "x-y://u:p@h.a:1/z",
		"gophers://h.a:1/1a%09b", "ftps://u:p@h.a:1/a/b;type=i", "snews://h.a:1/*", "snews://h.a:1/a@b",
		"nntps://h.a:1/a.b/1", "news://h.a:1/a.b", "nntp://h.a/", "URL:mid:a@b.c",
	} {
		for c := range 256 {
			for i := 0; i <= len(s); i++ {
				for _, o := range []string{string([]byte{byte(c)}), escape(string([]byte{byte(c)}), 0)} {
					in := s[:i] + o + s[i:]
					for _, p := range parsers() {
						parsed, err := p.Parse(in)
						if err == nil {
							checkCanonical(t, parsed.URL)
						}
					}
				}
			}
		}
	}
}

// TestLongInputs checks that texts of 64 KiB are parsed or refused.
func TestLongInputs(t *testing.T) {
	const n = 64 << 10
	for _, head := range []string{
		"", "URL:", "<", "gopher://", "gopher://h/0", "http://h/", "http://h/?", "ftp://", "ftp://h/", "news:",
		"nntp://h/", "mailto:", "mailto:\"",
		"wais://h/", "wais://h/d/t/", "prospero://h/", "file:///", "telnet://", "x:", "x://",
	} {
		for _, unit := range []string{
			"a", "/", "%", "%41", "%FF", "\xff", "é", " ", ";", ";x=1", "1=a;", ":", "@", "?", "#", ".", "a.", "[", "1",
			"-", "\\", "\"", "<", "URL:", "../", "+",
		} {
			s := head + strings.Repeat(unit, n/len(unit))
			for _, p := range parsers() {
				if parsed, err := p.Parse(s); err == nil {
					_ = parsed.URL.String()
				}
			}
		}
	}
}
