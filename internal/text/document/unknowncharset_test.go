package document

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestUnknownCharsetInDocument checks that a note names a charset that a document itself declares and that is not known.
func TestUnknownCharsetInDocument(t *testing.T) {
	for _, tt := range []struct{ media, text, want string }{
		{"text/html", "<meta charset=klingon><p>caf\xe9", `"klingon"`},
		{"text/html", `<meta http-equiv=Content-Type content="text/html; charset=klingon"><p>caf`, `"klingon"`},
		{"text/html; charset=utf-8", "<meta charset=klingon><p>text", ""},
		{"text/html", "<meta charset=iso-8859-1><p>text", ""},
		{"application/xhtml+xml", `<?xml version="1.0" encoding="x-foo"?><html><p>text</p></html>`, `"x-foo"`},
		{"application/rss+xml", `<?xml version="1.0" encoding="x-foo"?><rss version="2.0"><channel><title>T</title></channel></rss>`, `"x-foo"`},
		{"application/rss+xml", `<?xml version="1.0" encoding="koi8-r"?><rss version="2.0"><channel><title>T</title></channel></rss>`, ""},
	} {
		d := fetchtest.Must(Open(protocols.Head{Media: tt.media, Size: -1}, strings.NewReader(tt.text)))(t)
		if got := strings.Join(d.Notes, "|"); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) ||
			strings.Count(got, "not known") > 1 {
			t.Errorf("%s: got the notes %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestUnknownCharset checks that a note names a declared charset that is not known.
func TestUnknownCharset(t *testing.T) {
	for media, want := range map[string]string{
		"text/plain; charset=x-foo": `"x-foo"`, "text/html; charset=x-foo": `"x-foo"`, "text/gemini; charset=\"x foo\x1b\"": `"x foo\x1b"`,
		"text/plain": "", "text/plain; charset=": "", "text/plain; charset=us-ascii": "",
		"text/plain; charset=UTF-8": "", "text/plain; charset=utf8": "",
		"text/plain; charset=iso-8859-15": "", "text/plain; charset=utf-16": "", "text/plain; charset=unknown-8bit": "",
		"text/plain; charset=x-user-defined": "", "text/plain; charset=ANSI_X3.4-1968": "",
		"text/plain; charset=utf-7": "", "text/plain; charset=cp437": "", "text/plain; charset=iso-8859-1": "",
	} {
		d := fetchtest.Must(Open(protocols.Head{Media: media, Size: -1}, strings.NewReader("caf\xe9\n")))(t)
		got := strings.Join(d.Notes, "|")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got the notes %q, want %q", media, got, want)
		}
	}
}
