package sftp

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"time"

	"gofer/protocols"
)

const (
	maxBehind = 4 << 20 // octets of an upload that the server has not acknowledged

	sampleOctets = 4 << 10 // octets of a sample of a part on the server
	farSamples   = 64      // samples of the octets that were acknowledged
)

// Reasons in the question whether to replace a partly stored file.
const (
	otherFile = "The file on the server is not the beginning of this file."
	olderPart = "The part on the server is not newer than this file: it may belong to an older version."
)

// partName returns the temporary name of the file while it replaces another one. It follows from what is sent, so that a later
// upload finds the part, and does not continue that of another version.
func (p *put) partName() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", p.r.path, p.Size, p.Modified.UnixNano()))
	return temporaryName(sum[:], "part")
}

// randomName returns a temporary name that nobody can guess.
func randomName(kind string) string {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	return temporaryName(random, kind)
}

func temporaryName(id []byte, kind string) string {
	return ".gofer-" + hex.EncodeToString(id[:8]) + "." + kind
}

// isResumable reports whether a later upload can find the part of this one.
func (p *put) isResumable() bool {
	_, ok := p.Body.(io.ReadSeeker)
	return ok && p.Size > 0 && !p.Modified.IsZero()
}

// createPart makes the new file that replaces the old one. The usual name may be in use: by a part that is not continued, by
// another upload, or by somebody who expects this upload.
func (p *put) createPart() error {
	p.replaces = true
	dir, _ := parentOf(p.r.path)
	if p.isResumable() {
		path := below(dir, p.partName())
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
	err := p.create(below(dir, randomName("part")), 0)
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
	found, err = p.continueAt(p.r.path, link)
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
	dir, _ := parentOf(p.r.path)
	path := below(dir, p.partName())
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
		switch owner, err := p.findOwner(dir); {
		case isRefusal(err) || err == nil && owner != part.uid:
			return false, nil
		case err != nil:
			return false, err
		}
	}
	found, err = p.continueAt(path, part)
	p.replaces, p.made = found, found
	return found, err
}

// findOwner returns the number of the user who owns new files in a directory. The protocol tells it only of files.
func (p *put) findOwner(dir string) (uid uint32, err error) {
	probe := &put{Upload: &protocols.Upload{}, s: p.s, ctx: p.ctx, r: p.r, op: p.op}
	if err := probe.create(below(dir, randomName("part")), 0); err != nil {
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
// and writes the same open file, whatever has the name since. The body is then at the first octet to send.
func (p *put) continueAt(path string, a attrs) (found bool, err error) {
	err = p.openAt(path, openRead|openWrite, attrs{})
	if isRefusal(err) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	size := a.knownSize()
	found, err = p.compare(size, a)
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

// compare reports whether the open file has the attributes a and begins as the body does. It compares samples, because all
// octets would take as long as a new upload: at both ends, at equal distances, and in each piece that was not acknowledged
// when an upload with lost pieces was interrupted.
func (p *put) compare(size int64, a attrs) (bool, error) {
	const op = "compare the file with the part on the server"
	asked, err := p.s.send(p.ctx, op, fxpFstat, 0, p.handle)
	if err != nil {
		return false, err
	}
	offsets := sampleOffsets(size)
	reads := make([]*call, 0, len(offsets))
	for _, offset := range offsets {
		n := min(sampleOctets, size-offset)
		w, err := p.s.send(p.ctx, op, fxpRead, int(n), p.handle, uint64(offset), uint32(n))
		if err != nil {
			return false, err
		}
		reads = append(reads, w)
	}
	opened, err := p.s.attrsOf(p.ctx, asked, op)
	if isRefusal(err) || err == nil && (opened.knownSize() != size || opened.kind() != a.kind() || opened.uid != a.uid) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	for i, w := range reads {
		answer, err := p.s.reply(p.ctx, w, op, fxpData)
		if err != nil {
			if statusOf(err) != 0 {
				return false, nil
			}
			return false, err
		}
		same, err := p.startsAt(offsets[i], answer.octets())
		if !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// startsAt reports whether the body has the octets of a sample at offset.
func (p *put) startsAt(offset int64, sample []byte) (bool, error) {
	body := p.Body.(io.ReadSeeker)
	want := make([]byte, len(sample))
	_, err := body.Seek(offset, io.SeekStart)
	if err == nil {
		_, err = io.ReadFull(body, want)
	}
	if err != nil {
		return false, protocols.LocalError("read the file", err)
	}
	return len(sample) > 0 && bytes.Equal(want, sample), nil
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
