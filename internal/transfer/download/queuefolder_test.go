package download

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestFolderKept checks that a file and a directory are saved in the folder for which they were asked, also after several
// runs with other folders have had them.
func TestFolderKept(t *testing.T) {
	r := newRuns(t)
	asked, dir := t.TempDir(), ftpItem(t, nil, "tree", 'd')
	server := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		if u == dir {
			return listing(u, protocols.LayoutDirectory, protocols.Line{Kind: protocols.Binary, Text: "a", Link: ftpItem(t, []string{"tree"}, "a", 0), Note: &protocols.FileNote{Size: -1}}), nil
		}
		return document(u, "abc"), nil
	})
	t.Chdir(t.TempDir())
	writeFiles(t, r.lists, "1-1.list="+fmt.Sprintf(`{"url":"gopher://h/9/file","folder":%q,"size":-1}`, asked)+
		fmt.Sprintf(`{"url":%q,"tree":true,"folder":%q,"size":-1}`, dir, asked))
	screen := r.start(server)
	fetchtest.Equal(t, screen.Recover(), 2, "unfinished downloads")
	screen.Close()
	queue := r.start(server)
	queue.Folder = "."
	r.serve(queue, Handover{}, true)
	fetchtest.Equal(t, allFiles(t, asked), "file tree/a", "files in the folder that was asked for")
	fetchtest.Equal(t, allFiles(t, r.files)+allFiles(t, "."), "", "files elsewhere")
}

// TestQueueWithoutFolder checks that a run without a screen saves nothing in its working directory, and that the next screen
// can resume the download.
func TestQueueWithoutFolder(t *testing.T) {
	r := newRuns(t)
	t.Chdir(t.TempDir())
	writeFiles(t, r.lists, `1-1.list={"url":"gopher://h/9/file","size":-1}`)
	queue := r.start(r.flowing)
	queue.Folder = "."
	r.serve(queue, Handover{}, true)
	fetchtest.Equal(t, allFiles(t, "."), "", "files in the working directory")
	screen := r.start(r.flowing)
	fetchtest.Contains(t, states(screen), errNoFolder.Error(), "the download")
	screen.Items()[0].Resume()
	fetchtest.Equal(t, screen.Items()[0].Wait().State, Saved, "state after the screen resumed it")
	fetchtest.Equal(t, allFiles(t, r.files), "file", "files in the folder of the screen")
}

// allFiles returns the paths of the files below dir, except those of gofer itself.
func allFiles(t *testing.T, dir string) string {
	t.Helper()
	var paths []string
	fetchtest.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if rel, relErr := filepath.Rel(dir, path); err == nil && relErr == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
			paths = append(paths, filepath.ToSlash(rel))
		}
		return err
	}))
	return strings.Join(paths, " ")
}
