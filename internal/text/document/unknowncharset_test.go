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
