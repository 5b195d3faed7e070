package document

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestPartWithoutEmptyLine checks that a part whose header does not end in an empty line keeps its text.
func TestPartWithoutEmptyLine(t *testing.T) {
	const typed = "Content-Type: text/plain; charset=utf-8\n"
	long := strings.Repeat("words of a long text\n", 1000)
	for _, tt := range []struct{ name, in, want string }{
		{"no header at all", "words\nmore\n--b--\n", "words|more"},
		{"a typed text", typed + "words\nmore: of it\n--b--\n", "words|more: of it"},
		{"an empty line later", typed + "words\n\nmore\n--b--\n", "words||more"},
		{"a first line like a field", typed + "Note: words\n--b--\n", "Note: words"},
		{"a URL", typed + "http://h.example/\n--b--\n", "http://h.example/"},
		{"words like a field and others", typed + "Note: words\nand more\n--b--\n", "Note: words|and more"},
		{"a long text", typed + long + "--b--\n", strings.TrimSuffix(strings.ReplaceAll(long, "\n", "|"), "|")},
		{"the end is missing", typed + "words\n", "words"},
		{"encoded", typed + "Content-Transfer-Encoding: quoted-printable\nw=C3=B6rds\n--b--\n", "wörds"},
		{"a header with a folded field", "Content-Type: text/plain;\n\tcharset=utf-8\nwords\n--b--\n", "words"},
		{"only a header", typed + "X-Id: 1\n--b--\n", ""},
		{"a malformed line between fields", "what\n" + typed + "\nwords\n--b--\n", "words"},
		{"an unknown field", "Note: x\n" + typed + "Other: y\n\nwords\n--b--\n", "words"},
		{"a multipart", "Content-Type: multipart/mixed; boundary=c\n--c\n" + typed + "\nwords\n--c\nmore\n--c--\n--b--\n", "words||more"},
		{"an empty multipart", "Content-Type: multipart/mixed; boundary=c\n--b\n\nwords\n--b--\nepilogue\n", "words"},
	} {
		var got []string
		for _, line := range article(t, "Content-Type: multipart/mixed; boundary=b\n\n--b\n"+tt.in) {
			if text, ok := strings.CutPrefix(line, "info|"); ok {
				got = append(got, text)
			}
		}
		fetchtest.Equal(t, strings.Trim(strings.Join(got, "|"), "|"), tt.want, "%s", tt.name)
	}
}
