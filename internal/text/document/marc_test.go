package document_test

import (
	"io"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/text/document"
	"gofer/protocols"
)

// TestMARC checks that a file of MARC records is shown by fields, whatever its media type.
func TestMARC(t *testing.T) {
	books := demo.Books()
	file := string(books[2].MARC()) + string(books[3].MARC())
	for media, want := range map[string]string{
		"":                                   "Title             Les misérables / Hugo, Victor.",
		"application/octet-stream":           "Title             Les misérables / Hugo, Victor.",
		"application/marc;format=unimarc":    "Field 245         Les misérables / Hugo, Victor.",
		"application/marc;format=MARC21;x=y": "Published         London, 1908.",
		"text/plain;charset=iso-8859-1":      "Control number    b004",
	} {
		d, err := document.Open(protocols.Head{Media: media, Size: -1}, strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for l, err := range d.Lines() {
			if err != nil {
				t.Error(err)
			}
			texts = append(texts, l.Text)
		}
		if got := strings.Join(texts, "\n"); !strings.Contains(got, want) || d.Title != "Les misérables" || d.Layout != protocols.LayoutText {
			t.Errorf("%q: got the title %q, layout %v and %q, want %q in it", media, d.Title, d.Layout, got, want)
		}
	}
	d, err := document.Open(protocols.Head{Media: "application/marc", Size: -1}, strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if octets, _ := io.ReadAll(d); string(octets) != file {
		t.Errorf("the octets: got %q, want the file", octets)
	}
}
