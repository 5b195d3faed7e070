package download_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/afero"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/protocols/ftp"
)

// helperEnv is the environment variable with the URLs for TestHelperProcess.
const helperEnv = "GOFER_DOWNLOAD_TEST"

// TestHelperProcess is not a test, but a program that updates a mirror, or continues the downloads of earlier
// runs. If there are none, it saves the URLs in helperEnv to an empty folder, or to any folder if
// helperEnv+"_MORE" is set.
func TestHelperProcess(t *testing.T) {
	if os.Getenv(helperEnv) == "" {
		t.Skip("this is a program for other tests")
	}
	c := &ftp.Client{}
	defer c.Close()
	m := &download.Manager{
		Fetcher: protocols.Registry{"ftp": c},
		Folder:  os.Getenv(helperEnv + "_FOLDER"), ListFolder: os.Getenv(helperEnv + "_LIST"),
		RecordFolder: os.Getenv(helperEnv+"_FOLDER") + ".records", Rate: 16 << 20,
	}
	defer m.Close()
	if path := os.Getenv(helperEnv + "_MIRROR"); path != "" {
		it, _ := m.Add(download.Request{
			URL: parse(t, os.Getenv(helperEnv)), Path: path, Tree: true, Mirror: &download.UpdateOptions{Delete: true},
		})
		if s := it.Wait(); s.Err != nil {
			t.Errorf("mirror ended with error %v, left out %v", s.Err, s.LeftOut)
		}
		return
	}
	entries := fetchtest.Must(os.ReadDir(m.Folder))(t)
	if m.Recover() == 0 && (len(entries) == 0 || os.Getenv(helperEnv+"_MORE") != "") {
		for u := range strings.FieldsSeq(os.Getenv(helperEnv)) {
			m.Add(download.Request{URL: parse(t, u)})
		}
	}
	for _, it := range m.Items() {
		it.Resume()
	}
	for _, it := range m.Items() {
		if s := it.Wait(); s.State != download.Saved {
			t.Errorf("download of %s ended in state %d, error %v", s.URL, s.State, s.Err)
		}
	}
}

// helperCommand returns the command that runs TestHelperProcess.
func helperCommand(t *testing.T, urls []string, folder, list string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelperProcess$")
	cmd.Env = append(os.Environ(), helperEnv+"="+strings.Join(urls, " "), helperEnv+"_FOLDER="+folder, helperEnv+"_LIST="+list)
	return cmd
}

// serveFiles starts a server with n different files.
func serveFiles(t *testing.T, n, size int) (urls []string, content map[string][]byte) {
	t.Helper()
	tree, content := afero.NewMemMapFs(), make(map[string][]byte)
	for i := range n {
		name := fmt.Sprintf("file%02d.bin", i)
		b := bytes.Repeat([]byte(fmt.Sprintf("%s 0123456789abcdef\n", name)), size/28+i)
		for j := range b {
			b[j] += byte(j >> 12)
		}
		content[name] = b
		fetchtest.NoError(t, afero.WriteFile(tree, "/"+name, b, 0o644))
	}
	s := fetchtest.CloseAtEnd(demo.StartFTP(tree))(t)
	for i := range n {
		urls = append(urls, fmt.Sprintf("ftp://%s/file%02d.bin", s.Addr(), i))
	}
	return urls, content
}

// folderSize returns the number of octets in a folder.
func folderSize(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if info, infoErr := d.Info(); err == nil && infoErr == nil && !d.IsDir() {
			n += info.Size()
		}
		return nil
	})
	return n
}

// countDownloads counts the complete files in filesDir, and the entries of all lists of unfinished
// downloads in listDir.
func countDownloads(filesDir, listDir string) int {
	whole, _ := filepath.Glob(filepath.Join(filesDir, "*.bin"))
	lists, _ := filepath.Glob(filepath.Join(listDir, "*"))
	n := len(whole)
	for _, path := range lists {
		b, _ := os.ReadFile(path)
		n += bytes.Count(b, []byte("\n"))
	}
	return n
}

// checkFiles checks the names and contents of the files in dir.
func checkFiles(t *testing.T, dir string, want map[string][]byte) {
	t.Helper()
	entries := fetchtest.Must(os.ReadDir(dir))(t)
	fetchtest.Equal(t, len(entries), len(want), "files in %s", dir)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if w, ok := want[e.Name()]; !ok {
			t.Errorf("%s has the unexpected file %s", dir, e.Name())
		} else if err != nil || !bytes.Equal(b, w) {
			t.Errorf("%s: got %d octets (error %v), want other content of %d octets", e.Name(), len(b), err, len(w))
		}
	}
}

// killRepeatedly runs a program until it ends by itself. A run is killed after ready has returned true and the
// program has saved some more octets to folder.
func killRepeatedly(t *testing.T, cmd func() *exec.Cmd, folder string, total int64, ready func() bool) {
	t.Helper()
	killed := -1
	for again := true; again; killed++ {
		moment := folderSize(folder) + rand.Int64N(total/6+1)
		again = fetchtest.RunAndKill(t, cmd(), func() bool { return ready() && folderSize(folder) > moment })
	}
	if killed == 0 {
		t.Error("the program was never killed")
	}
	t.Log("killed ", killed, " times")
}

// TestKilled runs programs that save twenty files, and kills each program at a random moment, until all files are
// complete.
func TestKilled(t *testing.T) {
	urls, content := serveFiles(t, 20, 200<<10)
	folder, list := t.TempDir(), t.TempDir()
	total := int64(0)
	for _, b := range content {
		total += int64(len(b))
	}
	known := false
	killRepeatedly(t, func() *exec.Cmd { return helperCommand(t, urls, folder, list) }, folder, total, func() bool {
		known = known || countDownloads(folder, list) >= len(urls)
		return known
	})
	checkFiles(t, folder, content)
	checkFiles(t, list, nil)
}

// TestKilledMirror runs programs that update a mirror, and kills each program at a random moment, until the mirror is
// complete. It checks that no file is ever incomplete and that no other files are left.
func TestKilledMirror(t *testing.T) {
	urls, content := serveFiles(t, 60, 50<<10)
	folder, total := filepath.Join(t.TempDir(), "m"), int64(0)
	for name, b := range content {
		if total += int64(len(b)); name[5]%2 == 0 { // half of the files have an older version
			fetchtest.NoError(t, errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, name), []byte("old"), 0o600)))
		}
	}
	killRepeatedly(t, func() *exec.Cmd {
		paths, _ := filepath.Glob(filepath.Join(folder, "*.bin"))
		for _, path := range paths {
			if b := fetchtest.Must(os.ReadFile(path))(t); string(b) != "old" && !bytes.Equal(b, content[filepath.Base(path)]) {
				t.Errorf("%s has %d octets, want the old or the new version", path, len(b))
			}
		}
		cmd := helperCommand(t, []string{strings.TrimSuffix(urls[0], "file00.bin")}, filepath.Dir(folder), "")
		cmd.Env = append(cmd.Env, helperEnv+"_MIRROR="+folder)
		return cmd
	}, folder, total, func() bool { return true })
	checkFiles(t, folder, content)
}

// TestConcurrentPrograms runs eight programs that save the same files to one folder and do not share lists. Each saves
// its own copies.
func TestConcurrentPrograms(t *testing.T) {
	const programs = 8
	urls, content := serveFiles(t, 5, 300<<10)
	folder := t.TempDir()
	var wg sync.WaitGroup
	var lists []string
	for range programs {
		list := t.TempDir()
		lists = append(lists, list)
		wg.Go(func() {
			cmd := helperCommand(t, urls, folder, list)
			cmd.Env = append(cmd.Env, helperEnv+"_MORE=1")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("a program ended with error %v and printed %s", err, out)
			}
		})
	}
	wg.Wait()
	want := make(map[string][]byte)
	for name, b := range content {
		want[name] = b
		for i := 1; i < programs; i++ {
			want[strings.Replace(name, ".bin", fmt.Sprintf("(%d).bin", i), 1)] = b
		}
	}
	checkFiles(t, folder, want)
	for _, list := range lists {
		checkFiles(t, list, nil)
	}
}
