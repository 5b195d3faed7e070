package across_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/across"
	"gofer/protocols"
	"gofer/protocols/file"
	"gofer/urlcore"
)

// TestCompareTrees checks that directories are compared with all that is below them, and that what cannot be decided is not Equal.
func TestCompareTrees(t *testing.T) {
	s := protocols.Registry{"file": new(file.Client)}
	for name, tt := range map[string]struct {
		here, there      map[string]string
		hidden, contents bool
		want             across.Difference
	}{
		"equal":        {here: map[string]string{"a/b/f": "1"}, there: map[string]string{"a/b/f": "1"}, want: across.Equal},
		"size":         {here: map[string]string{"a/b/f": "1"}, there: map[string]string{"a/b/f": "12"}, want: across.Changed},
		"only here":    {here: map[string]string{"a/f": "1", "a/b/g": "1"}, there: map[string]string{"a/f": "1"}, want: across.Changed},
		"only there":   {here: map[string]string{"a/f": "1"}, there: map[string]string{"a/f": "1", "a/b/g": "1"}, want: across.Changed},
		"not hidden":   {here: map[string]string{"a/f": "1"}, there: map[string]string{"a/f": "1", "a/.g": "1"}, want: across.Equal},
		"hidden":       {here: map[string]string{"a/f": "1"}, there: map[string]string{"a/f": "1", "a/.g": "1"}, hidden: true, want: across.Changed},
		"not contents": {here: map[string]string{"a/f": "1"}, there: map[string]string{"a/f": "2"}, want: across.Equal},
		"contents":     {here: map[string]string{"a/f": "1"}, there: map[string]string{"a/f": "2"}, contents: true, want: across.Changed},
	} {
		a, b := local(t), local(t)
		write(t, a.path, tt.here)
		write(t, b.path, tt.there)
		trees := &across.Trees{Server: s, Hidden: tt.hidden, Contents: tt.contents}
		got := fetchtest.Must(trees.Compare(t.Context(), a.url, b.url))(t)
		fetchtest.Equal(t, got, tt.want, "%s", name)
	}
}

// TestCompareTreesIsBounded checks that directories below too many levels are Unknown, and so is one that cannot be listed.
func TestCompareTreesIsBounded(t *testing.T) {
	s := protocols.Registry{"file": new(file.Client)}
	a, b := local(t), local(t)
	deep := "d/"
	for range 70 {
		deep += "d/"
	}
	for _, root := range []string{a.path, b.path} {
		fetchtest.NoError(t, os.MkdirAll(filepath.Join(root, deep), 0o755))
	}
	trees := &across.Trees{Server: s}
	fetchtest.Equal(t, fetchtest.Must(trees.Compare(t.Context(), a.url, b.url))(t), across.Unknown, "too deep")
	fetchtest.Equal(t, trees.Dirs.Load(), 65, "directories")

	gone := fetchtest.Must(urlcore.Parse(a.url.String() + "gone/"))(t)
	fetchtest.Equal(t, fetchtest.Must(trees.Compare(t.Context(), gone, gone))(t), across.Unknown, "cannot be listed")
}

// TestCompareLinks checks that links to one target are Equal whatever their own dates.
func TestCompareLinks(t *testing.T) {
	u := fetchtest.Must(urlcore.Parse("file:///x"))(t)
	for _, kind := range []protocols.Kind{protocols.Directory, protocols.Text} {
		link := func(days int) protocols.Line {
			return protocols.Line{Kind: kind, Link: u, Note: &protocols.FileNote{Target: "a", Modified: time.Date(2024, 5, days, 12, 0, 0, 0, time.UTC)}}
		}
		fetchtest.Equal(t, across.Compare([]protocols.Line{link(1)}, []protocols.Line{link(2)})[0], across.Equal, "%s", kind)
	}
}

// TestCompareDoesNotGuess checks that files of the same size are Equal only if the dates of both listings say so.
func TestCompareDoesNotGuess(t *testing.T) {
	noon := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		a, b protocols.FileNote
		want across.Difference
	}{
		"the same second":    {protocols.FileNote{Modified: noon}, protocols.FileNote{Modified: noon}, across.Equal},
		"no seconds":         {protocols.FileNote{Modified: noon}, protocols.FileNote{Modified: noon.Add(59 * time.Second)}, across.Unknown},
		"another minute":     {protocols.FileNote{Modified: noon}, protocols.FileNote{Modified: noon.Add(61 * time.Second)}, across.Earlier},
		"a day":              {protocols.FileNote{Modified: noon, DateOnly: true}, protocols.FileNote{Modified: noon.Add(20 * time.Hour)}, across.Unknown},
		"the same day":       {protocols.FileNote{Modified: noon, DateOnly: true}, protocols.FileNote{Modified: noon, DateOnly: true}, across.Equal},
		"another zone":       {protocols.FileNote{Modified: noon, Local: true}, protocols.FileNote{Modified: noon.Add(23 * time.Hour)}, across.Unknown},
		"the same zone":      {protocols.FileNote{Modified: noon, Local: true}, protocols.FileNote{Modified: noon}, across.Equal},
		"no date":            {protocols.FileNote{}, protocols.FileNote{Modified: noon}, across.Unknown},
		"links":              {protocols.FileNote{Target: "a"}, protocols.FileNote{Target: "a"}, across.Equal},
		"links to elsewhere": {protocols.FileNote{Target: "a"}, protocols.FileNote{Target: "b"}, across.Changed},
	} {
		u := fetchtest.Must(urlcore.Parse("file:///x"))(t)
		kind := protocols.Text
		if tt.a.Target != "" {
			kind = protocols.Directory
		}
		a, b := protocols.Line{Kind: kind, Link: u, Note: &tt.a}, protocols.Line{Kind: kind, Link: u, Note: &tt.b}
		fetchtest.Equal(t, across.Compare([]protocols.Line{a}, []protocols.Line{b})[0], tt.want, "%s", name)
	}
}
