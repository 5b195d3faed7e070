//go:build unix

package endtoend

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
)

// heldServer is a web server with a page of links to files. It sends only the first half of each file until it is
// released.
type heldServer struct {
	*httptest.Server
	content []byte
	release chan struct{}
}

func newHeldServer(t *testing.T) *heldServer {
	s := &heldServer{content: bytes.Repeat([]byte("0123456789abcdef"), 4<<10), release: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<h1>Files</h1><p><a href="/one.bin">one.bin</a>`)
			return
		}
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, r.URL.Path, time.Time{}, &heldFile{ReadSeeker: bytes.NewReader(s.content), server: s, w: w, r: r})
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// heldFile is a file of a heldServer.
type heldFile struct {
	io.ReadSeeker
	server *heldServer
	w      http.ResponseWriter
	r      *http.Request
	at     int64
}

func (f *heldFile) Seek(offset int64, whence int) (n int64, err error) {
	f.at, err = f.ReadSeeker.Seek(offset, whence)
	return f.at, err
}

func (f *heldFile) Read(p []byte) (int, error) {
	half := int64(len(f.server.content) / 2)
	if f.at >= half {
		_ = http.NewResponseController(f.w).Flush()
		select {
		case <-f.server.release:
		case <-f.r.Context().Done():
			return 0, f.r.Context().Err()
		}
	} else {
		p = p[:min(int64(len(p)), half-f.at)]
	}
	n, err := f.ReadSeeker.Read(p)
	f.at += int64(n)
	return n, err
}

// queueProcess returns the process that saves the downloads of the user with the home directory home, or 0.
func queueProcess(t *testing.T, home string) int {
	t.Helper()
	lock, _ := os.ReadFile(filepath.Join(home, ".local/state/gofer/downloads/queue.lock"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(lock)))
	return pid
}

// detachedHome returns a home directory. The process that saves its downloads is killed at the end of the test.
func detachedHome(t *testing.T) string {
	home := t.TempDir()
	fetchtest.NoError(t, os.Mkdir(filepath.Join(home, "Downloads"), 0o700))
	t.Cleanup(func() {
		if pid := queueProcess(t, home); pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return home
}

// checkSaved waits until one.bin is complete, no record and no list with a running download is left, and the process
// that saves downloads has ended.
func (s *heldServer) checkSaved(t *testing.T, home string) {
	t.Helper()
	state := filepath.Join(home, ".local/state/gofer")
	var last string
	if !eventually(func() bool {
		data, _ := os.ReadFile(filepath.Join(home, "Downloads/one.bin"))
		parts, _ := filepath.Glob(filepath.Join(state, "parts/*"))
		last = fmt.Sprintf("one.bin has %d octets, records %q, process %d", len(data), parts, queueProcess(t, home))
		return bytes.Equal(data, s.content) && len(parts) == 0 && queueProcess(t, home) == 0
	}) {
		t.Fatalf("not saved: %s", last)
	}
}

// startSaving starts gofer and saves half of one.bin.
func (s *heldServer) startSaving(t *testing.T, home string) *terminal {
	t.Helper()
	tm := startGofer(t, home, startWorld(t), s.URL+"/")
	tm.wait("one.bin")
	tm.typeKeys("\td")
	tm.wait("50%")
	return tm
}

// TestDownloadAfterHangup closes the terminal of a gofer that saves a file. The download must go on, two other gofers must
// show it, and none of them may save the file a second time.
func TestDownloadAfterHangup(t *testing.T) {
	t.Parallel()
	s, home := newHeldServer(t), detachedHome(t)
	tm := s.startSaving(t, home)
	fetchtest.NoError(t, tm.tty.Close())
	tm.waitExit(5)
	if queueProcess(t, home) == 0 {
		t.Fatal("no process saves the file")
	}
	var screens [2]*terminal
	for i := range screens {
		screens[i] = startGofer(t, home, startWorld(t), s.URL+"/")
		screens[i].wait("1 download goes on: J lists it")
		screens[i].wait("one.bin", "50%")
	}
	screens[0].typeKeys("\td")
	screens[0].wait("already being saved: J shows it")
	screens[0].typeKeys("J")
	screens[0].wait("one.bin  in the background", "50%")
	close(s.release)
	for _, other := range screens {
		other.wait("saved one.bin")
		other.quit()
	}
	s.checkSaved(t, home)
}

// TestQuitLeavesDownloads checks that the downloads go on after q and y, also when a setting has been changed before.
func TestQuitLeavesDownloads(t *testing.T) {
	t.Parallel()
	s, home := newHeldServer(t), detachedHome(t)
	tm := s.startSaving(t, home)
	tm.typeKeys("\x1b[19~") // F8
	tm.wait("contrast")
	tm.typeKeys("contrast\r")
	tm.wait("theme = contrast, saved")
	tm.typeKeys("qy")
	tm.waitExit(0)
	if queueProcess(t, home) == 0 {
		t.Error("no process saves the file")
	}
	close(s.release)
	s.checkSaved(t, home)
}

// TestDetachedStops checks that the screen can pause a download that goes on without a screen, and that the download
// goes on in this screen then.
func TestDetachedStops(t *testing.T) {
	t.Parallel()
	s, home := newHeldServer(t), detachedHome(t)
	tm := s.startSaving(t, home)
	fetchtest.NoError(t, tm.cmd.Process.Signal(syscall.SIGHUP))
	tm.waitExit(5)
	tm = startGofer(t, home, startWorld(t), "about:downloads")
	tm.wait("one.bin  in the background", "50%")
	tm.typeKeys("\r")
	tm.wait("Enter resume")
	tm.waitUntil(func() bool { return queueProcess(t, home) == 0 }, "leaves the process without downloads")
	tm.typeKeys("\r")
	tm.wait("50%")
	close(s.release)
	tm.wait("saved one.bin")
	tm.quit()
	s.checkSaved(t, home)
}

// TestDetachedKilled kills the process that saves a file without a screen, as a crash of the machine does. The next start
// must offer to resume the download with one key.
func TestDetachedKilled(t *testing.T) {
	t.Parallel()
	s, home := newHeldServer(t), detachedHome(t)
	tm := s.startSaving(t, home)
	fetchtest.NoError(t, tm.tty.Close())
	tm.waitExit(5)
	fetchtest.NoError(t, syscall.Kill(queueProcess(t, home), syscall.SIGKILL))
	fetchtest.NoError(t, os.Remove(filepath.Join(home, ".local/state/gofer/downloads/queue.lock"))) // only the lock counts
	close(s.release)
	tm = startGofer(t, home, startWorld(t), s.URL+"/")
	tm.wait("Y resumes 1 unfinished download")
	tm.typeKeys("Y")
	tm.wait("saved one.bin")
	tm.quit()
	s.checkSaved(t, home)
}

// TestNotDetached checks where a hangup only pauses the downloads.
func TestNotDetached(t *testing.T) {
	t.Parallel()
	s := newHeldServer(t)
	for name, tt := range map[string]struct {
		args     []string
		settings string
	}{
		"private": {[]string{"--private"}, ""},
		"setting": {nil, "[downloads]\ndetach = false\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := detachedHome(t)
			fetchtest.NoError(t, os.MkdirAll(filepath.Join(home, ".config/gofer"), 0o700))
			fetchtest.NoError(t, os.WriteFile(filepath.Join(home, ".config/gofer/config.toml"), []byte(tt.settings), 0o600))
			tm := startGofer(t, home, startWorld(t), append(tt.args, s.URL+"/")...)
			tm.wait("one.bin")
			tm.typeKeys("\td")
			tm.wait("50%")
			fetchtest.NoError(t, tm.tty.Close())
			tm.waitExit(5)
			if pid := queueProcess(t, home); pid > 0 {
				t.Errorf("the process %d goes on", pid)
			}
		})
	}
}

// TestGetInBackground checks that get --background returns at once, that a second one does not save a file again, and
// that gofer queue saves what a killed process has left.
func TestGetInBackground(t *testing.T) {
	t.Parallel()
	s, home := newHeldServer(t), detachedHome(t)
	run := func(wantCode int, want string, args ...string) {
		t.Helper()
		cmd := newCommand(home, startWorld(t), "gofer", args...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != wantCode || !strings.Contains(string(out), want) {
			t.Errorf("%q: exit code %d, %s; want %d, %q", args, code, out, wantCode, want)
		}
	}
	get := []string{"get", "--background", "-P", "Downloads", s.URL + "/one.bin"}
	file := filepath.Join(home, "Downloads/one.bin")
	run(0, file+": is being saved in the background", get...)
	run(0, file+": another gofer is saving it already", get...)
	run(2, "--parallel cannot be used with --background", append(get, "-n", "3")...)
	run(2, "--offline cannot be used with --background", append(get, "--offline")...)
	run(2, "password", "get", "--background", "-P", "Downloads", "ftp://me:secret@127.0.0.1:1/two.bin")
	run(6, fmt.Sprintf("gofer queue (process %d) is running already: it saves 1 download", queueProcess(t, home)), "queue")
	run(0, fmt.Sprintf("two.bin: is being saved in the background by gofer queue (process %d), which", queueProcess(t, home)), "get", "--background", "-P", "Downloads", s.URL+"/two.bin")
	part := file + ".part"
	if !eventually(func() bool { info, err := os.Stat(part); return err == nil && info.Size() == int64(len(s.content)/2) }) {
		t.Fatal("half of the file was never saved")
	}
	_ = syscall.Kill(queueProcess(t, home), syscall.SIGKILL)
	close(s.release)
	run(0, file+": 66 kB", "queue")
	s.checkSaved(t, home)
	run(5, "--force overwrites it", get...)
}
