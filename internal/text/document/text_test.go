package document

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

func TestText(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"empty", "", []string{}},
		{"lf", "a\nb\n", []string{"a", "b"}},
		{"crlf", "a\r\nb\r\n", []string{"a", "b"}},
		{"cr", "a\rb\r", []string{"a", "b"}},
		{"mixed", "a\rb\nc\r\nd", []string{"a", "b", "c", "d"}},
		{"no end", "a\nb", []string{"a", "b"}},
		{"blank lines", "\n\na\n\n", []string{"", "", "a", ""}},
		{"blank lines, crlf", "\r\n\r\na\r\n\r\n", []string{"", "", "a", ""}},
		{"blank lines, cr", "a\r\rb\r\r\rc", []string{"a", "", "b", "", "", "c"}},
		{"cr cr lf", "a\r\r\nb\r\r\n", []string{"a", "b"}},
		{"blank lines, cr, at the end", "a\r\r\r", []string{"a", "", ""}},
		{"many cr", strings.Repeat("\r", 40), make([]string, 40)},
		{"byte order mark", "\ufeffa\nb", []string{"a", "b"}},
		{"only a byte order mark", "\ufeff", []string{}},
		{"escape", "\x1b[1mbold\x1b[0m\n", []string{"\x1b[1mbold\x1b[0m"}},
		{"latin-1", "Gr\xfc\xdfe\n", []string{"Gr\xfc\xdfe"}},
		{"dots", ".\n..\n", []string{".", ".."}},
		{"utf-16le", "\xff\xfea\x00\r\x00\n\x00\xfc\x00", []string{"a", "ü"}},
		{"utf-16be", "\xfe\xff\x00a\x00\n\x00b", []string{"a", "b"}},
		{"long line", strings.Repeat("x", maxLine) + "\n" + strings.Repeat("y", 2*maxLine+1) + "\nz", []string{
			strings.Repeat("x", maxLine), strings.Repeat("y", maxLine), strings.Repeat("y", maxLine), "y", "z",
		}},
		{"long line of utf-8", strings.Repeat("ü€", maxLine/5+2), []string{
			strings.Repeat("ü€", maxLine/5), strings.Repeat("ü€", 2),
		}},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"at once":      func(r io.Reader) io.Reader { return r },
		"octet by one": iotest.OneByteReader,
		"data and err": iotest.DataErrReader,
	}
	for _, tt := range tests {
		for how, reader := range readers {
			t.Run(tt.name+", "+how, func(t *testing.T) {
				d := fetchtest.Must(Open(protocols.Head{Size: -1}, reader(strings.NewReader(tt.in))))(t)
				fetchtest.Equal(t, d.Media, "text/plain", "media")
				got := []string{}
				for line, err := range d.Lines() {
					fetchtest.NoError(t, err)
					got = append(got, line.Text)
				}
				fetchtest.EqualSlices(t, got, tt.want)
			})
		}
	}
}

// TestBinary opens documents that are not text.
func TestBinary(t *testing.T) {
	for _, tt := range []struct {
		size          int64
		problem       string
		heading, text string
	}{
		{-1, "", "This is not a text.", "It is application/x-thing, of unknown size."},
		{0, "", "This is not a text.", "It is application/x-thing, 0 octets."},
		{999, "", "This is not a text.", "It is application/x-thing, 999 octets."},
		{1000, "", "This is not a text.", "It is application/x-thing, 1.0 kB (1000 octets)."},
		{5, "it is too large", "This cannot be shown: it is too large.", "It is application/x-thing."},
	} {
		d := fetchtest.Must(Open(protocols.Head{Media: "application/x-thing", Size: tt.size}, strings.NewReader("\x00")))(t)
		d.Problem = tt.problem
		var got []string
		for l := range d.Lines() {
			got = append(got, l.Text)
		}
		fetchtest.EqualSlices(t, got, []string{tt.heading, tt.text, "", "Save it to a file"}, "a size of %d, problem %q", tt.size, tt.problem)
	}
}

func TestMedia(t *testing.T) {
	tar := make([]byte, 512)
	copy(tar[257:], "ustar")
	tests := []struct {
		name, said, in, want string
		binary               bool
	}{
		{"text", "", "hello", "text/plain", false},
		{"empty", "", "", "text/plain", false},
		{"html", "", " <!DOCTYPE HTML><p>", "text/html", false},
		{"said and so", "text/plain; charset=koi8-r", "hello", "text/plain; charset=koi8-r", false},
		{"article", "message/rfc822", "From: a\n", "message/rfc822", false},
		{"message that is none", "message/rfc822", "\x00\x01", "application/octet-stream", true},
		{"png", "", "\x89PNG\r\n\x1a\n\x00", "image/png", true},
		{"png that is said to be text", "text/plain", "\x89PNG\r\n\x1a\n\x00", "image/png", true},
		{"image", "image/x-odd", "\x00\x01", "image/x-odd", true},
		{"image that is text", "image/gif", "Error: no such file", "text/plain", false},
		{"octets that are text", "application/octet-stream", "hello", "text/plain", false},
		{"gif", "", "GIF89a\x01\x00", "image/gif", true},
		{"jpeg", "", "\xff\xd8\xff\xe0", "image/jpeg", true},
		{"png by the name of a jpeg", "image/jpeg", "\x89PNG\r\n\x1a\n\x00", "image/png", true},
		{"pdf", "", "%PDF-1.4\n", "application/pdf", true},
		{"zip", "", "PK\x03\x04", "application/zip", true},
		{"gzip", "", "\x1f\x8b\x08", "application/gzip", true},
		{"elf", "", "\x7fELF\x02", "application/x-executable", true},
		{"wav", "", "RIFF\x01\x02\x03\x04WAVEfmt ", "audio/wav", true},
		{"talk of wav", "", "The key WAVE is none", "text/plain", false},
		{"tar", "", string(tar), "application/x-tar", true},
		{"nul", "", "hello\x00", "application/octet-stream", true},
		{"controls", "", "\x01\x02\x03\x04abc", "application/octet-stream", true},
		{"one control", "", "\x01abc", "text/plain", false},
		{"bmp", "", "BM\x01\x02\x03\x04\x00\x00\x00\x00" + strings.Repeat("x", 16), "image/bmp", true},
		{"bmp that is cut off", "", "BM\x01\x02\x03\x04\x00\x00\x00\x00" + strings.Repeat("x", 15), "application/octet-stream", true},
		{"not bmp", "", "BN\x01\x02\x03\x04\x00\x00\x00\x00" + strings.Repeat("x", 16), "application/octet-stream", true},
		{"deletes", "", "\x7f\x7fab", "application/octet-stream", true},
		{"tildes", "", "~~~~", "text/plain", false},
		{"escapes", "", strings.Repeat("\x1b[0m", 9), "text/plain", false},
		{"latin-1", "", "\xe4\xf6\xfc\xdf", "text/plain", false},
		{"cp437", "", "\xda\xc4\xc4\xbf\xb3\xb3\xdb\xdb", "text/plain", false},
		{"end of file of DOS", "", "hello\r\n\x1a", "text/plain", false},
		{"utf-16", "", "\xff\xfeh\x00i\x00", "text/plain", false},
		{"not utf-16", "", "\xff\xfe\x00\x00", "application/octet-stream", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, layout := detectMedia(tt.said, []byte(tt.in)); got != tt.want || (layout == protocols.LayoutBinary) != tt.binary {
				t.Errorf("detectMedia(%q, %q) = %q, %v; want %q, binary %v", tt.said, tt.in, got, layout, tt.want, tt.binary)
			}
		})
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a\nb", "a\r\r\nb\r", "\ufeffx", "\r\r\r", "a\x00b", "\xff\xfea\x00"} {
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, s string, size uint8) {
		whole, pieces := splitLines(s, len(s)), splitLines(s, int(size%16)+1)
		if !slices.Equal(whole, pieces) {
			t.Errorf("%q gives %q at once but %q in pieces of %d", s, whole, pieces, size%16+1)
		}
		bare := strings.NewReplacer("\r", "", "\n", "").Replace(s)
		if got := strings.Join(whole, ""); got != bare {
			t.Errorf("%q gives %q: octets were lost", s, whole)
		}
	})
}

func splitLines(s string, size int) (lines []string) {
	sp := splitter{yield: func(l protocols.Line, _ error) bool {
		lines = append(lines, l.Text)
		return true
	}}
	for len(s) > 0 {
		n := min(size, len(s))
		sp.addOctets(s[:n])
		s = s[n:]
	}
	sp.end()
	return lines
}
