package demo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"net"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/afero"
)

const (
	nfsIdle       = 2 * time.Minute
	nfsLargest    = 64 << 10 // octets of a request
	nfsMaxRead    = 64 << 10 // octets of a file in a reply
	nfsMaxEntries = 100      // entries of a directory in a reply
)

// NFSServer is an NFS server (version 3) on a free port of 127.0.0.1. It serves a read-only file tree to everybody, by the public
// file handle and by MOUNT at the same port.
type NFSServer struct {
	server
	root    afero.Fs
	links   map[string]string // the targets of symbolic links by path
	exports []string

	// Guarded by mu:
	handles   []string       // the paths of file handles, which are indexes
	ids       map[string]int // their indexes
	private   bool
	plainList bool
}

// StartNFS starts a server of root with symbolic links; Close stops it. Paths begin with a slash. A client that mounts sees the
// exports.
func StartNFS(root afero.Fs, links map[string]string, exports ...string) (*NFSServer, error) {
	s := &NFSServer{root: root, links: links, exports: exports, ids: map[string]int{}}
	return s, s.start(s.serve)
}

// URL returns the URL of the server's root directory.
func (s *NFSServer) URL() string { return "nfs://" + s.hostInURLs() + "/" }

// RefusePublicHandle makes clients use MOUNT.
func (s *NFSServer) RefusePublicHandle() {
	s.mu.Lock()
	s.private = true
	s.mu.Unlock()
}

// RefuseReaddirplus makes clients list directories by READDIR.
func (s *NFSServer) RefuseReaddirplus() {
	s.mu.Lock()
	s.plainList = true
	s.mu.Unlock()
}

func (s *NFSServer) serve(c net.Conn) {
	for {
		_ = c.SetDeadline(time.Now().Add(nfsIdle))
		var mark uint32
		if binary.Read(c, binary.BigEndian, &mark) != nil || mark < 1<<31 || mark-1<<31 > nfsLargest {
			return
		}
		request := make([]byte, mark-1<<31)
		if _, err := io.ReadFull(c, request); err != nil {
			return
		}
		reply := &nfsMessage{}
		reply.add(uint32(0)) // the mark
		s.answer(&nfsMessage{*bytes.NewBuffer(request)}, reply)
		b := reply.Bytes()
		binary.BigEndian.PutUint32(b, 1<<31|uint32(len(b)-4))
		if _, err := c.Write(b); err != nil {
			return
		}
	}
}

// nfsMessage is a request or reply in the encoding of RFC 4506. Missing values of a request are zero.
type nfsMessage struct{ bytes.Buffer }

func (m *nfsMessage) number() (n uint32) {
	_ = binary.Read(m, binary.BigEndian, &n)
	return n
}

func (m *nfsMessage) long() uint64 { return uint64(m.number())<<32 | uint64(m.number()) }

func (m *nfsMessage) text() string {
	n := int(m.number())
	s := string(m.Next(n))
	m.Next(-n & 3)
	return s
}

func (m *nfsMessage) add(values ...any) {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			m.add(uint32(len(v)))
			m.WriteString(v + "\x00\x00\x00"[:-len(v)&3])
		case bool:
			m.Write([]byte{0, 0, 0, map[bool]byte{true: 1}[v]})
		default:
			_ = binary.Write(m, binary.BigEndian, v) // a Buffer takes all
		}
	}
}

// answer answers a call (RFC 5531, section 9).
func (s *NFSServer) answer(in, out *nfsMessage) {
	xid := in.number()
	in.Next(8)
	program, version, procedure := in.number(), in.number(), in.number()
	for range 2 {
		in.number()
		in.text()
	}
	out.add(xid, uint32(1), uint32(0), uint32(0), "")
	switch {
	case program == 100003 && version == 3:
		out.add(uint32(0))
		s.answerNFS(procedure, in, out)
	case program == 100005 && version == 3 && procedure == 1:
		out.add(uint32(0))
		s.mount(in.text(), out)
	case program == 100005 && version == 3 && procedure == 5:
		out.add(uint32(0))
		for _, e := range s.exports {
			out.add(true, e, false)
		}
		out.add(false)
	default:
		out.add(uint32(1)) // PROG_UNAVAIL
	}
}

func (s *NFSServer) mount(name string, out *nfsMessage) {
	switch _, err := s.stat(name); {
	case !slices.Contains(s.exports, name):
		out.add(uint32(13))
	case err != nil:
		out.add(uint32(2))
	default:
		out.add(uint32(0), s.handle(name), uint32(1), uint32(1))
	}
}

// handle returns the file handle of a path.
func (s *NFSServer) handle(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.ids[name]
	if !ok {
		i = len(s.handles)
		s.ids[name], s.handles = i, append(s.handles, name)
	}
	return string(binary.BigEndian.AppendUint64(nil, uint64(i)))
}

// pathOf returns the path of a file handle.
func (s *NFSServer) pathOf(handle string) (name string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if handle == "" {
		return "/", !s.private
	}
	if len(handle) != 8 {
		return "", false
	}
	i := binary.BigEndian.Uint64([]byte(handle))
	if i >= uint64(len(s.handles)) {
		return "", false
	}
	return s.handles[i], true
}

func (s *NFSServer) stat(name string) (fs.FileInfo, error) {
	if target, ok := s.links[name]; ok {
		return nfsLink{path.Base(name), target}, nil
	}
	return s.root.Stat(name)
}

// nfsLink describes a symbolic link.
type nfsLink struct{ name, target string }

func (l nfsLink) Name() string     { return l.name }
func (l nfsLink) Size() int64      { return int64(len(l.target)) }
func (nfsLink) Mode() fs.FileMode  { return fs.ModeSymlink | 0o777 }
func (nfsLink) ModTime() time.Time { return worldDate }
func (nfsLink) IsDir() bool        { return false }
func (nfsLink) Sys() any           { return nil }

// answerNFS answers a call of NFS (RFC 1813, section 3.3).
func (s *NFSServer) answerNFS(procedure uint32, in, out *nfsMessage) {
	handle := in.text()
	name, ok := s.pathOf(handle)
	if !ok {
		out.add(uint32(10001), false, false)
		return
	}
	if procedure == 3 {
		s.lookup(name, handle == "", in.text(), out)
		return
	}
	info, err := s.stat(name)
	if err != nil {
		out.add(uint32(70), false)
		return
	}
	switch procedure {
	case 1:
		out.add(uint32(0))
		s.addAttrs(name, info, out)
	case 5:
		out.add(uint32(0), false, s.links[name])
	case 6:
		s.read(name, int64(in.long()), min(in.number(), nfsMaxRead), out)
	case 16, 17:
		s.list(name, int(in.long()), procedure == 17, out)
	case 19:
		out.add(uint32(0), false, uint32(nfsMaxRead), uint32(nfsMaxRead), make([]byte, 40))
	default:
		out.add(uint32(10004), false)
	}
}

// lookup finds an item. From the public file handle, its name is a path with escapes (RFC 2055, section 6.1).
func (s *NFSServer) lookup(dir string, public bool, name string, out *nfsMessage) {
	item := path.Join(dir, name)
	if public {
		item = s.follow(strings.Split(name, "/"))
	} else if info, err := s.stat(dir); err != nil || !info.IsDir() {
		out.add(uint32(20), false)
		return
	}
	info, err := s.stat(item)
	if err != nil {
		out.add(uint32(2), false)
		return
	}
	out.add(uint32(0), s.handle(item), true)
	s.addAttrs(item, info, out)
	out.add(false)
}

// follow returns the item to which escaped names lead from the root. It follows links, but not the last one (section 6.2).
func (s *NFSServer) follow(names []string) string {
	item := "/"
	for links := 0; len(names) > 0 && links <= len(s.links); names = names[1:] {
		item = path.Join(item, nfsUnescape(names[0]))
		target, isLink := s.links[item]
		if !isLink || len(names) == 1 {
			continue
		}
		if item = path.Dir(item); path.IsAbs(target) {
			item = "/"
		}
		links++
		names = slices.Concat([]string{""}, strings.Split(strings.ReplaceAll(target, "%", "%25"), "/"), names[1:])
	}
	return item
}

func nfsUnescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hex := strings.Index(nfsDigits, strings.ToLower(s[i+1:i+2]))<<4 | strings.Index(nfsDigits, strings.ToLower(s[i+2:i+3]))
			b.WriteByte(byte(hex))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

const nfsDigits = "0123456789abcdef"

// addAttrs adds fattr3 (section 2.6).
func (s *NFSServer) addAttrs(name string, info fs.FileInfo, out *nfsMessage) {
	kind := uint32(1)
	switch {
	case info.IsDir():
		kind = 2
	case info.Mode()&fs.ModeSymlink != 0:
		kind = 5
	}
	id := binary.BigEndian.Uint64([]byte(s.handle(name)))
	size, date := uint64(info.Size()), [2]uint32{uint32(info.ModTime().Unix()), uint32(info.ModTime().Nanosecond())}
	out.add(kind, uint32(info.Mode().Perm()), uint32(1), uint32(0), uint32(0), size, size, uint64(0), uint64(1), id, date, date, date)
}

func (s *NFSServer) read(name string, offset int64, count uint32, out *nfsMessage) {
	f, err := s.root.Open(name)
	if err != nil {
		out.add(uint32(5), false)
		return
	}
	defer f.Close()
	data := make([]byte, count)
	n, err := f.ReadAt(data, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		out.add(uint32(5), false)
		return
	}
	info, err := f.Stat()
	ended := err == nil && offset+int64(n) >= info.Size()
	out.add(uint32(0), false, uint32(n), ended, string(data[:n]))
}

// list lists a directory. A cookie is the number of entries before it.
func (s *NFSServer) list(dir string, from int, plus bool, out *nfsMessage) {
	s.mu.Lock()
	refused := plus && s.plainList
	s.mu.Unlock()
	if refused {
		out.add(uint32(10004), false)
		return
	}
	infos, err := afero.ReadDir(s.root, dir)
	if err != nil || from > len(infos)+len(s.links) {
		out.add(uint32(20), false)
		return
	}
	for link := range s.links {
		if path.Dir(link) == dir {
			infos = append(infos, nfsLink{path.Base(link), s.links[link]})
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	end := min(from+nfsMaxEntries, len(infos))
	out.add(uint32(0), false, uint64(1))
	for i, info := range infos[from:end] {
		item := path.Join(dir, info.Name())
		out.add(true, uint64(i+1), info.Name(), uint64(from+i+1))
		if plus {
			out.add(true)
			s.addAttrs(item, info, out)
			out.add(true, s.handle(item))
		}
	}
	out.add(false, end == len(infos))
}
