package across_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	ftpserver "github.com/fclairamb/ftpserverlib"
	pkgsftp "github.com/pkg/sftp"
	"github.com/spf13/afero"
	"golang.org/x/crypto/ssh"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/across"
	"gofer/protocols"
	"gofer/protocols/file"
	"gofer/protocols/ftp"
	"gofer/protocols/sftp"
	"gofer/urlcore"
)

// place is a directory tree of this machine or of a server in this process, whose connections can be broken.
type place struct {
	dir, url string
	*lines
}

// lines is a listener that knows its connections.
type lines struct {
	net.Listener
	mu       sync.Mutex
	conns    []net.Conn
	sessions sync.WaitGroup // servers that may still write what arrived over a connection that was cut
}

func listen(t *testing.T) *lines {
	t.Helper()
	l := &lines{Listener: fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)}
	t.Cleanup(func() {
		_ = l.Close()
		l.cut()
	})
	return l
}

func (l *lines) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.mu.Lock()
		l.conns = append(l.conns, c)
		l.mu.Unlock()
	}
	return c, err
}

// cut breaks all connections, and waits until the servers have written what had arrived.
func (l *lines) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
	}
	l.conns = nil
	l.sessions.Wait()
}

// newSide makes an empty directory of the place.
func (p place) newSide(t *testing.T, name string) side {
	t.Helper()
	path := filepath.Join(p.dir, name)
	fetchtest.NoError(t, os.Mkdir(path, 0o755))
	u := fetchtest.Must(urlcore.Parse(p.url + name + "/"))(t)
	if f, ok := u.(urlcore.FTP); ok {
		f.Type, f.Path = 'd', strings.TrimSuffix(f.Path, "/")
		u = f
	}
	return side{path, u.(across.Directory)}
}

// startPlaces starts two FTP and two SFTP servers. It returns them and this machine by name, and a server for all.
func startPlaces(t *testing.T) (protocols.Registry, map[string]place) {
	t.Helper()
	places := map[string]place{"file": {dir: t.TempDir()}}
	for _, name := range []string{"ftp", "ftp2"} {
		l, dir := listen(t), t.TempDir()
		s := ftpserver.NewFtpServer(&ftpDriver{lines: l, root: afero.NewBasePathFs(afero.NewOsFs(), dir)})
		fetchtest.NoError(t, s.Listen())
		go func() { _ = s.Serve() }()
		places[name] = place{dir, "ftp://gofer:gofer@" + l.Addr().String() + "/", l}
	}
	for _, name := range []string{"sftp", "sftp2"} {
		l, dir := listen(t), t.TempDir()
		go serveSSH(t, l)
		places[name] = place{dir, "sftp://joe@" + l.Addr().String() + dir + "/", l}
	}
	local := places["file"]
	local.url = "file://" + local.dir + "/"
	places["file"] = local
	home := t.TempDir()
	ftpClient := &ftp.Client{PlainPasswords: true}
	sftpClient := &sftp.Client{Getenv: func(name string) string { return map[string]string{"HOME": home, "USER": "joe"}[name] }, MayRecord: func(string) bool { return true }}
	t.Cleanup(func() { _, _ = ftpClient.Close(), sftpClient.Close() })
	reg := protocols.Registry{"ftp": ftpClient, "file": new(file.Client), "sftp": sftpClient}
	for _, name := range []string{"sftp", "sftp2"} {
		_, err := reg.Fetch(t.Context(), protocols.Request{URL: fetchtest.Must(urlcore.Parse(places[name].url))(t)})
		if q, ok := errors.AsType[*protocols.Confirm](err); ok {
			q.GiveConsent()
		}
	}
	return reg, places
}

// ftpDriver is an FTP server of a tree, in which the names that end in "refused" cannot be stored.
type ftpDriver struct {
	*lines
	root afero.Fs
}

func (d *ftpDriver) GetSettings() (*ftpserver.Settings, error) {
	return &ftpserver.Settings{Listener: d.lines, DisableActiveMode: true}, nil
}

func (d *ftpDriver) ClientConnected(ftpserver.ClientContext) (string, error) { return "a test", nil }
func (d *ftpDriver) ClientDisconnected(ftpserver.ClientContext)              {}
func (d *ftpDriver) GetTLSConfig() (*tls.Config, error)                      { return nil, errors.ErrUnsupported }

func (d *ftpDriver) AuthUser(ftpserver.ClientContext, string, string) (ftpserver.ClientDriver, error) {
	return storage{d.root, d.lines}, nil
}

// storage is a file system that is a session of its server while a file is stored.
type storage struct {
	afero.Fs
	lines *lines
}

func (s storage) OpenFile(name string, flag int, mode os.FileMode) (afero.File, error) {
	f, err := s.Fs.OpenFile(name, flag, mode)
	if err == nil && flag&os.O_WRONLY != 0 {
		s.lines.mu.Lock()
		s.lines.sessions.Add(1)
		s.lines.mu.Unlock()
		f = storedFile{f, sync.OnceFunc(s.lines.sessions.Done)}
	}
	return f, err
}

type storedFile struct {
	afero.File
	done func()
}

func (f storedFile) Close() error {
	defer f.done()
	return f.File.Close()
}

// WrapPassiveListener makes the data connections break together with the others.
func (d *ftpDriver) WrapPassiveListener(l net.Listener) (net.Listener, error) {
	return dataListener{l, d.lines}, nil
}

type dataListener struct {
	net.Listener
	lines *lines
}

func (d dataListener) Accept() (net.Conn, error) {
	c, err := d.Listener.Accept()
	if err == nil {
		d.lines.mu.Lock()
		d.lines.conns = append(d.lines.conns, c)
		d.lines.mu.Unlock()
	}
	return c, err
}

// serveSSH serves the files of this machine to everybody.
func serveSSH(t *testing.T, l *lines) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Error(err)
		return
	}
	config := &ssh.ServerConfig{NoClientAuth: true}
	config.AddHostKey(fetchtest.Must(ssh.NewSignerFromKey(private))(t))
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			_, channels, requests, err := ssh.NewServerConn(c, config)
			if err != nil {
				return
			}
			go ssh.DiscardRequests(requests)
			for opening := range channels {
				ch, requests, err := opening.Accept()
				if err != nil {
					return
				}
				l.mu.Lock() // cut waits
				l.sessions.Go(func() { serveSFTP(ch, requests) })
				l.mu.Unlock()
			}
		}()
	}
}

func serveSFTP(ch ssh.Channel, requests <-chan *ssh.Request) {
	defer ch.Close()
	for r := range requests {
		_ = r.Reply(r.Type == "subsystem", nil)
		if r.Type == "subsystem" {
			break
		}
	}
	go ssh.DiscardRequests(requests)
	if s, err := pkgsftp.NewServer(ch); err == nil {
		_ = s.Serve()
		_ = s.Close()
	}
}
