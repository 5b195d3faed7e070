package realserver

import (
	_ "embed"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// namespace is an environment for daemons: processes that cannot outlive it, a separate /etc, and
// a folder that is removed with it.
type namespace struct {
	tree             // etc/, log/ and the files of the daemon
	prefix string    // folder of the unpacked daemon
	init   *exec.Cmd // process 1
	hold   *os.File  // closing hold ends process 1; the end of the test binary closes hold too
	log    *os.File  // output of the daemons
	jobs   sync.WaitGroup

	listeners []net.Listener // of serve
}

// user is a user of a namespace.
type user struct{ uid, gid int }

func (u user) chown(path string) error { return os.Lchown(path, u.uid, u.gid) }

var (
	root    = user{0, 0}
	news    = user{9, 9}
	nobody  = user{65534, 65534}
	labUser = user{5555, 5555}
)

// initScript is the script of process 1 of a namespace. It needs only programs of a minimal
// system.
//
//go:embed init.sh
var initScript string

func newNamespace(name string) (_ *namespace, err error) {
	if os.Geteuid() != 0 {
		return nil, &missingError{name + " needs a mount namespace, for which the tests must run as root"}
	}
	setUmask()
	n := &namespace{}
	// TMPDIR is not used: daemons that run as other users need access, and in their
	// configurations a blank ends a name.
	if n.dir, err = os.MkdirTemp("/tmp", "gofer-"+name+"-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(n.dir)
		}
	}()
	n.writeEtc()
	n.do(func() (err error) {
		n.log, err = os.OpenFile(n.path("log/output"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
		return err
	})
	if n.err != nil {
		return nil, n.err
	}
	if err := n.boot(); err != nil {
		_ = n.log.Close()
		return nil, err
	}
	return n, nil
}

// buildEnvironment returns the environment variables of a daemon.
func buildEnvironment(home string) []string {
	return []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "HOME=" + home}
}

// run runs a program and waits for its end.
func (n *namespace) run(cmd *exec.Cmd) {
	n.do(func() error {
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
		}
		return nil
	})
}

// daemonPath returns the path of a file of the daemon's package.
func (n *namespace) daemonPath(name string) string { return filepath.Join(n.prefix, name) }

// token returns a word that no other daemon sends.
func (n *namespace) token() string { return filepath.Base(n.dir) }

// writeConfig writes a configuration file, replaces its placeholders like @dir@, and returns its
// path.
func (n *namespace) writeConfig(name, conf, port string) string {
	n.writeText(name, strings.NewReplacer("@dir@", n.dir, "@prefix@", n.prefix, "@token@", n.token(), "@port@", port).Replace(conf))
	return n.path(name)
}

// job is a program that runs in a namespace until it is stopped.
type job struct {
	cmd  *exec.Cmd
	done chan struct{} // closed at the end of the program
	err  error         // result of the program; valid after done is closed
}

func (n *namespace) start(cmd *exec.Cmd) (*job, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	j := &job{cmd: cmd, done: make(chan struct{})}
	n.jobs.Go(func() {
		j.err = cmd.Wait()
		close(j.done)
	})
	return j, nil
}

// stop kills all processes of the namespace and removes its folder.
func (n *namespace) stop() {
	_ = n.hold.Close()
	for _, l := range n.listeners {
		_ = l.Close()
	}
	done := make(chan struct{})
	go func() { _ = n.init.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		_ = n.init.Process.Kill()
		<-done
	}
	n.jobs.Wait()
	_ = n.log.Close()
	_ = os.RemoveAll(n.dir)
}

// readLogs returns the end of each log file.
func (n *namespace) readLogs() string {
	const maxLog = 4 << 10
	var b strings.Builder
	paths, _ := filepath.Glob(filepath.Join(n.dir, "log", "*"))
	for _, path := range paths {
		if text, _ := os.ReadFile(path); len(text) > 0 {
			fmt.Fprintf(&b, "--- %s\n%s\n", filepath.Base(path), text[max(0, len(text)-maxLog):])
		}
	}
	return b.String()
}
