package sessions

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gofer/internal/userfile"
	"gofer/urlcore"
)

const (
	socketSuffix  = ".sock"
	maxSocketPath = 100     // octets of the path of a socket that all systems allow
	maxTabRequest = 1 << 16 // octets of a request
	tabTime       = 2 * time.Second
	opened        = "opened\n" // the answer of a program that opens the tab
)

// Desktop returns the name of the desktop on which a program with the environment env runs, or "".
func Desktop(env func(string) string) string { return cmp.Or(env("WAYLAND_DISPLAY"), env("DISPLAY")) }

// tabMessage is a request as JSON, on a line.
type tabMessage struct {
	URL     string `json:"url"`
	Desktop string `json:"desktop"`
}

// TabRequest asks a running program to open a URL in a tab. It comes from another gofer process of the same user.
type TabRequest struct {
	URL     urlcore.URL
	Desktop string // where the other process runs, see [Desktop]

	answer chan bool
	gone   <-chan struct{}
}

// Answer says whether the program opens the tab. It returns false if the other process waits no longer, and therefore opens
// the URL itself.
func (r *TabRequest) Answer(opens bool) (inTime bool) {
	select {
	case r.answer <- opens:
		return true
	case <-r.gone:
		return false
	}
}

// TabListener receives requests on a socket beside the program's own record. No other user can connect, because the folder
// is closed to others.
type TabListener struct {
	net.Listener
	path string
	done func()
}

// Listen opens the socket for requests. The caller must call Serve. The TabListener is nil if nothing is stored.
func (s *Store) Listen(ctx context.Context) (*TabListener, error) {
	path, err := s.beginSocket()
	if err != nil || path == "" {
		return nil, err
	}
	address, done, err := socketAddress(path)
	if err != nil {
		return nil, err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "unix", address)
	if err != nil {
		done()
		return nil, err
	}
	return &TabListener{ln, path, done}, nil
}

// Serve passes each request to handle, which must not block and whose caller waits for the Answer. It returns when ctx ends,
// and closes the socket.
func (l *TabListener) Serve(ctx context.Context, handle func(*TabRequest)) {
	defer l.done()
	defer os.Remove(l.path)
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		serveTabRequest(ctx, c, handle)
	}
}

// beginSocket begins the own record, removes the sockets of programs that were killed, and returns the path of the own
// socket, or "" if nothing is stored.
func (s *Store) beginSocket() (path string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" || s.ended {
		return "", nil
	}
	if s.path == "" {
		if err := s.beginRecord(); err != nil {
			return "", err
		}
	}
	if err := os.Chmod(s.dir, 0o700); err != nil { // an older folder may be open to others
		return "", err
	}
	for _, socket := range sockets(s.dir) {
		record := strings.TrimSuffix(socket, socketSuffix)
		if c, _ := lockRecord(record); c != nil {
			_ = os.Remove(socket)
			_ = c.lock.Close()
		} else if _, err := os.Lstat(record + lockSuffix); errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(socket)
		}
	}
	return s.path + socketSuffix, nil
}

// serveTabRequest reads a request and answers it.
func serveTabRequest(ctx context.Context, c net.Conn, handle func(*TabRequest)) {
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, tabTime)
	defer cancel()
	_ = c.SetDeadline(time.Now().Add(tabTime))
	line, err := bufio.NewReader(io.LimitReader(c, maxTabRequest)).ReadBytes('\n')
	var m tabMessage
	if err != nil || json.Unmarshal(line, &m) != nil {
		return
	}
	u, err := urlcore.Parse(m.URL)
	if err != nil {
		return
	}
	answer := make(chan bool)
	handle(&TabRequest{u, m.Desktop, answer, ctx.Done()})
	select {
	case opens := <-answer:
		if opens {
			_, _ = io.WriteString(c, opened)
		}
	case <-ctx.Done():
	}
}

// OpenTab asks the running programs with records in dir, the most recently used one first, to open u in a tab. It reports
// whether one of them does.
func OpenTab(ctx context.Context, dir string, u urlcore.URL, desktop string) bool {
	info, err := os.Stat(dir)
	if err != nil || !userfile.IsPrivate(info) {
		return false
	}
	data, err := json.Marshal(tabMessage{u.String(), desktop})
	return err == nil && slices.ContainsFunc(sockets(dir), func(socket string) bool {
		return askForTab(ctx, socket, append(data, '\n'))
	})
}

// askForTab sends a request to a socket and reports whether the tab opens.
func askForTab(ctx context.Context, socket string, request []byte) bool {
	ctx, cancel := context.WithTimeout(ctx, tabTime+time.Second)
	defer cancel()
	address, done, err := socketAddress(socket)
	if err != nil {
		return false
	}
	defer done()
	c, err := new(net.Dialer).DialContext(ctx, "unix", address)
	if err != nil {
		return false
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	if _, err := c.Write(request); err != nil {
		return false
	}
	answer, _ := io.ReadAll(io.LimitReader(c, int64(len(opened))))
	return string(answer) == opened
}

// sockets returns the paths of the sockets in dir, that of the program with the newest record first.
func sockets(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), socketSuffix) && e.Type() == os.ModeSocket {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	used := func(socket string) time.Time {
		info, err := os.Lstat(strings.TrimSuffix(socket, socketSuffix) + recordSuffix)
		if err != nil {
			info, err = os.Lstat(socket)
		}
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortFunc(paths, func(a, b string) int { return used(b).Compare(used(a)) })
	return paths
}

// errLongPath is the error for a path that is too long for a socket.
var errLongPath = errors.New("the path is too long for a socket")

// socketAddress returns a name of the socket at path that is short enough for the system. It is valid until done is called.
func socketAddress(path string) (address string, done func(), err error) {
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	if runtime.GOOS != "linux" {
		return "", nil, errLongPath
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return "", nil, err
	}
	return "/proc/self/fd/" + strconv.Itoa(int(dir.Fd())) + "/" + filepath.Base(path), func() { _ = dir.Close() }, nil
}
