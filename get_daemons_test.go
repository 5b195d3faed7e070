package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gofer/internal/realserver"
)

// TestKilledGet kills gofer get in the middle of a large file, twice; what comes
// after that is the rest of it, and nothing else remains.
func TestKilledGet(t *testing.T) {
	for _, d := range realserver.FTPDaemons() {
		t.Run(d.Name, func(t *testing.T) {
			s := d.Start(t)
			p, dir := newProgram(t), t.TempDir()
			get := func(flags ...string) *exec.Cmd {
				args := append([]string{"get", "--trust", "-P", dir}, flags...)
				cmd := exec.CommandContext(t.Context(), "gofer", append(args, d.Scheme+"://"+s.Addr+"/pub/large/50MB.bin")...)
				cmd.Env = p.env
				return cmd
			}
			path := filepath.Join(dir, "50MB.bin")
			had := int64(0)
			for _, until := range []int64{5 << 20, 20 << 20} {
				cmd := get("--limit-rate", "40M")
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				size := int64(0)
				for limit := time.Now().Add(time.Minute); size < until && time.Now().Before(limit); time.Sleep(time.Millisecond) { // to look again
					if info, err := os.Stat(path + ".part"); err == nil {
						size = info.Size()
					}
				}
				_ = cmd.Process.Kill()
				if err := cmd.Wait(); err == nil || size < until || size >= 50<<20 {
					t.Fatalf("%d octets when it was killed: %v", size, err)
				}
				if size < had {
					t.Errorf("it began again: %d octets after %d", size, had)
				}
				had = size
			}
			if out, err := get().CombinedOutput(); err != nil || bytes.Contains(out, []byte("begun again")) {
				t.Fatalf("%v: %s", err, out)
			}
			got, err := os.ReadFile(path)
			if want := p.file(s, "pub/large/50MB.bin"); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d octets, want %d (%v)", len(got), len(want), err)
			}
			info, err := os.Stat(path)
			was, wasErr := os.Stat(filepath.Join(s.Root, "pub/large/50MB.bin"))
			if err != nil || wasErr != nil || !info.ModTime().Equal(was.ModTime().Truncate(time.Second)) {
				t.Errorf("date %v, want %v (%v, %v)", info.ModTime(), was.ModTime(), err, wasErr)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("%v, %v are left", entries, err)
			}
		})
	}
}
