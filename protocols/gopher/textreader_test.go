package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestText(t *testing.T) {
	reset := &protocols.Error{Reason: protocols.Broken, Op: "read"}
	long := strings.Repeat("a long text\r\n", 2*maxHeld/13)
	tests := []struct {
		name, in string
		fail     error // the error at the end; nil for io.EOF
		must     bool
		want     string
		wantErr  bool
	}{
		{name: "empty"},
		{name: "only the end", in: ".\r\n"},
		{name: "ended", in: "a\r\nb\r\n.\r\n", want: "a\r\nb\r\n"},
		{name: "a single dot after lines that end in LF", in: "a\nb\n.\n", want: "a\nb\n.\n"},
		{name: "ended by CRLF after lines that end in LF", in: "a\nb\n.\r\n", want: "a\nb\n"},
		{name: "ended without a line end", in: "a\r\n.", want: "a\r\n"},
		{name: "ended by CR", in: "a\r\n.\r", want: "a\r\n"},
		{name: "not doubled, ended by CRLF after lines that end in LF", in: ".a\n..b\n.\r\n", want: ".a\n..b\n"},
		{name: "not doubled, the last line and the dot end in CRLF", in: ".a\nb\r\n.\r\n", want: ".a\nb"},
		{name: "not doubled, a line that ends in CRLF", in: ".a\nb\r\nc\n.\r\n", want: ".a\nb\r\nc\n.\r\n"},
		{name: "only the last line ends in CRLF", in: "a\nb\r\n.\r\n", want: "a\nb"},
		{name: "only the last line ends in CRLF, doubled", in: "a\n..b\n..\r\n.\r\n", want: "a\n.b\n."},
		{name: "the last line is a dot that ends in CRLF", in: ".a\n.\r\n.\r\n", want: ".a\n."},
		{name: "an empty last line ends in CRLF", in: "a\n\r\n.\r\n", want: "a\n"},
		{name: "the last line ends in CRLF, the dot in LF", in: "a\nb\r\n.\n", want: "a\nb\r\n.\n"},
		{name: "the last line ends in CRLF, not ended", in: "a\nb\r\n", want: "a\nb\r\n"},
		{name: "the last two lines end in CRLF", in: "a\nb\r\nc\r\n.\r\n", want: "a\nb\r\nc\r\n"},
		{name: "a line within ends in CRLF", in: "a\nb\r\n..c\n\rd\r\n.\r\n", want: "a\nb\r\n.c\n\rd\r\n"},
		{name: "one line that ends in CRLF", in: "b\r\n.\r\n", want: "b\r\n"},
		{name: "only the last line ends in CRLF, end wanted", in: "a\nb\r\n.\r\n", must: true, want: "a\nb"},
		{name: "not doubled, lines and dot end in LF", in: ".a\nb\n.\n", want: ".a\nb\n.\n"},
		{name: "not ended", in: "a\r\nb", want: "a\r\nb"},
		{name: "doubled", in: "..a\r\n...\r\n..\r\nb..\r\n.\r\n", want: ".a\r\n..\r\n.\r\nb..\r\n"},
		{name: "not doubled, a single dot at the end", in: ".a\r\n..b\r\n.\r\n", want: ".a\r\n..b\r\n.\r\n"},
		{name: "two single dots at the end", in: "a\r\n.\r\n.\r\n", want: "a\r\n.\r\n"},
		{name: "not doubled after what seems so, a single dot at the end", in: "..b\r\n.a\r\n..c\r\n.\r\n", want: "..b\r\n.a\r\n..c\r\n.\r\n"},
		{name: "not doubled, not ended", in: "...and so on\r\n..\r\nb\r\n", want: "...and so on\r\n..\r\nb\r\n"},
		{name: "a single dot within", in: "a\r\n.\r\nb\r\n", want: "a\r\n.\r\nb\r\n"},
		{name: "a single dot within and doubled", in: "..x\r\n.\r\n..y\r\n.\r\n", want: "..x\r\n.\r\n..y\r\n.\r\n"},
		{name: "dots within lines", in: "a.\r\nb .\r\n \t.\r\n", want: "a.\r\nb .\r\n \t.\r\n"},
		{name: "a dot and CR", in: ".\rx\r\n.", want: ".\rx\r\n."},
		{name: "bare CR", in: "a\r.\rb\r\n.\r\n", want: "a\r.\rb\r\n"},
		{name: "too long to wait", in: "..a\r\n" + long + ".\r\n", want: "..a\r\n" + long},
		{name: "long", in: long + "..a\r\n.\r\n", want: long + ".a\r\n"},
		{name: "broken", in: "..a\r\nb", fail: reset, want: "..a\r\nb", wantErr: true},
		{name: "broken after the end", in: "..a\r\n.\r\n", fail: reset, want: ".a\r\n"},
		{name: "canceled after the dot", in: "..a\r\n.\r\n", fail: errors.New("canceled"), want: "..a\r\n", wantErr: true},
		{name: "end wanted", in: "a\r\n", must: true, want: "a\r\n", wantErr: true},
		{name: "end wanted and there", in: "a\r\n.\r\n", must: true, want: "a\r\n"},
	}
	for _, tt := range tests {
		for reading, wrap := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r },
			"octet by octet": func(r io.Reader) io.Reader {
				if len(tt.in) > maxHeld {
					return r
				}
				return iotest.OneByteReader(r)
			},
		} {
			src := io.Reader(strings.NewReader(tt.in))
			if tt.fail != nil {
				src = io.MultiReader(src, iotest.ErrReader(tt.fail))
			}
			got, err := io.ReadAll(&textReader{r: bufio.NewReaderSize(wrap(src), bufferSize), dotRequired: tt.must})
			fetchtest.Equal(t, string(got), tt.want, "%s, %s", tt.name, reading)
			fetchtest.Equal(t, err != nil, tt.wantErr, "%s, %s: fails (%v)", tt.name, reading, err)
		}
	}
}

// TestFinalDot reads texts whose last line is a single dot. The earlier texts of the same type help to decide
// whether the dot belongs to the text. If it does, the text has a note.
func TestFinalDot(t *testing.T) {
	s := startServer(t, fstest.MapFS{})
	for selector, text := range map[string]string{
		"/plain": "a\r\nb\r\n", "/dot": "a\r\n.\r\n", "/undoubled": ".a\r\n.\r\n", "/doubled": "..a\r\n.\r\n", "/empty": "",
		"/lf": ".a\n.\r\n", "9/undoubled": ".a\r\n.\r\n", "9/plain": ".a\r\nb\r\n",
	} {
		setAnswer(s, selector, text)
	}
	for steps, want := range map[string]string{
		"/dot":                   "a\r\n",
		"/empty /dot":            "a\r\n",
		"/plain /dot":            "a\r\n.\r\n note",
		"/doubled /plain /dot":   "a\r\n",
		"/plain /doubled /dot":   "a\r\n",
		"/undoubled":             ".a\r\n.\r\n note",
		"/undoubled /dot":        "a\r\n",
		"/dot /undoubled":        ".a\r\n",
		"/doubled /undoubled":    ".a\r\n",
		"/dot h/undoubled":       ".a\r\n.\r\n note",
		"/plain /lf":             ".a\n",
		"/plain /undoubled":      ".a\r\n.\r\n note",
		"/plain /dot /undoubled": ".a\r\n.\r\n note",
		"/dot /plain /dot":       "a\r\n",
		"h/plain /dot":           "a\r\n",
		"/dot /plain /undoubled": ".a\r\n.\r\n note",
		"/dot 09/undoubled":      ".a\r\n.\r\n note",
		"/dot 09/plain /dot":     "a\r\n",
		"h/plain h/dot":          "a\r\n.\r\n note",
	} {
		c, got := new(Client), ""
		for selector := range strings.FieldsSeq(steps) {
			typ := byte('0')
			if selector[0] != '/' {
				typ, selector = selector[0], selector[1:]
			}
			res, err := c.Fetch(t.Context(), protocols.Request{URL: itemOf(s.Addr(), typ, selector)})
			fetchtest.NoError(t, err)
			if got, err = readContent(res); err != nil {
				t.Fatalf("read %s: %v", selector, err)
			}
			if notes := res.LateNotes(); len(notes) > 0 {
				got += " note"
			}
		}
		fetchtest.Equal(t, got, want, "%s", steps)
	}
}

// TestMissingFinalDot reads texts without the end that Gopher+ requires. A text with a complete
// line gets a note, unless the text is hypertext that ends in </html>.
func TestMissingFinalDot(t *testing.T) {
	for text, want := range map[string]string{
		"a\r\n": "a\r\n note", "a\nb": "a\nb note", "..a\r\n": "..a\r\n note", ".a\r\n": ".a\r\n note", "a\r\n.\r\n": "a\r\n",
		"": "", "a": "", "</HTML": "",
		"<p>\r\n</HTML>\r\n": "<p>\r\n</HTML>\r\n", "<p></html>": "<p></html>", "</Html>\n \t\r\n": "</Html>\n \t\r\n",
		"</HTML>\r\nmore\r\n": "</HTML>\r\nmore\r\n note", "</HTML>\r\n.\r\n": "</HTML>\r\n",
	} {
		r := newReplay(t, map[string]string{"/a\t+text/html": "+-1\r\n" + text, "/a\t+": "+-1\r\n" + text, "/a\t!": "+-1\r\n" + text})
		for _, g := range []urlcore.Gopher{
			plusOf(r.addr, '1', "/a", "+text/html"), plusOf(r.addr, '0', "/a", "+"), plusOf(r.addr, '9', "/a", "+"),
		} {
			res, err := new(Client).Fetch(t.Context(), protocols.Request{URL: g})
			fetchtest.NoError(t, err)
			got, err := readContent(res)
			if want == "" {
				fetchtest.Equal(t, protocols.ReasonOf(err), protocols.Broken, "%v, %q: fails", g, text)
				continue
			}
			fetchtest.NoError(t, err, "%v, %q", g, text)
			if notes := res.LateNotes(); len(notes) > 0 {
				got += " note"
			}
			fetchtest.Equal(t, got, want, "%v", g)
		}
	}
	r := newReplay(t, map[string]string{"/a\t!": "+-1\r\n+INFO: 0A\t/a\th\t70\t+\r\n"})
	res := fetchtest.Must(new(Client).Fetch(t.Context(), protocols.Request{URL: plusOf(r.addr, '0', "/a", "!")}))(t)
	_, err := readContent(res)
	fetchtest.Equal(t, protocols.ReasonOf(err), protocols.Broken, "attributes that are not ended: fails")
}

func FuzzText(f *testing.F) {
	f.Add([]byte("..a\r\n.\r\n"), byte(3))
	f.Add([]byte("a\n.\nb\n..\n."), byte(1))
	f.Add([]byte(".a\n..b\n.\r\n"), byte(1))
	f.Add([]byte("0\n\r\r0"), byte(1))
	f.Add([]byte(".\r.\r\n..\r.\n.\r"), byte(2))
	f.Fuzz(func(t *testing.T, in []byte, size byte) {
		r := &textReader{r: bufio.NewReaderSize(bytes.NewReader(in), bufferSize)}
		var got []byte
		p := make([]byte, int(size)+1)
		for {
			n, err := r.Read(p)
			got = append(got, p[:n]...)
			if err == io.EOF {
				break
			}
			fetchtest.NoError(t, err)
		}
		small, err := io.ReadAll(&textReader{r: bufio.NewReaderSize(iotest.OneByteReader(bytes.NewReader(in)), bufferSize)})
		if err != nil || !bytes.Equal(small, got) {
			t.Fatalf("octet by octet: %q, %v, want %q", small, err, got)
		}
		var stuffed []byte
		for line := range bytes.Lines(in) {
			if line[0] == '.' {
				stuffed = append(stuffed, '.')
			}
			stuffed = append(stuffed, line...)
		}
		if len(in) == 0 || in[len(in)-1] != '\n' {
			return
		}
		stuffed = append(stuffed, ".\r\n"...)
		back, err := io.ReadAll(&textReader{r: bufio.NewReaderSize(bytes.NewReader(stuffed), bufferSize)})
		want := in
		if i := bytes.IndexByte(in, '\n'); bytes.Index(in, []byte("\r\n")) == len(in)-2 && i < len(in)-1 {
			want = in[:len(in)-2] // the end of a last line without a line end
		}
		if err != nil || !bytes.Equal(back, want) {
			t.Fatalf("doubled dots: got %q, %v, want %q", back, err, want)
		}
	})
}
