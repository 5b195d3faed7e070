package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// TestHostIsShown checks that every part of the screen shows the host of a URL, even if a long user
// name looks like a host.
func TestHostIsShown(t *testing.T) {
	const evil = "evil.example"
	u := fetchtest.Parse(t, "ftp://ftp.gnu.org%2Fgnu%2Femacs%2Femacs-30.tar.gz"+strings.Repeat("%2Femacs", 20)+"@"+
		evil+"/a/"+strings.Repeat("emacs/", 20)+"emacs.tar.gz")
	w := web{}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "Menu", link(protocols.Archive, "emacs.tar.gz", u))
	w.addPage(u, protocols.LayoutMenu, "", info("..."))
	waiting := make(web)
	waiting.addStall(u)
	const height = 10
	d := drive(t, w, Options{Downloads: &download.Manager{Fetcher: waiting}}, 80, height)
	row := func(y int) string { return ansi.Strip(strings.Split(d.View().Content, "\n")[y]) }
	named := make(chan bool) // the download gets its file name when named gets a value
	folder := t.TempDir()
	dir := func() (string, error) { <-named; return folder, nil }
	for width := 20; width <= 220; width++ {
		shown := make(map[string]string)
		d.send(tea.WindowSizeMsg{Width: width, Height: height})
		shown["status row"] = row(height - 1)
		d.press("y")
		shown["notice"] = row(height - 1)
		d.run(d.bookmarks.ShowChange("", u, nil))
		d.drawn = false
		shown["bookmark"] = row(height - 1)
		endNoticeMsg{d.noticeID}.apply(d.Model)
		if width >= 40 {
			saving, _ := d.opts.Downloads.Add(download.Request{URL: u, Dir: dir})
			d.drawn = false
			shown["download"] = row(height - 1)
			named <- true
			saving.Cancel()
			saving.Wait()
		}
		d.Model.tab.Prompt = ask.NewLogin(&protocols.Login{Server: evil + ":21", User: strings.Repeat("ftp.gnu.org/", 20)}, u, nil)
		d.drawn = false
		shown["prompt's bar"] = row(0)
		if got, want := row(height-2), " "+evil+":"; !strings.Contains(got, want) {
			t.Errorf("%d cells: the prompt is %q, want %q in it", width, got, want)
		}
		if width >= 30 {
			d.send(tea.WindowSizeMsg{Width: width, Height: 2})
			shown["prompt without a rule"] = row(1)
		}
		d.Model.tab.Prompt = nil
		checkShown(t, width, shown, evil)
	}
	d.run(d.visit(u)).wantURL(u)
	for width := 20; width <= 220; width++ {
		d.send(tea.WindowSizeMsg{Width: width, Height: height})
		checkShown(t, width, map[string]string{"bar": row(0), "window": d.View().WindowTitle}, evil)
	}
}

func checkShown(t *testing.T, width int, shown map[string]string, want string) {
	t.Helper()
	for where, got := range shown {
		if !strings.Contains(got, want) {
			t.Fatalf("%d cells: the %s is %q, want %q in it", width, where, got, want)
		}
	}
}

func TestEndOfLongHostIsShown(t *testing.T) {
	u := urlcore.FTP{Path: "a"}
	u.Host = "ftp.gnu.org." + strings.Repeat("gnu.", 50) + "evil.example"
	w := web{}
	w.addPage(u, protocols.LayoutMenu, "", info("..."))
	d := drive(t, w, Options{Home: u}, 80, 10)
	for width := 16; width <= 220; width++ {
		d.send(tea.WindowSizeMsg{Width: width, Height: 10})
		bar := ansi.Strip(strings.Split(d.View().Content, "\n")[0])
		if got := strings.TrimSpace(bar); !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "evil.example") {
			t.Errorf("%d cells: the bar is %q, want the end of the host", width, bar)
		}
	}
}
