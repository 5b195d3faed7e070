package term

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Client is the terminal at which the user sits. In tmux and screen it may change while gofer runs: the user detaches, and
// attaches from another machine.
type Client struct {
	Remote     bool                // it is another machine's, as over SSH
	Hyperlinks Support             // whether tmux passes hyperlinks (OSC 8) on to it
	Env        func(string) string // the environment of gofer, with the variables of the client as far as tmux knows them
}

// Support says whether a terminal supports something.
type Support uint8

// Values of [Support].
const (
	Unknown Support = iota
	Supported
	Unsupported
)

// IsRemote reports whether the terminal seems to be another machine's, by the environment or because the login came over
// the network. It starts no program. In tmux and screen only [FindClient] knows.
func IsRemote(env func(string) string) bool {
	return hasRemoteVariable(env) || isRemoteLogin(os.Getpid(), false)
}

func hasRemoteVariable(env func(string) string) bool {
	return env("SSH_CONNECTION")+env("SSH_TTY") != ""
}

// FindClient returns the client that is attached now. It may run tmux, with a time limit.
func FindClient(ctx context.Context, env func(string) string) Client {
	c := Client{Env: env}
	if env("TMUX") != "" && c.askTmux(ctx) {
		return c
	}
	_, hasProcesses := readProcess(os.Getpid())
	old := env("STY") != "" && hasProcesses // the variables of the client that started screen, which may have gone
	c.Remote = !old && hasRemoteVariable(env) || isRemoteLogin(os.Getpid(), true)
	return c
}

// askTmux asks tmux for the client that was used last in the session of gofer, and reports whether it has answered.
func (c *Client) askTmux(ctx context.Context) bool {
	var out bytes.Buffer
	err := runDetached(ctx, c.Env, nil, &out, "tmux", "display-message", "-p", "#{client_pid} #{client_termfeatures}", ";", "show-environment")
	first, rest, _ := strings.Cut(out.String(), "\n")
	id, features, found := strings.Cut(first, " ")
	if err != nil || !found {
		return false
	}
	c.Hyperlinks = Unsupported
	if slices.Contains(strings.Split(features, ","), "hyperlinks") { // since tmux 3.4
		c.Hyperlinks = Supported
	}
	vars := readVariables(rest)
	own := c.Env
	c.Env = func(name string) string {
		if value, ok := vars[name]; ok {
			return value
		}
		return own(name)
	}
	if value, ok := vars["SSH_CONNECTION"]; ok {
		c.Remote = value != ""
	} else {
		c.Remote = hasRemoteVariable(own)
	}
	pid, _ := strconv.Atoi(id)
	c.Remote = c.Remote || isRemoteLogin(pid, false)
	return true
}

// readVariables reads the variables that tmux takes from each client that attaches, in the output of show-environment.
// The value of a removed variable, such as "-DISPLAY", is empty.
func readVariables(output string) map[string]string {
	vars := make(map[string]string)
	for line := range strings.Lines(output) {
		line = strings.TrimSuffix(line, "\n")
		removed, isRemoved := strings.CutPrefix(line, "-")
		name, value, _ := strings.Cut(line, "=")
		if isRemoved {
			name, value = removed, ""
		}
		if slices.Contains([]string{"SSH_CONNECTION", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"}, name) {
			vars[name] = value
		}
	}
	return vars
}

// TmuxHyperlinks reads from the answer to the request for the version of a terminal (XTVERSION) whether tmux supports
// hyperlinks. The answer is not empty if gofer runs on another machine than tmux and therefore cannot ask it.
func TmuxHyperlinks(version string) Support {
	version, isTmux := strings.CutPrefix(version, "tmux ")
	if !isTmux {
		return Unknown
	}
	major, minor, _ := strings.Cut(strings.TrimPrefix(version, "next-"), ".")
	minor = minor[:len(minor)-len(strings.TrimLeft(minor, "0123456789"))]
	a, err := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	if err == nil && (a < 3 || a == 3 && b < 4) {
		return Unsupported
	}
	return Supported
}

// process is a process of Linux's /proc. On other systems there are none.
type process struct {
	name        string
	parent, tty int // tty is 0 without a controlling terminal
}

func readProcess(pid int) (p process, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat") // proc(5): pid (name) state ppid pgrp session tty_nr
	begin, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if err != nil || begin < 0 || end < begin {
		return process{}, false
	}
	fields := strings.Fields(string(data[end+1:]))
	if len(fields) < 5 {
		return process{}, false
	}
	p.name = string(data[begin+1 : end])
	p.parent, _ = strconv.Atoi(fields[1])
	p.tty, _ = strconv.Atoi(fields[4])
	return p, true
}

// The names of programs: servers through which users of other machines log in, programs that run others as another user
// and may give them a terminal of their own, and servers of terminals that survive a login, with the names of their clients.
var (
	loginServers = []string{"sshd", "sshd-session", "dropbear", "tinysshd", "mosh-server", "etterminal", "telnetd", "in.telnetd", "rlogind", "in.rlogind"}
	userChangers = []string{"sudo", "su", "doas", "runuser", "setpriv", "login"}
	multiplexers = map[string]string{"tmux: server": "tmux: client", "screen": "screen"}
)

// maxAncestors bounds the number of ancestors of a process that are looked at.
const maxAncestors = 64

// isRemoteLogin reports whether a process belongs to a login over the network. su and sudo remove the variables of SSH, but
// the server of the login stays an ancestor. Another program that has given the process a terminal of its own, such as a
// terminal emulator or a test, ends the search. If it is tmux or screen, the search goes on with the clients of the same
// user, unless clients is false.
func isRemoteLogin(pid int, clients bool) bool {
	p, ok := readProcess(pid)
	for range maxAncestors {
		parent, known := readProcess(p.parent)
		switch {
		case !ok || !known:
			return false
		case slices.Contains(loginServers, parent.name):
			return true
		case parent.tty == p.tty || slices.Contains(userChangers, parent.name):
		default:
			client, ok := multiplexers[parent.name]
			return clients && ok && hasRemoteClient(p.parent, client)
		}
		p = parent
	}
	return false
}

// hasRemoteClient reports whether one of the clients of a server of terminals belongs to a login over the network.
func hasRemoteClient(server int, name string) bool {
	entries, _ := os.ReadDir("/proc")
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == server {
			return false
		}
		p, ok := readProcess(pid)
		return ok && p.name == name && p.tty != 0 && realUser(pid) == realUser(server) && isRemoteLogin(pid, false)
	})
}

// realUser returns the ID of the user who runs a process.
func realUser(pid int) string {
	data, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, ids, _ := strings.Cut(string(data), "\nUid:\t")
	id, _, _ := strings.Cut(ids, "\t")
	return id
}
