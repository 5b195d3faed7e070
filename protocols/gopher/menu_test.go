package gopher

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

var update = flag.Bool("update", false, "write the golden files")

// formatLine writes a line in the form of the golden files.
func formatLine(b *strings.Builder, line protocols.Line, err error) {
	if err != nil {
		fmt.Fprintf(b, "error: %v\n", err)
		return
	}
	fmt.Fprintf(b, "%-9s %q", line.Kind, line.Text)
	if line.Link != nil {
		fmt.Fprintf(b, " %s", line.Link)
	}
	b.WriteByte('\n')
}

func formatMenu(r io.Reader) string {
	var b strings.Builder
	for line, err := range readMenu(context.Background(), menuSource{Reader: r}) {
		formatLine(&b, line, err)
	}
	return b.String()
}

// TestMenuGolden parses testdata/*.menu, at once and octet by octet.
func TestMenuGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.menu")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files testdata/*.menu: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data := fetchtest.Must(os.ReadFile(file))(t)
			got := formatMenu(strings.NewReader(string(data)))
			golden := strings.TrimSuffix(file, ".menu") + ".golden"
			if *update {
				fetchtest.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want := fetchtest.Must(os.ReadFile(golden))(t)
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if got := formatMenu(iotest.OneByteReader(strings.NewReader(string(data)))); got != string(want) {
				t.Errorf("octet by octet: got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestMenuEnds(t *testing.T) {
	reset := &protocols.Error{Reason: protocols.Broken, Op: "read from h:70"}
	tests := []struct {
		name, in string
		fail     error
		dotted   bool
		want     string
	}{
		{name: "empty"},
		{name: "only the end", in: ".\r\n"},
		{name: "no end", in: "iA\tx\tx\t1\r\n", want: "info      \"A\"\n"},
		{name: "no line end", in: "iA\tx\tx\t1", want: "info      \"A\"\n"},
		{
			name: "a byte order mark", in: "\xef\xbb\xbfiA\tx\tx\t1\r\n\xef\xbb\xbfiB\tx\tx\t1\r\n",
			want: "info      \"A\"\nproblem   \"\\ufeffiB\\tx\\tx\\t1\"\n",
		},
		{name: "only a byte order mark", in: "\xef\xbb\xbf"},
		{name: "a byte order mark before the end", in: "\xef\xbb\xbf.\r\niA\tx\tx\t1\r\n"},
		{
			name: "CR CR LF", in: "iA\tx\tx\t1\r\r\n1B\t/b\th\t70\r\r\n.\r\r\niC\tx\tx\t1\r\r\n",
			want: "info      \"A\"\nmenu      \"B\" gopher://h/1/b\n",
		},
		{
			name: "CR", in: "Welcome\riA\tx\tx\t1\r1B\t/b\th\t70\r\r.\riC\tx\tx\t1\r",
			want: "info      \"Welcome\"\ninfo      \"A\"\nmenu      \"B\" gopher://h/1/b\ninfo      \"\"\n",
		},
		{
			name: "CR without the end", in: "1B\t/b\th\t70\r0C\t/c\th\t70",
			want: "menu      \"B\" gopher://h/1/b\ntext      \"C\" gopher://h/0/c\n",
		},
		{
			name: "CR after CR LF", in: "iA\tx\tx\t1\r\n1B\t/b\th\t70\r0C\t/c\th\t70\r\n",
			want: "info      \"A\"\nmenu      \"B\" gopher://h/1/b\ntext      \"C\" gopher://h/0/c\n",
		},
		{name: "CR within a title", in: "iA\rB\tx\tx\t1\r\n", want: "info      \"A\\rB\"\n"},
		{name: "text after the end", in: "iA\tx\tx\t1\r\n.\r\niB\tx\tx\t1\r\n", want: "info      \"A\"\n"},
		{name: "a line that begins with a dot", in: "iA\tx\r\n..\r\n", want: "info      \"A\"\nproblem   \"..\"\n"},
		{
			name: "cut off", in: "iA\tx\tx\t1\r\n1Phlogs\t/ph", fail: reset,
			want: "info      \"A\"\nproblem   \"1Phlogs\\t/ph\"\nerror: read from h:70: connection lost\n",
		},
		{
			name: "cut off between lines", in: "iA\tx\tx\t1\r\n", fail: reset,
			want: "info      \"A\"\nerror: read from h:70: connection lost\n",
		},
		{
			name: "closed within a line", in: "iA\tx\tx\t1\r\n1Phlogs\t/ph",
			want: "info      \"A\"\nproblem   \"1Phlogs\\t/ph\"\nerror: " + newMidLineError().Error() + "\n",
		},
		{name: "cut off after the end", in: "iA\tx\tx\t1\r\n.\r\n", fail: reset, want: "info      \"A\"\n"},
		{
			name: "the end is missing", in: "iA\tx\tx\t1\r\n", dotted: true,
			want: "info      \"A\"\nerror: " + newNoEndError().Error() + "\n",
		},
	}
	for _, tt := range tests {
		src := io.Reader(strings.NewReader(tt.in))
		if tt.fail != nil {
			src = io.MultiReader(src, iotest.ErrReader(tt.fail))
		}
		var b strings.Builder
		for line, err := range readMenu(context.Background(), menuSource{Reader: src, endsInDot: tt.dotted}) {
			formatLine(&b, line, err)
		}
		if got := b.String(); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestMenuOverlong checks that an overlong line is split into pieces of bounded length, and that no
// octet is lost.
func TestMenuOverlong(t *testing.T) {
	long := strings.Repeat("x", 5*wire.MaxLine+17)
	for _, in := range []string{long, "iA\tx\tx\t1\r\n1" + long + "\r\niB\tx\tx\t1\r\n", "1" + long[:wire.MaxLine] + "\n"} {
		for name, r := range map[string]io.Reader{
			"at once": strings.NewReader(in), "in halves": iotest.HalfReader(strings.NewReader(in)),
		} {
			total := 0
			for line, err := range readMenu(context.Background(), menuSource{Reader: r}) {
				fetchtest.NoError(t, err)
				if len(line.Text) > wire.MaxLine {
					t.Errorf("%s: got a piece of %d octets; want at most %d", name, len(line.Text), wire.MaxLine)
				}
				if line.Link != nil {
					t.Errorf("%s: got a piece with the link %s; want no link", name, line.Link)
				}
				total += strings.Count(line.Text, "x")
			}
			fetchtest.Equal(t, total, strings.Count(in, "x")-2*strings.Count(in, "\tx\tx\t"), "%s: octets shown", name)
		}
	}
}

func TestMenuStops(t *testing.T) {
	in := strings.Repeat("iA\tx\tx\t1\r\n", 100)
	n := 0
	for range readMenu(context.Background(), menuSource{Reader: strings.NewReader(in)}) {
		n++
		if n == 3 {
			break
		}
	}
	fetchtest.Equal(t, n, 3, "lines")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	n = 0
	var last error
	for _, err := range readMenu(ctx, menuSource{Reader: strings.NewReader(in)}) {
		n++
		if n == 5 {
			cancel(io.ErrClosedPipe)
		}
		last = err
	}
	if n != 6 || last != io.ErrClosedPipe {
		t.Errorf("after the context ended: got %d lines and %v; want 6 and %v", n, last, io.ErrClosedPipe)
	}
}

func TestKinds(t *testing.T) {
	tests := map[string]protocols.Kind{
		"0": protocols.Text, "1": protocols.Menu, "2": protocols.Phonebook, "3": protocols.Failure,
		"456": protocols.Archive, "7": protocols.Search, "8T": protocols.Session, "9": protocols.Binary,
		"gIp:": protocols.Image, "s<": protocols.Sound, ";": protocols.Movie, "h": protocols.HTML,
		"dPrMXc": protocols.Document, "i": protocols.Info, "?~Z+!": protocols.Other,
	}
	for types, want := range tests {
		for i := range len(types) {
			fetchtest.Equal(t, protocols.GopherKind(types[i]), want, "GopherKind(%q)", types[i])
		}
	}
}

func TestMedia(t *testing.T) {
	tests := []struct {
		typ                  byte
		selector, plus, want string
	}{
		{'0', "/x", "", "text/plain"},
		{'0', "/x.md", "", "text/markdown"},
		{'0', "/x.html", "", "text/plain"},
		{'0', "/x.gif", "", "text/plain"},
		{'4', "/x.hqx", "", "application/mac-binhex40"},
		{'5', "/x.ZIP", "", "application/zip"},
		{'5', "/x", "", "application/octet-stream"},
		{'6', "/x", "", "text/x-uuencode"},
		{'9', "/a.b/x", "", "application/octet-stream"},
		{'9', "/x.pdf", "", "application/pdf"},
		{'g', "/x", "", "image/gif"},
		{'p', "/x", "", "image/png"},
		{'I', "/x.jpeg", "", "image/jpeg"},
		{'I', "/x", "", ""},
		{'s', "/x.au", "", "audio/basic"},
		{';', "/x.mov", "", "video/quicktime"},
		{'h', "/x", "", "text/html"},
		{'P', "/x", "", "application/pdf"},
		{'r', "/x", "", "application/rtf"},
		{'c', "/x", "", "text/calendar"},
		{'M', "/x", "", "multipart/mixed"},
		{'X', "/x", "", "application/xml"},
		{'d', "/x.ps", "", "application/postscript"},
		{'Z', "/x", "", ""},
		{'9', "/x", "+Image/TIFF En", "image/tiff"},
		{'9', "/x", "!+VIEWS", "text/plain"},
	}
	for _, tt := range tests {
		g := urlcore.Gopher{Type: tt.typ, Selector: tt.selector, Plus: tt.plus, HasPlus: tt.plus != ""}
		fetchtest.Equal(t, mediaOf(g), tt.want, "media of %c%s%s", tt.typ, tt.selector, tt.plus)
	}
}

// FuzzMenu checks that no menu causes a panic, and that no line is lost. The result must not depend on the
// sizes of the reads. Each link must be a canonical URL.
func FuzzMenu(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.menu")
	for _, file := range files {
		data, err := os.ReadFile(file)
		fetchtest.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte("0\x00\t\x00\xff%\th\t70\r\n8a\tb:c@/\th\t23\t+\n?x\t?\tH.\t070\t?\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		whole := formatMenu(strings.NewReader(string(in)))
		if got := formatMenu(iotest.OneByteReader(strings.NewReader(string(in)))); got != whole && len(in) < wire.MaxLine {
			t.Fatalf("octet by octet: got\n%s\nwant\n%s", got, whole)
		}
		lines := 0
		for line, err := range readMenu(context.Background(), menuSource{Reader: strings.NewReader(string(in))}) {
			if err != nil {
				if err.Error() != newMidLineError().Error() {
					t.Fatal(err)
				}
				break
			}
			lines++
			if line.Link == nil {
				continue
			}
			fetchtest.CheckCanonical(t, line.Link)
		}
		want := 0
		for line := range strings.Lines(string(in)) {
			if line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"); line == "." {
				break
			}
			want++
		}
		if strings.HasSuffix(string(in), "\n\r") || string(in) == "\r" {
			want-- // a CR without LF at the end is not a line
		}
		if len(in) < wire.MaxLine && lines != want && !strings.Contains(string(in), "\n.\n") {
			t.Fatalf("got %d lines; want %d", lines, want)
		}
	})
}
