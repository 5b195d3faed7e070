package ui

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/usenet/score"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/offline"
	"gofer/ui/pictureview"
	"gofer/ui/room"
	"gofer/urlcore"
)

// pace is the speed of a distant server: the time before its answer, and the time before each line.
type pace struct{ answer, line time.Duration }

// distantWeb is a web of servers with a pace.
type distantWeb struct {
	web
	pace pace
}

func (w distantWeb) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if err := sleep(ctx, w.pace.answer); err != nil {
		return nil, err
	}
	res, err := w.web.Fetch(ctx, req)
	if err != nil || w.pace.line == 0 {
		return res, err
	}
	if lines := res.Lines; lines != nil {
		res.Lines = func(yield func(protocols.Line, error) bool) {
			for line, err := range lines {
				if sleep(ctx, w.pace.line) != nil || !yield(line, err) {
					return
				}
			}
		}
	}
	if res.Body != nil {
		res.Body = slowBody{ctx, res.Body, w.pace.line}
	}
	return res, nil
}

// slowBody is a body that arrives in pieces.
type slowBody struct {
	ctx   context.Context
	r     io.Reader
	pause time.Duration
}

func (b slowBody) Read(p []byte) (int, error) {
	if err := sleep(b.ctx, b.pause); err != nil {
		return 0, err
	}
	return b.r.Read(p[:min(len(p), 200)])
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// typist presses keys at the terminal of a program whose commands run at the same time, in a bubble of [synctest].
type typist struct {
	*driver
	msgs    chan tea.Msg
	hasQuit bool
}

// newTypist starts a program with an answer of the server after the times of p.
func newTypist(t *testing.T, w web, o Options, p pace) *typist {
	ctx, cancel := context.WithCancelCause(t.Context())
	o.Open = func(ctx context.Context, req protocols.Request, show nav.Show) *nav.Load {
		return nav.Open(ctx, distantWeb{w, p}, req, nav.Preview(), nav.Shown(show), nav.Decode(pictureview.Decode))
	}
	if o.Home == nil {
		o.Home = item('1', "/")
	}
	o.Zone, o.Downloads = time.UTC, &download.Manager{Fetcher: w, Folder: t.TempDir()}
	o.CanDetach = func() bool { return true }
	k := &typist{driver: &driver{Model: New(o), t: t}, msgs: make(chan tea.Msg)}
	k.ctx = ctx
	t.Cleanup(func() {
		cancel(nav.ErrStopped)
		k.closeSessions()
		k.peek.tab.Session.Close()
		k.opts.Downloads.Close()
		k.writes.Wait()
		time.Sleep(time.Hour) // lets all timers expire
	})
	k.update(tea.WindowSizeMsg{Width: 80, Height: 24})
	k.start(k.openFirst(room.How{}))
	return k
}

// start runs cmd in a goroutine, which sends its message to k.msgs.
func (k *typist) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		select {
		case k.msgs <- cmd():
		case <-k.ctx.Done():
		}
	}()
}

func (k *typist) update(msg tea.Msg) {
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range batch {
			k.start(cmd)
		}
		return
	}
	if _, quits := msg.(tea.QuitMsg); quits {
		k.hasQuit = true
	}
	if k.hasQuit {
		return
	}
	_, cmd := k.Update(msg)
	k.View()
	k.start(cmd)
}

// pass handles messages for a time.
func (k *typist) pass(d time.Duration) {
	for end := time.After(d); ; {
		select {
		case msg := <-k.msgs:
			k.update(msg)
		case <-end:
			return
		}
	}
}

// pressEvery presses keys with a pause after each. Between two keys without a pause, no message arrives.
func (k *typist) pressEvery(pause time.Duration, keys ...string) {
	for _, key := range keys {
		k.update(keyPress(key))
		if pause > 0 {
			k.pass(pause)
		}
	}
}

// state describes what the user sees.
func (k *typist) state() string {
	if k.hasQuit {
		return fmt.Sprintf("has quit, downloads go on: %v", k.detaches)
	}
	t := k.driver.Model.tab
	p := t.Session.Page()
	if p == nil {
		return "no page"
	}
	text := fmt.Sprintf("tab %d of %d: %s, line %d, top %d.%d", k.tabIndex()+1, len(k.tabs), p.URL, p.Cursor, p.Top, p.TopRow)
	if line, ok := t.Pager.Current(); ok {
		text += " on " + line.Text
	}
	if k.openPrompt() != nil {
		text += ", " + k.context()
	}
	if p.Filter != nil {
		text += ", filter " + p.Filter.Pattern
	}
	return text
}

// burstWeb has menus, a directory whose lines come unsorted, long texts, a search, and a news server with four
// groups.
func burstWeb() (w web, groups urlcore.URL) {
	w = web{}
	menu := func(path string, names ...string) {
		lines := []protocols.Line{info("Welcome"), info("")}
		for _, name := range names {
			lines = append(lines, link(protocols.Menu, name, item('1', strings.TrimSuffix(path, "/")+"/"+name)))
		}
		w.addPage(item('1', path), protocols.LayoutMenu, path, lines...)
	}
	menu("/", "alpha", "beta", "gamma")
	w[item('1', "")] = w[item('1', "/")]
	for _, a := range []string{"alpha", "beta", "gamma"} {
		menu("/"+a, "one", "two", "three", "four")
		for _, b := range []string{"one", "two", "three", "four"} {
			menu("/"+a+"/"+b, "x", "y", "z")
		}
	}
	w.addPage(item('1', "/mixed"), protocols.LayoutMenu, "Mixed",
		link(protocols.Text, "text", item('0', "/text")), link(protocols.Search, "search", item('7', "/find")), link(protocols.Menu, "long", item('1', "/long")),
		link(protocols.Directory, "directory", file("pub/")), link(protocols.Menu, "missing", item('1', "/missing")), link(protocols.Binary, "endless", item('9', "/endless")))
	w.addStall(item('9', "/endless"))
	w.addText(item('0', "/text"), "Text", strings.Repeat("A line of a long text.\n", 60)+"the needle, gopher://gopher.example.org/1/alpha\n"+strings.Repeat("More.\n", 60))
	var long []protocols.Line
	for i := range 70 {
		long = append(long, link(protocols.Menu, fmt.Sprintf("item %d", i), item('1', "/alpha")))
	}
	long[50].Text, long[50].Link = "the needle", item('1', "/beta")
	w.addPage(item('1', "/long"), protocols.LayoutMenu, "Long", long...)
	var files []protocols.Line
	for _, name := range []string{"zebra", "cow", "bee", "ant"} {
		files = append(files, protocols.Line{Kind: protocols.Text, Text: name, Link: file("pub/" + name), Note: &protocols.FileNote{Size: 7}})
		w.addText(file("pub/"+name), name, "about the "+name)
	}
	w.addPage(file("pub/"), protocols.LayoutDirectory, "pub", files...)
	w.addFailure(item('7', "/find"), &protocols.Ask{
		URL: item('7', "/find"), Title: "Search", Fields: []protocols.Field{{}},
		With: func(answers []string) (urlcore.URL, error) { return item('1', "/"+answers[0]), nil },
	})
	groups = urlcore.News{Group: "*"}
	var list []protocols.Line
	for i, name := range []string{"g.one", "g.two", "g.three", "g.four"} {
		low := uint64(10*i + 1)
		list = append(list, protocols.Line{Kind: protocols.Group, Text: name, Link: urlcore.News{Group: name}, Note: &protocols.GroupNote{Low: low, High: low + 2, Count: 3}})
		addNewsGroup(w, urlcore.News{Group: name}, 10*i+1, 10*i+2, 10*i+3)
	}
	w.addPage(groups, protocols.LayoutGroups, "groups", list...)
	return w, groups
}

// TestBursts checks that keys have the same effect whether they are typed in a burst or slowly, on near and on distant
// servers. The keys of a sequence that begins with "start" are typed before the first page.
func TestBursts(t *testing.T) {
	w, groups := burstWeb()
	mixed := item('1', "/mixed")
	for _, tt := range []struct {
		home urlcore.URL
		keys string
		want string // part of the final state
	}{
		{nil, "down enter down enter", "/1/beta/two, "},
		{nil, "start j j enter j enter", "/1/gamma/two, "},
		{nil, "enter enter enter", "/1/alpha/one/x, "},
		{nil, "enter left down enter", "/1/beta, "},
		{nil, "down enter down enter u down enter", "/1/beta/three, "},
		{nil, "enter u down enter", "/1/beta, "},
		{nil, "down enter r down enter", "/1/beta/two, "},
		{nil, "enter 3 enter 2 enter", "/1/alpha/three/y, "},
		{nil, "enter ' s j enter", "/1/alpha/two/y, "},
		{nil, "enter / t h r enter enter j", "/1/alpha/three, line 3"},
		{nil, "enter end enter", "/1/alpha/four, "},
		{nil, "enter tab tab enter", "/1/alpha/three, "},
		{nil, "enter ctrl+l g o p h e r . e x a m p l e . o r g / 1 / g a m m a enter j enter", "/1/gamma/two, "},
		{nil, "down enter down t ] down enter", "tab 2 of 2: gopher://gopher.example.org/1/beta/two/y, "},
		{nil, "t enter ctrl+pgdown down enter", "tab 2 of 2: gopher://gopher.example.org/1/alpha/two, "},
		{nil, "enter down y down enter", "/1/alpha/three, "},
		{mixed, "enter space space space", "/0/text, line 0, top 57."},
		{mixed, "enter / n e e enter tab enter down", "/1/alpha, line 3"},
		{mixed, "enter end pgup", "/0/text, "},
		{mixed, "down enter a l p h a enter down enter", "/1/alpha/two, "},
		{mixed, "end enter y esc g ctrl+u g o p h e r . e x a m p l e . o r g / 1 / g a m m a enter j enter", "/1/gamma/two, "},
		{mixed, "down down enter pgdown pgdown enter", "/1/alpha, "},
		{mixed, "down down enter / n e e d l e enter enter down enter", "/1/beta/two, "},
		{mixed, "down down enter & n e e d enter enter", "/1/beta, "},
		{mixed, "down down down enter down down enter", "pub/cow, "},
		{mixed, "down down down enter s", ", prompt"},
		{mixed, "end d q y", "has quit, downloads go on: true"},
		{mixed, "end d q enter", "has quit, downloads go on: true"},
		{mixed, "end d q p", "has quit, downloads go on: false"},
		{mixed, "end d q n home enter", "/0/text, "},
		{mixed, "end d home enter space q y", "has quit, downloads go on: true"},
		{groups, "c c c", "news:*, "},
		{groups, "enter c c c", "news:g.two, "},
		{groups, ". . .", "news:32@example.org, "},
		{groups, "enter . . . . .", "news:1@example.org, "},
		{groups, "enter enter . space space . k", "news:g.one, "},
		{groups, "enter K K", "news:g.four, "},
		{groups, "enter enter ) ( ) u enter", "news:32@example.org, "},
	} {
		keys, early := strings.CutPrefix(tt.keys, "start ")
		run := func(t *testing.T, p pace, pause time.Duration) (state string) {
			synctest.Test(t, func(t *testing.T) {
				o := Options{Home: tt.home, News: newMemoryNews(t, "g.one:\ng.two:\ng.three:\ng.four:\n")}
				k := newTypist(t, w, o, p)
				if !early {
					k.pass(10 * time.Second)
				}
				k.pressEvery(pause, strings.Fields(keys)...)
				k.pass(time.Minute)
				state = k.state()
			})
			return state
		}
		t.Run(keys, func(t *testing.T) {
			t.Parallel()
			wantSameAtAnyPace(t, tt.want, run)
		})
	}
}

// wantSameAtAnyPace checks that the state that run returns is the same for all pauses between keys and all paces of the
// server, and contains want.
func wantSameAtAnyPace(t *testing.T, want string, run func(t *testing.T, p pace, pause time.Duration) (state string)) {
	t.Helper()
	slow := run(t, pace{}, 10*time.Second)
	if !strings.Contains(slow, want) {
		t.Fatalf("typed slowly: got %s, want %s", slow, want)
	}
	for _, p := range []pace{{}, {10 * time.Millisecond, 0}, {150 * time.Millisecond, time.Millisecond}, {time.Second, 20 * time.Millisecond}, {2 * time.Second, 0}} {
		for _, pause := range []time.Duration{0, 15 * time.Millisecond, 155 * time.Millisecond, 700 * time.Millisecond, 2 * time.Second} {
			if got := run(t, p, pause); got != slow {
				t.Errorf("a key every %v, answers after %v, lines after %v:\ngot  %s\nwant %s", pause, p.answer, p.line, got, slow)
			}
		}
	}
}

// slowScores and slowNews need a time for each change.
type (
	slowScores struct {
		scoreRules
		time time.Duration
	}
	slowNews struct {
		*memoryNews
		time time.Duration
	}
)

func (s *slowScores) Change(u urlcore.URL, edit func([]byte) []byte) error {
	time.Sleep(s.time)
	return s.scoreRules.Change(u, edit)
}

func (s *slowScores) Rules(_ urlcore.URL, group string) (*score.Rules, error) {
	time.Sleep(s.time)
	return score.Parse("score", group, time.Now(), func(string) ([]byte, error) { return []byte(s.file), nil })
}

func (n *slowNews) Change(u urlcore.URL, edit func(*newsrc.File)) error {
	time.Sleep(n.time)
	return n.memoryNews.Change(u, edit)
}

// TestBurstsOfChanges is like [TestBursts], for keys that change the list on the screen: the keys behind them wait for
// the changed list.
func TestBurstsOfChanges(t *testing.T) {
	threads := func(t *testing.T, p pace) (web, Options, func() string) {
		w, group := burstThreads()
		scores, news := &slowScores{time: p.answer / 2}, &slowNews{newMemoryNews(t, "g.talk:\n"), p.answer / 2}
		return w, Options{Home: group, Scores: scores, News: news}, func() string {
			f, _ := news.File(nil)
			return fmt.Sprintf("%s\nrules %d, %s", scores.file, strings.Count(scores.file, "Score:: -9999"), f.Bytes())
		}
	}
	distant := func(t *testing.T, p pace) (web, Options, func() string) {
		w, o, result := threads(t, p)
		o.Home = item('1', "/")
		w.addPage(o.Home, protocols.LayoutMenu, "Start", link(protocols.Menu, "alpha", item('1', "/alpha")))
		return w, o, result
	}
	marked := func(t *testing.T, _ pace) (web, Options, func() string) {
		b := newBookmarks(t, "gopher://a.example/1/\ngopher://b.example/1/\ngopher://c.example/1/\n")
		return libraryWithBookmarks(b), Options{Home: about.Page("bookmarks"), Bookmarks: b}, func() string {
			text, _ := os.ReadFile(b.File())
			return string(text)
		}
	}
	visited := func(_ *testing.T, p pace) (web, Options, func() string) {
		w := library()
		o := addHistory(w, []urlcore.URL{item('1', "/a"), item('1', "/b"), item('1', "/c"), item('1', "/d"), item('1', "/e")})
		o.Home = about.Page("history")
		forget := o.Forget
		o.Forget = func(sel Selection) (string, error) {
			time.Sleep(p.answer)
			return forget(sel)
		}
		return w, o, func() string { return "" }
	}
	files := func(t *testing.T, p pace) (web, Options, func() string) {
		s := newChangeServer("a.txt", "b.txt", "c.txt", "d.txt", "e.txt")
		o := s.options()
		o.Change = func(ctx context.Context, c *protocols.Change) (urlcore.URL, error) {
			if err := sleep(ctx, 2*p.answer); err != nil {
				return nil, err
			}
			return s.change(ctx, c)
		}
		return s.w, o, func() string { return strings.Join(s.names, " ") }
	}
	// uploads returns a directory whose server needs a multiple of the time of an answer for an upload.
	uploads := func(times int) func(t *testing.T, p pace) (web, Options, func() string) {
		return func(t *testing.T, p pace) (web, Options, func() string) {
			w, o, names := files(t, p)
			upload := o.Upload
			o.Upload = func(ctx context.Context, path string, u urlcore.URL, up *protocols.Upload, report func(sent, size int64)) error {
				if err := sleep(ctx, time.Duration(times)*p.answer); err != nil {
					return err
				}
				return upload(ctx, path, u, up, report)
			}
			return w, o, names
		}
	}
	followed := func(t *testing.T, p pace) (web, Options, func() string) {
		w, b := newInbox()
		b.pause = p.answer / 2
		o := b.addTo(w, Options{News: &slowNews{newMemoryNews(t, "g.one: 1\n"), p.answer / 2}})
		return w, o, func() string {
			var urls []string
			for _, s := range b.sources {
				urls = append(urls, s.URL.String())
			}
			return "unread " + b.unreadIDs() + "; " + strings.Join(urls, " ")
		}
	}
	missing := func(_ *testing.T, p pace) (web, Options, func() string) {
		w, b := newInbox()
		b.sources = slices.Delete(b.sources, 2, 3) // the newsgroup
		b.pause = p.answer / 2
		for _, path := range []string{"/e0", "/e1", "/e2"} {
			w[item('0', path)] = answerMissing
		}
		return w, b.addTo(w, Options{}), func() string { return "unread " + b.unreadIDs() }
	}
	fetches := func(t *testing.T, p pace) (web, Options, func() string) {
		w, o, result := threads(t, p)
		o.Offline = &offline.Stores{FetchNews: func(ctx context.Context, _ func(string), _ ...urlcore.URL) (string, error) {
			return "", sleep(ctx, p.answer)
		}}
		return w, o, result
	}
	for _, tt := range []struct {
		name  string
		start func(*testing.T, pace) (web, Options, func() string)
		keys  string
		want  string
	}{
		{"kill", threads, "] ] ] ] ] ]", "rules 3, "},
		{"kill and open", threads, "] ] ] ] ] ] enter", "news:7@example.org"},
		{"catch up", threads, "C .", "news:g.talk, "},
		{"marks", threads, "m m m .", "news:4@example.org"},
		{"threads", threads, "K ] ] K K z", "rules 1, "},
		{"undo", threads, "] ] z ] ]", "rules 1, "},
		{"keys of the next page", distant, "g n e w s : g . t a l k enter ] ]", "rules 1, "},
		{"fetch and kill", fetches, "alt+z ] ] K", "rules 1, "},
		{"threads from an article", threads, "enter alt+down alt+down alt+up K", "rules 0, g.talk: 1,3-6"},
		{"bookmarks", marked, "x x", "c.example"},
		{"bookmarks and undo", marked, "x x z x", "; gopher://b.example"},
		{"visits", visited, "down x x x", "on visit to gopher://gopher.example.org/1/d"},
		{"files", files, "x y x y", "; c.txt d.txt e.txt"},
		{"tagged files", files, "# # x y x y", "; d.txt e.txt"},
		{"names", files, "f2 x enter x y", "; "},
		{"read on through sources", followed, "home . . . . .", "/0/e1, line 0, top 0"},
		{"read on through missing entries", missing, "home . . . . space", "/0/e4, line 0, top 0.0; unread "},
		{"mark sources as read", followed, "end k k c c", "; unread ; "},
		{"mark sources as read, and undo", followed, "end k k c c z", "; unread e"},
		{"mark an entry, and read on", followed, "end k k m .", "/0/e4"},
		{"by source", followed, "s end k enter", "/0/e3"},
		{"follow and read on", followed, "end k enter F left k enter", "unread e0 e1 e2; gopher://gopher.example.org/1/phlog gopher://gopher.example.org/0/feed news:g.one gopher://gopher.example.org/1/down gopher://gopher.example.org/0/e4"},
		{"uploads", uploads(1), "V u i . g o enter y V k e y s . g o enter y up x y", "; a.txt b.txt c.txt d.txt keys.go ui.go"},
		{"uploads slower than patience", uploads(5), "V u i . g o enter y V k e y s . g o enter y x y", "; a.txt b.txt c.txt d.txt e.txt ui.go"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantSameAtAnyPace(t, tt.want, func(t *testing.T, p pace, pause time.Duration) (state string) {
				synctest.Test(t, func(t *testing.T) {
					w, o, result := tt.start(t, p)
					k := newTypist(t, w, o, p)
					k.pass(10 * time.Second)
					k.pressEvery(pause, strings.Fields(tt.keys)...)
					k.pass(time.Minute)
					if state = k.state() + "; " + result(); k.lastCopy != nil {
						t.Error("a key that answers a question has copied a URL")
					}
				})
				return state
			})
		})
	}
}

// burstThreads returns a group of six threads of two articles, numbered from 1.
func burstThreads() (w web, group urlcore.URL) {
	w, group = web{}, urlcore.News{Group: "g.talk"}
	var lines []protocols.Line
	for i := range 12 {
		n, subject := i+1, fmt.Sprintf("Thread %d", i/2)
		note := &protocols.ArticleNote{Number: uint64(n), MessageID: fmt.Sprintf("%d@example.org", n), Depth: i % 2, Subject: subject, From: "ann@example.org", Bytes: -1, Lines: -1}
		lines = append(lines, protocols.Line{Kind: protocols.Article, Text: subject, Link: articleURL(group, n), Note: note})
		w.addBody(articleURL(group, n), protocols.MediaArticle, "From: ann@example.org\r\nSubject: "+subject+"\r\n\r\nWords\r\n")
	}
	w.addPage(group, protocols.LayoutArticles, "g.talk", lines...)
	return w, group
}

// distantDisk is a server whose directories can be uploaded and removed.
type distantDisk struct {
	distantWeb
	protocols.Putter
	protocols.Changer
	protocols.Identifier
}

// TestKeysBeforeExpectedQuestion checks that keys do not act on the page while gofer finds out what the user will be asked,
// as the number of files in a directory. The keys are dropped with a notice, also if the question comes late or never.
func TestKeysBeforeExpectedQuestion(t *testing.T) {
	t.Chdir(t.TempDir())
	fetchtest.NoError(t, os.Mkdir("tree", 0o700))
	for _, tt := range []struct {
		name, keys string
		asks       bool
	}{
		{"save a directory", "d y", true},
		{"save a directory as", "D enter y", true},
		{"save a directory without files", "down d y", false},
		{"remove a directory", "x y", true},
		{"upload a directory", "V t r e e enter y", true},
	} {
		for _, answer := range []time.Duration{100 * time.Millisecond, time.Second, 5 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				s := newChangeServer("dir1", "dir2")
				s.w.addPage(s.item("dir1"), protocols.LayoutDirectory, "dir1", link(protocols.Text, "a", ftpItem("pub/dir1/a", 0)))
				s.w.addPage(s.item("dir2"), protocols.LayoutDirectory, "dir2")
				p, o := pace{answer, 0}, s.options()
				o.Server = distantDisk{distantWeb: distantWeb{s.w, p}}
				k := newTypist(t, s.w, o, p)
				k.opts.Downloads.Fetcher = o.Server
				k.pass(10 * time.Second)
				k.pressEvery(15*time.Millisecond, strings.Fields(tt.keys)...)
				notices := ""
				for range 100 {
					k.pass(100 * time.Millisecond)
					notices += k.notice + "\n"
				}
				if k.lastCopy != nil || !strings.Contains(notices, "dropped: y") || (k.openPrompt() != nil) != tt.asks {
					t.Errorf("%s, answers after %v: copied %v, %s, notices %s", tt.name, answer, k.lastCopy != nil, k.state(), notices)
				}
			})
		}
	}
}
