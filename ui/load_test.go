package ui

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/sessions"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// sendWithoutRun sends msg, as a user who has read the open prompt. It returns the resulting command, but does not run it.
func (d *driver) sendWithoutRun(msg tea.Msg) tea.Cmd {
	d.promptTab().read = d.promptTab().Prompt
	_, cmd := d.Update(msg)
	d.View()
	return cmd
}

// makeLinks returns n links.
func makeLinks(n int) []protocols.Line {
	lines := make([]protocols.Line, n)
	for i := range lines {
		lines[i] = link(protocols.Text, fmt.Sprintf("item %d", i), item('0', fmt.Sprintf("/%d", i)))
	}
	return lines
}

func TestBackKeepsPlace(t *testing.T) {
	w := library()
	fetched := 0
	many := item('1', "/many")
	w.addPage(many, protocols.LayoutMenu, "Many", makeLinks(500)...)
	w.addPage(item('0', "/57"), protocols.LayoutText, "57", info("fifty-seven"))
	inner := w[many]
	w[many] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		fetched++
		return inner(ctx, req)
	}
	d := drive(t, w, Options{Home: many}, 80, 24)
	d.press("pgdown", "pgdown", "pgdown")
	for range 57 - d.Model.tab.Session.Page().Cursor {
		d.press("down")
	}
	before := d.screen()
	if c := d.Model.tab.Session.Page().Cursor; c != 57 {
		t.Fatalf("cursor: got %d, want 57", c)
	}
	d.press("enter").wantURL(item('0', "/57")).wantShown("fifty-seven")
	d.press("left").wantURL(many)
	fetchtest.Equal(t, d.screen(), before, "after back")
	d.press("f").wantURL(item('0', "/57"))
	if fetched != 1 {
		t.Errorf("the menu was fetched %d times, want once", fetched)
	}
}

func TestReloadKeepsPlace(t *testing.T) {
	w := library()
	w.addPage(item('1', "/"), protocols.LayoutMenu, "Many", makeLinks(500)...)
	d := drive(t, w, Options{}, 80, 24)
	d.press("end", "pgup", "up")
	before := d.screen()
	d.press("r")
	fetchtest.Equal(t, d.screen(), before, "after reload")
	if d.Model.tab.Session.CanGoBack() {
		t.Error("a reload made a new page in the history")
	}
}

func TestStopKeepsPage(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c"} {
		w := library()
		w.addStall(item('1', "/phlogs"))
		d := drive(t, w, Options{}, 80, 24)
		d.sendWithoutRun(keyPress("enter"))
		l := d.Model.tab.Session.Loading()
		if l == nil {
			t.Fatal("no page is loading")
		}
		waitFor(t, func() bool { return l.Progress.State().Phase == protocols.Waiting })
		d.now = func() time.Time { return l.Progress.State().Since.Add(2 * time.Second) }
		d.send(tickMsg{}).wantShown(", 2 of 30 s, Esc stops")
		d.press("down").wantShown("About this hole")
		d.press(key).wantURL(item('1', "/")).wantShown("stopped")
		if d.Model.tab.Session.Loading() != nil {
			t.Error("the page is still loading after the key")
		}
		select {
		case <-l.Done():
		case <-time.After(maxWait):
			t.Error("the load is still running")
		}
		for _, msg := range d.otherMsgs {
			if _, ok := msg.(tea.QuitMsg); ok {
				t.Errorf("%s quit, want it to stop the load only", key)
			}
		}
		d.press("ctrl+c")
		if _, ok := d.otherMsgs[len(d.otherMsgs)-1].(tea.QuitMsg); !ok {
			t.Error("ctrl+c did not quit with nothing to stop")
		}
	}
}

// TestStopOfASlowList stops a menu whose lines arrive one by one, and checks that the lines which have
// arrived stay and that nothing more is read.
func TestStopOfASlowList(t *testing.T) {
	w, read := library(), 0
	w[item('1', "/phlogs")] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		lines := func(yield func(protocols.Line, error) bool) {
			for _, name := range []string{"first", "second"} {
				read++
				if !yield(link(protocols.Text, name, item('0', "/about.txt")), nil) {
					return
				}
				if read == 1 {
					<-ctx.Done() // the server sends nothing more until the load ends
				}
			}
		}
		return &protocols.Resource{
			Head: protocols.Head{URL: item('1', "/phlogs"), Layout: protocols.LayoutMenu, Size: -1}, Lines: lines,
			Closer: io.NopCloser(nil),
		}, nil
	}
	d := drive(t, w, Options{}, 80, 24)
	d.Update(d.visit(item('1', "/phlogs"))())
	l := d.Model.tab.Session.Loading()
	if l == nil {
		t.Fatal("no page is loading")
	}
	lines, err := l.Next()
	d.Update(linesMsg{tab: d.tab, load: l, lines: lines, err: err})
	d.press("esc").wantURL(item('1', "/phlogs")).wantShown("first", "stopped").wantNotShown("second")
	if d.Model.tab.Session.Loading() != nil {
		t.Error("the menu is still loading after Esc")
	}
	select {
	case <-l.Done():
	case <-time.After(maxWait):
		t.Error("the load is still running")
	}
}

// maxWait is the longest time that a test waits before it fails. It is long enough for a busy machine.
const maxWait = time.Minute

// waitUntil waits until ok returns true. After maxWait it returns false.
func waitUntil(ok func() bool) bool {
	for deadline := time.Now().Add(maxWait); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	if !waitUntil(ok) {
		t.Fatalf("the condition is not true after %v", maxWait)
	}
}

func TestNewerLoadReplacesOlder(t *testing.T) {
	w := library()
	w.addStall(item('1', "/phlogs"))
	d := drive(t, w, Options{}, 80, 24)
	older := d.sendWithoutRun(keyPress("enter"))
	first := d.Model.tab.Session.Loading()
	d.run(d.visit(item('0', "/about.txt"))).wantURL(item('0', "/about.txt"))
	d.run(older).wantURL(item('0', "/about.txt"))
	d.send(linesMsg{d.tab, first, linesOf(makeLinks(3)...), nil, nil, nil})
	d.send(answerMsg{d.tab, first, protocols.Head{URL: item('1', "/phlogs")}, nil}).wantURL(item('0', "/about.txt"))
	d.wantNotShown("item 1")
}

func TestBrokenLoadKeepsLines(t *testing.T) {
	w := library()
	w.addStream(item('1', "/phlogs"), protocols.LayoutMenu, "", func(yield func(protocols.Line, error) bool) {
		if yield(info("the first line"), nil) {
			yield(protocols.Line{}, &protocols.Error{Reason: protocols.Broken, Op: "read the menu"})
		}
	})
	d := drive(t, w, Options{}, 80, 24)
	d.press("enter").wantURL(item('1', "/phlogs")).wantShown("the first line", "connection lost")
}

func TestLogin(t *testing.T) {
	w := library()
	secret := file("secret")
	user, password := "", ""
	w[secret] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		if password == "sesame" {
			return &protocols.Resource{
				Head: protocols.Head{URL: secret, Title: "the secret", Size: -1},
				Body: strings.NewReader("hidden treasure of " + user), Closer: io.NopCloser(nil),
			}, nil
		}
		return nil, &protocols.Login{
			URL: secret, Server: "ftp.example.org:21", User: "ann", Text: "who\x1b[2Jare you", Failed: password != "",
			With: func(u, p string) { user, password = u, p },
		}
	}
	d := drive(t, w, Options{Home: secret}, 80, 24)
	d.wantShown(`ftp.example.org:21: password for "ann"`, `ftp.example.org says: "who␛[2Jare you"`)
	d.press("shift+tab").wantShown("User: ann")
	d.press("enter").typeText("wrong")
	d.wantShown("Password: *****").wantNotShown("wrong")
	d.press("enter").wantShown(`ftp.example.org:21: login failed `, `"ann"`)
	d.typeText("sesame").press("enter").wantURL(secret).wantShown("hidden treasure of ann").wantNotShown("sesame")
}

func TestAddressBar(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	d.press("ctrl+l", "ctrl+u")
	d.send(tea.PasteMsg{Content: "gopher://gopher.example.org/0/ab\r\n\x1b\u202eout.txt"})
	d.wantShown("gopher://gopher.example.org/0/about.txt")
	d.press("enter").wantURL(item('0', "/about.txt"))

	d.press("g").wantShown("gopher://gopher.example.org/0/about.txt")
	d.press("ctrl+u").typeText("ftp://host:99999/x").press("enter").wantURL(item('0', "/about.txt"))
	lines := strings.Split(d.screen(), "\n")
	if !strings.HasPrefix(lines[1], "            ^ ") {
		t.Errorf("no caret under the port:\n%s\n%s", lines[0], lines[1])
	}
	if d.View().Cursor == nil || d.View().Cursor.X != 12 {
		t.Errorf("cursor: got %+v, want at column 12", d.View().Cursor)
	}
	d.press("esc").wantURL(item('0', "/about.txt")).wantNotShown("99999")
}

func TestHistoryFailureIsReportedOnce(t *testing.T) {
	var visits []string
	visit := func(_ context.Context, _, u urlcore.URL, title string) error {
		visits = append(visits, u.String()+" "+title)
		return errFull
	}
	d := drive(t, library(), Options{Visit: visit}, 80, 24)
	d.wantShown("no space left on device")
	d.press("down", "enter").wantURL(item('0', "/about.txt")).wantNotShown("no space left")
	want := "gopher://gopher.example.org/1/ A hole in the ground\ngopher://gopher.example.org/0/about.txt About this hole"
	fetchtest.Equal(t, strings.Join(visits, "\n"), want, "visits")
}

// TestFormInStatusLine checks that the status line shows the URL that gets the answers of a form, and no fields.
func TestFormInStatusLine(t *testing.T) {
	w := library()
	form := protocols.Form{Action: fetchtest.Parse(t, "http://h.example/sign"), Fields: []protocols.FormField{{Name: "words", Label: "Words"}}}
	w.addPage(item('1', "/forms"), protocols.LayoutMenu, "Forms", link(protocols.HTML, "Sign", form.URL()))
	d := drive(t, w, Options{Home: item('1', "/forms")}, 80, 24)
	d.wantShown("form of http://h.example/sign").wantNotShown("form:http", "%7B")
}

func TestKeysAreUniqueAndNamed(t *testing.T) {
	for _, k := range Keys(nil) {
		if k.Name == "" || k.Help == "" || k.Section == "" || len(k.Keys) == 0 {
			t.Errorf("a row of Keys is incomplete: %+v", k)
		}
	}
	seen := map[string]bool{}
	for _, s := range sections() {
		for _, in := range s.contexts {
			for _, a := range s.actions {
				for _, key := range a.keys {
					if id := fmt.Sprint(in, key); key == "" || seen[id] {
						t.Errorf("%s: the key %q is used twice or has no name", s.title, key)
					} else {
						seen[id] = true
					}
				}
			}
		}
	}
}

func TestCursorSkipsDistantLinks(t *testing.T) {
	w := library()
	var lines []protocols.Line
	lines = append(lines, link(protocols.Menu, "first", item('1', "/1")))
	for i := range 100 {
		lines = append(lines, info(fmt.Sprintf("text %d", i)))
	}
	lines = append(lines, link(protocols.Menu, "second", item('1', "/2")))
	w.addPage(item('1', "/"), protocols.LayoutMenu, "", lines...)
	d := drive(t, w, Options{}, 80, 24)
	d.press("down")
	fetchtest.Equal(t, d.Model.tab.Session.Page().Top, 1, "Top")
	if _, ok := d.Model.tab.Pager.Current(); ok {
		t.Error("the cursor is on a link that is not on the screen")
	}
	d.press("tab")
	if p := d.Model.tab.Session.Page(); p.Cursor != 101 || p.Top != 82 {
		t.Errorf("after tab: cursor %d, top %d, want 101 and 82", p.Cursor, p.Top)
	}
	d.press("up")
	fetchtest.Equal(t, d.Model.tab.Session.Page().Top, 81, "Top after up")
}

func TestDroppedPagesAreFetchedAgain(t *testing.T) {
	w := library()
	d := drive(t, w, Options{}, 80, 24)
	d.press("down", "enter")
	d.Model.tab.Session.GoBack()
	d.Model.tab.Session.Page().Dropped = true
	d.Model.tab.Session.Page().Lines = nav.Lines{}
	d.Model.tab.Session.GoForward()
	d.press("left").wantURL(item('1', "/")).wantShown("About this hole")
	if p := d.Model.tab.Session.Page(); p.Dropped || p.Cursor != 3 {
		t.Errorf("dropped %v, cursor %d, want false and 3", p.Dropped, p.Cursor)
	}
}

func TestHandoffAsks(t *testing.T) {
	w := library()
	mud := urlcore.Generic{Name: "telnet", Rest: "//mud.example.org:4000/"}
	w.addFailure(mud, &protocols.Handoff{URL: mud, Argv: []string{"telnet", "mud.example.org", "4000"}})
	d := drive(t, w, Options{}, 80, 24)
	d.press("down", "down", "down", "down", "enter").wantURL(mud).wantShown("telnet mud.example.org 4000", `Run "telnet"? (y/N)`)
	d.press("n").wantURL(mud)
	d.press("left").wantURL(item('1', "/"))
}

func TestConfirm(t *testing.T) {
	w := library()
	mail := item('0', "HELO x")
	w.addText(mail, "mail", "you asked for it")
	answer := w[mail]
	agreed := false
	w[mail] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		if !agreed {
			return nil, &protocols.Confirm{
				URL: mail, Question: "Connect to port 25 of example.org", Reason: "Port 25 is for mail.",
				Details: []string{"HELO x\x1b"}, GiveConsent: func() { agreed = true },
			}
		}
		return answer(ctx, req)
	}
	d := drive(t, w, Options{Start: mail.String()}, 80, 24)
	d.wantShown("Port 25 is for mail.", "HELO x␛", "Connect to port 25 of example.org? (y/N)")
	d.press("enter")
	if agreed {
		t.Fatal("Enter said yes")
	}
	d.press("r") // the page of the question is still open
	d.wantShown("Connect to port 25 of example.org? (y/N)")
	d.press("y").wantShown("you asked for it")
}

func TestRowsMatchTheirLinks(t *testing.T) {
	w := library()
	dir := ftpItem("pub", 'd')
	names := []string{"zebra", "ant", "README"}
	var lines []protocols.Line
	for _, n := range names {
		lines = append(lines, protocols.Line{Kind: protocols.Text, Text: n, Link: ftpItem("pub/"+n, 0), Note: &protocols.FileNote{Size: -1}})
	}
	w.addPage(dir, protocols.LayoutDirectory, "pub", lines...)
	d := drive(t, w, Options{Home: dir}, 80, 24) // draws the lines as they arrive, then sorted
	for range names {
		line, ok := d.Model.tab.Pager.Current()
		if !ok {
			t.Fatal("the cursor is on no link")
		}
		d.wantShown(line.Text)
		row := strings.Split(d.screen(), "\n")[2+d.Model.tab.Session.Page().Cursor]
		if !strings.Contains(row, line.Text) {
			t.Errorf("the row under the cursor is %q and leads to %s", row, line.Link)
		}
		d.press("down")
	}
}

func ftpItem(path string, typ byte) urlcore.URL {
	u := file(path)
	u.Type = typ
	return u
}

// TestLongURLs checks that a URL that is too long for the bar opens unchanged. If such a URL is pasted
// it must be refused, not cut off.
func TestLongURLs(t *testing.T) {
	w := library()
	long := item('0', "/"+strings.Repeat("a", 64<<10)+"END")
	w.addText(long, "", "found")
	d := drive(t, w, Options{Start: long.String()}, 80, 24)
	d.wantURL(long).wantShown("found")
	d.press("g")
	d.send(tea.PasteMsg{Content: "gopher://gopher.example.org/0/" + strings.Repeat("b", 64<<10)}).press("enter").wantURL(long)
}

// TestStandardInput checks that the temporary file with the standard input is not recorded, saved
// in the session or bookmarked.
func TestStandardInput(t *testing.T) {
	w, visits, b, dir := library(), 0, newBookmarks(t, ""), t.TempDir()
	u := urlcore.File{Path: "tmp/gofer-files-1/standard%20input.txt"}
	w.addText(u, "standard input.txt", "a text")
	visit := func(context.Context, urlcore.URL, urlcore.URL, string) error { visits++; return nil }
	d := drive(t, w, Options{Start: u.String(), Visit: visit, Bookmarks: b, Sessions: sessions.Open(dir)}, 80, 24)
	d.wantURL(u).wantShown(" standard input\n").wantNotShown("gofer-files").press("g").wantNotShown("gofer-files").press("esc")
	d.wantShown("a text").press("a").wantShown("standard input cannot be bookmarked")
	for _, key := range []string{"y", "="} {
		d.press(key).wantShown("standard input has no URL").wantNotShown("gofer-files")
	}
	d.press("i").wantShown("standard input").wantNotShown("gofer-files").press("left")
	fetchtest.Equal(t, visits, 0, "visits")
	forged := urlcore.File{Path: "tmp/gofer-files-2/standard%20input"} // the name of a temporary file, in a link of a server
	w.addText(forged, "standard input", "another text")
	d.run(d.visit(forged))
	d.wantShown(forged.String(), "another text")
	d.run(d.visit(item('0', "/about.txt")))
	fetchtest.NoError(t, d.endSession(true))
	r, _ := sessions.Open(dir).Take()
	if len(r.Tabs) != 1 || len(r.Tabs[0].Pages) != 1 || r.Tabs[0].Pages[0].URL != item('0', "/about.txt") {
		t.Errorf("the saved tabs are %v, want one with the page /about.txt", r.Tabs)
	}
	checkBookmarks(t, b, "")
}

func TestCopy(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	d.press("y")
	if len(d.otherMsgs) != 1 || fmt.Sprint(d.otherMsgs[0]) != "gopher://gopher.example.org/1/phlogs" {
		t.Errorf("the clipboard got %v", d.otherMsgs)
	}
	d.wantShown("sent to the terminal: gopher://gopher.example.org/1/phlogs")
}
