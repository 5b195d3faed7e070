package urlcore

import "testing"

// TestOtherGuesses checks that OtherGuesses returns the intended URL after a wrong guess.
func TestOtherGuesses(t *testing.T) {
	for _, tt := range []struct{ typed, want string }{
		{"h.example", "ftp://h.example/|news://h.example/*|news:h.example|"},
		{"localhost", "ftp://localhost/|news://localhost/*|"},
		{"192.0.2.1", "ftp://192.0.2.1/|news://192.0.2.1/*|"},
		{"2001:db8::1", "ftp://[2001:db8::1]/|news://[2001:db8::1]/*|"},
		{"lab.general", "ftp://lab.general/|news://lab.general/*|news:lab.general|"},
		{"ftp.h.example", "gopher://ftp.h.example/1|news://ftp.h.example/*|"},
		{"news.h.example", "gopher://news.h.example/1|ftp://news.h.example/|"},
		{"www.h.example", "gopher://www.h.example/1|ftp://www.h.example/|news://www.h.example/*|"},
		{"de.example.lab", "gopher://de.example.lab/1|"},
		{"comp.lang.go", ""},
		{"x.1@h.example", "mailto:x.1@h.example|"},
		{"joe@h.example", "news:joe@h.example|"},
		{"h.example/phlogs", ""},
		{"h.example:7070", ""},
		{"gophers://h.example/", ""},
		{"joe@ftp.h.example", ""},
		{"*", ""},
		{"/etc/motd", ""},
		{"htp://h.example/a?b", "http://h.example/a?b|ftp://h.example/a%3Fb|"},
		{"httpd://h.example/", "https://h.example/|http://h.example/|"},
		{"gohper://h.example/0/a", "gopher://h.example/0/a|"},
		{"gophr://h.example/", "gopher://h.example/1|"},
		{"ttps://h.example/", "https://h.example/|ftps://h.example/|"},
		{"ftpp://h.example/", "ftps://h.example/|ftp://h.example/|"},
		{"whoispp://h.example/x", "whois++://h.example/x|"},
		{"lapd://h.example/", "ldap://h.example/|"},
		{"frob://h.example/", ""},
		{"hpt://h.example/", ""},
		{"txy://h.example/", ""},
		{"xyp://h.example/", ""},
		{"xfp://h.example/", ""},
		{"news:general", ""},
		{"mid:a@b", ""},
		{"telmet://h.example/", "telnet://h.example/|"},
		{"sftp://h.example/", ""},
		{"fsp:h.example", ""},
		{"tftp://h.example/a", ""},
		{"h.invalid", "ftp://h.invalid/|news://h.invalid/*|"},
		{"gopher://h.example/", "ftp://h.example/|news://h.example/*|"},
		{"gopher//h.example", "ftp://h.example/|news://h.example/*|"},
		{"<URL:gopher://h.example/>", "ftp://h.example/|news://h.example/*|"},
		{"news:de.example.lab", ""},
		{"news:x.1@h.example", ""},
		{"mailto:joe@h.example", ""},
	} {
		u, err := Guess(tt.typed)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, a := range OtherGuesses(u, !NamesScheme(tt.typed)) {
			if canon, err := Canon(a.URL); err != nil || canon != a.URL || a.Text == "" || a.URL == u {
				t.Errorf("OtherGuesses(%s) contains %#v, want other canonical URLs with a text (%v)", u, a, err)
			}
			got += a.URL.String() + "|"
		}
		if got != tt.want {
			t.Errorf("OtherGuesses(Guess(%q) = %s) = %s, want %s", tt.typed, u, got, tt.want)
		}
	}
}

func TestWAISDatabases(t *testing.T) {
	for in, want := range map[string]string{
		"wais://h/a,b":            "wais://h/a%1Fb|wais://h/a|wais://h/b|",
		"wais://h:8/a,%20b?x%20y": "wais://h:8/a%1Fb?x%20y|wais://h:8/a?x%20y|wais://h:8/b?x%20y|",
		"wais://h/a%2Cb,c":        "wais://h/a%1Fb%1Fc|wais://h/a|wais://h/b|wais://h/c|",
		"wais://h/a":              "", "wais://h/a%20b": "", "wais://h/,": "", "wais://h/a,": "", "wais://h/a,b/TEXT/1=x;": "",
	} {
		u, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, a := range u.(WAIS).Alternatives() {
			if canon, err := Canon(a.URL); err != nil || canon != a.URL {
				t.Errorf("%s: %v is not canonical: %v", in, a.URL, err)
			}
			got += a.URL.String() + "|"
		}
		if got != want {
			t.Errorf("Alternatives of %s: %s; want %s", in, got, want)
		}
	}
}

func TestGopherWithoutItsType(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"gopher://h/about.txt", "gopher://h/0/about.txt|gopher://h/1/about.txt|gopher://h/1|"},
		{"gopher://h/phlog/2026", "gopher://h/1/phlog/2026|gopher://h/0/phlog/2026|gopher://h/1|"},
		{"gopher://h/0/about.txt", "gopher://h/1/about.txt|gopher://h/1|"},
		{"gopher://h/I/pic", "gopher://h/1/pic|gopher://h/1|"},
		{"gopher://h/hURL:http://x/", "http://x/|gopher://h/1|"},
		{"gopher://h:80/hGET%20/a", "http://h/a|gopher://h:80/1|"},
		{"gopher://h/0/a%09%09!", "gopher://h/0/a|gopher://h/1/a|gopher://h/1|"},
		{"gopher://h/7/a%09x%09+", "gopher://h/7/a%09x|gopher://h/1|"},
		{"gopher://h/1pub", "gopher://h/1|"},
	} {
		u, err := Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, a := range u.(Gopher).Alternatives() {
			got += a.URL.String() + "|"
		}
		if got != tt.want {
			t.Errorf("Alternatives of %s = %s, want %s", tt.url, got, tt.want)
		}
	}
	for typed, want := range map[string]string{
		"h.example/about.txt": "gopher://h.example/0/about.txt", "h.example/about.txt/": "gopher://h.example/1/about.txt/",
		"h.example/1/a.txt": "gopher://h.example/1/a.txt",
	} {
		if u, err := Guess(typed); err != nil || u.String() != want {
			t.Errorf("Guess(%q) = %v, %v, want %s", typed, u, err, want)
		}
	}
}
