package nfs_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strconv"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/nfs"
	"gofer/urlcore"
)

// list returns the head, and the lines of a directory by their texts.
func list(t *testing.T, f protocols.Fetcher, req protocols.Request) (protocols.Head, map[string]protocols.Line) {
	t.Helper()
	r := fetchtest.Must(f.Fetch(t.Context(), req))(t)
	defer r.Close()
	lines := map[string]protocols.Line{}
	for l, err := range r.Lines {
		fetchtest.NoError(t, err)
		lines[l.Text] = l
	}
	return r.Head, lines
}

func TestExports(t *testing.T) {
	s, _ := startServer(t, "/home/joe", "/pub")
	s.RefusePublicHandle()
	c := new(nfs.Client)
	defer c.Close()
	base := "nfs://" + s.Addr()
	for path, links := range map[string][]string{"/": {"/home/", "/pub/"}, "/home": {"/home/joe/"}} {
		head, lines := list(t, c, protocols.Request{URL: fetchtest.Parse(t, base+path), Identity: true})
		fetchtest.Equal(t, head.URL.(urlcore.NFS).IsDirectory(), true, "the URL of a directory ends in a slash")
		fetchtest.Equal(t, head.Identity != "", true, "the identity of %s", path)
		fetchtest.Equal(t, len(lines), len(links), "lines of %s", path)
		for _, want := range links {
			u := fetchtest.Parse(t, base+want).(urlcore.NFS)
			fetchtest.Equal(t, lines[u.FileName()].Link, urlcore.URL(u))
		}
	}
	for path, reason := range map[string]protocols.Reason{
		"/pub/dir/../lf.txt": protocols.Unknown, "/home/joe/../../home/./../pub/lf.txt": protocols.Unknown, "/pub/absolute/../joe/b.txt": protocols.Unknown,
		"/names/": protocols.NotFound, "/pub/up": protocols.NotFound, "/pub/absolute/b.txt": protocols.Unknown, "/pub/../home/joe/b.txt": protocols.Unknown,
	} {
		err := fetchtest.Drain(t.Context(), c, protocols.Request{URL: fetchtest.Parse(t, base+path)})
		fetchtest.Equal(t, protocols.ReasonOf(err), reason, "%s: %v", path, err)
	}
}

// TestLinks checks the kinds and the targets that a listing shows.
func TestLinks(t *testing.T) {
	s, _ := startServer(t)
	c := new(nfs.Client)
	defer c.Close()
	u := fetchtest.Parse(t, "nfs://"+s.Addr()+"/pub")
	head, lines := list(t, c, protocols.Request{URL: u})
	fetchtest.Equal(t, head.URL, fetchtest.Parse(t, u.String()+"/"))
	for name, kind := range map[string]protocols.Kind{
		"dir": protocols.Directory, "absolute": protocols.Directory, "up": protocols.Text, "nowhere": protocols.Text, "sub": protocols.Directory, "lf.txt": protocols.Text,
	} {
		fetchtest.Equal(t, lines[name].Kind, kind, "the kind of %s", name)
	}
	note := lines["up"].Note.(*protocols.FileNote)
	fetchtest.Equal(t, note.Target, "../README")
	fetchtest.Equal(t, note.IsLink(), true)
	fetchtest.Equal(t, lines["lf.txt"].Note.(*protocols.FileNote).Mode, "rw-r--r--")
	fetchtest.Equal(t, lines["lf.txt"].Note.(*protocols.FileNote).Size, 8)
	fetchtest.Equal(t, lines["dir"].Link, fetchtest.Parse(t, u.String()+"/dir/"))
}

func TestResume(t *testing.T) {
	s, _ := startServer(t)
	c := new(nfs.Client)
	defer c.Close()
	for offset, want := range map[int64]string{4: "two\n", 8: "", 9: ""} {
		r := fetchtest.Must(c.Resume(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "nfs://"+s.Addr()+"/pub/lf.txt"), Offset: offset}))(t)
		fetchtest.Equal(t, string(fetchtest.Must(io.ReadAll(r.Body))(t)), want)
		fetchtest.Equal(t, r.Size, int64(len(want)))
		fetchtest.NoError(t, r.Close())
	}
	_, err := c.Resume(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "nfs://"+s.Addr()+"/pub"), Offset: 1})
	fetchtest.Equal(t, protocols.ReasonOf(err), protocols.Unsupported)
}

// portmapHost maps the addresses of one host to those of listeners.
type portmapHost map[string]string

func (h portmapHost) ListenAddr(addr string) (string, bool) { return h[addr], true }

// serveRecords calls answer with each request, without its mark, and sends its results.
func serveRecords(t *testing.T, answer func(request []byte) []byte) string {
	return fetchtest.Serve(t, func(c net.Conn) {
		for {
			var mark uint32
			if binary.Read(c, binary.BigEndian, &mark) != nil {
				return
			}
			request := make([]byte, mark&^(1<<31))
			if _, err := io.ReadFull(c, request); err != nil {
				return
			}
			reply := answer(request)
			if _, err := c.Write(append(binary.BigEndian.AppendUint32(nil, 1<<31|uint32(len(reply))), reply...)); err != nil {
				return
			}
		}
	})
}

// startPortmapped returns the host of a server whose MOUNT is at another port, which its portmapper names as port.
func startPortmapped(t *testing.T, s *demo.NFSServer, port uint32) portmapHost {
	t.Helper()
	accepted := "\x00\x00\x00\x01" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" // then the accept_stat
	backend := fetchtest.Must(net.Dial("tcp", s.Addr()))(t)
	t.Cleanup(func() { _ = backend.Close() })
	noMount := serveRecords(t, func(request []byte) []byte {
		if binary.BigEndian.Uint32(request[12:]) == 100005 {
			return append(request[:4:4], accepted+"\x00\x00\x00\x01"...)
		}
		_, _ = backend.Write(append(binary.BigEndian.AppendUint32(nil, 1<<31|uint32(len(request))), request...))
		var mark uint32
		_ = binary.Read(backend, binary.BigEndian, &mark)
		reply := make([]byte, mark&^(1<<31))
		_, _ = io.ReadFull(backend, reply)
		return reply
	})
	portmap := serveRecords(t, func(request []byte) []byte {
		return append(request[:4:4], accepted+"\x00\x00\x00\x00"+string(binary.BigEndian.AppendUint32(nil, port))...)
	})
	return portmapHost{"nfs.example:2049": noMount, "nfs.example:111": portmap, "nfs.example:" + strconv.Itoa(int(port)): s.Addr()}
}

// guard refuses redirects after the first ones, and notes them.
type guard struct {
	allowed int
	asked   []string
}

var errAsked = errors.New("asked")

func (g *guard) Allow(_ context.Context, req protocols.Request, _ bool) error {
	if addr, _ := urlcore.Addr(req.URL); addr != "nfs.example:2049" {
		if g.asked = append(g.asked, req.URL.String()); len(g.asked) > g.allowed {
			return errAsked
		}
	}
	return nil
}

func TestPortmapper(t *testing.T) {
	s, _ := startServer(t, "/pub")
	s.RefusePublicHandle()
	u := fetchtest.Parse(t, "nfs://nfs.example/pub/lf.txt")
	for port, want := range map[uint32]string{20048: "", 0: "its portmapper knows no MOUNT", 1 << 16: "malformed"} {
		hosts := startPortmapped(t, s, port)
		c := &nfs.Client{Dialer: wire.Dialer{Locals: hosts}}
		err := fetchtest.Drain(t.Context(), c, protocols.Request{URL: u})
		if want == "" {
			fetchtest.NoError(t, err)
			_ = c.Close()
			g := new(guard)
			_, err := (&protocols.Guarded{Registry: protocols.Registry{"nfs": &nfs.Client{Dialer: wire.Dialer{Locals: hosts}}}, Guard: g}).Fetch(t.Context(), protocols.Request{URL: u})
			fetchtest.Equal(t, errors.Is(err, errAsked), true, "the guard is asked about the port of MOUNT: %v", err)
			fetchtest.EqualSlices(t, g.asked, []string{"nfs://nfs.example:20048/pub/lf.txt"})
			delete(hosts, "nfs.example:111")
			err = fetchtest.Drain(t.Context(), &nfs.Client{Dialer: wire.Dialer{Locals: hosts}}, protocols.Request{URL: u})
			want = "no public file handle, and no portmapper"
			fetchtest.Contains(t, err.Error(), want)
			continue
		}
		if err == nil {
			t.Fatalf("port %d: no error, want %q", port, want)
		}
		fetchtest.Contains(t, err.Error(), want)
		_ = c.Close()
	}
}

// TestRefusedMount checks that a listing whose links lead to further exports connects to MOUNT once.
func TestRefusedMount(t *testing.T) {
	for allowed, kind := range map[int]protocols.Kind{1: protocols.Binary, 2: protocols.Directory} {
		s, _ := startServer(t, "/pub", "/home/joe", "/empty")
		s.RefusePublicHandle()
		g := &guard{allowed: allowed}
		client := &nfs.Client{Dialer: wire.Dialer{Locals: startPortmapped(t, s, 20048)}}
		defer client.Close()
		_, lines := list(t, &protocols.Guarded{Registry: protocols.Registry{"nfs": client}, Guard: g}, protocols.Request{URL: fetchtest.Parse(t, "nfs://nfs.example/pub/")})
		fetchtest.Equal(t, lines["absolute"].Kind, kind)
		fetchtest.Equal(t, lines["away"].Kind, kind)
		fetchtest.Equal(t, len(g.asked), 2, "connections to MOUNT")
	}
}
