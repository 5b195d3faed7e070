package sftp

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// acceptedKeys are the keys of servers to which the user has agreed in this run, by "host:port" of the server.
type acceptedKeys struct{ sync.Map }

func (c *Client) acceptedKeys() *acceptedKeys { return wire.Remember(c.Dialer.Memory, &c.accepted) }

// hostKeys checks the key of one server.
type hostKeys struct {
	c     *Client
	url   urlcore.URL // for the question
	addr  string      // host:port, as known_hosts names it
	ours  bool        // the server runs inside this program
	db    *knownhosts.HostKeyDB
	key   ssh.PublicKey // the accepted key
	trust protocols.Trust
	isNew bool  // no file has the key
	err   error // why the key is not accepted
}

// newHostKeys reads the known_hosts files.
func (c *Client) newHostKeys(u urlcore.URL, addr string, ours bool) (*hostKeys, error) {
	k := &hostKeys{c: c, url: u, addr: addr, ours: ours}
	if c.Getenv == nil || ours {
		return k, nil
	}
	var files []string
	for _, path := range []string{c.sshFile("known_hosts"), c.sshFile("known_hosts2"), "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
	}
	var err error
	if k.db, err = knownhosts.NewDB(files...); err != nil {
		return nil, k.refuse(fmt.Errorf("the known keys of servers cannot be read, repair or remove the line: %w", err))
	}
	return k, nil
}

// refuse returns the error for a server whose key is not accepted.
func (k *hostKeys) refuse(cause error) error {
	return &protocols.Error{Reason: protocols.Insecure, Op: "check the key of " + k.addr, Err: cause}
}

// algorithms returns the algorithms of host keys in the order in which they are offered: those of the known keys first, so that
// a server that has several keys shows the known one, and of other kinds last. Certificates are offered only if a file names an
// authority for the host: without one they prove nothing.
func (k *hostKeys) algorithms() (list []string) {
	if k.db != nil {
		list = k.db.HostKeyAlgorithms(k.addr)
	}
	return append(list, ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
}

// check is an [ssh.HostKeyCallback].
func (k *hostKeys) check(_ string, _ net.Addr, key ssh.PublicKey) error {
	k.err = k.judge(key)
	if k.err == nil {
		k.key = key
	}
	return k.err
}

func (k *hostKeys) judge(key ssh.PublicKey) error {
	if k.ours {
		k.trust = protocols.Verified
		return nil
	}
	if k.db != nil {
		err := k.db.HostKeyCallback()(k.addr, &net.TCPAddr{IP: net.IPv4zero}, key)
		var revoked *xknownhosts.RevokedError
		var other *xknownhosts.KeyError
		switch {
		case err == nil:
			k.trust = protocols.Verified
			return nil
		case errors.As(err, &revoked):
			return k.refuse(fmt.Errorf("it is revoked by %s, line %d (%s)", k.c.shorten(revoked.Revoked.Filename), revoked.Revoked.Line, ssh.FingerprintSHA256(key)))
		case !errors.As(err, &other):
			return k.refuse(errors.New(strings.TrimPrefix(err.Error(), "ssh: ")))
		case len(other.Want) > 0:
			known := other.Want[0]
			return k.refuse(fmt.Errorf("it is not the key in %s, line %d: the server has a new key, or somebody else answers in its place. "+
				"Ask who runs the server, and if the key is right, remove that line (now: %s)", k.c.shorten(known.Filename), known.Line, ssh.FingerprintSHA256(key)))
		}
	}
	accepted, ok := k.c.acceptedKeys().Load(k.addr)
	switch {
	case ok && accepted == string(key.Marshal()):
		k.trust, k.isNew = protocols.Pinned, true
		return nil
	case ok:
		return k.refuse(fmt.Errorf("it is not the key that you trusted before (now: %s): ask who runs the server", ssh.FingerprintSHA256(key)))
	}
	return k.ask(key)
}

// ask returns the question whether to trust an unknown key.
func (k *hostKeys) ask(key ssh.PublicKey) *protocols.Confirm {
	confirm := &protocols.Confirm{
		URL:         k.url,
		Question:    "Trust the host key of " + k.addr,
		Reason:      "It is not known on this machine. A yes is remembered in ~/.ssh/known_hosts.",
		Details:     []string{ssh.FingerprintSHA256(key), "type: " + key.Type()},
		Consent:     protocols.ConsentCertificate,
		GiveConsent: func() { k.c.acceptedKeys().Store(k.addr, string(key.Marshal())) },
	}
	if !k.mayRecord() {
		confirm.Reason = "It is not known on this machine. A yes is remembered until gofer ends."
	}
	return confirm
}

func (k *hostKeys) mayRecord() bool {
	return k.c.home() != "" && k.c.MayRecord != nil && k.c.MayRecord(k.addr)
}

// security describes the protection of the connection.
func (k *hostKeys) security() protocols.Security {
	return protocols.Security{Protocol: "SSH 2.0", Trust: k.trust, Fingerprint: ssh.FingerprintSHA256(k.key)}
}

// remember writes an accepted key to ~/.ssh/known_hosts. Its name is hashed if the other names in the file are.
func (k *hostKeys) remember() error {
	if !k.isNew || !k.mayRecord() {
		return nil
	}
	path := k.c.sshFile("known_hosts")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return protocols.LocalError("write "+k.c.shorten(path), err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return protocols.LocalError("write "+k.c.shorten(path), err)
	}
	defer f.Close()
	old, err := io.ReadAll(io.LimitReader(f, maxConfig))
	if err != nil {
		return protocols.LocalError("write "+k.c.shorten(path), err)
	}
	name := knownhosts.Normalize(k.addr)
	if k.hashesNames(old) {
		name = xknownhosts.HashHostname(name)
	}
	line := name + " " + k.key.Type() + " " + base64.StdEncoding.EncodeToString(k.key.Marshal()) + "\n"
	if len(old) > 0 && old[len(old)-1] != '\n' {
		line = "\n" + line
	}
	_, err = f.WriteString(line)
	return protocols.LocalError("write "+k.c.shorten(path), err)
}

// hashesNames reports whether names are hashed: in a file with hashed names, or by the setting HashKnownHosts.
func (k *hostKeys) hashesNames(file []byte) bool {
	if bytes.HasPrefix(file, []byte("|1|")) || bytes.Contains(file, []byte("\n|1|")) {
		return true
	}
	config, err := k.c.readConfig()
	if err != nil || config == nil {
		return false
	}
	name, _, _ := net.SplitHostPort(k.addr)
	value, _ := config.Get(name, "HashKnownHosts")
	return strings.EqualFold(value, "yes")
}
