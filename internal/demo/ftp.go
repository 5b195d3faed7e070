package demo

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"net"

	ftpserver "github.com/fclairamb/ftpserverlib"
	"github.com/spf13/afero"
)

// FTPUser and FTPPassword are the only login of an FTPServer besides the anonymous one. All users
// see the same tree.
const (
	FTPUser     = "gofer"
	FTPPassword = "gofer"
)

const (
	ftpIdleSeconds    = 300 // limit for silence on a control connection
	ftpConnectSeconds = 10  // limit for opening a data connection
)

// FTPServer is an FTP server (RFC 959) on a free port of 127.0.0.1. It serves a read-only file
// tree to the users anonymous, ftp and [FTPUser]. It supports MLSD, EPSV and TYPE A, but neither TLS
// nor active mode. Its methods are safe for concurrent use.
type FTPServer struct {
	server
	root     afero.Fs
	password string // password of FTPUser; guarded by mu
}

// StartFTP starts a server of root; Close stops it. File names in root begin with a slash.
func StartFTP(root afero.Fs) (*FTPServer, error) {
	s := &FTPServer{root: afero.NewReadOnlyFs(ftpTree{root}), password: FTPPassword}
	if err := s.listen(); err != nil {
		return nil, err
	}
	library := ftpserver.NewFtpServer((*ftpDriver)(s))
	if err := library.Listen(); err != nil {
		_ = s.listener.Close()
		return nil, err
	}
	s.running.Go(func() { _ = library.Serve() })
	return s, nil
}

// SetPassword replaces [FTPPassword] as the password of [FTPUser].
func (s *FTPServer) SetPassword(password string) {
	s.mu.Lock()
	s.password = password
	s.mu.Unlock()
}

// URL returns the URL of the server's root directory.
func (s *FTPServer) URL() string { return "ftp://" + s.hostInURLs() + "/;type=d" }

// ftpDriver implements [ftpserver.MainDriver] for an FTPServer.
type ftpDriver FTPServer

func (d *ftpDriver) GetSettings() (*ftpserver.Settings, error) {
	return &ftpserver.Settings{
		Listener:          ftpListener{d.listener, &d.server},
		IdleTimeout:       ftpIdleSeconds,
		ConnectionTimeout: ftpConnectSeconds,
		DisableActiveMode: true,
		DisableSite:       true,
	}, nil
}

func (*ftpDriver) ClientConnected(ftpserver.ClientContext) (string, error) {
	return "gofer's own FTP server", nil
}

func (d *ftpDriver) ClientDisconnected(ftpserver.ClientContext) { d.running.Done() }

var errFTPLogin = errors.New("login incorrect")

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

var errNoTLS = errors.New("TLS is not supported")

func (*ftpDriver) GetTLSConfig() (*tls.Config, error) { return nil, errNoTLS }

// WrapPassiveListener restricts data connections to this machine, because ftpserverlib opens data
// ports on all addresses of the machine.
func (d *ftpDriver) WrapPassiveListener(l net.Listener) (net.Listener, error) {
	if !d.register(l) {
		return nil, net.ErrClosed
	}
	return localListener{l, &d.server}, nil
}

// localListener accepts one connection, from this machine only.
type localListener struct {
	net.Listener
	server *server
}

func (l localListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if a, ok := c.RemoteAddr().(*net.TCPAddr); ok && a.IP.IsLoopback() {
			if !l.server.register(c) {
				return nil, net.ErrClosed
			}
			_ = l.server.release(l.Listener) // ftpserverlib closes its TCP listener, never the localListener
			return ftpConn{c, l.server}, nil
		}
		_ = c.Close()
	}
}

func (l localListener) Close() error { return l.server.release(l.Listener) }

// ftpConn is a control or data connection. Its Close also removes it from the server's
// connections.
type ftpConn struct {
	net.Conn
	server *server
}

func (c ftpConn) Close() error { return c.server.release(c.Conn) }

// ftpTree refuses directories in OpenFile, because ftpserverlib would send them as empty files. To
// list a directory, ftpserverlib calls Open.
type ftpTree struct{ afero.Fs }

var errNotPlain = errors.New("not a plain file")

func (t ftpTree) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	if info, err := t.Stat(name); err == nil && info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotPlain}
	}
	return t.Fs.OpenFile(name, flag, perm)
}

// ftpListener registers each accepted connection with the server.
type ftpListener struct {
	net.Listener
	server *server
}

func (l ftpListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if !l.server.register(c) {
		return nil, net.ErrClosed
	}
	l.server.running.Add(1) // ClientDisconnected calls Done
	return ftpConn{c, l.server}, nil
}
