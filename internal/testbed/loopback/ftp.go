package loopback

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"sync"

	ftpserver "github.com/fclairamb/ftpserverlib"
	"github.com/spf13/afero"
)

// The user of an FTPServer beside the anonymous one. Both see the same tree.
const (
	FTPUser     = "gofer"
	FTPPassword = "gofer"
)

const (
	ftpIdle    = 300 // seconds of silence on a control connection
	ftpConnect = 10  // seconds until a data connection is there
)

// FTPServer is an FTP server (RFC 959) on a free port of 127.0.0.1 that serves
// a file tree, to be read only, to anonymous and to [FTPUser]. It has MLSD,
// EPSV and TYPE A; it has no TLS and no active mode. All its methods may be
// called at the same time.
type FTPServer struct {
	listener net.Listener
	root     afero.Fs
	running  sync.WaitGroup
	password string // of FTPUser

	mu       sync.Mutex
	conns    map[string]net.Conn    // by the client's address
	data     map[io.Closer]struct{} // data connections, and listeners for them
	commands []string
	closed   bool
}

// StartFTP serves root until Close. Its names are looked up as io/fs has them
// ("pub/README", "." for the root), and if there is none, from "/".
func StartFTP(root afero.Fs) (*FTPServer, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &FTPServer{
		listener: l, root: afero.NewReadOnlyFs(ftpTree{root}),
		password: FTPPassword,
		conns:    map[string]net.Conn{},
		data:     map[io.Closer]struct{}{},
	}
	server := ftpserver.NewFtpServer((*ftpDriver)(s))
	if err := server.Listen(); err != nil {
		_ = l.Close()
		return nil, err
	}
	s.running.Go(func() { _ = server.Serve() })
	return s, nil
}

// Addr returns the host:port the server listens on.
func (s *FTPServer) Addr() string { return s.listener.Addr().String() }

// SetPassword has [FTPUser] log in with password in place of [FTPPassword].
func (s *FTPServer) SetPassword(password string) {
	s.mu.Lock()
	s.password = password
	s.mu.Unlock()
}

// URL returns the URL of the server's root directory.
func (s *FTPServer) URL() string { return "ftp://" + s.Addr() + "/;type=d" }

// Commands returns the last 1000 command lines of all connections, oldest
// first, without their ends and without passwords.
func (s *FTPServer) Commands() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.commands...)
}

// Close ends all connections and returns when the server has let go of them.
func (s *FTPServer) Close() error {
	s.mu.Lock()
	s.closed = true
	for _, c := range s.conns {
		_ = c.Close()
	}
	for c := range s.data { // the library's own Close races with itself
		_ = c.Close()
	}
	s.mu.Unlock()
	err := s.listener.Close()
	s.running.Wait()
	return err
}

// note keeps a command line for Commands.
func (s *FTPServer) note(line string) {
	if len(line) > 5 && (line[:5] == "PASS " || line[:5] == "pass ") {
		line = "PASS ****"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.commands) >= 1000 {
		s.commands = append(s.commands[:0], s.commands[1:]...)
	}
	s.commands = append(s.commands, line)
}

// ftpDriver is the FTPServer as the library wants to see it.
type ftpDriver FTPServer

// GetSettings gives the library our listener.
func (d *ftpDriver) GetSettings() (*ftpserver.Settings, error) {
	return &ftpserver.Settings{
		Listener:          ftpListener{d.listener, (*FTPServer)(d)},
		IdleTimeout:       ftpIdle,
		ConnectionTimeout: ftpConnect,
		DisableActiveMode: true,
		DisableSite:       true,
	}, nil
}

// ClientConnected is called once for each connection that was accepted.
func (*ftpDriver) ClientConnected(ftpserver.ClientContext) (string, error) {
	return "gofer's own FTP server", nil
}

// ClientDisconnected is called once for each connection that was accepted.
func (d *ftpDriver) ClientDisconnected(c ftpserver.ClientContext) {
	d.mu.Lock()
	delete(d.conns, c.RemoteAddr().String())
	d.mu.Unlock()
	d.running.Done()
}

var errFTPLogin = errors.New("no such user, or not that password")

// AuthUser lets in the anonymous user and FTPUser.
func (d *ftpDriver) AuthUser(_ ftpserver.ClientContext, user, password string) (ftpserver.ClientDriver, error) {
	d.mu.Lock()
	want := d.password
	d.mu.Unlock()
	switch {
	case user == "anonymous", user == "ftp", user == FTPUser && password == want:
		return d.root, nil
	}
	return nil, errFTPLogin
}

var errNoTLS = errors.New("there is no TLS here")

// GetTLSConfig says that there is no TLS.
func (*ftpDriver) GetTLSConfig() (*tls.Config, error) { return nil, errNoTLS }

// WrapPassiveListener keeps strangers out: the library opens data ports on all
// addresses of the machine.
func (d *ftpDriver) WrapPassiveListener(l net.Listener) (net.Listener, error) {
	s := (*FTPServer)(d)
	if !s.keep(l) {
		return nil, net.ErrClosed
	}
	return localListener{l, s}, nil
}

// keep has Close end c, which belongs to a transfer. It closes c itself and
// returns false when the server is closed already.
func (s *FTPServer) keep(c io.Closer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = c.Close()
		return false
	}
	s.data[c] = struct{}{}
	return true
}

func (s *FTPServer) forget(c io.Closer) {
	s.mu.Lock()
	delete(s.data, c)
	s.mu.Unlock()
}

// localListener accepts connections from this machine only.
type localListener struct {
	net.Listener
	server *FTPServer
}

// Accept waits for the next connection from this machine.
func (l localListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if a, ok := c.RemoteAddr().(*net.TCPAddr); ok && a.IP.IsLoopback() {
			if !l.server.keep(c) {
				return nil, net.ErrClosed
			}
			l.server.forget(l.Listener) // the library closes it with c, not through us
			return dataConn{c, l.server}, nil
		}
		_ = c.Close()
	}
}

// Close ends listening.
func (l localListener) Close() error {
	l.server.forget(l.Listener)
	return l.Listener.Close()
}

// dataConn is the connection of one transfer.
type dataConn struct {
	net.Conn
	server *FTPServer
}

// Close ends the transfer.
func (c dataConn) Close() error {
	c.server.forget(c.Conn)
	return c.Conn.Close()
}

// ftpTree looks the library's names, which begin with a slash, up in a tree
// that may know them without.
type ftpTree struct{ afero.Fs }

func ftpName(name string) string {
	if name = strings.TrimLeft(name, "/"); name == "" {
		return "."
	}
	return name
}

// Open opens a file or directory for reading.
func (t ftpTree) Open(name string) (afero.File, error) {
	if f, err := t.Fs.Open(ftpName(name)); err == nil {
		return f, nil
	}
	return t.Fs.Open(name)
}

var errNotPlain = errors.New("not a plain file")

// OpenFile opens a file, of which no more than reading is ever asked. The
// library opens directories by Open alone, and would else send one as an empty
// file where the tree lets it.
func (t ftpTree) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	if info, err := t.Stat(name); err == nil && info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotPlain}
	}
	if f, err := t.Fs.OpenFile(ftpName(name), flag, perm); err == nil {
		return f, nil
	}
	return t.Fs.OpenFile(name, flag, perm)
}

// Stat describes a file or directory.
func (t ftpTree) Stat(name string) (fs.FileInfo, error) {
	if info, err := t.Fs.Stat(ftpName(name)); err == nil {
		return info, nil
	}
	return t.Fs.Stat(name)
}

// ftpListener tells the server of each connection.
type ftpListener struct {
	net.Listener
	server *FTPServer
}

// Accept waits for the next connection.
func (l ftpListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.server.mu.Lock()
	defer l.server.mu.Unlock()
	if l.server.closed {
		_ = c.Close()
		return nil, net.ErrClosed
	}
	l.server.running.Add(1) // until ClientDisconnected
	l.server.conns[c.RemoteAddr().String()] = c
	return &ftpConn{Conn: c, server: l.server}, nil
}

// ftpConn notes the commands that are read from it.
type ftpConn struct {
	net.Conn
	server *FTPServer
	line   []byte // an unfinished one; only the library's reader touches it
}

// Read reads and notes.
func (c *ftpConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	for in := p[:n]; len(in) > 0; {
		part, rest, whole := bytes.Cut(in, []byte("\n"))
		if room := 4096 - len(c.line); room > 0 {
			c.line = append(c.line, part[:min(len(part), room)]...)
		}
		if whole {
			c.server.note(string(bytes.TrimSuffix(c.line, []byte("\r"))))
			c.line = c.line[:0]
		}
		in = rest
	}
	return n, err
}
