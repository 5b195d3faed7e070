package nfs

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"gofer/internal/text/clean"
	"gofer/protocols"
)

const (
	portmapPort  = "111"
	procGetport  = 3 // of the portmapper (RFC 1833, section 3)
	procMnt      = 1 // of MOUNT (RFC 1813, appendix I)
	procUmnt     = 3
	procExport   = 5
	tcp          = 6
	maxPath      = 1024 // octets of the path of an export (appendix I, section 5.1)
	maxExports   = 4096
	maxMounts    = 50 // paths that a walk, or the links of a listing, asks to mount
	maxGroupName = 255
)

// mounter asks the program MOUNT of a server.
type mounter struct {
	s    *session // of NFS
	t    *target
	conn *session // the connection to MOUNT, which may be s; nil before the first request
	err  error    // why there is no such connection

	refused map[string]error // why paths cannot be mounted
	asked   int              // paths
}

// close closes the connection to MOUNT if it is a further one.
func (m *mounter) close() {
	if m.conn != nil && m.conn != m.s {
		m.conn.Drop()
	}
}

// ask sends a request to MOUNT. A server may have it at the port of NFS. Else its portmapper is asked for the port.
func (m *mounter) ask(op string, procedure uint32, args ...any) (*decoder, error) {
	if m.err != nil {
		return nil, m.err
	}
	if m.conn == nil {
		m.conn = m.s
		d, err := m.s.ask(op, programMount, procedure, args...)
		if !refuses(err, layerAccept, acceptNoProgram, acceptNoVersion) {
			return d, err
		}
		if m.conn, m.err = m.dial(op); m.err != nil {
			return nil, m.err
		}
	}
	return m.conn.ask(op, programMount, procedure, args...)
}

// dial connects to the port that the portmapper names.
func (m *mounter) dial(op string) (*session, error) {
	ctx, host := m.s.conn.Context(), m.t.url.Host
	portmap, err := m.connect(net.JoinHostPort(host, portmapPort))
	if protocols.ReasonOf(err).IsNetworkFailure() {
		return nil, &protocols.Error{Reason: protocols.ReasonOf(err), Op: op, Err: fmt.Errorf("the server has no public file handle, and no portmapper that names the port of MOUNT: %w", err)}
	}
	if err != nil {
		return nil, err
	}
	d, err := portmap.ask("ask for the port of MOUNT", programPortmap, procGetport, programMount.number, programMount.version, uint32(tcp), uint32(0))
	portmap.Drop()
	if err != nil {
		return nil, err
	}
	port := d.uint32()
	switch {
	case !d.end() || port > 1<<16-1:
		return nil, malformed(op)
	case port == 0:
		return nil, protocols.NewError(protocols.NotSupported, op, "the server has no public file handle, and its portmapper knows no MOUNT version 3 by TCP")
	}
	if err := protocols.CheckRedirect(ctx, m.t.url.At(host, uint16(port))); err != nil {
		return nil, err
	}
	return m.connect(net.JoinHostPort(host, strconv.Itoa(int(port))))
}

func (m *mounter) connect(addr string) (*session, error) {
	conn, err := m.t.client.Dialer.Dial(m.s.conn.Context(), addr)
	if err != nil {
		return nil, err
	}
	return newSession(conn, addr, m.s.credentials), nil
}

// exports returns the paths of the server's exports. It returns nil if the server does not tell them.
func (m *mounter) exports() (paths []string, err error) {
	op := "ask for the exports of " + m.s.addr
	d, err := m.ask(op, procExport)
	if refuses(err, layerAccept, acceptNoProcedure) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for d.bool() && len(paths) < maxExports {
		path := d.string(maxPath)
		for d.bool() {
			d.octets(maxGroupName)
		}
		if !strings.HasPrefix(path, "/") || strings.IndexByte(path, 0) >= 0 {
			d.bad = true
		}
		paths = append(paths, "/"+strings.Join(splitNames(path), "/"))
	}
	if !d.end() {
		return nil, malformed(op)
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// mount returns the file handle of an export, or of a directory in one. It asks once for each path.
func (m *mounter) mount(path string) (string, error) {
	if err := m.refused[path]; err != nil {
		return "", err
	}
	if m.asked++; m.asked > maxMounts {
		return "", tooLong(m.t.op)
	}
	handle, err := m.askHandle(path)
	if err != nil {
		if m.refused == nil {
			m.refused = map[string]error{}
		}
		m.refused[path] = err
	}
	return handle, err
}

// askHandle asks for the file handle of path. The server need not note that somebody has mounted it (RFC
// 2224, section 7): nobody waits for the answer to that.
func (m *mounter) askHandle(path string) (string, error) {
	op := "mount " + clean.Name(path)
	d, err := m.ask(op, procMnt, path)
	if err != nil {
		return "", err
	}
	if err := d.status(op, layerMount); err != nil {
		return "", err
	}
	handle, flavors := d.string(maxHandle), d.uint32()
	known := flavors == 0
	for range min(flavors, maxPath) {
		if f := d.uint32(); f == authSys || f == authNone {
			known = true
		}
	}
	switch {
	case !d.end() || handle == "":
		return "", malformed(op)
	case !known:
		return "", &protocols.Error{Reason: protocols.NotSupported, Op: op, Err: errKerberos}
	}
	_, err = m.conn.send(op, programMount, procUmnt, path)
	return handle, err
}

var errKerberos = errors.New("the server demands Kerberos, which gofer does not support")
