package upload_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/transfer/upload"
	"gofer/protocols"
	"gofer/protocols/ftp"
)

// killedEnv is the variable with the URL and the directory for TestKilledProcess.
const killedEnv = "GOFER_UPLOAD_TEST"

// TestKilledProcess is not a test, but a program that stores a directory.
func TestKilledProcess(t *testing.T) {
	to, dir, ok := strings.Cut(os.Getenv(killedEnv), " ")
	if !ok {
		t.Skip("only TestKilled and TestKilledUpdate start this program")
	}
	ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGTERM)
	defer stop()
	c := &ftp.Client{PlainPasswords: true}
	defer c.Close()
	tr := &upload.Tree{Server: server{Registry: protocols.Registry{"ftp": c}}, Dir: dir, URL: ftpURL(t, to), Update: true, Parallel: 2}
	defer tr.Close()
	err := tr.Plan(ctx)
	if err == nil {
		err = tr.Run(ctx)
	}
	if ctx.Err() != nil {
		fetchtest.NoError(t, fetchtest.Must(os.FindProcess(os.Getpid()))(t).Kill())
	}
	for _, left := range tr.LeftOut() {
		t.Error(left)
	}
	fetchtest.NoError(t, err)
}

// TestKilled kills a program that stores a directory, and checks that the next run continues.
func TestKilled(t *testing.T) {
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			s, dir := startServer(t, d), filepath.Join(t.TempDir(), "killed")
			to := filepath.Join(s.home, "killed")
			fetchtest.NoError(t, os.RemoveAll(to))
			for i := range 30 {
				writeFile(t, filepath.Join(dir, fmt.Sprint(i%3), fmt.Sprint(i)), strings.Repeat(fmt.Sprintf("%09d\n", i), 20_000), 0o644, longAgo)
			}
			for n, killed := 5, true; killed; n += 10 {
				cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledProcess$")
				cmd.Env = append(os.Environ(), killedEnv+"="+s.url+"killed;type=d "+dir)
				killed = fetchtest.RunAndKill(t, cmd, func() bool {
					stored, _ := filepath.Glob(filepath.Join(to, "*/*"))
					return len(stored) >= n && n < 30
				})
				endSessions(t, to)
			}
			equalTrees(t, readTree(t, to, false), readTree(t, dir, false))
			fetchtest.NoError(t, os.RemoveAll(to))
		})
	}
}

// TestKilledUpdate kills a program that updates a directory of a server, by SIGKILL or SIGTERM after a
// random number of octets, and changes a file of this machine. The last program makes both directories equal.
func TestKilledUpdate(t *testing.T) {
	const files, size = 12, 150_000
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			s, dir := startServer(t, d), filepath.Join(t.TempDir(), "anytime")
			to := filepath.Join(s.home, "anytime")
			fetchtest.NoError(t, os.RemoveAll(to))
			version := 0
			change := func(i int) {
				version++
				content := strings.Repeat(fmt.Sprintf("%09d\n", version), (size+i)/10)
				writeFile(t, filepath.Join(dir, fmt.Sprint(i%3), fmt.Sprint(i)), content, []fs.FileMode{
					0o644, 0o600, 0o755,
				}[i%3], longAgo.Add(time.Duration(version)*time.Hour))
			}
			for i := range files {
				change(i)
			}
			command := func() *exec.Cmd {
				cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledProcess$")
				cmd.Env = append(os.Environ(), killedEnv+"="+s.url+"anytime;type=d "+dir)
				return cmd
			}
			stored := func() (octets int64) {
				_ = filepath.WalkDir(to, func(_ string, entry fs.DirEntry, err error) error {
					if err != nil || entry.IsDir() {
						return nil
					}
					if info, err := entry.Info(); err == nil {
						octets += info.Size()
					}
					return nil
				})
				return octets
			}
			signals := []os.Signal{os.Kill, syscall.SIGTERM, os.Kill, syscall.SIGTERM}
			for kills, tries := 0, 0; kills < len(signals); tries++ {
				if tries == 10*len(signals) {
					t.Fatalf("%d of %d programs were killed, the others ended before", kills, tries)
				}
				sig := signals[kills]
				at := min(stored(), int64(files*size/2)) + 1 + rand.Int64N(files*size/5)
				t.Logf("kill %d: %v after %d octets", kills, sig, at)
				cmd, sent := command(), false
				killed := fetchtest.RunAndKill(t, cmd, func() bool {
					if !sent && stored() >= at {
						sent = true
						_ = cmd.Process.Signal(sig)
					}
					return false
				})
				if killed { // else the program ended before the signal
					kills++
				}
				endSessions(t, to)
				change(rand.IntN(files))
			}
			fetchtest.RunAndKill(t, command(), nil)
			equalTrees(t, readTree(t, to, false), readTree(t, dir, false))
			fetchtest.NoError(t, os.RemoveAll(to))
		})
	}
}

// endSessions kills the processes that have a file in dir open: a server may still store what the killed
// client sent, or keep the file locked for minutes while it waits for a data connection.
func endSessions(t *testing.T, dir string) {
	t.Helper()
	deadline, bounded := t.Deadline()
	for open := ""; ; open = "" {
		fds, _ := filepath.Glob("/proc/[0-9]*/fd/*")
		for _, fd := range fds {
			if path, _ := os.Readlink(fd); !strings.HasPrefix(path, dir+"/") {
				continue
			}
			open = fd
			pid := fetchtest.Must(strconv.Atoi(strings.Split(fd, "/")[2]))(t)
			_ = fetchtest.Must(os.FindProcess(pid))(t).Kill() // the process may have ended
		}
		switch {
		case open == "":
			return
		case bounded && time.Until(deadline) < 10*time.Second:
			t.Fatalf("a killed process still has a file in %s open: %s", dir, open)
		}
		time.Sleep(time.Millisecond)
	}
}
