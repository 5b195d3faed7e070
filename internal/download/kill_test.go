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

	"gofer/internal/download"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
	"gofer/protocols"
	"gofer/protocols/ftp"
)

// helperEnv has the URLs that a process of its own saves.
const helperEnv = "GOFER_DOWNLOAD_TEST"

// TestHelperProcess is no test: it is a program that goes on with what others have
// left, or else saves URLs, and ends when all is saved.
func TestHelperProcess(t *testing.T) {
	if os.Getenv(helperEnv) == "" {
		t.Skip("this is for other tests")
	}
	c := &ftp.Client{}
	defer c.Close()
	m := &download.Manager{
		Fetcher: protocols.Registry{"ftp": c},
		Folder:  os.Getenv(helperEnv + "_FOLDER"), List: os.Getenv(helperEnv + "_LIST"), Rate: 16 << 20,
	}
	defer m.Close()
	if path := os.Getenv(helperEnv + "_MIRROR"); path != "" {
		it, _ := m.Add(download.Request{URL: parse(t, os.Getenv(helperEnv)), Path: path, Tree: true, Mirror: &download.Mirror{Delete: true}})
		if s := it.Wait(); s.Err != nil {
			t.Error(s.Err, s.LeftOut)
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
			t.Errorf("%s: state %d, %v", s.URL, s.State, s.Err)
		}
	}
}

// helper returns the command of a process that saves URLs.
func helper(t *testing.T, urls []string, folder, list string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelperProcess$")
	cmd.Env = append(os.Environ(), helperEnv+"="+strings.Join(urls, " "), helperEnv+"_FOLDER="+folder, helperEnv+"_LIST="+list)
	return cmd
}

// serveFiles starts a server with so many files, of which no two are alike.
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
	s := fetchtest.Started(loopback.StartFTP(tree))(t)
	for i := range n {
		urls = append(urls, fmt.Sprintf("ftp://%s/file%02d.bin", s.Addr(), i))
	}
	return urls, content
}

// octets is how much there is in a folder.
func octets(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if info, infoErr := d.Info(); err == nil && infoErr == nil && !d.IsDir() {
			n += info.Size()
		}
		return nil
	})
	return n
}

// listed is how many downloads a program knows of: those that are whole, and those
// in its list.
func listed(folder, list string) int {
	whole, _ := filepath.Glob(filepath.Join(folder, "*.bin"))
	lists, _ := filepath.Glob(filepath.Join(list, "*"))
	n := len(whole)
	for _, path := range lists {
		b, _ := os.ReadFile(path)
		n += bytes.Count(b, []byte("\n"))
	}
	return n
}

func wantFiles(t *testing.T, dir string, want map[string][]byte) {
	t.Helper()
	entries := fetchtest.Must(os.ReadDir(dir))(t)
	fetchtest.Equal(t, len(entries), len(want), "files")
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if w, ok := want[e.Name()]; !ok {
			t.Errorf("%s should not be there", e.Name())
		} else if err != nil || !bytes.Equal(b, w) {
			t.Errorf("%s: %d octets, want %d (%v)", e.Name(), len(b), len(w), err)
		}
	}
}

// killing runs a program again and again, and kills it when it has saved some more of the octets in
// a folder, until it ends by itself. A program that is not ready yet is not killed.
func killing(t *testing.T, cmd func() *exec.Cmd, folder string, total int64, ready func() bool) {
	t.Helper()
	killed := -1
	for again := true; again; killed++ {
		moment := octets(folder) + rand.Int64N(total/6+1)
		again = fetchtest.Killed(t, cmd(), func() bool { return ready() && octets(folder) > moment })
	}
	if killed == 0 {
		t.Error("it was never killed")
	}
	t.Log("killed ", killed, " times")
}

// TestKilled kills a program that saves twenty files at random moments; the next
// one goes on, until all are whole.
func TestKilled(t *testing.T) {
	urls, content := serveFiles(t, 20, 200<<10)
	folder, list := t.TempDir(), t.TempDir()
	total := int64(0)
	for _, b := range content {
		total += int64(len(b))
	}
	known := false
	killing(t, func() *exec.Cmd { return helper(t, urls, folder, list) }, folder, total, func() bool {
		known = known || listed(folder, list) >= len(urls)
		return known
	})
	wantFiles(t, folder, content)
	wantFiles(t, list, nil)
}

// TestKilledMirror kills a program that updates a mirror at random moments. The same one again
// completes it; no file is ever there in part, and nothing else is left.
func TestKilledMirror(t *testing.T) {
	urls, content := serveFiles(t, 60, 50<<10)
	folder, total := filepath.Join(t.TempDir(), "m"), int64(0)
	for name, b := range content {
		if total += int64(len(b)); len(name)%2 == 0 { // an older version
			fetchtest.NoError(t, errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, name), []byte("old"), 0o600)))
		}
	}
	killing(t, func() *exec.Cmd {
		paths, _ := filepath.Glob(filepath.Join(folder, "*.bin"))
		for _, path := range paths {
			if b := fetchtest.Must(os.ReadFile(path))(t); string(b) != "old" && !bytes.Equal(b, content[filepath.Base(path)]) {
				t.Errorf("%s has %d octets", path, len(b))
			}
		}
		cmd := helper(t, []string{strings.TrimSuffix(urls[0], "file00.bin")}, t.TempDir(), "")
		cmd.Env = append(cmd.Env, helperEnv+"_MIRROR="+folder)
		return cmd
	}, folder, total, func() bool { return true })
	wantFiles(t, folder, content)
}

// TestEightPrograms: eight programs save the same files in one folder, each its
// own.
func TestEightPrograms(t *testing.T) {
	const programs = 8
	urls, content := serveFiles(t, 5, 300<<10)
	folder, list := t.TempDir(), t.TempDir()
	var wg sync.WaitGroup
	for range programs {
		wg.Go(func() {
			cmd := helper(t, urls, folder, list)
			cmd.Env = append(cmd.Env, helperEnv+"_MORE=1")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
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
	wantFiles(t, folder, want)
	wantFiles(t, list, nil)
}
