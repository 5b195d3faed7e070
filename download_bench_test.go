package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gofer/internal/realserver"
)

// BenchmarkGet saves 200 MB from vsftpd, with curl beside it to compare.
func BenchmarkGet(b *testing.B) {
	s := realserver.Vsftpd(b)
	const size = 200 << 20
	f, err := os.Create(filepath.Join(s.Root, "pub", "200MB.bin"))
	if err != nil {
		b.Fatal(err)
	}
	block := make([]byte, 1<<20)
	for i := range block {
		block[i] = byte(i * 7)
	}
	for range size / len(block) {
		if _, err := f.Write(block); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	url := "ftp://" + s.Addr + "/pub/200MB.bin"
	for _, argv := range [][]string{{"curl", "-s", "-o", "FILE", url}, {"gofer", "get", "-o", "FILE", url}} {
		b.Run(argv[0], func(b *testing.B) {
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
}
