package download

import (
	"errors"

	"gofer/urlcore"
)

// maxInMemory is the largest size of a file of a tree that is received in memory.
const maxInMemory = 64 << 10

// partInMemory returns an unfinished file without a .part file and a record. It gets them
// if the transfer is interrupted, or if more than maxInMemory octets come.
func partInMemory(path string, u urlcore.URL, force force) *part {
	return &part{path: path, force: force, inMemory: true, url: u, rec: record{URL: urlcore.Redact(u).String(), Size: -1}}
}

// Write appends octets.
func (p *part) Write(b []byte) (n int, err error) {
	if p.inMemory && len(p.octets)+len(b) > maxInMemory {
		if err := p.toFile(); err != nil {
			return 0, err
		}
	}
	if n = len(b); p.inMemory {
		p.octets = append(p.octets, b...)
	} else {
		n, err = p.file.Write(b)
	}
	p.have += int64(n)
	return n, err
}

// toFile writes a file in memory to a .part file with a record.
func (p *part) toFile() error {
	octets := p.octets
	p.octets, p.have = nil, 0
	disk, err := openPart(p.path, p.url, p.force)
	if err != nil {
		return err
	}
	if disk.file == nil {
		return errors.Join(errFileExists, disk.close())
	}
	if err = disk.begin(p.rec.Size, p.rec.Modified); err == nil {
		_, err = disk.Write(octets)
	}
	if err != nil {
		return errors.Join(err, disk.close())
	}
	*p = *disk
	return nil
}
