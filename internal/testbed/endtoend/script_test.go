package endtoend

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
)

// TestScripts runs the real program against the embedded world. Each script
// has the servers' addresses in $GOPHER, $FTP and $NEWS, the repository in
// $ROOT and a home of its own. In releasedScripts, gofer is the released one.
func TestScripts(t *testing.T) {
	fetchtest.NoError(t, buildGofer())
	fetchtest.NoError(t, buildReleased())
	bin := t.TempDir()
	target := fetchtest.Must(filepath.Abs(filepath.Join(os.Getenv(programs), released+exe)))(t)
	link := filepath.Join(bin, "gofer"+exe)
	err := os.Symlink(target, link)
	if err == nil {
		_, err = os.Stat(link)
	}
	if err != nil {
		t.Logf("all scripts run the gofer of the other tests: %v", err)
	}
	world := fetchtest.Started(loopback.StartWorld())(t)
	faults(world.Gopher)
	root := fetchtest.Must(filepath.Abs("../../.."))(t)
	gophers := startGophers(t)
	originalProspero := fetchtest.Started(loopback.StartOriginalProspero())(t)
	originalWAIS := fetchtest.Started(loopback.StartOriginalWAIS())(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOPHER", world.Gopher.Addr())
			env.Setenv("GOPHERS", gophers)
			env.Setenv("FTP", world.FTP.Addr())
			env.Setenv("WAIS", world.WAIS.Addr())
			env.Setenv("ORIGINAL_PROSPERO", originalProspero.Addr())
			env.Setenv("ORIGINAL_WAIS", originalWAIS.Addr())
			env.Setenv("NEWS", world.NNTP.Addr())
			env.Setenv("NNTPSERVER", world.NNTP.Addr())
			env.Setenv("ROOT", root)
			env.Setenv("GORACE", gorace)
			if name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-"); slices.Contains(releasedScripts, name) {
				env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			}
			env.Setenv("HOME", env.WorkDir+"/home")
			for _, v := range env.Vars {
				if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "XDG_") {
					env.Setenv(name, "")
				}
			}
			return os.Mkdir(env.WorkDir+"/home", 0o700)
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("there is no condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"await": await, "code": code, "files": files, "harmless": harmless,
		},
	})
}

// releasedScripts are the scripts that start gofer many times, each time for a
// single answer of a server or none.
var releasedScripts = []string{
	"dump", "files", "named", "news", "post",
	"urlbatch", "urlcanon", "urlexplain", "urlextract", "urlparse", "urlresolve",
}

// gorace keeps the race detector from waiting a second at every exit.
const gorace = "atexit_sleep_ms=0"

// faults makes selectors of which nothing good comes.
func faults(s *loopback.GopherServer) {
	some := strings.Repeat("Here it still goes well.\r\n", 40)
	hold := func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }
	s.Handle("/test/silent", func(c net.Conn, _ string) { hold(c) })
	s.Handle("/test/stalls", func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, some)
		hold(c)
	})
	s.Handle("/test/wide", func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, strings.Repeat(strings.Repeat("wide ", 80)+"\r\n", 400)+"the end\r\n")
	})
	s.Handle("/test/breaks", func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, some)
		_ = c.(*net.TCPConn).SetLinger(0)
	})
}

// code runs a command and checks its exit code: code 3 gofer dump URL.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [args]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// await waits until a file holds a text: await FILE TEXT.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE TEXT")
	}
	var data []byte
	if !eventually(func() bool {
		data, _ = os.ReadFile(ts.MkAbs(args[0]))
		return strings.Contains(string(data), args[1])
	}) {
		ts.Fatalf("%s never held %q: %q", args[0], args[1], data)
	}
}

// files checks which files there are below a folder: files FOLDER [PATH ...].
func files(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: files FOLDER [PATH ...]")
	}
	ts.Check(checkFiles(ts.MkAbs(args[0]), args[1:]...))
}

// checkFiles returns an error unless there are exactly the files want, in the
// order of their names, below a folder.
func checkFiles(folder string, want ...string) error {
	var got []string
	err := filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			path, err = filepath.Rel(folder, path)
			got = append(got, filepath.ToSlash(path))
		}
		return err
	})
	if err == nil && strings.Join(got, "\n") != strings.Join(want, "\n") {
		err = fmt.Errorf("%s has the files %q, want %q", folder, got, want)
	}
	return err
}

// harmless checks that nothing in files is an instruction to a terminal:
// harmless stdout FILE. With ! it checks that something is.
func harmless(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: [!] harmless FILE ...")
	}
	for _, name := range args {
		text := ts.ReadFile(name)
		if text == "" {
			ts.Fatalf("%s is empty", name)
		}
		at := strings.IndexFunc(text, func(r rune) bool {
			return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
		})
		if bad := at >= 0 || !utf8.ValidString(text); bad != neg {
			ts.Fatalf("%s: a control character at octet %d, -1 for no UTF-8: %q", name, at, text[max(0, at-20):min(len(text), at+20)])
		}
	}
}
