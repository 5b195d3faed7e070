// Package demo provides a small server for each protocol. The servers run inside the program
// and serve this machine only. `gofer demo` shows their pages, the World. Tests use the same
// servers.
package demo

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net"
	"path"
	"strings"
	"time"

	"github.com/spf13/afero"
)

//go:embed world
var worldFiles embed.FS

// worldDate is the modification time of all files of the World.
var worldDate = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// World is the demo: a server for each scheme on a free port of 127.0.0.1. The pages of the
// servers link to each other and are made from one file tree. A World needs no network. If it has
// a host, its pages show that host and the default ports instead of the addresses of the servers.
type World struct {
	Gopher   *GopherServer
	FTP      *FTPServer
	SFTP     *SFTPServer
	NFS      *NFSServer
	NNTP     *NNTPServer
	Telnet   *TelnetServer
	WAIS     *WAISServer
	Z3950    *Z3950Server
	Prospero *ProsperoServer
	CSO      *CSOServer
	Web      *WebServer
	Gemini   *GeminiServer
	Spartan  *SpartanServer

	host         string            // may be empty
	listenAddrs  map[string]string // maps an address in pages to the listen address
	servers      []io.Closer
	placeholders []string    // alternately a placeholder in texts (@FTP@, @FTPPORT@) and its value
	startPages   [][2]string // URLs and titles
	err          error       // first error of startServer
}

// startServer starts a server and stores it in s. The parameter port is the default port of the
// scheme. In texts, the address of the server replaces the placeholder "@" + name + "@".
func startServer[S interface {
	io.Closer
	Addr() string
	hostInURLs() string
	setShown(host, port string) (listening string)
}](w *World, name string, port string, s *S, start func() (S, error),
) {
	if w.err != nil {
		return
	}
	if *s, w.err = start(); w.err != nil {
		return
	}
	w.servers = append(w.servers, *s)
	if w.host != "" {
		listening := (*s).setShown(w.host, port)
		w.listenAddrs[(*s).Addr()] = listening
	}
	var host string
	host, port, w.err = net.SplitHostPort((*s).Addr())
	w.placeholders = append(w.placeholders, "@"+name+"@", (*s).hostInURLs(), "@"+name+"PORT@", port, "@HOST@", host)
}

// addStartPage adds a page to [World.URLs].
func (w *World) addStartPage(url, title string) {
	w.startPages = append(w.startPages, [2]string{url, title})
}

// StartWorld starts the servers. The caller must close the World.
func StartWorld() (*World, error) { return StartWorldAs("") }

// StartWorldAs starts the servers of a World whose pages show the parameter host, if it is
// not empty. Only [World.ListenAddr] can resolve that host.
func StartWorldAs(host string) (*World, error) {
	w := &World{host: host, listenAddrs: map[string]string{}}
	if err := w.start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start the demonstration world: %w", err), w.Close())
	}
	return w, nil
}

// start first starts the servers and then fills the file trees, because the pages contain the
// addresses of the servers.
func (w *World) start() error {
	hole, archive, site, capsule := afero.NewMemMapFs(), afero.NewMemMapFs(), afero.NewMemMapFs(), afero.NewMemMapFs()
	files := func(tree afero.Fs) fs.FS { return afero.NewIOFS(afero.NewBasePathFs(tree, "/")) }
	news, err := fs.Sub(worldFiles, "world")
	if err != nil {
		return err
	}
	startServer(w, "GOPHER", "70", &w.Gopher, func() (*GopherServer, error) { return StartGopher(files(hole)) })
	startServer(w, "FTP", "21", &w.FTP, func() (*FTPServer, error) { return StartFTP(largeFileFs{archive}) })
	startServer(w, "SFTP", "22", &w.SFTP, func() (*SFTPServer, error) { return StartSFTP(largeFileFs{archive}) })
	startServer(w, "NFS", "2049", &w.NFS, func() (*NFSServer, error) {
		return StartNFS(largeFileFs{archive}, map[string]string{"/tides": "pub/tides"}, "/")
	})
	startServer(w, "TELNET", "23", &w.Telnet, StartTelnet)
	startServer(w, "WAIS", "210", &w.WAIS, func() (*WAISServer, error) { return StartWAIS(nil) })
	w.addZ3950()
	startServer(w, "CSO", "105", &w.CSO, StartCSO)
	startServer(w, "PROSPERO", "1525", &w.Prospero, StartProspero)
	startServer(w, "WEB", "80", &w.Web, func() (*WebServer, error) { return StartWeb(files(site)) })
	startServer(w, "GEMINI", "1965", &w.Gemini, func() (*GeminiServer, error) { return StartGemini(files(capsule)) })
	startServer(w, "SPARTAN", "300", &w.Spartan, func() (*SpartanServer, error) { return StartSpartan(files(capsule)) })
	startServer(w, "NNTP", "119", &w.NNTP, func() (*NNTPServer, error) {
		return StartNNTP(news, map[string]string{"@GOPHER@": w.Gopher.hostInURLs(), "@FTP@": w.FTP.hostInURLs()})
	})
	fills := []func(func(string) string){w.addFinger(), w.addWhois(), w.addWhoispp(), w.addDict(), w.addLDAP()}
	if w.err != nil {
		return w.err
	}
	return w.fill(fills, news, hole, archive, site, capsule)
}

// fill fills the file trees and adds the start pages, also with the functions of fills.
func (w *World) fill(fills []func(func(string) string), news fs.FS, hole, archive, site, capsule afero.Fs) error {
	addrs := strings.NewReplacer(w.placeholders...)
	for _, c := range []struct {
		from string
		to   afero.Fs
		at   string
	}{
		{"world/gopher", hole, "/"},
		{"world/ftp", archive, "/"},
		{"world/gopher", archive, "/pub/hole"},
		{"world/gopher/library/history", archive, "/pub/texts"},
		{"world/web", site, "/"},
		{"world/gemini", capsule, "/"},
	} {
		if err := copyTree(c.to, c.at, c.from, addrs); err != nil {
			return err
		}
	}
	w.addHardCases()
	w.addStartPage(w.StartURL(), "The Gopher hole: begin here")
	w.addStartPage(w.TourURL(), "The tour: one task each for Gopher, FTP and news")
	w.addStartPage(w.FTP.URL(), "The FTP archive")
	if w.host != "" { // otherwise the client asks about the key of the server
		w.addStartPage(w.SFTP.URL(), "The same archive (SFTP)")
	}
	w.addStartPage(w.NFS.URL(), "The same archive (NFS)")
	for _, g := range w.NNTP.Groups() {
		w.addStartPage(w.NNTP.URL(g), "The newsgroup "+g)
	}
	w.addStartPage("telnet://"+w.Telnet.hostInURLs()+"/", "A telnet session")
	d, err := worldDatabase(addrs)
	if err != nil {
		return err
	}
	w.WAIS.Add(d)
	w.addStartPage(w.WAIS.URL(worldWAIS), "A WAIS database")
	w.addStartPage(w.Z3950.URL("books"), "A library catalog (Z39.50)")
	w.addStartPage(w.Web.URL(), "A small web")
	w.addStartPage(w.Gemini.URL(), "A capsule (Gemini)")
	w.addStartPage(w.Spartan.URL(), "The same capsule (Spartan)")
	for _, fill := range fills {
		fill(addrs.Replace)
	}
	if err := w.fillProspero(news); err != nil {
		return err
	}
	return fillArchive(archive)
}

// copyTree copies the embedded folder src into the folder dir of the file system dst. In text files
// it applies replace.
func copyTree(dst afero.Fs, dir, src string, replace *strings.Replacer) error {
	return fs.WalkDir(worldFiles, src, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := path.Join(dir, strings.TrimPrefix(name, src))
		if e.IsDir() {
			return errors.Join(dst.MkdirAll(target, 0o755), dst.Chtimes(target, worldDate, worldDate))
		}
		data, err := worldFiles.ReadFile(name)
		if err != nil {
			return err
		}
		switch path.Ext(name) {
		case ".txt", ".html", ".gmi", "":
			data = []byte(replace.Replace(string(data)))
		}
		return writeWorldFile(dst, target, data)
	})
}

func writeWorldFile(dst afero.Fs, name string, data []byte) error {
	if err := errors.Join(dst.MkdirAll(path.Dir(name), 0o755), afero.WriteFile(dst, name, data, 0o644)); err != nil {
		return err
	}
	return dst.Chtimes(name, worldDate, worldDate)
}

// oddNames lists file names that programs often mishandle.
var oddNames = []string{
	"a b.txt", " leading blank.txt", "two  blanks.txt", "a#b?c.txt", "semi;type=a", "semi;type=d", "100%.txt", "%41.txt", "%2F.txt",
	"-x", "--help", "a -> b", "colon:colon", "back\\slash", "quo\"te", "it's", "[1] {2} ~3 ^4 `5 |6", "<less & more>", "*", "a+b=c,d@e!$.txt",
	"möwe.txt", "日本語.txt", "e\u0301 in two parts.txt", "caf\xe9.txt", "\xff\xfe octets", "\u202ertl.txt", ".hidden", "...",
	"total 12", "-rw-r--r-- 1 ftp ftp 5 Jan  1 12:00 like a line", strings.Repeat("long", 50) + ".txt",
}

const oddFolder = "/pub/names/a folder #1; with ?"

// fillArchive adds the files that an embedded tree cannot or should not contain.
func fillArchive(dst afero.Fs) error {
	for _, name := range oddNames {
		if err := writeWorldFile(dst, "/pub/names/"+name, []byte(name+"\n")); err != nil {
			return err
		}
	}
	for i := range 5000 {
		name := fmt.Sprintf("/pub/many/file-%04d.txt", i)
		if err := writeWorldFile(dst, name, []byte(name+"\n")); err != nil {
			return err
		}
	}
	for name, days := range map[string]int{"east": 40, "north": 200, "south": 3, "west": 90} {
		start := worldDate.AddDate(0, 0, -days)
		file := "/pub/tides/" + name + ".txt"
		text := "High water, " + name + " coast, from " + start.Format("2 January 2006") + " on:\n\n  06:12   18:37\n"
		if err := errors.Join(writeWorldFile(dst, file, []byte(text)), dst.Chtimes(file, start, start)); err != nil {
			return err
		}
	}
	folders := []string{"/pub", "/pub/tides", "/pub/names", "/pub/many", "/pub/empty", "/pub/large", "/pub/texts", "/pub/hole", "/pub/deep", oddFolder}
	deep := "/pub/deep"
	for _, d := range strings.Fields("down and down and down again until there is light") {
		deep = path.Join(deep, d)
		folders = append(folders, deep)
	}
	if err := errors.Join(
		dst.MkdirAll("/pub/empty", 0o755),
		writeWorldFile(dst, deep+"/light.txt", []byte("Every / of the URL was one CWD. You went down twelve of them.\n")),
		writeWorldFile(dst, oddFolder+"/inside.txt", []byte("inside\n")),
		writeWorldFile(dst, worldLargeName, nil),
	); err != nil {
		return err
	}
	for _, d := range folders {
		if err := dst.Chtimes(d, worldDate, worldDate); err != nil {
			return err
		}
	}
	return nil
}

// StartURL returns the URL of the root menu of the Gopher server.
func (w *World) StartURL() string { return w.Gopher.URL() }

// TourURL returns the URL of the tour.
func (w *World) TourURL() string { return w.StartURL() + "/tour" }

// URLs yields the URLs and titles of the start pages.
func (w *World) URLs() iter.Seq2[string, string] {
	return func(yield func(url, title string) bool) {
		for _, p := range w.startPages {
			if !yield(p[0], p[1]) {
				return
			}
		}
	}
}

// ListenAddr returns the listen address of the server that pages show as addr. It returns "" if
// there is no such server, or if the World has no host. The result ours reports whether addr has
// the host of the World.
func (w *World) ListenAddr(addr string) (listening string, ours bool) {
	host, _, err := net.SplitHostPort(addr)
	return w.listenAddrs[addr], err == nil && w.host != "" && host == w.host
}

// NewsServer returns the host:port of the news server for news: URLs.
func (w *World) NewsServer() string { return w.NNTP.Addr() }

// Close stops the servers and waits for all their goroutines.
func (w *World) Close() error {
	var errs []error
	for _, server := range w.servers {
		errs = append(errs, server.Close())
	}
	return errors.Join(errs...)
}
