// Package realserver runs Debian's Gopher, FTP, news, telnet and SSH servers for tests, on free
// loopback ports, with test contents and configuration.
//
// A daemon starts when the first test asks for it and serves all tests of that
// test binary. It runs in its own mount and process namespace, where host names
// come from a file only, and is killed together with everything it started when
// the test binary ends, however it ends; its folder goes with it.
//
// The programs are looked for in the folder named by GOFER_DAEMONS (by default
// [DefaultDaemons], which .ci/daemons fills) and then where Debian installs
// them. A test that cannot have its daemon is skipped, or fails if
// GOFER_REQUIRE_DAEMONS is 1.
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

// DefaultDaemons is the folder of the unpacked daemons if GOFER_DAEMONS is not
// set; it has one folder a daemon.
const DefaultDaemons = "/opt/gofer-daemons"

// Server is a daemon that runs.
type Server struct {
	Name string // the daemon: "vsftpd"
	Addr string // host:port
	Host string
	Port uint16
	// Root is the folder that it serves, if it serves one.
	Root string
	// User and Password are an account; Home is the folder it begins in.
	User, Password, Home string
	// Certificate is self-signed, for those servers that have TLS.
	Certificate *x509.Certificate

	ns *namespace
}

// Log returns the last lines of everything that the daemon logged.
func (s *Server) Log() string { return s.ns.logs() }

// Own gives a file below Home to the account.
func (s *Server) Own(path string) error { return lab.own(path) }

// Gophernicus returns the gopher server gophernicus: gophermaps, listings, CGI.
var Gophernicus = daemon(func() (*Server, error) { return startGophernicus("gophernicus", gophernicusTree) })

// Pygopherd returns the Gopher+ server pygopherd.
var Pygopherd = daemon(func() (*Server, error) { return startPygopherd(pygopherdTree) })

// Vsftpd returns the FTP server vsftpd, which has no MLSD. Anonymous users see
// Root as "/", the account sees the whole file system and begins in Home.
var Vsftpd = daemon(func() (*Server, error) { return startVsftpd("ssl_enable=NO\n") })

// Proftpd returns the FTP server proftpd, which has MLSD; with the accounts
// of [Vsftpd].
var Proftpd = daemon(func() (*Server, error) { return startProftpd("") })

// PureFTPd returns the FTP server pure-ftpd, which has MLSD; with the
// accounts of [Vsftpd].
var PureFTPd = daemon(func() (*Server, error) { return startPureFTPd("-Y", "0") })

// Telnetd returns inetutils' telnetd without a login: it prints the terminal's
// type, answers "size" with its rows and columns, ends at "bye" and says back
// any other line.
var Telnetd = daemon(startTelnetd)

// daemon is a daemon that is started once for all tests of a binary.
func daemon(start func() (*Server, error)) func(testing.TB) *Server {
	started := sync.OnceValues(start)
	return func(t testing.TB) *Server {
		t.Helper()
		return need(t, started)
	}
}

func need(t testing.TB, started func() (*Server, error)) *Server {
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
	prefix, err := find(name, program)
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
		err = fmt.Errorf("%s: %w\n%s", name, err, n.logs())
		n.stop()
		return nil, err
	}
	return s, nil
}

// missingError reports why a daemon cannot run on this machine.
type missingError struct{ reason string }

func (e *missingError) Error() string { return e.reason }

// find returns the folder below which the daemon was unpacked or installed:
// the one that holds program.
func find(name, program string) (string, error) {
	daemons := cmp.Or(os.Getenv("GOFER_DAEMONS"), DefaultDaemons)
	for _, prefix := range []string{filepath.Join(daemons, name), "/"} {
		if info, err := os.Stat(filepath.Join(prefix, program)); err == nil && info.Mode().IsRegular() {
			return prefix, nil
		}
	}
	return "", &missingError{fmt.Sprintf("%s is not installed: no %s in %s or /; .ci/daemons gets it", name, program, filepath.Join(daemons, name))}
}

// at fills in the address of the server.
func (s *Server) at(addr string) error {
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
