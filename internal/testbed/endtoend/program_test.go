// Package endtoend tests gofer as a user runs it: as a program, usually in a terminal.
package endtoend

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
)

// programs is the environment variable that names the folder of the programs under test. The tests
// build only programs that the folder does not contain. By default the folder is a temporary one.
const programs = "GOFER_PROGRAMS"

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("the tests of the whole program are left out by -short")
		return
	}
	dir, temporary := os.Getenv(programs), false
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "gofer-programs-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		temporary = true
	}
	_ = os.Setenv(programs, dir)
	_ = os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	code := m.Run()
	if temporary {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// released is the name of a gofer built like a release: without cgo and the race detector. It is
// used by tests that start gofer hundreds of times, because the race detector makes a start four
// times as slow, and by tests of memory. In all other tests gofer has the race detector if the
// tests have it.
const released = "gofer-released"

// exe is the suffix of program names.
var exe = map[string]string{"windows": ".exe"}[runtime.GOOS]

// buildGofer, buildMemo and buildReleased each build one program when they are first called.
// gofer-memo is built from the repository's scheme_test.go.
var (
	buildGofer    = sync.OnceValue(func() error { return build("gofer", "build") })
	buildMemo     = sync.OnceValue(func() error { return build("gofer-memo", "test", "-c") })
	buildReleased = sync.OnceValue(func() error { return build(released, "build") })
)

// build builds a program from the main package, with a command of go.
func build(name string, command ...string) error {
	file := filepath.Join(os.Getenv(programs), name+exe)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := readSources(); err != nil {
		return err
	}
	cmd := exec.Command("go")
	if info, ok := debug.ReadBuildInfo(); name == released {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		command = append(command, "-trimpath") // .ci/dist also builds with -trimpath
	} else if ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		command = append(command, "-race")
	}
	cmd.Args = append(cmd.Args, append(command, "-buildvcs=false", "-ldflags=-s -w", "-o", file, "../../..")...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(command, " "), err, out)
	}
	return nil
}

// readSources reads the folders of the repository. Go's cache of test results notices only changes of
// files that the test itself reads. Without readSources it would return old results after a change of
// the sources.
func readSources() error {
	return filepath.WalkDir("../../..", func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" && d.IsDir() {
			return filepath.SkipDir
		}
		return err
	})
}

// goferCommand returns a command that runs gofer, gofer-memo or released, or a shell that runs
// gofer.
func goferCommand(ctx context.Context, name string, args ...string) *exec.Cmd {
	build := buildGofer
	switch name {
	case "gofer-memo":
		build = buildMemo
	case released:
		build = buildReleased
	}
	err := build()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Err = cmp.Or(err, cmd.Err)
	return cmd
}
