package sftp

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

const (
	maxBehind = 4 << 20 // octets of an upload that the server has not acknowledged

	sampleOctets = 4 << 10 // octets of a sample of a part on the server
	farSamples   = 64      // samples of the octets that were acknowledged

	opCompare = "compare the file with the part on the server"
)

// Reasons in the question whether to replace a partly stored file.
const (
	otherFile = "The file on the server is not the beginning of this file."
	olderPart = "The part on the server is not newer than this file: it may belong to an older version."
)

// Kinds of items with temporary names.
const (
	partKind   = "part"  // the file while it replaces another one
	backupKind = "old"   // the replaced file, at a server without posix-rename
	ownerKind  = "owner" // shows who owns new files
)

// temporaryPath returns the path of an item beside the file. It follows from what is sent, so that a later upload finds the item, and
// does not continue that of another version.
func (p *put) temporaryPath(kind string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", p.r.path, p.Size, p.Modified.UnixNano()))
	dir, _ := parentOf(p.r.path)
	return below(dir, temporaryName(sum[:], kind))
}

// randomPath returns the path of an item beside the one at path, with a name that nobody can guess.
func randomPath(path, kind string) string {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	dir, _ := parentOf(path)
	return below(dir, temporaryName(random, kind))
}

func temporaryName(id []byte, kind string) string {
	return ".gofer-" + hex.EncodeToString(id[:8]) + "." + kind
}

// isResumable reports whether a later upload can find the part of this one.
func (p *put) isResumable() bool {
	_, ok := p.Body.(io.ReadSeeker)
	return ok && p.Size > 0 && !p.Modified.IsZero()
}

// isFound reports whether a later upload can find what this one has written so far.
func (p *put) isFound() bool { return p.isResumable() && p.path == p.temporaryPath(partKind) }

// createPart makes the new file that replaces the old one. The usual name may be in use: by a part that is not continued, by
// another upload, or by somebody who expects this upload.
func (p *put) createPart() error {
	p.replaces = true
	if p.isResumable() {
		path := p.temporaryPath(partKind)
		err := p.create(path, 0)
		if !isRefusal(err) {
			return err
		}
		a, err := p.s.stat(p.ctx, p.op, fxpLstat, path)
		if err == nil && a.kind() == typeRegular {
			p.unused = path
		} else if err != nil && !isRefusal(err) {
			return err
		}
	}
	err := p.create(randomPath(p.r.path, partKind), 0)
	if statusOf(err) == statusDenied {
		return because(err, protocols.Denied, "the directory takes no new file, and without one an interrupted upload would destroy the old file")
	}
	return err
}

// findPart finds the beginning of the file on the server, and continues it: the part of an interrupted upload, or the file
// itself. The parameter link has the attributes of the item that the URL names. If nothing is continued, findPart returns the
// reason, or "".
func (p *put) findPart(link attrs) (found bool, reason string, err error) {
	if p.isResumable() {
		if found, err = p.continuePart(); found || err != nil {
			return found, "", err
		}
	}
	size := link.knownSize()
	if !p.mayContinue(size) || size == p.SizeBefore {
		return false, "", nil
	}
	if date := link.date(); !p.Modified.IsZero() && !date.IsZero() && !p.Modified.Truncate(time.Second).Before(date) {
		return false, olderPart, nil
	}
	isOurs := p.Part == urlcore.URL(p.url) // an earlier attempt has made it
	found, err = p.continueAt(p.r.path, link, isOurs)
	if !found {
		reason = otherFile
	}
	return found, reason, err
}

// mayContinue reports whether a part with this size may be the beginning of the file.
func (p *put) mayContinue(size int64) bool {
	_, ok := p.Body.(io.ReadSeeker)
	return ok && size > 0 && size <= p.Size && (p.Sent == 0 || size <= p.Sent)
}

// continuePart continues the part of an interrupted upload. It must be a file of the user that nobody else may write.
func (p *put) continuePart() (found bool, err error) {
	path := p.temporaryPath(partKind)
	part, err := p.s.stat(p.ctx, p.op, fxpLstat, path)
	switch {
	case isRefusal(err):
		return false, nil
	case err != nil:
		return false, err
	case part.kind() != typeRegular || part.mode&0o022 != 0 || !p.mayContinue(part.knownSize()):
		return false, nil
	}
	if part.flags&hasOwner != 0 {
		switch owner, err := p.findOwner(); {
		case isRefusal(err) || err == nil && owner != part.uid:
			return false, nil
		case err != nil:
			return false, err
		}
	}
	found, err = p.continueAt(path, part, true)
	p.replaces, p.made = found, found
	return found, err
}

// findOwner returns the number of the user who owns new files in the directory. The protocol tells it only of files.
func (p *put) findOwner() (uid uint32, err error) {
	probe, path := &put{Upload: &protocols.Upload{}, s: p.s, ctx: p.ctx, r: p.r, op: p.op}, p.temporaryPath(ownerKind)
	err = probe.create(path, 0)
	if isRefusal(err) { // an interrupted upload may have left it
		if err := p.s.change(p.ctx, p.op, "REMOVE", fxpRemove, path); err != nil {
			return 0, err
		}
		err = probe.create(path, 0)
	}
	if err != nil {
		return 0, err
	}
	asked, err := p.s.send(p.ctx, p.op, fxpFstat, 0, probe.handle)
	if err != nil {
		return 0, err
	}
	p.s.closeHandle(probe.handle)
	err = p.s.change(p.ctx, p.op, "REMOVE", fxpRemove, probe.path)
	if err != nil {
		return 0, err
	}
	a, err := p.s.attrsOf(p.ctx, asked, p.op)
	return a.uid, err
}

// continueAt opens the file with the attributes a at path, and continues it if it is the beginning of the file. It compares
// and writes the same open file, whatever has the name since. The body is then at the first octet to send. The parameter isOurs says
// that an attempt of this upload has made the file.
func (p *put) continueAt(path string, a attrs, isOurs bool) (found bool, err error) {
	err = p.openAt(path, openRead|openWrite, attrs{})
	if isRefusal(err) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	size := a.knownSize()
	found, err = p.compare(size, a, isOurs)
	start := int64(0)
	if found {
		start, p.offset = size, size
	} else {
		p.s.closeHandle(p.handle)
		p.handle = ""
	}
	if _, seekErr := p.Body.(io.Seeker).Seek(start, io.SeekStart); seekErr != nil && err == nil {
		err = protocols.LocalError("read the file", seekErr)
	}
	return found, err
}

// compare reports whether the open file has the attributes a and begins as the body does. It reads all octets of a file of unknown
// origin, and samples of the part of this upload: at both ends, at equal distances, and in each piece that may not have arrived.
func (p *put) compare(size int64, a attrs, isOurs bool) (bool, error) {
	asked, err := p.s.send(p.ctx, opCompare, fxpFstat, 0, p.handle)
	if err != nil {
		return false, err
	}
	opened, err := p.s.attrsOf(p.ctx, asked, opCompare)
	if isRefusal(err) || err == nil && (opened.knownSize() != size || opened.kind() != a.kind() || opened.uid != a.uid) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	if isOurs {
		return p.compareSamples(size)
	}
	return p.compareRange(0, size)
}

// compareRange reports whether the open file and the body have the same octets from one offset to another.
func (p *put) compareRange(from, to int64) (bool, error) {
	body := p.Body.(io.ReadSeeker)
	if _, err := body.Seek(from, io.SeekStart); err != nil {
		return false, protocols.LocalError("read the file", err)
	}
	stored := p.s.newReader(p.ctx, opCompare, p.handle, func() {})
	err := stored.Start(p.ctx, from, to)
	if err == nil {
		_, err = stored.WriteTo(&comparer{body})
	}
	if errors.Is(err, errDiffers) || statusOf(err) != 0 {
		return false, nil
	}
	return err == nil, err
}

// comparer compares what is written to it with what it reads.
type comparer struct{ want io.Reader }

var errDiffers = errors.New("the octets differ")

func (c *comparer) Write(b []byte) (int, error) {
	want := make([]byte, len(b))
	if _, err := io.ReadFull(c.want, want); err != nil {
		return 0, protocols.LocalError("read the file", err)
	}
	if !bytes.Equal(want, b) {
		return 0, errDiffers
	}
	return len(b), nil
}

// compareSamples reports whether the first size octets of the open file and the body are the same in samples. A sample that begins or
// ends with the octet zero does not tell a missing piece from what is sparse: then all around it is compared.
func (p *put) compareSamples(size int64) (bool, error) {
	offsets := sampleOffsets(size)
	reads := make([]*call, len(offsets))
	for i, offset := range offsets {
		n, err := min(sampleOctets, size-offset), error(nil)
		if reads[i], err = p.s.send(p.ctx, opCompare, fxpRead, int(n), p.handle, uint64(offset), uint32(n)); err != nil {
			return false, err
		}
	}
	for i, w := range reads {
		answer, err := p.s.reply(p.ctx, w, opCompare, fxpData)
		if err != nil {
			if statusOf(err) != 0 {
				return false, nil
			}
			return false, err
		}
		sample := answer.octets()
		same, err := p.startsAt(offsets[i], sample)
		if same && err == nil && (sample[0] == 0 || sample[len(sample)-1] == 0) {
			same, err = p.compareRange(max(0, offsets[i]-plainLength), min(size, offsets[i]+2*plainLength))
		}
		if !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// startsAt reports whether the body has the octets of a sample at offset.
func (p *put) startsAt(offset int64, sample []byte) (bool, error) {
	if len(sample) == 0 {
		return false, nil
	}
	if _, err := p.Body.(io.Seeker).Seek(offset, io.SeekStart); err != nil {
		return false, protocols.LocalError("read the file", err)
	}
	_, err := (&comparer{p.Body}).Write(sample)
	if errors.Is(err, errDiffers) {
		return false, nil
	}
	return err == nil, err
}

// sampleOffsets returns the offsets of the samples of a part of size octets, in ascending order. The last of them end with
// the part.
func sampleOffsets(size int64) (offsets []int64) {
	near := max(0, size-maxBehind) / plainLength * plainLength
	far := min(farSamples, near/sampleOctets)
	for i := range far {
		offsets = append(offsets, near/far*i)
	}
	for offset := near; offset < size; offset += plainLength {
		offsets = append(offsets, offset)
	}
	offsets = append(offsets, max(0, size-sampleOctets))
	slices.Sort(offsets)
	return slices.Compact(offsets)
}
