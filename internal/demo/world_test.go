package demo_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/mail"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/dict"
	"gofer/protocols/finger"
	"gofer/protocols/ftp"
	"gofer/protocols/gopher"
	"gofer/protocols/ldap"
	"gofer/protocols/nfs"
	"gofer/protocols/nntp"
	"gofer/protocols/prospero"
	"gofer/protocols/telnet"
	"gofer/protocols/wais"
	"gofer/protocols/whois"
	"gofer/protocols/whoispp"
	"gofer/urlcore"
)

// walker follows the links of a World with gofer's clients.
type walker struct {
	t        *testing.T
	world    *demo.World
	host     string // host of the World, or ""
	fetcher  protocols.Registry
	queue    []visit
	outcomes map[urlcore.URL]string // result of each visit
	counts   map[string]int
}

type visit struct {
	u    urlcore.URL
	from string
}

func startWorld(t *testing.T, host string) *walker {
	t.Helper()
	w := fetchtest.Must(demo.StartWorldAs(host))(t)
	dialer := wire.Dialer{Locals: w}
	f, n, d := &ftp.Client{Dialer: dialer}, &nntp.Client{Dialer: dialer, Server: w.NewsServer()}, &wais.Client{Dialer: dialer}
	files := &nfs.Client{Dialer: dialer}
	t.Cleanup(func() {
		for _, c := range []io.Closer{f, n, d, files, w} {
			if err := c.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
	})
	return &walker{
		t: t, world: w, host: host,
		fetcher: protocols.Registry{
			"gopher": &gopher.Client{Dialer: dialer}, "ftp": f, "news": n, "nntp": n,
			"wais":     d,
			"prospero": &prospero.Client{Dialer: dialer},
			"telnet":   &telnet.Client{Dialer: dialer},
			"finger":   &finger.Client{Dialer: dialer},
			"whois":    &whois.Client{Dialer: dialer},
			"whois++":  &whoispp.Client{Dialer: dialer},
			"dict":     &dict.Client{Dialer: dialer},
			"ldap":     &ldap.Client{Dialer: dialer},
			"nfs":      files,
		},
		outcomes: map[urlcore.URL]string{}, counts: map[string]int{},
	}
}

// isInWorld reports whether u leads to a server of the World with one of the walker's schemes.
// TestWorldWeb tests the servers of the other schemes.
func (w *walker) isInWorld(u urlcore.URL) bool {
	if _, ok := u.(urlcore.News); ok || w.fetcher[u.Scheme()] == nil {
		return ok
	}
	addr, ok := urlcore.Addr(u)
	for start := range w.world.URLs() {
		if s, err := urlcore.Parse(start); ok && err == nil {
			if a, _ := urlcore.Addr(s); a == addr {
				return true
			}
		}
	}
	return false
}

func (w *walker) add(u urlcore.URL, from string) {
	again, err := urlcore.Parse(u.String())
	if err != nil || again != u {
		w.t.Errorf("%s: %#v is not canonical: %#v, %v", from, u, again, err)
	}
	if _, ok := w.outcomes[u]; ok {
		return
	}
	w.outcomes[u] = "waiting"
	w.queue = append(w.queue, visit{u, from})
	phonebook, missing := "gopher://"+w.host+":105/2", "gopher://"+w.host+":1/1"
	if text := u.String(); w.host != "" && strings.Contains(text, w.host+":") && !strings.HasPrefix(text, phonebook) && text != missing &&
		u.Scheme() != "z39.50s" && !strings.HasPrefix(text, "whois++://"+w.host+":7070/") {
		w.t.Errorf("%s links to %s; want a link without the default port", from, u)
	}
}

// checkHidesAddress checks that text contains no listen address if the World has a host.
func (w *walker) checkHidesAddress(u urlcore.URL, text string) {
	if w.host != "" && strings.Contains(text, "127.0.0.1") {
		w.t.Errorf("%s contains the listen address 127.0.0.1: %q", u, text)
	}
}

func (w *walker) walk() {
	for len(w.queue) > 0 {
		v := w.queue[0]
		w.queue = w.queue[1:]
		if !w.isInWorld(v.u) {
			w.outcomes[v.u] = "elsewhere"
			continue
		}
		w.outcomes[v.u] = w.visit(v)
		w.counts[v.u.Scheme()+" "+w.outcomes[v.u]]++
	}
}

func (w *walker) visit(v visit) string {
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	r, err := w.fetcher.Fetch(ctx, protocols.Request{URL: v.u})
	var ask *protocols.Ask
	var confirm *protocols.Confirm
	var failed *protocols.Error
	switch {
	case errors.As(err, &confirm):
		return "confirm"
	case errors.As(err, &ask):
		answers := make([]string, len(ask.Fields))
		for i, f := range ask.Fields {
			if answers[i] = f.Value; f.Input == protocols.InputLine {
				answers[i] = "gopher"
			}
		}
		next, err := ask.With(answers)
		if err != nil {
			w.t.Errorf("%s: answering: %v", v.u, err)
			return "error"
		}
		w.add(next, v.u.String())
		return "ask"
	case errors.As(err, &failed) && isErrorExample(v.u):
		return "failure"
	case err != nil:
		w.t.Errorf("%s, linked by %s: %v", v.u, v.from, err)
		return "error"
	}
	defer func() {
		if err := r.Close(); err != nil {
			w.t.Errorf("%s: Close: %v", v.u, err)
		}
	}()
	if r.Session != nil {
		return "session"
	}
	if r.Lines != nil {
		w.followLines(v.u, r)
		return "lines"
	}
	w.followText(v.u, r)
	return "body"
}

// isErrorExample reports whether u is one of the examples of errors in the World.
func isErrorExample(u urlcore.URL) bool {
	text := u.String()
	return strings.HasSuffix(text, "/types/missing") || strings.HasSuffix(text, "/hard/nothing") || strings.HasSuffix(text, "/hard/short") ||
		strings.Contains(text, "/plus/moved") || strings.Contains(text, "/plus/gone") || strings.Contains(text, "/plus/later")
}

// followLines follows the links of a page, or only the first ones of a very long page.
func (w *walker) followLines(u urlcore.URL, r *protocols.Resource) {
	n := 0
	for l, err := range r.Lines {
		if err != nil {
			if !isErrorExample(u) {
				w.t.Errorf("%s: %v", u, err)
			}
			return
		}
		n++
		w.checkHidesAddress(u, l.Text)
		if file, ok := l.Note.(*protocols.FileNote); ok && strings.HasSuffix(file.Mode, "---------") {
			w.t.Errorf("%s: the mode of %q is %s", u, l.Text, file.Mode)
		}
		if placeholder.MatchString(l.Text) {
			w.t.Errorf("%s: a placeholder was not replaced in %q", u, l.Text)
		}
		long := strings.Contains(u.String(), "/big/") || strings.Contains(u.String(), "pub/many")
		if n == 20_000 {
			break // cancels the rest of the transfer
		}
		if l.Link != nil && (!long || n < 5) {
			w.add(l.Link, u.String())
		}
	}
	for suffix, count := range map[string]int{"/1/big/1000": 1000, "/1/big/20000": 20000, "/pub/many/;type=d": 5000} {
		if strings.HasSuffix(u.String(), suffix) && n != count {
			w.t.Errorf("%s: got %d lines, want %d", u, n, count)
		}
	}
}

var placeholder = regexp.MustCompile(`@[A-Z]+@`)

var urlPattern = regexp.MustCompile(`(?:gopher|ftp|nfs|nntp|prospero|finger|whois|whois\+\+|dict)://[^\s<>"]+|news:[^\s<>"]+`)

// followText follows the URLs in a text.
func (w *walker) followText(u urlcore.URL, r *protocols.Resource) {
	data, err := io.ReadAll(io.LimitReader(r.Body, 2<<20))
	if err != nil && !isErrorExample(u) {
		w.t.Errorf("%s: after %d octets: %v", u, len(data), err)
		return
	}
	w.checkHidesAddress(u, string(data))
	if placeholder.Match(data) {
		w.t.Errorf("%s: a placeholder was not replaced in %q", u, data)
	}
	if f, ok := u.(urlcore.FTP); ok && strings.HasPrefix(f.Path, "pub/names/") && !strings.HasSuffix(f.Path, "README") && len(f.CWDs()) == 2 {
		if want := f.Name() + "\n"; string(data) != want {
			w.t.Errorf("%s: got %q, want %q", u, data, want)
		}
	}
	if r.Media == protocols.MediaArticle {
		checkArticle(w.t, u, data)
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return
	}
	for _, s := range urlPattern.FindAllString(string(data[:min(len(data), 32<<10)]), -1) {
		if s = strings.TrimRight(s, ".,;:)'"); strings.Contains(s, "//host:port") || strings.Contains(s, "@host:port") {
			continue // a URL template
		}
		link, err := urlcore.Parse(s)
		if err != nil {
			w.t.Errorf("%s: %s: %v", u, s, err)
			continue
		}
		if n, ok := link.(urlcore.News); ok && n.Group == "*" {
			continue
		}
		w.add(link, u.String())
	}
}

// checkArticle checks that an article has the header fields that RFC 5536, section 3.1, requires.
func checkArticle(t *testing.T, u urlcore.URL, data []byte) {
	t.Helper()
	m, err := mail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		t.Errorf("%s: %v", u, err)
		return
	}
	for _, name := range []string{"From", "Subject", "Date", "Message-Id", "Newsgroups", "Path"} {
		if got := m.Header[name]; len(got) != 1 || got[0] == "" {
			t.Errorf("%s: got %q in the field %s, want one value", u, got, name)
		}
	}
	if _, err := m.Header.Date(); err != nil {
		t.Errorf("%s: %v", u, err)
	}
	if _, err := m.Header.AddressList("From"); err != nil {
		t.Errorf("%s: From: %v", u, err)
	}
}

func TestWorldLinks(t *testing.T) {
	for _, host := range []string{"", "demo.gofer.test"} {
		t.Run("host "+host, func(t *testing.T) { checkWorld(t, startWorld(t, host)) })
	}
}

// outsideHosts lists the hosts outside the World that the tour and the library link to.
var outsideHosts = []string{
	"gopher.floodgap.com", "gopher.quux.org", "sdf.org", "ftp.gnu.org", "ftp.debian.org",
	"library.example", "archie.example", "veronica.example", "cell.example",
}

func checkWorld(t *testing.T, w *walker) {
	t.Helper()
	start := maps.Collect(w.world.URLs())
	start["news:*"] = "All newsgroups"
	for s, title := range start {
		if title == "" {
			t.Errorf("%s has no title", s)
		}
		u := fetchtest.Parse(t, s)
		if u.String() != s {
			t.Errorf("%s is not canonical: %s", s, u)
		}
		w.add(u, "the start")
	}
	w.walk()
	t.Logf("%d URLs: %v", len(w.outcomes), w.counts)

	reached := map[string]bool{}
	articles, names := 0, 0
	for u, outcome := range w.outcomes {
		switch u := u.(type) {
		case urlcore.Gopher:
			reached["gopher"+u.Selector] = true
		case urlcore.NNTP:
			if u.HasArticle && outcome == "body" {
				articles++
			}
		case urlcore.FTP:
			if strings.HasPrefix(u.Path, "pub/names/") && outcome == "body" {
				names++
			}
			reached["ftp/"+strings.Join(append(u.CWDs(), u.Name()), "/")] = true
		}
		if _, unopened := protocols.UnopenedReference(u); unopened {
			continue // the page says why the link cannot be opened
		}
		if outcome == "elsewhere" && !slices.Contains(outsideHosts, urlcore.Host(u)) &&
			!strings.Contains(u.String(), ".invalid") && !strings.Contains(u.String(), cmp.Or(w.host, "127.0.0.1")) {
			t.Errorf("a link leads out of the world: %s", u)
		}
	}
	files := 0
	err := fs.WalkDir(os.DirFS("world"), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir(), e.Name() == "gophermap":
		case strings.HasSuffix(name, ".eml"):
			files++
		case strings.HasPrefix(name, "news/"):
		case strings.HasPrefix(name, "web/"), strings.HasPrefix(name, "gemini/"): // see TestWorldWeb
		case !reached[name]:
			t.Errorf("no link leads to %s", name)
		}
		return nil
	})
	fetchtest.NoError(t, err)
	if articles < files {
		t.Errorf("got %d articles, want %d", articles, files)
	}
	if names < 32 {
		t.Errorf("got %d files with odd names, want at least 32", names)
	}
	for _, want := range []string{
		"ftp/pub/deep/down/and/down/and/down/again/until/there/is/light/light.txt", "ftp/pub/large/64MB.bin",
		"ftp/pub/names/caf\xe9.txt", "gopher/hard/caf\xe9", "gopher/hard/\x1b[31mred\x1b[0m",
	} {
		if !reached[want] {
			t.Errorf("no link leads to %q", want)
		}
	}
}

func TestWorldHardSelectors(t *testing.T) {
	w := startWorld(t, "")
	r := fetchtest.CloseAtEnd(w.fetcher.Fetch(t.Context(), protocols.Request{URL: parse(t, "gopher://"+w.world.Gopher.Addr()+"/1/hard")}))(t)
	n := 0
	for l, err := range r.Lines {
		fetchtest.NoError(t, err)
		g, ok := l.Link.(urlcore.Gopher)
		if !ok || g.Type != '0' {
			continue
		}
		b, err := w.fetcher.Fetch(t.Context(), protocols.Request{URL: parse(t, g.String())})
		if err != nil {
			continue
		}
		data, err := io.ReadAll(b.Body)
		b.Close()
		if err != nil || !bytes.HasPrefix(data, []byte("Yes. ")) {
			continue
		}
		n++
		if want := fmt.Sprintf("%+q", g.Selector); !bytes.Contains(data, []byte(want)) {
			t.Errorf("%s: the server got %s, want %s", g, data, want)
		}
	}
	if n < 14 {
		t.Errorf("the server got %d selectors unchanged, want at least 14", n)
	}
}

func TestWorldLargeFile(t *testing.T) {
	w := startWorld(t, "")
	r := fetchtest.CloseAtEnd(w.fetcher.Fetch(t.Context(), protocols.Request{
		URL: parse(t, "ftp://"+w.world.FTP.Addr()+"/pub/large/64MB.bin;type=i"),
	}))(t)
	if r.Size != 64<<20 && r.Size != -1 {
		t.Errorf("Size = %d; want %d or -1", r.Size, 64<<20)
	}
	buf := make([]byte, 1<<20)
	for off := 0; off < 64<<20; off += len(buf) {
		if _, err := io.ReadFull(r.Body, buf); err != nil {
			t.Fatalf("read at offset %d: %v", off, err)
		}
		if got, want := string(buf[4096:4112]), fmt.Sprintf("%015x\n", off+4096); got != want {
			t.Fatalf("at offset %d: got %q, want %q", off+4096, got, want)
		}
	}
	if n, err := r.Body.Read(buf); n != 0 || err != io.EOF {
		t.Errorf("Read at the end = %d, %v; want 0, EOF", n, err)
	}
}

var parse = fetchtest.Parse
