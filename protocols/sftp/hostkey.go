package sftp

import (
	"bytes"
	"cmp"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"gofer/internal/text/clean"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// minRSA is the number of bits of the smallest RSA key of a server, as in OpenSSH.
const minRSA = 1024

// acceptedKeys are the keys of servers to which the user has agreed in this run, by the names of the servers in known_hosts.
type acceptedKeys struct{ sync.Map }

func (c *Client) acceptedKeys() *acceptedKeys { return wire.Remember(c.Dialer.Memory, &c.accepted) }

// hostKeys checks the key of one server.
type hostKeys struct {
	c     *Client
	url   urlcore.URL // for the question
	h     host
	name  string // in known_hosts
	ours  bool   // the server runs inside this program
	known knownKeys
	key   ssh.PublicKey // the accepted key
	trust protocols.Trust
	isNew bool  // no file has the key
	err   error // why the key is not accepted
}

// newHostKeys reads the known_hosts files.
func (c *Client) newHostKeys(u urlcore.URL, h host, ours bool) (*hostKeys, error) {
	k := &hostKeys{c: c, url: u, h: h, ours: ours, name: cmp.Or(h.alias, knownhosts.Normalize(h.addr))}
	if c.Getenv == nil || ours {
		return k, nil
	}
	var err error
	if k.known, err = c.readKnownKeys(h, k.name); err != nil {
		return nil, k.refuse(err)
	}
	return k, nil
}

// refuse returns the error for a server whose key is not accepted.
func (k *hostKeys) refuse(cause error) error {
	return &protocols.Error{Reason: protocols.Insecure, Op: "check the key of " + k.h.addr, Err: cause}
}

// check is an [ssh.HostKeyCallback].
func (k *hostKeys) check(_ string, _ net.Addr, key ssh.PublicKey) error {
	k.err = k.judge(key)
	return k.err
}

// judge decides about the key that the server has.
func (k *hostKeys) judge(key ssh.PublicKey) error {
	k.key = key
	if k.ours {
		k.trust = protocols.Verified
		return nil
	}
	if err := k.checkStrength(key); err != nil {
		return err
	}
	if cert, ok := key.(*ssh.Certificate); ok {
		if known, revoked := k.known.revokedBy(cert.SignatureKey); revoked {
			return k.refuse(known.at.errorf("the authority of its certificate is revoked (%s)", ssh.FingerprintSHA256(cert.SignatureKey)))
		}
		k.key = cert.Key // without a known authority, a certificate is no more than its key
		if known, revoked := k.known.revokedBy(cert.Key); revoked {
			return k.refuseRevoked(known)
		}
		if k.known.has(authorityMarker, cert.SignatureKey) {
			return k.checkCertificate(cert)
		}
	}
	if known, revoked := k.known.revokedBy(k.key); revoked {
		return k.refuseRevoked(known)
	}
	if k.known.has("", k.key) {
		k.trust = protocols.Verified
		return nil
	}
	if known, ok := k.known.other(); ok {
		return k.refuse(fmt.Errorf("it is not the key in %s, line %d: the server has a new key, or somebody else answers in its place. "+
			"Ask who runs the server, and if the key is right, remove that line (now: %s)", known.at.file, known.at.line, ssh.FingerprintSHA256(k.key)))
	}
	return k.judgeUnknown()
}

func (k *hostKeys) refuseRevoked(known knownKey) error {
	return k.refuse(fmt.Errorf("it is revoked by %s, line %d (%s)", known.at.file, known.at.line, ssh.FingerprintSHA256(known.key)))
}

// checkStrength refuses a short RSA key.
func (k *hostKeys) checkStrength(key ssh.PublicKey) error {
	if cert, ok := key.(*ssh.Certificate); ok {
		key = cert.Key
	}
	public, ok := key.(ssh.CryptoPublicKey)
	if !ok {
		return nil
	}
	if key, ok := public.CryptoPublicKey().(*rsa.PublicKey); ok && key.N.BitLen() < max(minRSA, k.h.minRSA) {
		return k.refuse(fmt.Errorf("it has only %d bits", key.N.BitLen()))
	}
	return nil
}

// checkCertificate checks a certificate of a known authority.
func (k *hostKeys) checkCertificate(cert *ssh.Certificate) error {
	name := k.h.alias
	if name == "" {
		name, _, _ = net.SplitHostPort(k.h.addr)
	}
	if cert.CertType != ssh.HostCert {
		return k.refuse(errors.New("its certificate is not one for servers"))
	}
	if !slices.Contains(k.h.authority, cert.Signature.Format) {
		return k.refuse(fmt.Errorf("the authority has signed its certificate with %s, which is not accepted", clean.Short(cert.Signature.Format)))
	}
	if err := new(ssh.CertChecker).CheckCert(name, cert); err != nil {
		return k.refuse(errors.New("its certificate is not valid: " + sshWords(err.Error())))
	}
	k.trust = protocols.Verified
	return nil
}

// judgeUnknown decides about a key that no file has.
func (k *hostKeys) judgeUnknown() error {
	accepted, ok := k.c.acceptedKeys().Load(k.name)
	switch {
	case ok && accepted == string(k.key.Marshal()):
		k.trust, k.isNew = protocols.Pinned, true
		return nil
	case ok:
		return k.refuse(fmt.Errorf("it is not the key that you trusted before (now: %s): ask who runs the server", ssh.FingerprintSHA256(k.key)))
	case k.h.strict:
		return k.refuse(fmt.Errorf("it is in no known_hosts file, and StrictHostKeyChecking is on for this host (%s %s)", k.key.Type(), ssh.FingerprintSHA256(k.key)))
	}
	return k.ask()
}

// ask returns the question whether to trust an unknown key.
func (k *hostKeys) ask() *protocols.Confirm {
	name, key := k.name, string(k.key.Marshal())
	confirm := &protocols.Confirm{
		URL:         k.url,
		Question:    "Trust the host key of " + k.h.addr,
		Reason:      "It is not known on this machine. A yes is remembered until gofer ends.",
		Details:     []string{ssh.FingerprintSHA256(k.key), "type: " + k.key.Type()},
		Consent:     protocols.ConsentCertificate,
		GiveConsent: func() { k.c.acceptedKeys().Store(name, key) },
	}
	if path := k.recordFile(); path != "" {
		confirm.Reason = "It is not known on this machine. A yes is remembered in " + k.c.shorten(path) + "."
	}
	return confirm
}

// recordFile returns the path of the file in which accepted keys are recorded, or "".
func (k *hostKeys) recordFile() string {
	if len(k.h.known) == 0 || k.c.MayRecord == nil || !k.c.MayRecord(k.h.addr) {
		return ""
	}
	path := k.h.known[0]
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // /dev/null
		return ""
	}
	return path
}

// notes tells the user which lines have no effect.
func (k *hostKeys) notes() (notes []string) {
	for _, at := range k.known.lost {
		notes = append(notes, at.errorf("this line revokes a key, and cannot be read").Error())
	}
	return notes
}

// security describes the protection of the connection.
func (k *hostKeys) security() protocols.Security {
	return protocols.Security{Protocol: "SSH 2.0", Proof: "host key", Trust: k.trust, Fingerprint: ssh.FingerprintSHA256(k.key)}
}

// remember writes an accepted key to known_hosts. Its name is hashed if the other names in the file are.
func (k *hostKeys) remember() error {
	path := k.recordFile()
	if !k.isNew || path == "" {
		return nil
	}
	op := "write " + k.c.shorten(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return protocols.LocalError(op, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return protocols.LocalError(op, err)
	}
	defer f.Close()
	old, err := io.ReadAll(io.LimitReader(f, maxKnownHosts))
	if err != nil {
		return protocols.LocalError(op, err)
	}
	name := k.name
	if k.h.hashNames || bytes.HasPrefix(old, []byte("|1|")) || bytes.Contains(old, []byte("\n|1|")) {
		name = knownhosts.HashHostname(name)
	}
	line := name + " " + k.key.Type() + " " + base64.StdEncoding.EncodeToString(k.key.Marshal()) + "\n"
	if len(old) > 0 && old[len(old)-1] != '\n' {
		line = "\n" + line
	}
	_, err = f.WriteString(line)
	return protocols.LocalError(op, err)
}
