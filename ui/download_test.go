package ui

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestSaveInTheBackground checks that the status line names the running download and that q asks
// before it quits.
func TestSaveInTheBackground(t *testing.T) {
	w, _, begun := stalledWeb()
	d := drive(t, w, Options{}, 80, 24)
	msgs := startCommands(d.sendWithoutRun(keyPress("d")))
	<-begun
	d.send(tickMsg{}).wantShown("saving endless.bin 5 B")
	d.press("q").wantShown("Pause the downloads and quit? (Y/n)")
	d.press("n", "d").wantShown("already being saved: J shows it")
	d.press("esc").wantShown(`Pause saving "endless.bin"? (y/N)`)
	d.press("n", "esc", "y")
	d.send(<-msgs).wantShown("paused endless.bin: J shows the downloads")
	d.press("q")
	if len(d.otherMsgs) != 1 {
		t.Errorf("the program did not quit: %v", d.otherMsgs)
	}
}

// TestQuitWithDownloads checks that q offers to let the downloads go on, where they can, also after the question about another
// job.
func TestQuitWithDownloads(t *testing.T) {
	for key, want := range map[string]string{"y": "quit, go on", "enter": "quit, go on", "p": "quit", "n": ""} {
		w, endless, _ := stalledWeb()
		d := drive(t, w, Options{CanDetach: func() bool { return true }}, 80, 24)
		d.opts.Downloads.Add(download.Request{URL: endless})
		d.changes.RunJob(&d.tab.Viewer, nil, func() string { return "fetching" }, func(context.Context) error { return nil }, nil) // its result is not applied
		d.press("q").wantShown("Still fetching. Quit anyway?").press("y")
		d.wantShown("Quit, and let the downloads go on in the background? (Y/n, p pauses)", "p pause ").press(key)
		got := ""
		if slices.Contains(d.otherMsgs, tea.Msg(tea.QuitMsg{})) {
			got = "quit"
		}
		if d.detaches {
			got += ", go on"
		}
		fetchtest.Equal(t, got, want, "after %s", key)
	}
}

// TestSaveAs checks that saving under a name asks before it overwrites a file.
func TestSaveAs(t *testing.T) {
	w, dir := library(), t.TempDir()
	w.addPage(item('1', "/"), protocols.LayoutMenu, "M", link(protocols.Text, "a", item('0', "/a.txt")))
	w.addText(item('0', "/a.txt"), "A", "some text\n")
	d := drive(t, w, Options{Config: config.Config{Downloads: config.Downloads{Folder: dir}}, Downloads: &download.Manager{Fetcher: w, Folder: dir}}, wideWidth, 24)
	as := func(name string) {
		d.press("D").wantShown("Save as: " + filepath.Join(dir, "a.txt"))
		d.press("ctrl+u").typeText(name).press("enter")
	}
	as("b.txt")
	d.wantShown("saved b.txt (", "in "+dir)
	fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, "b.txt"), []byte("mine"), 0o600))
	as("b.txt")
	d.wantShown(`Overwrite "` + filepath.Join(dir, "b.txt") + `"? (y/N)`)
	d.press("n")
	if b, _ := os.ReadFile(filepath.Join(dir, "b.txt")); string(b) != "mine" {
		t.Errorf("the file was overwritten with %q after a no", b)
	}
	as("b.txt")
	d.press("y")
	if b, _ := os.ReadFile(filepath.Join(dir, "b.txt")); string(b) != "some text\n" {
		t.Errorf("the file has %q, want the saved text", b)
	}
	fetchtest.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	as("sub")
	d.wantShown("saved a.txt (", "in "+filepath.Join(dir, "sub"))
	as("no/such/folder/")
	d.wantShown("No such folder: ")
}

// directory returns an FTP directory with a file and a directory with another file.
func directory() (w web, u urlcore.URL) {
	ftp := func(path string, typ byte) urlcore.URL {
		return urlcore.FTP{Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "ftp.example.org"}}, Path: path, Type: typ}
	}
	file := func(kind protocols.Kind, name string, u urlcore.URL, size int64) protocols.Line {
		return protocols.Line{Kind: kind, Text: name, Link: u, Note: &protocols.FileNote{Size: size}}
	}
	w, u = library(), ftp("pub", 'd')
	w.addPage(item('1', "/"), protocols.LayoutMenu, "M", link(protocols.Directory, "pub", u))
	w.addPage(
		u, protocols.LayoutDirectory, "pub", file(protocols.Text, "a.txt", ftp("pub/a.txt", 0), 1),
		file(protocols.Directory, "sub", ftp("pub/sub", 'd'), -1),
	)
	w.addPage(ftp("pub/sub", 'd'), protocols.LayoutDirectory, "sub", file(protocols.Text, "b.txt", ftp("pub/sub/b.txt", 0), 2))
	w.addText(ftp("pub/a.txt", 0), "a", "a")
	w.addText(ftp("pub/sub/b.txt", 0), "b", "bb")
	return w, u
}

// TestSaveDirectory checks that d counts the files of a directory and asks before it saves them.
func TestSaveDirectory(t *testing.T) {
	w, _ := directory()
	dir := t.TempDir()
	d := drive(t, w, Options{Downloads: &download.Manager{Fetcher: w, Folder: dir}}, wideWidth, 24)
	d.press("d").wantShown(`Save "pub/" (2 files, 3 B)? (y/N)`)
	d.press("n").wantShown("not saved: pub/")
	wantEmpty(t, dir)
	d.press("d", "y").wantShown("saved pub (3 B, in " + dir + ")")
	for name, want := range map[string]string{"a.txt": "a", "sub/b.txt": "bb"} {
		if b, err := os.ReadFile(filepath.Join(dir, "pub", name)); err != nil || string(b) != want {
			t.Errorf("%s: got %q, %v, want %q", name, b, err, want)
		}
	}
}

// addDownloads returns downloads in all states, and adds their page to w.
func addDownloads(t *testing.T, w web) *download.Manager {
	t.Helper()
	u := func(name string) urlcore.URL {
		return urlcore.FTP{Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "ftp.example.org"}}, Path: "pub/" + name}
	}
	for _, name := range []string{"gofer-1.0.tar.gz", "image.iso", "paused.zip"} {
		w[u(name)] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			head := protocols.Head{URL: u(name), Size: 2_000_000}
			body := io.MultiReader(strings.NewReader(strings.Repeat("x", 500_000)), &stalledBody{ctx: ctx, begun: make(chan struct{}), n: 2})
			return &protocols.Resource{Head: head, Body: body, Closer: io.NopCloser(nil)}, nil
		}
	}
	w.addText(u("README"), "README", "Read this.\n")
	folder := t.TempDir()
	m := &download.Manager{Fetcher: w, Folder: folder}
	t.Cleanup(m.Close)
	add := func(name string, until func(s *download.Status) bool) *download.Item {
		item, _ := m.Add(download.Request{URL: u(name)})
		for s := item.Status(); !until(&s); s = item.Status() {
			runtime.Gosched()
		}
		return item
	}
	hasBegun := func(s *download.Status) bool { return s.Received == 500_000 }
	isIdle := func(s *download.Status) bool { return s.State.IsIdle() }
	add("README", isIdle)
	add("missing.txt", isIdle)
	paused := add("paused.zip", hasBegun)
	paused.Pause()
	paused.Wait()
	add("gofer-1.0.tar.gz", hasBegun)
	add("image.iso", hasBegun)
	add("a-name-that-is-longer-than-a-small-screen-is-wide.tar.gz", func(*download.Status) bool { return true })
	w[about.Page("downloads")] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		lines := m.Lines("")
		for i := range lines {
			lines[i].Text = strings.ReplaceAll(lines[i].Text, folder, "/home/ann/Downloads")
		}
		return (&about.Client{Downloads: func(string) []protocols.Line { return lines }}).Fetch(ctx, protocols.Request{URL: about.Page("downloads")})
	}
	return m
}

// TestDownloadsPage checks that i lists the actions for a download, that x removes a download, and
// that Enter pauses or opens it.
func TestDownloadsPage(t *testing.T) {
	w := library()
	m := addDownloads(t, w)
	d := drive(t, w, Options{Downloads: m}, 80, 24)
	d.press("J").wantShown("queued")
	d.press("down", "i")
	for _, want := range []string{"Pause ", "Cancel", "Pause all", "Resume all"} {
		d.wantShown(want)
	}
	d.press("esc", "down", "down", "i").wantShown("Resume")
	d.press("esc", "x").wantShown(`Cancel "paused.zip", and remove the 500 kB of it saved so far? (y/N)`)
	d.press("y").wantShown("canceled paused.zip and removed the 500 kB of it saved so far").wantNotShown(" paused ")
	for _, item := range m.Items() {
		if s := item.Status(); strings.HasSuffix(s.URL.String(), "paused.zip") {
			t.Error("the removed download is still listed")
		}
	}
	d.press("home", "down", "enter")
	for _, item := range m.Items() {
		if s := item.Status(); strings.HasSuffix(s.URL.String(), "image.iso") {
			s = item.Wait()
			fetchtest.Equal(t, s.State, download.Paused, "after Enter")
		}
	}
	d.press("home", "down", "down", "down", "down")
	saved := fetchtest.Parse(t, "file://"+filepath.ToSlash(filepath.Join(m.Folder, "README")))
	w.addText(saved, "README", "Read this.\n")
	d.press("enter").wantShown("Open with another program")
	d.press("enter")
	fetchtest.Equal(t, d.url(), saved.String(), "opened")
}

// TestSaveWithLogin checks that saving a document first asks for the login and then the question of
// the server.
func TestSaveWithLogin(t *testing.T) {
	w, dir, u := library(), t.TempDir(), item('9', "/private.bin")
	w.addPage(item('1', "/"), protocols.LayoutMenu, "M", link(protocols.Binary, "private", u))
	password, agreed := "", false
	w[u] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		switch {
		case password != "secret":
			return nil, &protocols.Login{Server: "gopher.example.org:70", User: "ann", With: func(_, typed string) { password = typed }}
		case !agreed:
			return nil, &protocols.Confirm{URL: u, Question: "Send it", GiveConsent: func() { agreed = true }}
		}
		return &protocols.Resource{Head: protocols.Head{URL: u, Size: 4}, Body: strings.NewReader("data"), Closer: io.NopCloser(nil)}, nil
	}
	d := drive(t, w, Options{Downloads: &download.Manager{Fetcher: w, Folder: dir}}, wideWidth, 24)
	d.press("d").wantShown("Password: ")
	d.typeText("secret").press("enter").wantShown("Send it? (y/N)")
	d.press("y").wantShown("saved private.bin (4 B, in " + dir + ")")
}

// TestDownloadDetails checks that l lists the unsaved files of a directory, that a listed file can be
// opened, and that Enter on the download retries all of them.
func TestDownloadDetails(t *testing.T) {
	const files = 300
	w, u := directory()
	missing := true
	var items []protocols.Line
	for i := range files {
		f := u.(urlcore.FTP)
		f.Path, f.Type = fmt.Sprintf("pub/%d.txt", i), 0
		items = append(items, link(protocols.Text, fmt.Sprintf("%d.txt", i), f))
		w[f] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
			if missing {
				return nil, &protocols.Error{Reason: protocols.Denied, Op: "open " + f.Path, Code: 550}
			}
			return &protocols.Resource{Head: protocols.Head{URL: f, Size: 4}, Body: strings.NewReader("data"), Closer: io.NopCloser(nil)}, nil
		}
	}
	w.addPage(u, protocols.LayoutDirectory, "pub", items...)
	m := &download.Manager{Fetcher: w, Folder: t.TempDir(), PerServer: 1} // one at a time, for the order of the list
	for _, page := range []urlcore.URL{about.Page("downloads"), about.Page("downloads?1")} {
		w[page] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			return (&about.Client{Downloads: m.Lines}).Fetch(ctx, protocols.Request{URL: page})
		}
	}
	d := drive(t, w, Options{Downloads: m}, 80, 24)
	d.press("d", "y").wantShown("saved in part: pub/: 300 of 300 items were not saved")
	d.press("J").wantShown("300 not saved (press l)").wantNotShown("1.txt")
	for _, keys := range [][]string{{"l"}, {"down", "l"}, {"down", "enter"}} {
		d.press("home").press(keys...)
		fetchtest.Equal(t, d.url(), "about:downloads?1", keys)
		d.wantShown("pub/", "0.txt: Could not open pub/0.txt: permission denied").wantNotShown("not saved:")
		d.press("end").wantShown("299.txt: Could not open")
		d.press("backspace")
	}
	d.press("home", "l", "home", "down", "l")
	fetchtest.Equal(t, d.url(), "ftp://ftp.example.org/pub/0.txt", "an item")
	missing = false
	d.press("backspace", "home", "enter").wantShown("300 of 300 files").wantNotShown("Could not open")
	d.press("l").wantShown("nothing was left out of pub/")
}
