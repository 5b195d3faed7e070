// Package pins stores, in a text file, the TLS certificates that the user trusts.
package pins

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"

	"gofer/internal/userfile"
)

const (
	maxFile = 1 << 20 // octets
	maxPins = 5000    // if there are more, the oldest are removed
)

// Store is a text file that users can edit. Each line has a host:port, the fingerprint of its
// certificate ("SHA-256" and hexadecimal digits) and the day it was trusted. The last line of a
// host:port counts. Lines with another format are kept byte for byte. Processes may share the file.
// A Store is safe for concurrent use.
type Store struct {
	Keep func(addr string) bool // reports whether certificates of a server are written to the file; nil: all

	path string

	mu     sync.Mutex
	agreed map[string]string // fingerprints agreed to since Open, perhaps not in the file yet
	kept   map[string]string // fingerprints in the file, when last read or written
	err    error             // the first error of reading or writing the file
}

// Open returns the store in the file at path, which is not read yet and need not exist. If path is
// "", the store is in memory only.
func Open(path string) *Store {
	return &Store{path: path, agreed: make(map[string]string), kept: make(map[string]string)}
}

// Pin returns the agreed fingerprint. A file that cannot be read counts as empty.
func (s *Store) Pin(addr string) (fingerprint string, ok bool) {
	addr = strings.ToLower(addr)
	s.mu.Lock()
	fingerprint, ok = s.agreed[addr]
	s.mu.Unlock()
	if ok || s.path == "" {
		return fingerprint, ok
	}
	data, err := userfile.Read(s.path, maxFile)
	s.fail(err)
	for line := range bytes.Lines(data) {
		if of, pin, isPin := parse(line); isPin && of == addr {
			fingerprint, ok = pin, true
		}
	}
	if ok {
		s.mu.Lock()
		s.kept[addr] = fingerprint
		s.mu.Unlock()
	}
	return fingerprint, ok
}

// Agree makes Pin return the fingerprint from now on. It does not write the file.
func (s *Store) Agree(addr, fingerprint string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agreed[strings.ToLower(addr)] = fingerprint
}

// Forget removes the agreed fingerprints that are not in the file.
func (s *Store) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.agreed)
}

// Remember writes the fingerprint to the file, unless the file has it or Keep returns false.
func (s *Store) Remember(addr, fingerprint string) {
	if s.Keep != nil && !s.Keep(addr) {
		return
	}
	addr = strings.ToLower(addr)
	s.mu.Lock()
	known := s.kept[addr] == fingerprint
	s.kept[addr] = fingerprint
	s.mu.Unlock()
	if _, _, ok := parse([]byte(line(addr, fingerprint))); known || !ok || s.path == "" {
		return
	}
	s.fail(userfile.Change(s.path, maxFile, func(old []byte) ([]byte, error) { return setPin(old, addr, fingerprint), nil }))
}

// Close returns the first error of reading or writing the file, or nil.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *Store) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("cannot read or write the trusted certificates: %s: %w", s.path, err)
	}
}

const header = "# Certificates that you agreed to trust, and first certificates of Gemini servers: host:port, fingerprint, day.\n" +
	"# After you remove a line, gofer asks again.\n"

// setPin returns the content of the file with a pin added, or replaced if addr has one.
func setPin(old []byte, addr, fingerprint string) []byte {
	if len(old) == 0 {
		old = []byte(header)
	}
	pins := userfile.Entries{Max: maxPins, Size: maxFile, Key: func(line []byte) (string, bool) {
		of, _, ok := parse(line)
		return of, ok
	}}
	return pins.Set(old, addr, line(addr, fingerprint))
}

func line(addr, fingerprint string) string {
	return addr + " " + fingerprint + " " + time.Now().Format(time.DateOnly) + "\n"
}

// parse parses a line; the day may be missing.
func parse(line []byte) (addr, fingerprint string, ok bool) {
	fields := strings.Fields(string(line))
	if len(fields) < 3 || len(fields) > 4 || len(line) > 512 || fields[0][0] == '#' || fields[1] != "SHA-256" || len(fields[2]) != 64 {
		return "", "", false
	}
	return fields[0], fields[1] + " " + strings.ToLower(fields[2]), true
}
