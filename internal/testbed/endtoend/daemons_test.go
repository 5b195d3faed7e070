package endtoend

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/urlcore"
)

// program runs the released gofer, without the race detector. The tests of the fetchers use the same
// servers with the race detector.
type program struct {
	t   *testing.T
	env []string
}

func newProgram(t *testing.T, env ...string) program {
	t.Helper()
	return program{t, append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GORACE=" + gorace}, env...)}
}

// dump returns the output of gofer dump for url.
func (p program) dump(format, url string) string {
	p.t.Helper()
	cmd := goferCommand(p.t.Context(), released, "dump", "--plain-password", "--format", format, url)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = p.env, &out, &errs
	if err := cmd.Run(); err != nil {
		p.t.Errorf("gofer dump -f %s %s: %v: %s", format, url, err, errs.String())
	}
	return out.String()
}

// checkText checks that the text of a page contains all the words.
func (p program) checkText(url string, words ...string) {
	p.t.Helper()
	text := p.dump("text", url)
	for _, w := range words {
		if !strings.Contains(text, w) {
			p.t.Errorf("%s: no %q in\n%.2000s", url, w, text)
		}
	}
}

// item is a line of a page in JSON.
type item struct {
	Kind      string
	Text      string
	URL       string
	Number    uint64
	MessageID string `json:"message_id"`
}

// listItems returns the items of a page that have URLs. It checks that each URL is canonical, and that
// the list of links contains the URL.
func (p program) listItems(url, media string) []item {
	p.t.Helper()
	lines := strings.Split(strings.TrimSuffix(p.dump("json", url), "\n"), "\n")
	var first struct {
		Head struct{ URL, Media string }
	}
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || first.Head.URL != url || first.Head.Media != media {
		p.t.Errorf("%s: the first line is %s, want this URL and the media type %s", url, lines[0], media)
	}
	var items []item
	var links []string
	for _, line := range lines[1:] {
		var it item
		if err := json.Unmarshal([]byte(line), &it); err != nil {
			p.t.Errorf("%s: %v in %q", url, err, line)
		}
		if it.URL == "" {
			continue
		}
		u, err := urlcore.Parse(it.URL)
		if err != nil || u.String() != it.URL {
			p.t.Errorf("%s: %q is not canonical: %v, %v", url, it.URL, u, err)
		}
		items, links = append(items, it), append(links, it.URL)
	}
	if got := strings.Fields(p.dump("links", url)); !slices.Equal(got, links) {
		p.t.Errorf("%s: dump --format links printed %q, want the URLs of the JSON %q", url, got, links)
	}
	return items
}

// findItem returns the item with the text.
func (p program) findItem(items []item, text string) item {
	p.t.Helper()
	i := slices.IndexFunc(items, func(it item) bool { return it.Text == text })
	if i < 0 {
		p.t.Fatalf("there is no %q among %v", text, items)
	}
	return items[i]
}

// checkOctets checks that the document at url consists of the octets want. Line ends of Gopher texts
// may differ, because Gopher servers send CRLF.
func (p program) checkOctets(url string, want []byte) {
	p.t.Helper()
	got := p.dump("raw", url)
	if strings.HasPrefix(url, "gopher:") && got != string(want) {
		got = strings.ReplaceAll(got, "\r\n", "\n")
	}
	if got != string(want) {
		p.t.Errorf("%s: got %d octets %.200q, want %d octets %.200q", url, len(got), got, len(want), want)
	}
}

// forEachItem calls do for every item. At most 16 calls run at a time, because proftpd refuses new
// connections for 400 ms after a connection has ended.
func forEachItem(items []item, do func(item)) {
	var running sync.WaitGroup
	slots := make(chan struct{}, 16)
	for _, it := range items {
		slots <- struct{}{}
		running.Go(func() {
			do(it)
			<-slots
		})
	}
	running.Wait()
}

// readServerFile reads a file of the server from the disk.
func (p program) readServerFile(s *realserver.Server, name ...string) []byte {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{s.Root}, name...)...))
	if err != nil {
		p.t.Error(err)
	}
	return data
}

const (
	menuMedia      = "application/gopher-menu"
	directoryMedia = "text/directory-listing"
	groupsMedia    = "application/news-groupinfo"
	articlesMedia  = "application/news-articlelist"
)

// TestDaemons prints pages of real servers with gofer dump, and fetches the items of the pages.
func TestDaemons(t *testing.T) {
	t.Parallel()
	t.Run("gophernicus", func(t *testing.T) {
		t.Parallel()
		s := realserver.Gophernicus(t)
		p := newProgram(t)
		root := "gopher://" + s.Addr + "/1"
		p.checkText(root, "menu       Documents", "text       About this hole", "failure    An explicit error")
		p.checkText("gopher://"+s.Addr+"/0/about.txt", "This is the gophernicus hole.")
		p.checkText("gopher://"+s.Addr+"/7/cgi-bin/find%09item0007", "item0007.txt")
		p.checkMenuItems(s, p.listItems(root, menuMedia), "About this hole", "Documents", "Odd names", "Media", "Every type")
	})
	t.Run("pygopherd", func(t *testing.T) {
		t.Parallel()
		s := realserver.Pygopherd(t)
		p := newProgram(t)
		root := "gopher://" + s.Addr + "/1"
		p.checkText(root, "menu       Documents by another name", "text       about.txt")
		p.checkText("gopher://"+s.Addr+"/0/about.txt", "This is the pygopherd hole.")
		p.checkText("gopher://"+s.Addr+"/7/search.sh%09words", "You searched for: words")
		p.checkMenuItems(s, p.listItems(root, menuMedia), "about.txt", "Documents by another name", "odd", "media")
	})
	t.Run("vsftpd", func(t *testing.T) { t.Parallel(); checkFTPServer(t, realserver.Vsftpd(t)) })
	t.Run("proftpd", func(t *testing.T) { t.Parallel(); checkFTPServer(t, realserver.Proftpd(t)) })
	t.Run("inn", func(t *testing.T) { t.Parallel(); checkNewsServer(t, realserver.Nnrpd(t)) })
}

// checkMenuItems fetches the items of a Gopher menu that have the titles. If an item is a menu, it
// fetches the items of that menu instead.
func (p program) checkMenuItems(s *realserver.Server, items []item, titles ...string) {
	p.t.Helper()
	for _, title := range titles {
		it := p.findItem(items, title)
		if it.Kind != "menu" {
			p.checkGopherItem(s, it)
			continue
		}
		forEachItem(p.listItems(it.URL, menuMedia), func(it item) { p.checkGopherItem(s, it) })
	}
}

// checkGopherItem fetches an item of a Gopher server and compares it with the file on the server.
func (p program) checkGopherItem(s *realserver.Server, it item) {
	p.t.Helper()
	u, err := urlcore.Parse(it.URL)
	g, ok := u.(urlcore.Gopher)
	if err != nil || !ok {
		p.t.Errorf("%q: %v, want a Gopher URL", it.URL, err)
		return
	}
	if it.Kind == "menu" {
		p.listItems(it.URL, menuMedia)
	} else if it.Kind != "search" {
		p.checkOctets(it.URL, p.expectedOctets(s, g.Selector))
	}
}

// expectedOctets returns the octets that the server s should send for a file.
func (p program) expectedOctets(s *realserver.Server, selector string) []byte {
	if s.Name != "gophernicus" {
		return p.readServerFile(s, selector)
	}
	// gophernicus writes some octets of a name as # and three octal digits, converts texts to
	// UTF-8 and breaks lines longer than 1023 octets.
	for i := 0; i+4 <= len(selector); i++ {
		if n, err := strconv.ParseUint(selector[i+1:i+4], 8, 8); err == nil && selector[i] == '#' {
			selector = selector[:i] + string([]byte{byte(n)}) + selector[i+4:]
		}
	}
	data := p.readServerFile(s, selector)
	switch path.Base(selector) {
	case "latin1.txt":
		return []byte("Grüße aus Köln\n")
	case "long-lines.txt":
		return append(bytes.Join(slices.Collect(slices.Chunk(bytes.TrimSuffix(data, []byte("\n")), 1023)), []byte("\n")), '\n')
	}
	return data
}

// checkFTPServer fetches directories and files of an FTP server.
func checkFTPServer(t *testing.T, s *realserver.Server) {
	p := newProgram(t)
	root := "ftp://" + s.Addr + "/"
	p.checkText(root+"pub;type=d", "README.txt", "directory ")
	p.checkText(root+"pub/README.txt", "Nothing in it is real.")
	p.findItem(p.listItems(root+";type=d", directoryMedia), "pub")

	names := p.listItems(root+"pub/names;type=d", directoryMedia)
	for _, name := range realserver.OddNames() {
		p.findItem(names, name)
	}
	names = append(names, p.listItems(root+"pub/text;type=d", directoryMedia)...)
	names = append(names, p.listItems(root+"pub/latin1;type=d", directoryMedia)...)
	names = append(names, p.listItems(root+"pub/control;type=d", directoryMedia)...)
	names = append(names, p.listItems(root+"pub/media;type=d", directoryMedia)...)
	forEachItem(names, func(it item) { p.checkFTPEntry(s, it) })
	p.checkFTPEntry(s, p.findItem(p.listItems(root+"pub/deep/a/b/c/d;type=d", directoryMedia), "here.txt"))
	if empty := p.listItems(root+"pub/empty;type=d", directoryMedia); len(empty) != 0 {
		t.Errorf("pub/empty: got %v, want no items", empty)
	}
	many := p.listItems(root+"pub/many;type=d", directoryMedia)
	if len(many) != 10_000 {
		t.Errorf("pub/many: got %d items, want 10000", len(many))
	}
	p.checkFTPEntry(s, many[len(many)-1])

	own := "ftp://" + s.User + ":" + s.Password + "@" + s.Addr + "/"
	p.checkOctets(own+"hello.txt", []byte("This is the home of "+s.User+".\n"))
	for _, format := range []string{"text", "json", "links"} {
		if out := p.dump(format, own+"notes;type=d"); !strings.Contains(out, "today.txt") || strings.Contains(out, s.Password) {
			t.Errorf("the directory of %s as %s: %q, want today.txt in it and no password", s.User, format, out)
		}
	}
}

// checkFTPEntry fetches an entry of an FTP directory.
func (p program) checkFTPEntry(s *realserver.Server, it item) {
	p.t.Helper()
	u, err := urlcore.Parse(it.URL)
	f, ok := u.(urlcore.FTP)
	if err != nil || !ok {
		p.t.Errorf("%q: %v, want an FTP URL", it.URL, err)
		return
	}
	if it.Kind == "directory" {
		for _, inner := range p.listItems(it.URL, directoryMedia) {
			p.checkFTPEntry(s, inner)
		}
		return
	}
	p.checkOctets(it.URL, p.readServerFile(s, append(f.CWDs(), f.Name())...))
}

// checkNewsServer fetches groups and articles of a news server.
func checkNewsServer(t *testing.T, s *realserver.Server) {
	p := newProgram(t, "NNTPSERVER="+s.Addr)
	p.checkText("news:*", "test.general", "Talk of all sorts", "test.c++")
	p.checkText("news:test.threads", "A chain", "Re: A wide thread", "Lab Poster")
	p.checkText("news:general-1@example.invalid", "Subject: Subject 1", "Article 1.")

	articles := map[string]realserver.Article{}
	for _, a := range realserver.Articles() {
		articles[a.MessageID] = a
	}
	groups := p.listItems("news:*", groupsMedia)
	for _, g := range realserver.Groups() {
		group := p.findItem(groups, g.Name)
		byID := p.listItems(group.URL, articlesMedia)
		byNumber := p.listItems("nntp://"+s.Addr+"/"+strings.TrimPrefix(group.URL, "news:"), articlesMedia)
		if len(byID) != len(byNumber) {
			t.Errorf("%s: %d articles by Message-ID and %d by number", g.Name, len(byID), len(byNumber))
			continue
		}
		for i, it := range byID {
			a, ok := articles[it.MessageID]
			if !ok || a.Group != g.Name || a.Number != it.Number || byNumber[i].Number != it.Number {
				t.Errorf("%s: got %+v (number %d by number), want an article of the group", g.Name, it, byNumber[i].Number)
			}
			if len(byID) < 20 || i%(len(byID)/4) == 0 {
				p.checkArticle(it.URL, a)
				p.checkArticle(byNumber[i].URL, a)
			}
		}
	}
	p.checkArticle("nntp://"+s.Addr+"/test.many/1", articles["many-1@example.invalid"])
}

// checkArticle checks that url leads to the article a. The server may have added header fields.
func (p program) checkArticle(url string, a realserver.Article) {
	p.t.Helper()
	header, body, ok := strings.Cut(p.dump("raw", url), "\r\n\r\n")
	if !ok || body != a.Body || !strings.Contains(header, "\r\nMessage-ID: <"+a.MessageID+">") {
		p.t.Errorf("%s: got %.300q and the body %.200q, want <%s> and %.200q", url, header, body, a.MessageID, a.Body)
	}
}

// TestKilledGet kills gofer get twice in the middle of a large file. It checks that the next run
// continues the file, and that no other files remain.
func TestKilledGet(t *testing.T) {
	t.Parallel()
	for _, d := range realserver.FTPDaemons() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			s := d.Start(t)
			p, dir := newProgram(t), t.TempDir()
			get := func(flags ...string) *exec.Cmd {
				args := append([]string{"get", "--trust", "-P", dir}, flags...)
				cmd := goferCommand(t.Context(), "gofer", append(args, d.Scheme+"://"+s.Addr+"/pub/large/50MB.bin")...)
				cmd.Env = p.env
				return cmd
			}
			path := filepath.Join(dir, "50MB.bin")
			previous := int64(0) // size at the previous kill
			for _, until := range []int64{5 << 20, 10 << 20} {
				cmd := get("--limit-rate", "10M") // slow enough to be killed in the middle
				fetchtest.NoError(t, cmd.Start())
				size := int64(0)
				for limit := time.Now().Add(patience); size < until && time.Now().Before(limit); time.Sleep(time.Millisecond) {
					if info, err := os.Stat(path + ".part"); err == nil {
						size = info.Size()
					}
				}
				_ = cmd.Process.Kill()
				if err := cmd.Wait(); err == nil || size < until || size >= 50<<20 {
					t.Fatalf("killed gofer get: got %d octets and error %v, want %d to %d octets and an error", size, err, until, 50<<20)
				}
				if size < previous {
					t.Errorf("the second run did not continue the file: got %d octets, want at least %d", size, previous)
				}
				previous = size
			}
			if out, err := get().CombinedOutput(); err != nil || bytes.Contains(out, []byte("begun again")) {
				t.Fatalf("the last gofer get: %v: %s", err, out)
			}
			got, err := os.ReadFile(path)
			if want := p.readServerFile(s, "pub/large/50MB.bin"); err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %d octets, want the %d octets of the server's file (%v)", len(got), len(want), err)
			}
			info, err := os.Stat(path)
			original := fetchtest.Must(os.Stat(filepath.Join(s.Root, "pub/large/50MB.bin")))(t)
			if err != nil || !info.ModTime().Equal(original.ModTime().Truncate(time.Second)) {
				t.Errorf("got %v (%v), want the date %v", info, err, original.ModTime())
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("got the files %v, %v, want only 50MB.bin", entries, err)
			}
		})
	}
}
