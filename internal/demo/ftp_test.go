package demo

import (
	"io"
	"net"
	"net/textproto"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"

	"gofer/internal/testbed/fetchtest"
)

// ftpClient is a minimal client: it sends commands and checks reply codes.
type ftpClient struct {
	t *testing.T
	*textproto.Conn
}

func dialFTP(t *testing.T, addr string) ftpClient {
	t.Helper()
	c := fetchtest.Must(net.Dial("tcp", addr))(t)
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	tc := textproto.NewConn(c)
	t.Cleanup(func() { _ = tc.Close() })
	if _, _, err := tc.ReadResponse(220); err != nil {
		t.Fatal(err)
	}
	return ftpClient{t, tc}
}

func (f ftpClient) command(code int, command string) string {
	f.t.Helper()
	if err := f.PrintfLine("%s", command); err != nil {
		f.t.Fatal(err)
	}
	_, text, err := f.ReadResponse(code)
	if err != nil {
		f.t.Fatalf("%s: got %v, want reply %d", command, err, code)
	}
	return text
}

// fetch runs a transfer command in passive mode and returns the transferred data.
func (f ftpClient) fetch(command string) string {
	f.t.Helper()
	text := f.command(229, "EPSV")
	_, port, _ := strings.Cut(text, "|||")
	port, _, _ = strings.Cut(port, "|")
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		f.t.Fatalf("EPSV: got %q, want a port between bars", text)
	}
	d, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		f.t.Fatal(err)
	}
	defer d.Close()
	f.command(150, command)
	b, err := io.ReadAll(d)
	if err != nil {
		f.t.Fatal(err)
	}
	if _, _, err := f.ReadResponse(226); err != nil {
		f.t.Fatalf("after %s: %v", command, err)
	}
	return string(b)
}

func startFTP(t *testing.T, root afero.Fs) *FTPServer {
	t.Helper()
	return fetchtest.CloseAtEnd(StartFTP(root))(t)
}

func TestFTPServer(t *testing.T) {
	tree := afero.NewMemMapFs()
	for name, text := range map[string]string{"a b.txt": "hello\n", "empty": "", "#%;type=a": "odd"} {
		fetchtest.NoError(t, afero.WriteFile(tree, "/pub/"+name, []byte(text), 0o644))
	}
	s := startFTP(t, tree)
	fetchtest.Equal(t, s.URL(), "ftp://"+s.Addr()+"/;type=d", "URL")
	for _, login := range [][2]string{{"anonymous", "x@"}, {FTPUser, FTPPassword}} {
		f := dialFTP(t, s.Addr())
		f.command(331, "USER "+login[0])
		f.command(230, "PASS "+login[1])
		f.command(200, "TYPE I")
		f.command(250, "CWD pub")
		fetchtest.Equal(t, f.fetch("RETR a b.txt"), "hello\n", "a b.txt")
		fetchtest.Equal(t, f.fetch("RETR #%;type=a"), "odd", "#%%;type=a")
		list := f.fetch("MLSD")
		for _, name := range []string{"a b.txt", "empty", "#%;type=a"} {
			fetchtest.Contains(t, list, "; "+name+"\r\n", "MLSD")
		}
		f.command(200, "TYPE A")
		fetchtest.Equal(t, f.fetch("RETR a b.txt"), "hello\r\n", "a b.txt as text")
		f.command(550, "RETR nothing")
		f.command(550, "RETR ../pub")
		f.command(550, "DELE a b.txt")
		f.command(550, "MKD x")
	}
}

func TestFTPWrongLogin(t *testing.T) {
	s := startFTP(t, afero.NewMemMapFs())
	for _, login := range [][2]string{{FTPUser, "wrong"}, {"root", FTPPassword}} {
		f := dialFTP(t, s.Addr())
		f.command(331, "USER "+login[0])
		f.command(530, "PASS "+login[1])
	}
	dialFTP(t, s.Addr()).command(530, "PWD")
}

// TestFTPClose closes the server while one session is idle and another is in the middle of a
// transfer.
func TestFTPClose(t *testing.T) {
	before := runtime.NumGoroutine()
	root := afero.NewMemMapFs()
	fetchtest.NoError(t, afero.WriteFile(root, "/big", make([]byte, 64<<20), 0o644))
	s := fetchtest.Must(StartFTP(root))(t)
	dialFTP(t, s.Addr())
	f := dialFTP(t, s.Addr())
	f.command(331, "USER ftp")
	f.command(230, "PASS x")
	text := f.command(229, "EPSV")
	_, port, _ := strings.Cut(text, "|||")
	fetchtest.CloseAtEnd(net.Dial("tcp", "127.0.0.1:"+strings.TrimRight(port, "|)")))(t)
	f.command(150, "RETR big")
	fetchtest.NoError(t, s.Close())
	if _, err := net.Dial("tcp", s.Addr()); err == nil {
		t.Error("the port is still open")
	}
	for end := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			buf := make([]byte, 1<<16)
			t.Fatalf("got %d goroutines after Close, want %d:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}
