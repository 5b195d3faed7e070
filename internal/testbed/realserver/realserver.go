// Package realserver runs Debian's Gopher, FTP, news, web, telnet, SSH and other servers for
// tests, on free loopback ports, with test contents and configuration.
//
// A daemon is started by the first test that uses it, and serves all tests of the test binary. Only
// [Sshd], [GophernicusWith] and [PygopherdWith] start a daemon for each call. A daemon runs in its
// own mount and process namespace, where host names come from a file only. When the test binary
// ends, for whatever reason, the daemon and all its processes are killed and its folder is removed.
//
// The programs are looked up first in the folder $GOFER_DAEMONS (by default [DefaultDaemons], which
// .ci/daemons fills) and then where Debian installs them. If the machine cannot run a daemon, the
// test is skipped, or fails if GOFER_REQUIRE_DAEMONS is 1.
package realserver

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// DefaultDaemons is the folder of the unpacked daemons if GOFER_DAEMONS is not set. It contains a
// folder for each daemon.
const DefaultDaemons = "/opt/gofer-daemons"

// Server is a running daemon.
type Server struct {
	Name string // name of the daemon, for example "vsftpd"
	Addr string // host:port
	Host string
	Port uint16
	// Root is the folder of the served files, if there is one.
	Root string
	// User and Password are the login of the account labuser, and Home is its home directory.
	User, Password, Home string
	// Certificate is the self-signed certificate of a server with TLS.
	Certificate *x509.Certificate

	ns *namespace
}

// Log returns the ends of the daemon's log files.
func (s *Server) Log() string { return s.ns.readLogs() }

// ChownToAccount makes the account the owner of a file.
func (s *Server) ChownToAccount(path string) error { return labUser.chown(path) }

// Gophernicus returns the Gopher server gophernicus, with gophermaps, listings and CGI programs.
var Gophernicus = sharedDaemon(func() (*Server, error) { return startGophernicus("gophernicus", writeGophernicusTree) })

// Pygopherd returns the Gopher+ server pygopherd.
var Pygopherd = sharedDaemon(func() (*Server, error) { return startPygopherd(writePygopherdTree) })

// Vsftpd returns the FTP server vsftpd, which does not support MLSD. Anonymous users see Root as
// "/"; the account sees the whole file system and starts in Home.
var Vsftpd = sharedDaemon(func() (*Server, error) { return startVsftpd("ssl_enable=NO\n") })

// Proftpd returns the FTP server proftpd, which supports MLSD, with the accounts of [Vsftpd].
var Proftpd = sharedDaemon(func() (*Server, error) { return startProftpd("") })

// PureFTPd returns the FTP server pure-ftpd, which supports MLSD, with the accounts of [Vsftpd].
var PureFTPd = sharedDaemon(func() (*Server, error) { return startPureFTPd("-Y", "0") })

// Telnetd returns inetutils' telnetd without a login. It prints the type of the terminal, answers
// "size" with its rows and columns, ends at "bye" and repeats any other line.
var Telnetd = sharedDaemon(startTelnetd)

// sharedDaemon returns a function that starts a daemon when it is first called, and returns the
// same daemon to all tests of a binary.
func sharedDaemon(start func() (*Server, error)) func(testing.TB) *Server {
	started := sync.OnceValues(start)
	return func(t testing.TB) *Server {
		t.Helper()
		return startOrSkip(t, started)
	}
}

func startOrSkip(t testing.TB, started func() (*Server, error)) *Server {
	t.Helper()
	s, err := started()
	var missing *missingError
	switch {
	case errors.As(err, &missing) && os.Getenv("GOFER_REQUIRE_DAEMONS") != "1":
		t.Skipf("%v", err)
	case err != nil:
		t.Fatalf("realserver: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.Log())
		}
	})
	return s
}

// launch finds program, a daemon of a Debian package, and calls start to run it in a new
// namespace.
func launch(name, program string, start func(s *Server, n *namespace) error) (*Server, error) {
	prefix, err := findDaemon(name, program)
	if err != nil {
		return nil, err
	}
	n, err := newNamespace(name)
	if err != nil {
		return nil, err
	}
	n.prefix = prefix
	s := &Server{
		Name: name, Root: n.path("root"), User: accountName, Password: accountPassword, Home: n.path("home"), ns: n,
	}
	if err := start(s, n); err != nil {
		err = fmt.Errorf("%s: %w\n%s", name, err, n.readLogs())
		n.stop()
		return nil, err
	}
	return s, nil
}

// missingError is the reason why a daemon cannot run on this machine.
type missingError struct{ reason string }

func (e *missingError) Error() string { return e.reason }

// findDaemon returns the folder that contains program: the folder of the unpacked daemon, or "/".
func findDaemon(name, program string) (string, error) {
	daemons := cmp.Or(os.Getenv("GOFER_DAEMONS"), DefaultDaemons)
	for _, prefix := range []string{filepath.Join(daemons, name), "/"} {
		if info, err := os.Stat(filepath.Join(prefix, program)); err == nil && info.Mode().IsRegular() {
			return prefix, nil
		}
	}
	return "", &missingError{fmt.Sprintf("%s is not installed: no %s in %s or /; run .ci/daemons", name, program, filepath.Join(daemons, name))}
}

// setAddr sets the address of the server.
func (s *Server) setAddr(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return err
	}
	s.Addr, s.Host, s.Port = addr, host, uint16(n)
	return nil
}
