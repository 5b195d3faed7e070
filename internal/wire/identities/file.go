package identities

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/internal/wire"
	"gofer/protocols"
)

const (
	suffix   = ".pem"
	maxFile  = 64 << 10 // octets of a file
	maxFiles = 200      // files that are read
	scopeKey = "Scope: "
)

// DefaultYears is how long a new identity is valid. Servers know a user by the certificate: an account is lost with it.
const DefaultYears = 20

// File is an identity in its file.
type File struct {
	Name        string
	Path        string // of the file
	Subject     string // whom the certificate names, clean
	Fingerprint string // see [wire.Identity]
	Expires     time.Time
	Scopes      []Scope
	Fault       error // why the identity cannot be used, or nil

	identity *wire.Identity
}

// Expired reports whether the certificate is no longer valid.
func (f *File) Expired() bool { return f.Fault == nil && !time.Now().Before(f.Expires) }

// List returns the identities in the folder by name, those with faults too.
func (s *Store) List() ([]File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.settle()
	list, listErr := s.files()
	return list, errors.Join(err, listErr)
}

// files reads the folder. The error names what makes the folder unsafe, which is then the fault of each file.
func (s *Store) files() (list []File, unsafe error) {
	if s.dir == "" || s.Refuses {
		return nil, nil
	}
	fault := checkFolder(s.dir)
	if errors.Is(fault, fs.ErrNotExist) {
		return nil, nil
	}
	entries, err := os.ReadDir(s.dir)
	if err := cmp.Or(fault, err); err != nil {
		unsafe = protocols.LocalError("read the identities in "+s.dir, err)
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), suffix)
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		if len(list) == maxFiles {
			return list, cmp.Or[error](unsafe, protocols.NewError(protocols.LocalFailure, "read the identities", fmt.Sprintf("%s has more than %d files: remove some", s.dir, maxFiles)))
		}
		f := readFile(filepath.Join(s.dir, e.Name()), name)
		if unsafe != nil {
			f.Fault = unsafe
		}
		list = append(list, f)
	}
	return list, unsafe
}

// checkFolder returns an error unless dir is a folder that only this user can read.
func checkFolder(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return &os.PathError{Op: "use", Path: dir, Err: errors.New("it is not a folder")}
	case !userfile.IsOwn(info):
		return &os.PathError{Op: "use", Path: dir, Err: userfile.ErrNotOwn}
	case !userfile.IsSecret(info):
		return &os.PathError{Op: "use", Path: dir, Err: errors.New("other users can read it: chmod 700 it")}
	}
	return nil
}

// readFile reads the identity at path. Its scopes are known even if it has a fault, so that nothing is sent without it there.
func readFile(path, name string) File {
	f := File{Name: clean.Short(name), Path: path}
	data, err := readSecret(path)
	if err == nil {
		err = CheckName(name)
	}
	f.Scopes = scopesIn(data)
	if err == nil {
		f.identity, err = parse(name, data)
	}
	if err != nil {
		f.Fault = protocols.LocalError("use the identity "+f.Name, err)
		return f
	}
	leaf := f.identity.Certificate.Leaf
	f.Subject, f.Fingerprint, f.Expires = clean.Short(leaf.Subject.String()), f.identity.Fingerprint, leaf.NotAfter
	return f
}

// readSecret reads a file that only this user can read: neither through a link, nor with a second name.
func readSecret(path string) ([]byte, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && !userfile.IsSecret(info) {
		return nil, &os.PathError{Op: "use", Path: path, Err: errors.New("other users can read it or it is not yours: chmod 600 it, or remove it")}
	}
	return userfile.ReadNoFollow(path, maxFile, true)
}

// parse returns the identity in PEM text: the certificate, perhaps with those of its issuers, and the key.
func parse(name string, data []byte) (*wire.Identity, error) {
	var types []string
	for rest := data; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		types = append(types, block.Type)
		if block.Headers["DEK-Info"] != "" || block.Type == "ENCRYPTED PRIVATE KEY" {
			return nil, errors.New("its key has a passphrase: remove the passphrase first (openssl pkey -in FILE)")
		}
	}
	switch {
	case !slices.Contains(types, "CERTIFICATE"):
		return nil, errors.New("it has no certificate (BEGIN CERTIFICATE)")
	case !slices.ContainsFunc(types, func(t string) bool { return strings.HasSuffix(t, "PRIVATE KEY") }):
		return nil, errors.New("it has no key (BEGIN PRIVATE KEY)")
	}
	certificate, err := tls.X509KeyPair(data, data)
	if err != nil {
		return nil, errors.New("its certificate or key is invalid: " + strings.TrimPrefix(err.Error(), "tls: "))
	}
	return identityOf(name, certificate)
}

func identityOf(name string, certificate tls.Certificate) (*wire.Identity, error) {
	leaf, err := x509.ParseCertificate(certificate.Certificate[0])
	if err != nil {
		return nil, err
	}
	certificate.Leaf = leaf
	sum := sha256.Sum256(leaf.Raw)
	return &wire.Identity{Name: name, Fingerprint: "SHA-256 " + hex.EncodeToString(sum[:]), Certificate: certificate}, nil
}

// generate makes a key and a certificate that it signs itself. The curve is P-256, because some servers know no Ed25519.
func generate(name string, end time.Time) (certificate tls.Certificate, err error) {
	if err := CheckName(name); err != nil {
		return certificate, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certificate, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return certificate, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: end, // the clock of a server may be slow
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// format returns the text of a file.
func format(certificate tls.Certificate) ([]byte, error) {
	var b bytes.Buffer
	for _, der := range certificate.Certificate {
		_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: der}) // a Buffer returns no error
	}
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	_ = pem.Encode(&b, &pem.Block{Type: "PRIVATE KEY", Bytes: key})
	return b.Bytes(), err
}

// Make makes an identity in a new file.
func (s *Store) Make(name string, years int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.create(name, years)
}

func (s *Store) create(name string, years int) error {
	return protocols.LocalError("make the identity "+clean.Short(name), s.generateFile(name, years))
}

func (s *Store) generateFile(name string, years int) error {
	if years < 1 || years > 1000 {
		return errors.New("an identity is valid for 1 to 1000 years")
	}
	certificate, err := generate(name, time.Now().AddDate(years, 0, 0))
	if err != nil {
		return err
	}
	return s.write(name, certificate)
}

// Import copies an identity from a PEM file of the user. Its scopes are not taken over.
func (s *Store) Import(name, path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.importFile(name, path)
}

func (s *Store) importFile(name, path string) error {
	return protocols.LocalError("import "+clean.Text(path), s.copyFile(name, path))
}

func (s *Store) copyFile(name, path string) error {
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	if err := CheckName(name); err != nil {
		return err
	}
	if _, err := userfile.Stat(path); err != nil {
		return err
	}
	data, err := userfile.Read(path, maxFile)
	if err != nil {
		return err
	}
	id, err := parse(name, data)
	if err != nil {
		return err
	}
	return s.write(name, id.Certificate)
}

// write writes a new file.
func (s *Store) write(name string, certificate tls.Certificate) error {
	switch {
	case s.dir == "":
		return errors.New("there is no folder for identities: $HOME is not set")
	case !s.keepsFiles():
		return errors.New("private mode keeps no identity")
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if err := checkFolder(s.dir); err != nil {
		return err
	}
	data, err := format(certificate)
	if err != nil {
		return err
	}
	files, err := s.files()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(files, func(f File) bool { return strings.EqualFold(f.Name, name) }) {
		return fmt.Errorf("there is an identity %s already: choose another name", name)
	}
	f, err := os.OpenFile(s.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(s.path(name))
	}
	return err
}

func (s *Store) path(name string) string { return filepath.Join(s.dir, name+suffix) }

// load returns the identity with a name.
func (s *Store) load(name string) (*wire.Identity, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(files, func(f File) bool { return f.Name == name })
	if i < 0 {
		return nil, protocols.NewError(protocols.LocalFailure, "use the identity "+clean.Short(name), "there is none of this name")
	}
	return files[i].identity, files[i].Fault
}

// Remove removes an identity and its file. Its key cannot be made again.
func (s *Store) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	const op = "remove the identity"
	files, err := s.files()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(files, func(f File) bool { return f.Name == name })
	if i < 0 {
		return protocols.NewError(protocols.LocalFailure, op+" "+clean.Short(name), "there is none of this name")
	}
	for scope, id := range s.session {
		if id.Fingerprint == files[i].Fingerprint {
			delete(s.session, scope)
		}
	}
	return protocols.LocalError(op+" "+name, os.Remove(files[i].Path))
}
