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

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// TestScripts runs the scripts of testdata with the servers of the demo. Variables like $GOPHER, $FTP
// and $NEWS contain the addresses of the servers, and $ROOT contains the path of the repository. Each
// script has a new home directory. The releasedScripts run the released gofer.
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
	world := fetchtest.CloseAtEnd(demo.StartWorld())(t)
	addFaults(world.Gopher)
	root := fetchtest.Must(filepath.Abs("../../.."))(t)
	gophers := startGophers(t)
	originalProspero := fetchtest.CloseAtEnd(demo.StartOriginalProspero())(t)
	originalWAIS := fetchtest.CloseAtEnd(demo.StartOriginalWAIS())(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOPHER", world.Gopher.Addr())
			env.Setenv("GOPHERS", gophers)
			env.Setenv("GEMINI", world.Gemini.Addr())
			env.Setenv("FTP", world.FTP.Addr())
			env.Setenv("NFS", world.NFS.Addr())
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
			"await": awaitText, "code": checkExitCode, "files": checkFileNames, "harmless": checkHarmless,
		},
	})
}

// releasedScripts lists the scripts that start gofer many times. Each start fetches at most one answer
// of a server.
var releasedScripts = []string{
	"dump", "files", "named", "news", "post",
	"urlbatch", "urlcanon", "urlexplain", "urlextract", "urlparse", "urlresolve",
}

// gorace disables the pause of one second that the race detector makes at every exit.
const gorace = "atexit_sleep_ms=0"

// addFaults adds selectors with faulty answers.
func addFaults(s *demo.GopherServer) {
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

// checkExitCode implements the script command "code N COMMAND [ARG ...]". It runs the command and
// checks that the exit code is N.
func checkExitCode(ts *testscript.TestScript, neg bool, args []string) {
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

// awaitText implements the script command "await FILE TEXT". It waits until the file contains the text.
func awaitText(ts *testscript.TestScript, neg bool, args []string) {
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

// checkFileNames implements the script command "files FOLDER [PATH ...]". It checks that the folder
// contains exactly the files with these paths.
func checkFileNames(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: files FOLDER [PATH ...]")
	}
	ts.Check(checkFiles(ts.MkAbs(args[0]), args[1:]...))
}

// checkFiles returns an error unless want lists the files below a folder, sorted by name.
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

// checkHarmless implements the script command "[!] harmless FILE ...". It checks that the files are UTF-8
// without control characters for a terminal. With "!" each file must fail this check.
func checkHarmless(ts *testscript.TestScript, neg bool, args []string) {
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
