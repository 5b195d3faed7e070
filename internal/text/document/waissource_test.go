package document

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/waissource"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestSource(t *testing.T) {
	broken := errors.New("broken")
	const source = "(:source :version 3 :database-name \"d\" :description \"About d.\")\n"
	for _, tt := range []struct {
		name, media string
		in          io.Reader
		want        string
		err         error
	}{
		{"by its type", waissource.Media, strings.NewReader(source), "d -> wais://h:2100/d\n\nAbout d.\n\n", nil},
		{"by its first word", "text/plain", strings.NewReader(source), source, nil},
		{"of unknown type", "", strings.NewReader("\n " + source), "d -> wais://h:2100/d\n\nAbout d.\n\n", nil},
		{"not one", waissource.Media, strings.NewReader("a\nb\n"), "a\nb\n", nil},
		{
			"broken off", waissource.Media,
			io.MultiReader(strings.NewReader("(:source :database-name"), iotest.ErrReader(broken)),
			"(:source :database-name\n", broken,
		},
		{"without end", waissource.Media, strings.NewReader(source[:len(source)-2] + strings.Repeat("\n", waissource.MaxSize)), "", nil},
	} {
		from := urlcore.WAIS{HostPort: urlcore.HostPort{Host: "h", Port: 2100}, Database: "x", Type: "WSRC", Document: "3=d;", HasDocument: true}
		d := fetchtest.Must(Open(protocols.Head{URL: from, Media: tt.media, Size: -1}, tt.in))(t)
		var b strings.Builder
		var last error
		for l, err := range d.Lines() {
			if err != nil {
				last = err
				continue
			}
			b.WriteString(l.Text)
			if l.Link != nil {
				b.WriteString(" -> " + l.Link.String())
			}
			b.WriteString("\n")
		}
		if tt.name == "without end" {
			if got := strings.Count(b.String(), "\n"); got < waissource.MaxSize {
				t.Errorf("%s: got %d lines, want the %d lines of a text", tt.name, got, waissource.MaxSize)
			}
			continue
		}
		if b.String() != tt.want || !errors.Is(last, tt.err) {
			t.Errorf("%s: got %q, %v, want %q, %v", tt.name, b.String(), last, tt.want, tt.err)
		}
	}
}
