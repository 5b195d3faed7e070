package file

import (
	"os"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

// TestSameItem checks that neither a link nor the spelling of a path hides that two URLs lead to one file.
func TestSameItem(t *testing.T) {
	root := writeFiles(t, map[string]string{"a/f": "same", "b/f": "same"})
	fetchtest.NoError(t, os.Symlink("a", root+"/link"))
	fetchtest.NoError(t, os.Link(root+"/a/f", root+"/hard"))
	item := func(path string) urlcore.URL { return fetchtest.Must(urlcore.Parse("file://" + root + "/" + path))(t) }
	for path, want := range map[string][2]bool{ // same and known
		"a/f":      {true, true},
		"link/f":   {true, true},
		"b/../a/f": {true, true},
		"/a/./f":   {true, true},
		"hard":     {true, true},
		"b/f":      {false, true},
		"none":     {false, false},
	} {
		same, known, err := new(Client).SameItem(t.Context(), item("a/f"), item(path))
		if got := [2]bool{same, known}; got != want || err != nil {
			t.Errorf("SameItem() of a/f and %s = %v, %v; want %v", path, got, err, want)
		}
	}
}
