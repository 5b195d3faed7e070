package document

import (
	"io"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

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
