package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"gofer/internal/loopback"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gofer": main})
}

// TestScripts runs the real program against the embedded world. Each script
// has the servers' addresses in $GOPHER, $FTP and $NEWS and a home of its own.
func TestScripts(t *testing.T) {
	world, err := loopback.StartWorld()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = world.Close() })
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOPHER", world.Gopher.Addr())
			env.Setenv("FTP", world.FTP.Addr())
			env.Setenv("NEWS", world.NNTP.Addr())
			env.Setenv("NNTPSERVER", world.NNTP.Addr())
			env.Setenv("HOME", env.WorkDir+"/home")
			for _, v := range env.Vars {
				if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "XDG_") {
					env.Setenv(name, "")
				}
			}
			return os.Mkdir(env.WorkDir+"/home", 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code},
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
