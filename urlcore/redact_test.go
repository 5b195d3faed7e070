package urlcore

import "testing"

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"ftp://jo:secret@h/a;type=i": "ftp://jo@h/a;type=i",
		"telnet://jo:@h/":            "telnet://jo@h/",
		"sftp://jo:secret@h:22/a":    "sftp://jo@h:22/a",
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

// TestMaskPassword wants a star for each octet that could be of a password, and
// all else in its place.
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
		"x-y://joe:pw@h_":           "x-y://joe:**@h_",
		"ftps://joe:pw@h_/":         "ftps://joe:**@h_/",
		"ftps:joe:pw@h/":            "ftps:******@h/",
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
