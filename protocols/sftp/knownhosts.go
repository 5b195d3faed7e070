package sftp

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // names in known_hosts are hashed with it
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"gofer/internal/userfile"
)

// maxKnownHosts is the size of a known_hosts file in octets.
const maxKnownHosts = 64 << 20

// The markers of lines.
const (
	authorityMarker = "cert-authority"
	revokedMarker   = "revoked"
)

// knownKey is a line of a known_hosts file (sshd(8)) that names a host.
type knownKey struct {
	at        place
	marker    string // "", authorityMarker or revokedMarker
	key       ssh.PublicKey
	otherPort bool // the line has the host without its port
}

func (k knownKey) is(key ssh.PublicKey) bool { return bytes.Equal(k.key.Marshal(), key.Marshal()) }

// knownKeys are the lines about one host.
type knownKeys struct {
	lines []knownKey
	lost  []place // lines that revoke keys, and cannot be read
}

// readKnownKeys reads the lines about the host with a name, which is "host" or "[host]:port", in the files of h. Like OpenSSH,
// it skips lines that it cannot read.
func (c *Client) readKnownKeys(h host, name string) (known knownKeys, err error) {
	for _, path := range h.known {
		if err := c.checkSafe(path); err != nil {
			return known, err
		}
	}
	bare, _, err := net.SplitHostPort(name)
	if err != nil {
		bare = ""
	}
	for _, path := range slices.Concat(h.known, h.knownByAll) {
		if info, err := os.Stat(path); err != nil && errors.Is(err, os.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue // such as /dev/null
		}
		data, err := userfile.Read(path, maxKnownHosts)
		if err != nil {
			return known, fmt.Errorf("%s cannot be read: %w", c.shorten(path), withoutPath(err))
		}
		n := 0
		for line := range bytes.Lines(data) {
			n++
			known.add(line, name, bare, place{c.shorten(path), n})
		}
	}
	return known, nil
}

// add adds a line if it names the host.
func (k *knownKeys) add(line []byte, name, bare string, at place) {
	line = bytes.ReplaceAll(line, []byte{0}, []byte{' '}) // for OpenSSH, a NUL ends the names
	fields := bytes.Fields(line)
	marker := ""
	if len(fields) > 0 && fields[0][0] == '@' {
		marker, fields = string(fields[0][1:]), fields[1:]
	}
	if len(fields) < 3 || fields[0][0] == '#' || !slices.Contains([]string{"", authorityMarker, revokedMarker}, marker) {
		return
	}
	if marker == authorityMarker && bytes.Contains(line, []byte("@"+authorityMarker+"\t")) && bytes.IndexByte(line, ' ') >= 0 {
		return // for OpenSSH, such a marker ends at the space
	}
	names := string(fields[0])
	exact := namesHost(names, name)
	if !exact && (bare == "" || !namesHost(names, bare)) {
		return
	}
	_, _, key, _, _, err := ssh.ParseKnownHosts(line)
	switch {
	case err == nil:
		k.lines = append(k.lines, knownKey{at, marker, key, !exact})
	case marker == revokedMarker:
		k.lost = append(k.lost, at)
	}
}

// namesHost reports whether the first field of a line names a host.
func namesHost(field, name string) bool {
	hashed, ok := strings.CutPrefix(field, "|1|")
	if !ok {
		return matchHost(strings.Split(field, ","), name) == yes
	}
	salt, sum, _ := strings.Cut(hashed, "|")
	key, keyErr := base64.StdEncoding.DecodeString(salt)
	want, err := base64.StdEncoding.DecodeString(sum)
	mac := hmac.New(sha1.New, key)
	mac.Write([]byte(strings.ToLower(name)))
	return keyErr == nil && err == nil && hmac.Equal(mac.Sum(nil), want)
}

// revokedBy returns the line that revokes a key.
func (k *knownKeys) revokedBy(key ssh.PublicKey) (knownKey, bool) {
	return k.find(func(known knownKey) bool { return known.marker == revokedMarker && known.is(key) })
}

// has reports whether a line with the marker has the key. OpenSSH accepts a line without the port, too.
func (k *knownKeys) has(marker string, key ssh.PublicKey) bool {
	_, ok := k.find(func(known knownKey) bool { return known.marker == marker && known.is(key) })
	return ok
}

// other returns a line with a key of the host.
func (k *knownKeys) other() (knownKey, bool) {
	return k.find(func(known knownKey) bool { return known.marker == "" && !known.otherPort })
}

func (k *knownKeys) find(wanted func(knownKey) bool) (knownKey, bool) {
	if i := slices.IndexFunc(k.lines, wanted); i >= 0 {
		return k.lines[i], true
	}
	return knownKey{}, false
}

// algorithms returns those of the algorithms of host keys that are offered, in order: those of the known keys first, so that a
// server that has several keys shows the known one. Certificates are offered only if a line names an authority for the host:
// without one they prove nothing.
func (k *knownKeys) algorithms(all []string) []string {
	_, trusts := k.find(func(known knownKey) bool { return known.marker == authorityMarker })
	var certs, first, rest []string
	for _, algorithm := range all {
		plain, isCert := strings.CutSuffix(algorithm, certSuffix)
		keyType := plain
		if strings.HasPrefix(plain, "rsa-sha2-") {
			keyType = ssh.KeyAlgoRSA
		}
		_, known := k.find(func(known knownKey) bool { return known.marker == "" && known.key.Type() == keyType })
		switch {
		case isCert && trusts:
			certs = append(certs, algorithm)
		case isCert:
		case known:
			first = append(first, algorithm)
		default:
			rest = append(rest, algorithm)
		}
	}
	return slices.Concat(certs, first, rest)
}
