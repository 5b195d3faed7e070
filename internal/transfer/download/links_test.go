package download

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestDirectoryLinks checks that links to directories are not followed in any scheme that lists them as directories, and that a
// mirror keeps those to directories within it, and those to files, as links.
func TestDirectoryLinks(t *testing.T) {
	pages := map[string][]protocols.Line{ // the Text is the name, and a final slash that of a directory
		"d": {
			link("absolute/", "/d/sub"), link("again/", "in"), link("far/", "../../other"), link("file", "sub/f"), link("in/", "sub"),
			link("far file", "../f"), link("odd/", "sub/../sub"), link("round/", "../d/sub"), link("self/", "."), link("untold/", ""), link("up/", ".."),
			{Text: "sub/"},
		},
		"sub": {{Text: "f"}, link("beside/", "../sub"), link("top/", "..")},
	}
	for _, base := range []string{"afs://c/d/", "file:///a/d/", "ftp://h/a/d;type=d", "ftp://h/%2Fa/d;type=d", "nfs://h/a/d/", "nfs://h//d/", "sftp://h/d;type=d", "sftp://h/~/d;type=d"} {
		t.Run(base, func(t *testing.T) {
			root := fetchtest.Parse(t, base)
			f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
				name := u.(interface{ FileName() string }).FileName()
				if lines, ok := pages[name]; ok {
					return listing(u, protocols.LayoutDirectory, linesAt(t, u, lines)...), nil
				}
				if strings.HasPrefix(name, "f") && name != "far" {
					return document(u, name), nil
				}
				t.Errorf("%s is fetched", u)
				return listing(u, protocols.LayoutDirectory), nil
			})
			left := func(s *Status, names ...string) {
				t.Helper()
				for i, name := range names {
					names[i] = name + ": it is a link to a directory, which is not followed"
				}
				texts := leftOutTexts(s)
				slices.Sort(texts)
				fetchtest.EqualSlices(t, texts, names, "items left out")
			}
			copied := filepath.Join(t.TempDir(), "m")
			s, _ := saveTree(t, &Manager{Fetcher: f}, root, copied)
			fetchtest.EqualSlices(t, dirState(t, copied), []string{"far file=far file", "file=file", "sub/", "sub/f=f"}, "files and directories")
			fetchtest.Equal(t, s.TotalFiles, 3, "files to save")
			left(&s, "absolute", "again", "far", "untold", "up")
			notes := map[string]string{"in": "sub", "odd": "sub", "round": "sub", "self": ".", "sub/beside": "sub", "sub/top": "."}
			for name, to := range notes {
				fetchtest.Contains(t, strings.Join(s.Notes, "\n"), "not saved twice: \""+name+"\": it is a link to the directory \""+to+"\"", "notes")
			}
			fetchtest.Equal(t, len(s.Notes), len(notes), "notes")

			mirrored := filepath.Join(t.TempDir(), "m")
			s, _ = saveTree(t, &Manager{Fetcher: f}, root, mirrored, func(r *Request) { r.Mirror = &UpdateOptions{} })
			fetchtest.EqualSlices(t, dirState(t, mirrored), []string{
				"again -> in", "far file=far file", "file -> sub/f", "in -> sub", "round -> sub", "self -> .", "sub/", "sub/beside -> .", "sub/f=f", "sub/top -> ..",
			}, "files and directories of the mirror")
			left(&s, "absolute", "far", "untold", "up")
			fetchtest.EqualSlices(t, s.Notes, []string{
				`not saved twice: "odd": it is a link to the directory "sub"`,
				`saved as a copy: "far file": it is a link to ../f, which is not the relative path of an item in the directory`,
			}, "notes")
		})
	}
}

// TestCopyOfLink checks that a file saved in place of a link is fetched again if the file at the server has another date.
func TestCopyOfLink(t *testing.T) {
	for _, base := range []string{"afs://c/d/", "file:///d/", "ftp://h/d;type=d", "nfs://h/d/"} {
		root, modified, fetched := fetchtest.Parse(t, base), noon.Add(time.Millisecond), 0
		f := fetchtest.FetcherFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
			if req.URL == root {
				return listing(root, protocols.LayoutDirectory, linesAt(t, root, []protocols.Line{link("l", "../f")})...), nil
			}
			if !req.Facts {
				fetched++
			}
			res := document(req.URL, "f")
			res.Modified = modified
			return res, nil
		})
		dir := filepath.Join(t.TempDir(), "m")
		for i, want := range []int{1, 1, 2, 2} {
			if i == 2 {
				modified = noon.Add(time.Hour)
			}
			s, _ := saveTree(t, &Manager{Fetcher: f}, root, dir, func(r *Request) { r.Mirror = &UpdateOptions{} })
			fetchtest.NoError(t, s.Err)
			fetchtest.Equal(t, fetched, want, "%s: fetches", base)
		}
	}
}

func link(name, target string) protocols.Line {
	return protocols.Line{Text: name, Note: &protocols.FileNote{Size: -1, Link: true, Target: target}}
}

// linesAt returns lines with their links in the directory u.
func linesAt(t *testing.T, u urlcore.URL, lines []protocols.Line) []protocols.Line {
	lines = slices.Clone(lines)
	for i := range lines {
		l := &lines[i]
		name, isDir := strings.CutSuffix(l.Text, "/")
		l.Text = name
		if f, ok := u.(urlcore.FTP); ok {
			child := fetchtest.Must(f.Child(name))(t).(urlcore.FTP)
			if isDir {
				child.Type = 'd'
			}
			l.Link = child
		} else {
			l.Link = fetchtest.Parse(t, u.String()+strings.ReplaceAll(name, " ", "%20"))
			if isDir {
				l.Link = fetchtest.Parse(t, l.Link.String()+"/")
			}
		}
		if l.Kind = protocols.Binary; isDir {
			l.Kind = protocols.Directory
		}
	}
	return lines
}
