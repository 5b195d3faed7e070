package cli

import (
	"strings"
	"testing"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

// TestReadInput checks the name of the temporary file for standard input, and that
// IsStandardInput recognizes the file.
func TestReadInput(t *testing.T) {
	for media, name := range map[string]string{"": "standard%20input", "text/html": "standard%20input.html"} {
		p := testProgram(t.TempDir(), new(app.Setup))
		p.In = strings.NewReader("a page")
		start, remove, err := p.readInput(t.Context(), "-", media)
		fetchtest.NoError(t, err)
		u, err := urlcore.Parse(start)
		fetchtest.NoError(t, err)
		if !urlcore.IsStandardInput(u) || !strings.HasSuffix(start, "/"+name) {
			t.Errorf("readInput with the media type %q = %q; want the URL of a file of standard input with the name %s", media, start, name)
		}
		remove()
	}
	for _, f := range []urlcore.File{
		{Path: "home/gofer-files-1/notes"},
		{Path: "tmp/standard%20input"},
		{Path: "tmp/gofer-files-1/standard%20input/../../etc/passwd"},
		{Host: "host.example.org", Path: "tmp/gofer-files-1/standard%20input"},
	} {
		fetchtest.Equal(t, urlcore.IsStandardInput(f), false, f.String())
	}
}
