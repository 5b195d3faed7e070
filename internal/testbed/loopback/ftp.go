package loopback

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"net"

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
	server
	root     afero.Fs
	password string // of FTPUser, under mu
}

// StartFTP serves root until Close. Its names begin with a slash.
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

// SetPassword has [FTPUser] log in with password in place of [FTPPassword].
func (s *FTPServer) SetPassword(password string) {
	s.mu.Lock()
	s.password = password
	s.mu.Unlock()
}

// URL returns the URL of the server's root directory.
func (s *FTPServer) URL() string { return "ftp://" + s.inURLs() + "/;type=d" }

// ftpDriver is the FTPServer as the library wants to see it.
type ftpDriver FTPServer

func (d *ftpDriver) GetSettings() (*ftpserver.Settings, error) {
	return &ftpserver.Settings{
		Listener:          ftpListener{d.listener, &d.server},
		IdleTimeout:       ftpIdle,
		ConnectionTimeout: ftpConnect,
		DisableActiveMode: true,
		DisableSite:       true,
	}, nil
}

func (*ftpDriver) ClientConnected(ftpserver.ClientContext) (string, error) {
	return "gofer's own FTP server", nil
}

func (d *ftpDriver) ClientDisconnected(ftpserver.ClientContext) { d.running.Done() }

var errFTPLogin = errors.New("no such user, or not that password")

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

func (*ftpDriver) GetTLSConfig() (*tls.Config, error) { return nil, errNoTLS }

// WrapPassiveListener keeps strangers out: the library opens data ports on all
// addresses of the machine.
func (d *ftpDriver) WrapPassiveListener(l net.Listener) (net.Listener, error) {
	if !d.keep(l) {
		return nil, net.ErrClosed
	}
	return localListener{l, &d.server}, nil
}

// localListener accepts connections from this machine only.
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
			if !l.server.keep(c) {
				return nil, net.ErrClosed
			}
			_ = l.server.forget(l.Listener) // the library closes it with c, not through us
			return ftpConn{c, l.server}, nil
		}
		_ = c.Close()
	}
}

func (l localListener) Close() error { return l.server.forget(l.Listener) }

// ftpConn is a control or data connection.
type ftpConn struct {
	net.Conn
	server *server
}

func (c ftpConn) Close() error { return c.server.forget(c.Conn) }

// ftpTree opens only plain files by OpenFile: the library would send a directory as an
// empty file. It lists directories by Open.
type ftpTree struct{ afero.Fs }

var errNotPlain = errors.New("not a plain file")

func (t ftpTree) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	if info, err := t.Stat(name); err == nil && info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotPlain}
	}
	return t.Fs.OpenFile(name, flag, perm)
}

// ftpListener has the server keep each connection.
type ftpListener struct {
	net.Listener
	server *server
}

func (l ftpListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if !l.server.keep(c) {
		return nil, net.ErrClosed
	}
	l.server.running.Add(1) // until ClientDisconnected
	return ftpConn{c, l.server}, nil
}
