package document

import (
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestWideCharsets reads texts in UTF-16 and UTF-32, declared by the media type or by a byte
// order mark.
func TestWideCharsets(t *testing.T) {
	const text = "# Grüße\n=> /a кофе\n日本語 🦫\n"
	big16, little16 := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	big32, little32 := utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	for _, tt := range []struct {
		name, media string
		in          encoding.Encoding
		mark        string
	}{
		{"UTF-16LE", "text/plain; charset=utf-16le", little16, ""},
		{"UTF-16BE", "text/plain; charset=UTF-16BE", big16, ""},
		{"UTF-16 without a mark", "text/plain; charset=utf-16", big16, ""},
		{"UTF-16 with a mark", "text/plain; charset=utf-16", little16, "\ufeff"},
		{"a mark that contradicts", "text/plain; charset=utf-16be", little16, "\ufeff"},
		{"a mark alone", "text/plain", big16, "\ufeff"},
		{"UTF-32LE", "text/plain; charset=utf-32le", little32, ""},
		{"UTF-32BE", "text/plain; charset=utf-32be", big32, ""},
		{"UTF-32 with a mark", "text/plain; charset=utf-32", little32, "\ufeff"},
		{"Gemini", "text/gemini; charset=utf-32be", big32, ""},
		{"hypertext", "text/html; charset=utf-16le", little16, ""},
	} {
		octets, err := tt.in.NewEncoder().String(tt.mark + text)
		if err != nil {
			t.Fatal(err)
		}
		want := text
		switch tt.name {
		case "Gemini":
			want = "Grüße\n=> кофе\n日本語 🦫\n"
		case "hypertext":
			want = "# Grüße => /a кофе 日本語 🦫\n"
		}
		for _, chunk := range []int{1, 7, len(octets)} {
			d, err := Open(protocols.Head{Media: tt.media, Size: -1}, &chunkReader{octets, chunk})
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for line, err := range d.Lines() {
				if err != nil {
					t.Fatalf("%s: %v", tt.name, err)
				}
				got.WriteString(line.Text + "\n")
			}
			fetchtest.Equal(t, got.String(), want, "%s in pieces of %d (layout %v)", tt.name, chunk, d.Layout)
		}
	}
	d, err := Open(protocols.Head{Media: "text/plain; charset=utf-16le"}, strings.NewReader("ASCII all the same\n"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range d.Lines() {
		fetchtest.Equal(t, line.Text, "ASCII all the same", "ASCII declared as UTF-16")
	}
}

// TestDocumentsInOtherCharsets reads documents in charsets that pages do not choose, but that articles know.
func TestDocumentsInOtherCharsets(t *testing.T) {
	for charset, tt := range map[string]struct{ in, want string }{
		"utf-7":        {"a +APw-b +- c\nx +ZeVnLIqe-\n", "a üb + c\nx 日本語\n"},
		"iso-2022-kr":  {"\x1b$)Ca\n\x0eGQ\x0fb\n\x0eGQ\x0f\n", "a\n한b\n한\n"},
		"ISO-2022-CN":  {"\x1b$)A\x0eVPND\x0f\n\x1b$)A\x0eVP\x0f.\n", "中文\n中.\n"},
		"hz-gb-2312":   {"a ~{VPND~} b\n", "a 中文 b\n"},
		"iso-8859-15":  {"10 \xa4\n10 €\n", "10 €\n10 €\n"},
		"windows-1257": {"\xe0\xf0\n", "ąš\n"},
		"viscii":       {"Vi\xaet\n", "Việt\n"},
		"x-mac-ce":     {"\xb8\n", "ł\n"},
		"windows-31j":  {"\x93\xfa\x96\x7b\n", "\x93\xfa\x96\x7b\n"}, // the page decodes it, so that the user can choose another one
		"iso-8859-1":   {"\xfc\n", "\xfc\n"},
		"x-unknown":    {"\xfc\n", "\xfc\n"},
		"us-ascii":     {"\xfc\n", "\xfc\n"},
	} {
		for _, media := range []string{"text/plain", "text/gemini", "text/csv"} {
			for _, chunk := range []int{1, len(tt.in)} {
				head := protocols.Head{Media: media + "; charset=" + charset, Size: -1}
				d := fetchtest.Must(Open(head, &chunkReader{tt.in, chunk}))(t)
				got := ""
				for line, err := range d.Lines() {
					fetchtest.NoError(t, err, "%s", charset)
					got += line.Text + "\n"
				}
				fetchtest.Equal(t, got, tt.want, "%s in pieces of %d", head.Media, chunk)
			}
		}
	}
}

// chunkReader is a reader that reads n octets at a time.
type chunkReader struct {
	rest string
	n    int
}

func (r *chunkReader) Read(p []byte) (int, error) {
	n := copy(p[:min(r.n, len(p))], r.rest)
	r.rest = r.rest[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
