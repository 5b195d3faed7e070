package urlcore

import "testing"

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"ftp://jo:secret@h/a;type=i": "ftp://jo@h/a;type=i",
		"telnet://jo:@h/":            "telnet://jo:@h/", // an empty password is no secret
		"ftp://jo:@h/x":              "ftp://jo:@h/x",
		"sftp://jo:@h/x":             "sftp://jo:@h/x",
		"sftp://jo:secret@h:2222/a":  "sftp://jo@h:2222/a",
		"ftps://jo:secret@h/a":       "ftps://jo@h/a",
		"sftp://jo@h/a":              "sftp://jo@h/a",
		"gopher://h/1":               "gopher://h/1",
		"x:jo:secret@h":              "x:jo:secret@h",
	} {
		u, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := Redact(u).String(); got != want {
			t.Errorf("Redact(%s) = %q, want %q", in, got, want)
		}
	}
}

// TestMaskPassword checks that each octet that may belong to a password becomes a star, and that
// the other octets keep their offsets.
func TestMaskPassword(t *testing.T) {
	for in, want := range map[string]string{
		"ftp://joe:pw@h/":           "ftp://joe:**@h/",
		"ftp:joe:pw@h/":             "ftp:joe:**@h/",
		"ftp:/joe:pw@h/":            "ftp:/joe:**@h/",
		"ftp:///joe:pw@h/":          "ftp:///joe:**@h/",
		"ftp:":                      "ftp:",
		"FTP:joe:pw@h/":             "FTP:joe:**@h/",
		"Telnet://joe:pw@h_/":       "Telnet://joe:**@h_/",
		"//joe:pw@h/":               "//joe:**@h/",
		"/joe:pw@h/":                "/joe:**@h/",
		"joe:pw@h/":                 "joe:**@h/",
		":pw@h":                     ":**@h",
		"joe:@h":                    "joe:@h",
		"ftp://:pw@h_":              "ftp://:**@h_",
		"ftp://joe:p@w@h_/":         "ftp://joe:***@h_/",
		"ftp://joe:p:w@h_/":         "ftp://joe:***@h_/",
		"ftp://joe:p/w@h/":          "ftp://joe:***@h/",
		"ftp://joe:p?#w@h/":         "ftp://joe:****@h/",
		"ftp://joe:p w@h/":          "ftp://joe:***@h/",
		"ftp://joe:p\xffw\x00@h/":   "ftp://joe:****@h/",
		"ftp://joe:é@h_/":           "ftp://joe:**@h_/",
		"ftp://joe:p%40w@h_/":       "ftp://joe:*****@h_/",
		"ftp://joe:pw%40h_/":        "ftp://joe:**%40h_/",
		"ftp://joe%3apw@h_/":        "ftp://joe%3a**@h_/",
		"ftp://joe%3Apw%40h_/":      "ftp://joe%3A**%40h_/",
		"ftp://joe%3@h_/":           "ftp://joe%3@h_/",
		"ftp://joe%@h_/":            "ftp://joe%@h_/",
		"URL:ftp:joe:pw@h/":         "URL:ftp:joe:**@h/",
		"url: URL: ftp://joe:pw@h/": "url: URL: ftp://joe:**@h/",
		"<URL:ftp:joe:pw@h/>":       "<URL:ftp:joe:**@h/>",
		" \t<ftp:joe:pw@h/":         " \t<ftp:joe:**@h/",
		"ftpp:joe:pw@h":             "ftpp:******@h",
		"git:pw@h":                  "git:**@h", // the scheme may be a user
		"xmpp:joe@h":                "xmpp:joe@h",
		"xmpp:joe:pw@h":             "xmpp:joe:**@h",
		"misfin://joe@h":            "misfin://joe@h",
		"misfin:joe@h":              "misfin:joe@h",
		"mailserver:joe@h/x":        "mailserver:joe@h/x",
		"x-y://joe:pw@h_":           "x-y://joe:**@h_",
		"ftps://joe:pw@h_/":         "ftps://joe:**@h_/",
		"ftps:joe:pw@h/":            "ftps:joe:**@h/",
		"joe:pw://x@h":              "joe:******@h",
		"news:joe:pw@h x":           "news:joe:**@h x",
		"news://joe:pw@h/":          "news://joe:**@h/",
		"nntp://joe:pw@h/a.b":       "nntp://joe:**@h/a.b",
		"mailto:joe:pw@h":           "mailto:joe:**@h",
		"gopher://h:7x/":            "gopher://h:7x/",
		"gopher://h/0a:%zz":         "gopher://h/0a:%zz",
		"http://joe@h/":             "http://joe@h/",
		"news:a b@h":                "news:a b@h",
		"":                          "",
	} {
		got := MaskPassword(in)
		if got != want {
			t.Errorf("MaskPassword(%q) = %q, want %q", in, got, want)
		}
		if len(got) != len(in) {
			t.Errorf("MaskPassword(%q) has %d octets, want %d", in, len(got), len(in))
		}
	}
}

// TestMaskPasswordParsed checks that only the password in the userinfo of a valid URL is masked.
func TestMaskPasswordParsed(t *testing.T) {
	for in, want := range map[string]string{
		"ftp://joe:pw@h/a:b@c":                    "ftp://joe:**@h/a:b@c",
		"ftp://joe:@h/a:b@c":                      "ftp://joe:@h/a:b@c",
		"ftp://joe:p%40w@h/a%3ab%40c":             "ftp://joe:*****@h/a%3ab%40c",
		"ftp://joe:2?w@h/":                        "ftp://joe:***@h/",
		"<URL:ftp://joe:pw@h/a:b@c>":              "<URL:ftp://joe:**@h/a:b@c>",
		"telnet://joe:pw@h:2323/":                 "telnet://joe:**@h:2323/",
		"smtp://joe:pw@h:587/a:b@c":               "smtp://joe:**@h:587/a:b@c",
		"ftp://joe%3apw@h/":                       "ftp://joe%3a**@h/", // the escaped colon is not part of the user name
		"ftp://joe:2#w@h/":                        "ftp://joe:***@h/",
		"form:ftp://joe:pw@h/?x":                  "form:************@h/?x",
		"about:compose/mail?ftp://joe:pw@h/":      "about:*************************@h/",
		"gopher://h:7070/00ftp:h@/pub/nosuch.txt": "gopher://h:7070/00ftp:h@/pub/nosuch.txt",
		"gopher://[::1]:7070/00ftp:h@/pub":        "gopher://[::1]:7070/00ftp:h@/pub",
		"127.0.0.1:7070/00ftp:127.0.0.1@/pub":     "127.0.0.1:7070/00ftp:127.0.0.1@/pub",
		"gopher.example.org/00ftp:h@/pub":         "gopher.example.org/00ftp:h@/pub",
		"gopher.example.org:70/00ftp:h@/pub":      "gopher.example.org:70/00ftp:h@/pub",
		"gopher://h/00ftp:h%40/pub":               "gopher://h/00ftp:h%40/pub",
		"ftp://h/a:b@c":                           "ftp://h/a:b@c",
		"file:///a:b@c":                           "file:///a:b@c",
		"http://h:8080/a?b=c:d@e":                 "http://h:8080/a?b=c:d@e",
		"nntp://h:1119/a.b/12":                    "nntp://h:1119/a.b/12",
		"news:1990.12:30@h":                       "news:1990.12:30@h",
		"mailto:a@b?subject=x:y@z":                "mailto:a@b?subject=x:y@z",
		"<joe:pw@h>":                              "<joe:**@h>",
		" gopher.example.org:70/0a:b@c":           " gopher.example.org:70/0a:b@c",
		"joe@ftp.example.org:21/a:b":              "joe@ftp.example.org:21/a:b",
		"ftp//joe:pw@h/a:b@c":                     "ftp//joe:**@h/a:b@c",
		" <Telnet//joe:pw@h":                      " <Telnet//joe:**@h",
		"gopher//h/0a:b@c":                        "gopher//h/0a:b@c",
		"ftp://joe:p w@h/a:b@c":                   "ftp://joe:*********@c", // invalid
		"gopher://joe:pw@h/0x":                    "gopher://joe:**@h/0x",  // also invalid
	} {
		if got := MaskPassword(in); got != want {
			t.Errorf("MaskPassword(%q) = %q, want %q", in, got, want)
		}
	}
}
