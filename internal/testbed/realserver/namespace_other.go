//go:build !linux

package realserver

import (
	"os/exec"
	"runtime"
)

func setUmask() {}

func (n *namespace) boot() error {
	return &missingError{"there are no mount namespaces on " + runtime.GOOS}
}

func (n *namespace) command(_ user, argv ...string) *exec.Cmd {
	return exec.Command(argv[0], argv[1:]...)
}

// Processes returns nil: namespaces exist on Linux only.
func (s *Server) Processes() (map[int][]string, error) { return nil, nil }

func (j *job) kill() {
	_ = j.cmd.Process.Kill()
	<-j.done
}
