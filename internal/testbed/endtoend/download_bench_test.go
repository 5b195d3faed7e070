package endtoend

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gofer/internal/testbed/realserver"
)

// BenchmarkGet saves 200 MB from FTP servers with gofer, and with curl for comparison.
func BenchmarkGet(b *testing.B) {
	if err := buildGofer(); err != nil {
		b.Fatal(err)
	}
	const size = 200 << 20
	block := make([]byte, 1<<20)
	for i := range block {
		block[i] = byte(i * 7)
	}
	for _, d := range realserver.FTPDaemons() {
		s := d.Start(b)
		path := filepath.Join(s.Root, "pub", "200MB.bin")
		if err := os.WriteFile(path, bytes.Repeat(block, size/len(block)), 0o644); err != nil {
			b.Fatal(err)
		}
		url := d.Scheme + "://" + s.Addr + "/pub/200MB.bin"
		curl := []string{"curl", "-s", "-k", "-o", "FILE", url}
		if d.TLS {
			curl = append(curl, "--ssl-reqd")
		}
		for _, argv := range [][]string{curl, {"gofer", "get", "--trust", "-o", "FILE", url}} {
			b.Run(d.Name+"/"+argv[0], func(b *testing.B) {
				if _, err := exec.LookPath(argv[0]); err != nil {
					b.Skip(err)
				}
				dir := b.TempDir()
				b.SetBytes(size)
				for b.Loop() {
					cmd := exec.CommandContext(b.Context(), argv[0], argv[1:]...)
					cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir)
					if out, err := cmd.CombinedOutput(); err != nil {
						b.Fatalf("%v: %s", err, out)
					}
					if err := os.Remove(filepath.Join(dir, "FILE")); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		if err := os.Remove(path); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkProgramLargeDirectory opens FTP directories. It measures the time to the first row and
// to the sorted list.
func BenchmarkProgramLargeDirectory(b *testing.B) {
	s := realserver.Vsftpd(b)
	huge := filepath.Join(s.Root, "pub", "huge")
	if err := os.Mkdir(huge, 0o755); err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(huge)
	for i := range 100_000 { // links to 100 files, because a file has at most 65,000 links
		from := filepath.Join(s.Root, "pub", "many", fmt.Sprintf("file%05d.txt", i%100))
		if err := os.Link(from, filepath.Join(huge, fmt.Sprintf("file%06d.txt", i))); err != nil {
			b.Fatal(err)
		}
	}
	for _, dir := range []string{"many", "huge"} {
		b.Run(dir, func(b *testing.B) {
			var first, whole []time.Duration
			for b.Loop() {
				p := startBench(b, "ftp://"+s.Addr+"/pub/"+dir+"/;type=d")
				first = append(first, p.waitText(p.startTime, "2023-11-14"))
				whole = append(whole, p.waitText(p.startTime, "Enter open"))
				p.quit()
			}
			reportMedian(b, first, "to-first-row")
			reportMedian(b, whole, "to-sorted")
		})
	}
}
