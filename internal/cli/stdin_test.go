package cli

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

// TestReadInput: the file with the standard input is known as such, and is removed at the end.
func TestReadInput(t *testing.T) {
	for media, name := range map[string]string{"": "standard%20input", "text/html": "standard%20input.html"} {
		p := testProgram(t.TempDir(), new(Setup))
		p.In = strings.NewReader("a page")
		start, remove, err := p.readInput(t.Context(), "-", media)
		fetchtest.NoError(t, err)
		u, err := urlcore.Parse(start)
		fetchtest.NoError(t, err)
		if !urlcore.IsStandardInput(u) || !strings.HasSuffix(start, "/"+name) {
			t.Errorf("%q is not the standard input %s", start, name)
		}
		remove()
		fetchtest.Equal(t, urlcore.IsStandardInput(urlcore.File{Path: "home/gofer-files-1/notes"}), false, "another file")
	}
}
