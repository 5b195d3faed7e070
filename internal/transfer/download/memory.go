package download

import (
	"errors"

	"gofer/urlcore"
)

// maxInMemory is the maximum size, in octets, of a file of a tree that is received in memory first.
const maxInMemory = 64 << 10

// newMemoryPart returns an unfinished file in memory. The file is moved to a .part file with a record if the
// transfer is interrupted, if the file has more than maxInMemory octets, or if linkUnnamed fails.
func newMemoryPart(pl place, u urlcore.URL) *part {
	return &part{place: pl, inMemory: true, isNew: true, url: u, record: record{URL: recordURL(u), Size: -1}}
}

// Write appends octets of the document to the unfinished file.
func (p *part) Write(b []byte) (n int, err error) {
	if p.inMemory && len(p.octets)+len(b) > maxInMemory {
		if err := p.moveToFile(); err != nil {
			return 0, err
		}
	}
	if n = len(b); p.inMemory {
		p.octets = append(p.octets, b...)
	} else {
		n, err = p.file.Write(b)
	}
	p.size += int64(n)
	p.trusted = p.size
	return n, err
}

// moveToFile moves a file in memory to a .part file with a record.
func (p *part) moveToFile() error {
	if err := p.checkDir(); err != nil {
		return err
	}
	octets := p.octets
	p.octets, p.size = nil, 0
	disk, err := openPart(p.place, p.url)
	if err != nil {
		return err
	}
	if err = disk.restart(p.record.Size, p.record.Modified); err == nil {
		_, err = disk.Write(octets)
	}
	if err != nil {
		return errors.Join(err, disk.close())
	}
	*p = *disk
	return nil
}
