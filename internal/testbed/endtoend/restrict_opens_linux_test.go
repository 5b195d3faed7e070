package endtoend

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// watchOpens watches the files below a folder. The returned function ends the watch, and returns the
// paths of the opened files relative to the folder.
func watchOpens(t *testing.T, folder string) func() []string {
	t.Helper()
	fd := fetchtest.Must(syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK))(t)
	dirs := map[uint32]string{}
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			var watch int
			watch, err = syscall.InotifyAddWatch(fd, path, syscall.IN_OPEN|syscall.IN_CREATE|syscall.IN_MOVED_TO)
			dirs[uint32(watch)] = strings.TrimPrefix(path, folder)
		}
		return err
	})
	fetchtest.NoError(t, err)
	return func() (opened []string) {
		var events bytes.Buffer
		for buf := make([]byte, 1<<16); ; {
			n, err := syscall.Read(fd, buf)
			if errors.Is(err, syscall.EAGAIN) {
				break
			}
			if err != nil || n <= 0 {
				t.Fatal(n, err)
			}
			events.Write(buf[:n])
		}
		_ = syscall.Close(fd)
		for events.Len() > 0 {
			head := events.Next(syscall.SizeofInotifyEvent)
			wd, mask := binary.NativeEndian.Uint32(head), binary.NativeEndian.Uint32(head[4:])
			name := events.Next(int(binary.NativeEndian.Uint32(head[12:])))
			path := dirs[wd] + "/" + string(bytes.TrimRight(name, "\x00"))
			if mask&syscall.IN_Q_OVERFLOW != 0 {
				t.Fatal("events are lost")
			}
			if mask&syscall.IN_ISDIR == 0 && !slices.Contains(opened, path) {
				opened = append(opened, path)
			}
		}
		slices.Sort(opened)
		return opened
	}
}

// TestRestrictedOpens checks that restricted mode opens no file of the owner except the settings
// and the trusted certificates.
func TestRestrictedOpens(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	allowed := []string{"/.config/gofer/config.toml", "/.local/share/gofer/certificates.txt"}
	for _, flags := range [][]string{{"--restrict"}, nil} {
		home := makeOwnersHome(t, world, "")
		opened := watchOpens(t, home)
		tm := startGofer(t, home, world, append(flags, "about:version")...)
		tm.wait("Built with")
		for _, typed := range []string{
			"gopher://" + world.Gopher.Addr() + "/1/library", "about:history", "about:bookmarks", "news:gofer.help",
			"news:", "about:home",
		} {
			tm.openURL(typed)
		}
		tm.wait("The manual")
		tm.typeKeys("gownermark\x15\x07")
		tm.quit()
		for _, page := range []string{"about:home", "about:news", "news:gofer.help"} {
			_ = newCommand(home, world, "gofer", append(flags, "dump", page)...).Run()
		}
		got := slices.DeleteFunc(opened(), func(path string) bool { return slices.Contains(allowed, path) })
		switch restricted := flags != nil; {
		case restricted && len(got) > 0:
			t.Errorf("gofer %q opened %q, want none of these", flags, got)
		case !restricted && !slices.Contains(got, "/.local/share/gofer/history.sqlite"), !restricted && !slices.Contains(got, "/.newsrc"):
			t.Errorf("without restrictions gofer opened %q, want the visits and .newsrc among these: the watch misses files", got)
		}
	}
}
