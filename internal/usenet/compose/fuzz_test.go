package compose

import (
	"strings"
	"testing"
)

// FuzzParse parses the text of a draft. It checks that the text of the parsed draft, which gofer writes into
// the file, is parsed to the same draft.
func FuzzParse(f *testing.F) {
	f.Add("To: joe@example.org\nSubject: Hi\n there\n\nHello\n")
	f.Add("\ufeffSubject:\r\n\r\n\r\n.\r\n")
	f.Add("X: \n \t\n\nbody")
	f.Add("A: b\nC:")
	f.Fuzz(func(t *testing.T, s string) {
		text, err := Parse(s)
		if err != nil {
			return
		}
		for _, field := range text.Header {
			if !isFieldName(field.Name) || field.Value == "" || strings.ContainsAny(field.Value, "\n\r\x00") {
				t.Errorf("Parse(%q) has the field %q", s, field)
			}
		}
		written := text.format()
		again, err := Parse(written)
		if err != nil {
			t.Fatalf("Parse(%q), the text of the draft %q: %v", written, s, err)
		}
		if twice := again.format(); twice != written || len(again.Header) != len(text.Header) {
			t.Errorf("Parse(%q) = %+v; its text %q is parsed to %+v and written as %q", s, text, written, again, twice)
		}
	})
}
