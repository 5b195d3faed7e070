package sftp

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"gofer/internal/userfile"
)

const (
	maxKeyFile = 64 << 10 // octets of a key
	maxKeys    = 32       // keys that are offered; servers usually stop at six
	// An agent lists its keys at once, and may ask the user before it signs.
	agentListTime = 3 * time.Second
	agentSignTime = time.Minute
)

// signers returns the keys of the user in the order of OpenSSH: keys of the agent that the configuration names, others of the
// agent, and keys in files.
func (l *login) signers() ([]ssh.Signer, error) {
	if !l.useKeys {
		return nil, nil
	}
	var public []ssh.PublicKey // of the files, also of those whose private key only the agent has
	var fromFiles, first, others []ssh.Signer
	for _, path := range l.h.keyFiles[:min(len(l.h.keyFiles), maxKeys)] {
		if s := l.readKey(path); s != nil {
			fromFiles = append(fromFiles, s)
			public = append(public, s.PublicKey())
		} else if key := readPublicKey(path); key != nil {
			public = append(public, key)
		} else if key := readPublicKey(path + ".pub"); key != nil {
			public = append(public, key)
		}
	}
	for _, s := range l.agentKeys() {
		switch {
		case slices.ContainsFunc(public, isKeyOf(s)):
			first = append(first, s)
		case !l.h.identitiesOnly:
			others = append(others, s)
		}
	}
	list := slices.Concat(first, others)
	for _, s := range fromFiles {
		if !slices.ContainsFunc(first, func(other ssh.Signer) bool { return isKeyOf(s)(other.PublicKey()) }) {
			list = append(list, s)
		}
	}
	list = l.accepted(l.withCertificates(list))
	list = list[:min(len(list), maxKeys)]
	l.offered = len(list)
	for _, s := range list {
		record(l.ctx, l.account.Addr, true, "publickey "+s.PublicKey().Type()+" "+ssh.FingerprintSHA256(s.PublicKey()))
	}
	return list, nil
}

// accepted returns those keys whose algorithms the configuration accepts (PubkeyAcceptedAlgorithms).
func (l *login) accepted(keys []ssh.Signer) (list []ssh.Signer) {
	for _, key := range keys {
		format, isCert := strings.CutSuffix(key.PublicKey().Type(), certSuffix)
		all := []string{format}
		if format == ssh.KeyAlgoRSA {
			all = []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
		}
		chosen := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
			if isCert {
				name += certSuffix
			}
			return !slices.Contains(l.h.algorithms.PublicKeyAuths, name)
		})
		if len(chosen) == 0 {
			l.unaccepted = true
			continue
		}
		if able, ok := key.(ssh.AlgorithmSigner); ok && len(chosen) < len(all) {
			if limited, err := ssh.NewSignerWithAlgorithms(able, chosen); err == nil {
				key = limited
			}
		}
		list = append(list, key)
	}
	return list
}

// certSuffix ends the names of the algorithms of certificates.
const certSuffix = "-cert-v01@openssh.com"

// isKeyOf returns a function that reports whether a key is the public key of s.
func isKeyOf(s ssh.Signer) func(ssh.PublicKey) bool {
	return func(key ssh.PublicKey) bool { return string(key.Marshal()) == string(s.PublicKey().Marshal()) }
}

// withCertificates adds the certificates of the user for the keys, each before its key.
func (l *login) withCertificates(keys []ssh.Signer) (list []ssh.Signer) {
	var certs []*ssh.Certificate
	paths := slices.Clone(l.h.certFiles)
	for _, path := range l.h.keyFiles {
		paths = append(paths, path+"-cert.pub")
	}
	for _, path := range paths {
		if cert, ok := readPublicKey(path).(*ssh.Certificate); ok {
			certs = append(certs, cert)
		}
	}
	for _, key := range keys {
		for _, cert := range certs {
			if !isKeyOf(key)(cert.Key) {
				continue
			}
			if certified, err := ssh.NewCertSigner(cert, key); err == nil {
				list = append(list, certified)
			}
		}
		list = append(list, key)
	}
	return list
}

// agentKeys returns the keys of the user's agent. An agent that does not answer has none.
func (l *login) agentKeys() []ssh.Signer {
	if l.h.agent == "" {
		return nil
	}
	d := net.Dialer{Timeout: agentListTime}
	conn, err := d.DialContext(l.life, "unix", l.h.agent)
	if err != nil {
		return nil
	}
	l.conns = append(l.conns, conn)
	context.AfterFunc(l.life, func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(agentListTime))
	keys, err := agent.NewClient(conn).Signers()
	if err != nil {
		record(l.ctx, l.account.Addr, true, "the agent does not answer")
		return nil
	}
	_ = conn.SetDeadline(time.Now().Add(agentSignTime))
	return keys
}

// readKey reads a private key of the user. It returns nil if the file has none, or if other users may read it.
func (l *login) readKey(path string) ssh.Signer {
	data, err := userfile.Read(path, maxKeyFile)
	if err != nil || len(data) == 0 {
		return nil
	}
	signer, err := ssh.ParsePrivateKey(data)
	missing, needsPhrase := errors.AsType[*ssh.PassphraseMissingError](err)
	if err != nil && !needsPhrase {
		return nil
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && userfile.IsOwn(info) && info.Mode().Perm()&0o077 != 0 {
		l.exposed = path
		return nil
	}
	if needsPhrase {
		return l.lockedKey(path, data, missing.PublicKey)
	}
	return signer
}

// readPublicKey returns the public key or the certificate in a file, or nil.
func readPublicKey(path string) ssh.PublicKey {
	data, err := userfile.Read(path, maxKeyFile)
	if err != nil {
		return nil
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(data)
	if err != nil {
		return nil
	}
	return key
}

// lockedKey returns the signer of a key with a passphrase, or nil. The passphrase is needed only if the server accepts the key.
func (l *login) lockedKey(path string, data []byte, public ssh.PublicKey) ssh.Signer {
	if public == nil { // the old format does not tell the public key
		public = readPublicKey(path + ".pub")
	}
	if phrase, known := l.c.secrets().Load(path); known {
		if s, err := ssh.ParsePrivateKeyWithPassphrase(data, []byte(phrase.(string))); err == nil {
			return s
		}
		l.c.secrets().Delete(path)
		l.badPhase = true
	}
	if public == nil || l.h.quiet {
		return nil
	}
	return &lockedSigner{public, func() { l.locked = path }}
}

// lockedSigner is a key whose passphrase is not known.
type lockedSigner struct {
	public ssh.PublicKey
	wanted func()
}

func (s *lockedSigner) PublicKey() ssh.PublicKey { return s.public }

func (s *lockedSigner) Sign(io.Reader, []byte) (*ssh.Signature, error) {
	s.wanted()
	return nil, errNoPassword
}
