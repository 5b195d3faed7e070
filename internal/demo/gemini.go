package demo

import (
	"bufio"
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// GeminiServer is a small Gemini server of a file tree, with a self-signed certificate.
type GeminiServer struct {
	server
	files fs.FS
	tls   *tls.Config
	notes sync.Map // the texts below /notes/, which Titan writes, by path
}

// StartGemini starts a server of files; Close stops it.
func StartGemini(files fs.FS) (*GeminiServer, error) {
	cert, err := createCertificate()
	if err != nil {
		return nil, err
	}
	s := &GeminiServer{files: files, tls: &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, ClientAuth: tls.RequestClientCert}}
	return s, s.start(s.serve)
}

// createCertificate creates a certificate for 127.0.0.1 and the host of the demo.
func createCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "gofer demo"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"demo.gofer.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// URL returns the URL of the front page.
func (s *GeminiServer) URL() string { return "gemini://" + s.hostInURLs() + "/" }

func (s *GeminiServer) serve(c net.Conn) {
	secure := tls.Server(c, s.tls)
	in := bufio.NewReader(io.LimitReader(secure, 1026+maxNote))
	line, err := in.ReadString('\n')
	if err != nil {
		return
	}
	defer secure.CloseWrite()
	u, err := url.Parse(strings.TrimSuffix(line, "\r\n"))
	if err == nil && u.Scheme == "titan" {
		s.storeNote(secure, in, u.EscapedPath())
		return
	}
	if err != nil || u.Scheme != "gemini" {
		fmt.Fprint(secure, "59 this is not a gemini: URL\r\n")
		return
	}
	words, _ := url.PathUnescape(u.RawQuery)
	if u.Path == "/identity" || strings.HasPrefix(u.Path, "/identity/") {
		answerIdentity(secure, u.Path)
		return
	}
	if note, ok := s.notes.Load(u.Path); ok {
		fmt.Fprintf(secure, "20 text/gemini\r\n%s", note)
		return
	}
	switch u.Path {
	case "/search", "/secret":
		switch {
		case words != "":
			fmt.Fprintf(secure, "20 text/gemini\r\n# Found\n%d octets received.\n", len(words))
		case u.Path == "/search":
			fmt.Fprint(secure, "10 Words to search for\r\n")
		default:
			fmt.Fprint(secure, "11 Password\r\n")
		}
	case "/moved", "/loop", "/gone", "/busy":
		fmt.Fprint(secure, geminiAnswers[u.Path]+"\r\n")
	case "/large.txt":
		fmt.Fprint(secure, "20 text/plain\r\n")
		_, _ = io.Copy(secure, newNumberedLines(webLarge))
	default:
		sendPage(secure, s.files, u.Path, "20 ", "51 there is no such page\r\n")
	}
}

var geminiAnswers = map[string]string{
	"/moved": "31 /words.gmi", "/loop": "30 /loop", "/gone": "52 it has been taken away", "/busy": "44 30",
}

// NoteToken is the token that an upload below /notes/ must have.
const NoteToken = "river; bank"

const maxNote = 64 << 10 // octets of a text that is stored

// storeNote stores a text that Titan sends for a path with parameters.
func (s *GeminiServer) storeNote(c *tls.Conn, in io.Reader, path string) {
	path, parameters, _ := strings.Cut(path, ";")
	values := make(map[string]string)
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(p, "=")
		values[name], _ = url.PathUnescape(value)
	}
	size, err := strconv.Atoi(values["size"])
	switch {
	case !strings.HasPrefix(path, "/notes/"):
		fmt.Fprint(c, "50 only pages below /notes/ can be written\r\n")
	case values["token"] != NoteToken:
		fmt.Fprintf(c, "50 the token %s is wrong\r\n", values["token"])
	case err != nil || size < 0 || size > maxNote:
		fmt.Fprint(c, "59 the size is wrong\r\n")
	default:
		text := make([]byte, size)
		if _, err := io.ReadFull(in, text); err != nil {
			return
		}
		s.notes.Store(path, string(text))
		fmt.Fprintf(c, "30 %s\r\n", path)
	}
}

// answerIdentity answers with the name in the certificate of the user. Some of its pages accept no certificate.
func answerIdentity(c *tls.Conn, path string) {
	known := c.ConnectionState().PeerCertificates
	switch {
	case len(known) == 0, path == "/identity/always":
		fmt.Fprint(c, "60 a certificate is needed\r\n")
	case path == "/identity/refused":
		fmt.Fprint(c, "61 you are not on the list\r\n")
	case path == "/identity/invalid":
		fmt.Fprint(c, "62 it is too old\r\n")
	default:
		fmt.Fprintf(c, "20 text/gemini\r\n# Hello, %s\n=> /identity/refused A page for others\n=> / Front\n", strings.Join(strings.Fields(known[0].Subject.CommonName), " "))
	}
}

// sendPage sends prefix, the media type and the contents of the file called name. If there is no
// such file it sends failure.
func sendPage(w io.Writer, files fs.FS, name, prefix, failure string) {
	name = cmp.Or(strings.TrimPrefix(path.Clean("/"+name), "/"), "index.gmi")
	media := "text/gemini; charset=utf-8; lang=en"
	if !strings.HasSuffix(name, ".gmi") {
		media = "text/plain"
	}
	data, err := fs.ReadFile(files, name)
	if err != nil {
		fmt.Fprint(w, failure)
		return
	}
	fmt.Fprintf(w, "%s%s\r\n%s", prefix, media, data)
}

// SpartanServer is a small Spartan server of a file tree.
type SpartanServer struct {
	server
	files fs.FS
}

// StartSpartan starts a server of files; Close stops it.
func StartSpartan(files fs.FS) (*SpartanServer, error) {
	s := &SpartanServer{files: files}
	return s, s.start(s.serve)
}

// URL returns the URL of the front page.
func (s *SpartanServer) URL() string { return "spartan://" + s.hostInURLs() + "/" }

func (s *SpartanServer) serve(c net.Conn) {
	in := bufio.NewReader(io.LimitReader(c, 1<<20))
	line, err := in.ReadString('\n')
	if err != nil {
		return
	}
	f := strings.Fields(line)
	if len(f) != 3 {
		fmt.Fprint(c, "4 a request is a host, a path and a length\r\n")
		return
	}
	n, _ := strconv.Atoi(f[2])
	data := make([]byte, max(0, min(n, 64<<10)))
	if _, err := io.ReadFull(in, data); err != nil {
		return
	}
	name, _ := url.PathUnescape(f[1])
	switch name {
	case "/echo":
		fmt.Fprintf(c, "2 text/gemini\r\n# You sent\n%d octets:\n```\n%s\n```\n", len(data), data)
	case "/moved":
		fmt.Fprint(c, "3 /words.gmi\r\n")
	case "/loop":
		fmt.Fprint(c, "3 /loop\r\n")
	case "/search", "/secret":
		fmt.Fprint(c, "4 Spartan cannot ask for text: use the Gemini capsule\r\n")
	case "/broken":
		fmt.Fprint(c, "5 something broke\r\n")
	case "/large.txt":
		fmt.Fprint(c, "2 text/plain\r\n")
		_, _ = io.Copy(c, newNumberedLines(webLarge))
	default:
		sendPage(c, s.files, name, "2 ", "4 there is no such page\r\n")
	}
}
