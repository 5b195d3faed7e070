package document

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestUnknownCharset checks that a note names a declared charset that is not known.
func TestUnknownCharset(t *testing.T) {
	for media, want := range map[string]string{
		"text/plain; charset=x-foo": `"x-foo"`, "text/html; charset=x-foo": `"x-foo"`, "text/gemini; charset=\"x foo\x1b\"": `"x foo\x1b"`,
		"text/plain": "", "text/plain; charset=": "", "text/plain; charset=us-ascii": "", "text/plain; charset=UTF-8": "", "text/plain; charset=utf8": "",
		"text/plain; charset=iso-8859-15": "", "text/plain; charset=utf-16": "", "text/plain; charset=unknown-8bit": "", "text/plain; charset=x-user-defined": "", "text/plain; charset=ANSI_X3.4-1968": "",
		"text/plain; charset=utf-7": "", "text/plain; charset=cp437": "", "text/plain; charset=iso-8859-1": "",
	} {
		d := fetchtest.Must(Open(protocols.Head{Media: media, Size: -1}, strings.NewReader("caf\xe9\n")))(t)
		got := strings.Join(d.Notes, "|")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got the notes %q, want %q", media, got, want)
		}
	}
}
