package sftp

import (
	"encoding/binary"
	"errors"
	"time"
)

// The types of packets (draft-ietf-secsh-filexfer-02, section 3).
const (
	fxpInit          = 1
	fxpVersion       = 2
	fxpOpen          = 3
	fxpClose         = 4
	fxpRead          = 5
	fxpWrite         = 6
	fxpLstat         = 7
	fxpFstat         = 8
	fxpSetstat       = 9
	fxpFsetstat      = 10
	fxpOpendir       = 11
	fxpReaddir       = 12
	fxpRemove        = 13
	fxpMkdir         = 14
	fxpRmdir         = 15
	fxpRealpath      = 16
	fxpStat          = 17
	fxpRename        = 18
	fxpReadlink      = 19
	fxpSymlink       = 20
	fxpStatus        = 101
	fxpHandle        = 102
	fxpData          = 103
	fxpName          = 104
	fxpAttrs         = 105
	fxpExtended      = 200
	fxpExtendedReply = 201
)

// The codes of a status (section 7).
const (
	statusOK          = 0
	statusEOF         = 1
	statusNoFile      = 2
	statusDenied      = 3
	statusFailure     = 4
	statusUnsupported = 8
)

// The flags of an open file (section 6.3).
const (
	openRead     = 1
	openWrite    = 2
	openCreate   = 8
	openTruncate = 16
	openNew      = 32 // fails if the name exists, also as a link
)

// The extensions of OpenSSH (its file PROTOCOL, section 4).
const (
	extLimits      = "limits@openssh.com"
	extPosixRename = "posix-rename@openssh.com"
	extStatVFS     = "statvfs@openssh.com"
	extLsetstat    = "lsetstat@openssh.com"
)

// Bounds of the packets of a server.
const (
	maxPacket   = 256<<10 + 1024 // octets; OpenSSH sends no larger ones
	maxAnswer   = 64 << 10       // octets of an answer that has neither data nor the entries of a directory
	maxText     = 8 << 10        // octets of a message that are kept
	plainLength = 32 << 10       // octets of data that every server accepts in a packet (section 3)
)

var errMalformed = errors.New("a packet of the server is malformed")

// attrs are the attributes of a file (section 5).
type attrs struct {
	flags    uint32
	size     uint64
	uid, gid uint32
	mode     uint32 // the type and the permissions, as in POSIX
	modified uint32 // seconds since 1970
}

// The flags of attributes that are present.
const (
	hasSize     = 1
	hasOwner    = 2
	hasMode     = 4
	hasTimes    = 8
	hasExtended = 1 << 31
)

// The types of files in a mode.
const (
	typeMask      = 0o170000
	typeDirectory = 0o040000
	typeRegular   = 0o100000
	typeLink      = 0o120000
)

func (a *attrs) kind() uint32 {
	if a.flags&hasMode == 0 {
		return 0
	}
	return a.mode & typeMask
}

func (a *attrs) isDir() bool { return a.kind() == typeDirectory }

// knownSize returns the size in octets of a regular file or of an item of unknown kind, or -1.
func (a *attrs) knownSize() int64 {
	if a.flags&hasSize == 0 || a.size > 1<<62 || a.kind() != 0 && a.kind() != typeRegular {
		return -1
	}
	return int64(a.size)
}

// date returns the time of the last change, or zero. The protocol has whole seconds.
func (a *attrs) date() time.Time {
	if a.flags&hasTimes == 0 {
		return time.Time{}
	}
	return time.Unix(int64(a.modified), 0).UTC()
}

// appendValues appends the values in the encoding of the draft (section 3; RFC 4251, section 5).
func appendValues(b []byte, values ...any) []byte {
	for _, v := range values {
		switch v := v.(type) {
		case uint32:
			b = binary.BigEndian.AppendUint32(b, v)
		case uint64:
			b = binary.BigEndian.AppendUint64(b, v)
		case string:
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...)
		case []byte:
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...)
		case attrs:
			b = v.append(b)
		}
	}
	return b
}

func (a *attrs) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, a.flags)
	if a.flags&hasOwner != 0 {
		b = appendValues(b, a.uid, a.gid)
	}
	if a.flags&hasMode != 0 {
		b = binary.BigEndian.AppendUint32(b, a.mode)
	}
	if a.flags&hasTimes != 0 { // the time of the last access is that of the last change
		b = appendValues(b, a.modified, a.modified)
	}
	return b
}

// decoder reads the values of a packet. After the first malformed value, bad is set and all values are zero.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) take(n uint64) []byte {
	if d.bad || n > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return nil
	}
	taken := d.b[:n]
	d.b = d.b[n:]
	return taken
}

func (d *decoder) uint32() uint32 {
	if b := d.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) uint64() uint64 {
	if b := d.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) octets() []byte { return d.take(uint64(d.uint32())) }

func (d *decoder) string() string { return string(d.octets()) }

// end reports whether all values were well-formed and none follows them.
func (d *decoder) end() bool { return !d.bad && len(d.b) == 0 }

func (d *decoder) attrs() (a attrs) {
	a.flags = d.uint32()
	if a.flags&hasSize != 0 {
		a.size = d.uint64()
	}
	if a.flags&hasOwner != 0 {
		a.uid, a.gid = d.uint32(), d.uint32()
	}
	if a.flags&hasMode != 0 {
		a.mode = d.uint32()
	}
	if a.flags&hasTimes != 0 {
		d.uint32()
		a.modified = d.uint32()
	}
	if a.flags&hasExtended != 0 {
		for n := d.uint32(); n > 0 && !d.bad; n-- {
			d.octets()
			d.octets()
		}
	}
	return a
}
