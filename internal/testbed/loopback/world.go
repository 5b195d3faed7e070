// Package loopback has small Gopher, FTP and NNTP servers that run inside the
// program, on loopback only, and the world of `gofer demo` that they serve. The
// tests use the same servers.
package loopback

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

// worldDate is when every file of the world was last changed.
var worldDate = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// World is a small world to try the program in: a server for each scheme on a
// free port of 127.0.0.1, made of one tree of files, whose pages lead to each
// other. It needs no network. If it has a host, its pages have that and the default
// ports as the addresses of the servers.
type World struct {
	Gopher   *GopherServer
	FTP      *FTPServer
	NNTP     *NNTPServer
	Telnet   *TelnetServer
	WAIS     *WAISServer
	Prospero *ProsperoServer
	CSO      *CSOServer
	Web      *WebServer
	Gemini   *GeminiServer
	Spartan  *SpartanServer

	Finger, Whois, Dict *Lookup
	people, names       map[string]string

	host    string            // "": none
	local   map[string]string // where servers listen, by their address in pages
	servers []io.Closer       // all of them
	words   []string          // in texts, for their addresses: @FTP@ and @FTPPORT@
	pages   [][2]string       // URLs and titles of good places to begin
	err     error             // the first one of serve
}

// serve starts a server with the default port given. Texts refer to its address by name.
func serve[S interface {
	io.Closer
	Addr() string
	inURLs() string
	show(host, port string) (listening string)
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
		listening := (*s).show(w.host, port)
		w.local[(*s).Addr()] = listening
	}
	var host string
	host, port, w.err = net.SplitHostPort((*s).Addr())
	w.words = append(w.words, "@"+name+"@", (*s).inURLs(), "@"+name+"PORT@", port, "@HOST@", host)
}

// offer adds a place to begin.
func (w *World) offer(url, title string) { w.pages = append(w.pages, [2]string{url, title}) }

// StartWorld starts the servers. The caller closes the World.
func StartWorld() (*World, error) { return StartWorldAs("") }

// StartWorldAs starts the servers of a World with a host, which only [World.Listening]
// knows.
func StartWorldAs(host string) (*World, error) {
	w := &World{host: host, local: map[string]string{}}
	if err := w.start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start the demonstration world: %w", err), w.Close())
	}
	return w, nil
}

// start starts the servers and fills the trees when all listen: the pages
// hold the addresses of the servers.
func (w *World) start() error {
	hole, archive, site, capsule := afero.NewMemMapFs(), afero.NewMemMapFs(), afero.NewMemMapFs(), afero.NewMemMapFs()
	files := func(tree afero.Fs) fs.FS { return afero.NewIOFS(afero.NewBasePathFs(tree, "/")) }
	news, err := fs.Sub(worldFiles, "world")
	if err != nil {
		return err
	}
	serve(w, "GOPHER", "70", &w.Gopher, func() (*GopherServer, error) { return StartGopher(files(hole)) })
	serve(w, "FTP", "21", &w.FTP, func() (*FTPServer, error) { return StartFTP(worldLarge{archive}) })
	serve(w, "TELNET", "23", &w.Telnet, StartTelnet)
	serve(w, "WAIS", "210", &w.WAIS, func() (*WAISServer, error) { return StartWAIS(nil) })
	serve(w, "CSO", "105", &w.CSO, StartCSO)
	serve(w, "PROSPERO", "1525", &w.Prospero, StartProspero)
	serve(w, "WEB", "80", &w.Web, func() (*WebServer, error) { return StartWeb(files(site)) })
	serve(w, "GEMINI", "1965", &w.Gemini, func() (*GeminiServer, error) { return StartGemini(files(capsule)) })
	serve(w, "SPARTAN", "300", &w.Spartan, func() (*SpartanServer, error) { return StartSpartan(files(capsule)) })
	serve(w, "NNTP", "119", &w.NNTP, func() (*NNTPServer, error) {
		return StartNNTP(news, map[string]string{"@GOPHER@": w.Gopher.inURLs(), "@FTP@": w.FTP.inURLs()})
	})
	w.startLookups()
	if w.err != nil {
		return w.err
	}
	return w.fill(news, hole, archive, site, capsule)
}

// fill fills the trees and lists good places to begin.
func (w *World) fill(news fs.FS, hole, archive, site, capsule afero.Fs) error {
	addrs := strings.NewReplacer(w.words...)
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
	w.hardCases()
	w.offer(w.Start(), "The Gopher hole: begin here")
	w.offer(w.FTP.URL(), "The FTP archive")
	for _, g := range w.NNTP.Groups() {
		w.offer(w.NNTP.URL(g), "The newsgroup "+g)
	}
	w.offer("telnet://"+w.Telnet.inURLs()+"/", "A telnet session")
	d, err := worldDatabase(addrs)
	if err != nil {
		return err
	}
	w.WAIS.Add(d)
	w.offer(w.WAIS.URL(worldWAIS), "A WAIS database")
	w.offer(w.Web.URL(), "A small web")
	w.offer(w.Gemini.URL(), "A capsule (Gemini)")
	w.offer(w.Spartan.URL(), "The same by Spartan")
	w.fillLookups(addrs.Replace)
	if err := w.fillProspero(news); err != nil {
		return err
	}
	return fillArchive(archive)
}

// copyTree puts the embedded folder from into a file system at a place, with
// the words of replace replaced in texts.
func copyTree(to afero.Fs, at, from string, replace *strings.Replacer) error {
	return fs.WalkDir(worldFiles, from, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := path.Join(at, strings.TrimPrefix(name, from))
		if e.IsDir() {
			return errors.Join(to.MkdirAll(target, 0o755), to.Chtimes(target, worldDate, worldDate))
		}
		data, err := worldFiles.ReadFile(name)
		if err != nil {
			return err
		}
		switch path.Ext(name) {
		case ".txt", ".html", ".gmi", "":
			data = []byte(replace.Replace(string(data)))
		}
		return writeFile(to, target, data)
	})
}

func writeFile(to afero.Fs, name string, data []byte) error {
	if err := afero.WriteFile(to, name, data, 0o644); err != nil {
		return err
	}
	return to.Chtimes(name, worldDate, worldDate)
}

// oddNames are file names that programs stumble over.
var oddNames = []string{
	"a b.txt", " leading blank.txt", "two  blanks.txt", "a#b?c.txt", "semi;type=a", "semi;type=d", "100%.txt", "%41.txt", "%2F.txt",
	"-x", "--help", "a -> b", "colon:colon", "back\\slash", "quo\"te", "it's", "[1] {2} ~3 ^4 `5 |6", "<less & more>", "*", "a+b=c,d@e!$.txt",
	"möwe.txt", "日本語.txt", "e\u0301 in two parts.txt", "caf\xe9.txt", "\xff\xfe octets", "\u202ertl.txt", ".hidden", "...",
	"total 12", "-rw-r--r-- 1 ftp ftp 5 Jan  1 12:00 like a line", strings.Repeat("long", 50) + ".txt",
}

const oddFolder = "/pub/names/a folder #1; with ?"

// fillArchive adds what an embedded tree cannot hold or should not.
func fillArchive(to afero.Fs) error {
	for _, name := range oddNames {
		if err := writeFile(to, "/pub/names/"+name, []byte(name+"\n")); err != nil {
			return err
		}
	}
	for i := range 5000 {
		name := fmt.Sprintf("/pub/many/file-%04d.txt", i)
		if err := writeFile(to, name, []byte(name+"\n")); err != nil {
			return err
		}
	}
	for name, days := range map[string]int{"east": 40, "north": 200, "south": 3, "west": 90} {
		at := worldDate.AddDate(0, 0, -days)
		file := "/pub/tides/" + name + ".txt"
		text := "High water, " + name + " coast, from " + at.Format("2 January 2006") + " on:\n\n  06:12   18:37\n"
		if err := errors.Join(writeFile(to, file, []byte(text)), to.Chtimes(file, at, at)); err != nil {
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
		to.MkdirAll(deep, 0o755),
		to.MkdirAll("/pub/empty", 0o755),
		to.MkdirAll(oddFolder, 0o755),
		writeFile(to, deep+"/light.txt", []byte("Every / of the URL was one CWD. You went down twelve of them.\n")),
		writeFile(to, oddFolder+"/inside.txt", []byte("inside\n")),
		writeFile(to, worldLargeName, nil),
	); err != nil {
		return err
	}
	for _, d := range folders {
		if err := to.Chtimes(d, worldDate, worldDate); err != nil {
			return err
		}
	}
	return nil
}

// Start returns the URL of the world's front door.
func (w *World) Start() string { return w.Gopher.URL() }

// URLs yields good places to begin, with their titles.
func (w *World) URLs() iter.Seq2[string, string] {
	return func(yield func(url, title string) bool) {
		for _, p := range w.pages {
			if !yield(p[0], p[1]) {
				return
			}
		}
	}
}

// Listening returns where the server of an address in pages listens, or "" if there is
// none, and whether the address has the host of the World.
func (w *World) Listening(addr string) (listening string, ours bool) {
	host, _, err := net.SplitHostPort(addr)
	return w.local[addr], err == nil && w.host != "" && host == w.host
}

// NewsServer returns the host:port of the news server, for news: URLs.
func (w *World) NewsServer() string { return w.NNTP.Addr() }

// Close stops the servers and returns when all their goroutines have ended.
func (w *World) Close() error {
	var errs []error
	for _, server := range w.servers {
		errs = append(errs, server.Close())
	}
	return errors.Join(errs...)
}
