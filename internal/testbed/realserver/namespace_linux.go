package realserver

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// setUmask makes new files readable for all users, because some daemons do not run as root.
func setUmask() { syscall.Umask(0o022) }

// boot starts process 1 of the namespace.
func (n *namespace) boot() error {
	hold, end, err := os.Pipe()
	if err != nil {
		return err
	}
	defer hold.Close()
	ready, answer, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	n.init = exec.Command("/bin/sh", "-c", initScript, "sh", n.dir)
	n.init.Dir, n.init.Env = "/", buildEnvironment(n.dir)
	n.init.Stdin, n.init.Stdout, n.init.Stderr = hold, answer, n.log
	n.init.SysProcAttr = &syscall.SysProcAttr{
		Setsid:       true,
		Cloneflags:   syscall.CLONE_NEWPID,
		Unshareflags: syscall.CLONE_NEWNS, // os/exec also makes the mounts private
	}
	err = n.init.Start()
	_ = answer.Close()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EINVAL) {
		return &missingError{"mount and process namespaces are not allowed here: " + err.Error()}
	}
	if err != nil {
		return err
	}
	n.hold = end
	if line, err := bufio.NewReader(ready).ReadString('\n'); err != nil {
		log := n.readLogs()
		n.stop()
		return &missingError{fmt.Sprintf("the namespace could not be set up (%q, %v)\n%s", line, err, log)}
	}
	return nil
}

// command returns a command that runs a program in the namespace as u.
func (n *namespace) command(u user, argv ...string) *exec.Cmd {
	args := []string{"--target", strconv.Itoa(n.init.Process.Pid), "--mount", "--pid", "--"}
	if u != root {
		args = append(args, "setpriv", "--reuid", strconv.Itoa(u.uid), "--regid", strconv.Itoa(u.gid), "--clear-groups", "--")
	}
	cmd := exec.Command("nsenter", append(args, argv...)...)
	cmd.Dir, cmd.Env = "/", buildEnvironment(n.dir)
	cmd.Stdout, cmd.Stderr = n.log, n.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// Processes returns the command lines of the server's processes by process ID.
func (s *Server) Processes() (map[int][]string, error) {
	processes := make(map[int][]string)
	in, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", s.ns.init.Process.Pid))
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob("/proc/[0-9]*")
	for _, path := range paths {
		if of, err := os.Readlink(path + "/ns/pid"); err != nil || of != in {
			continue
		}
		line, err := os.ReadFile(path + "/cmdline")
		pid, atoiErr := strconv.Atoi(filepath.Base(path))
		if err == nil && atoiErr == nil && len(line) > 0 { // otherwise the process has ended
			processes[pid] = strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
		}
	}
	return processes, err
}

// kill kills the job and all processes of its process group.
func (j *job) kill() {
	_ = syscall.Kill(-j.cmd.Process.Pid, syscall.SIGKILL)
	<-j.done
}
