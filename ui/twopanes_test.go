package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/internal/userfile/sessions"
	"gofer/protocols"
	"gofer/urlcore"
)

// paneLibrary returns a library whose page /panes links to a menu, a long text, a menu that stalls, a
// missing text and a search.
func paneLibrary(t *testing.T) web {
	t.Helper()
	w := peekLibrary(t)
	long := ""
	for i := range 100 {
		long += fmt.Sprintf("row %d of the text\n", i)
	}
	w.addText(item('0', "/long"), "long", long)
	w.addStall(item('1', "/slow"))
	w.addPage(item('1', "/panes"), protocols.LayoutMenu, "",
		link(protocols.Menu, "Phlogs", item('1', "/phlogs")), link(protocols.Text, "A long text", item('0', "/long")),
		link(protocols.Menu, "A slow server", item('1', "/slow")), link(protocols.Text, "Nothing here", item('0', "/missing")),
		link(protocols.Search, "Search", item('7', "/find")))
	return w
}

func driveTwoPanes(t *testing.T, o Options) *driver {
	t.Helper()
	o.Home = item('1', "/panes")
	d := drivePane(t, paneLibrary(t), o, 160, 45)
	return d.press("p").wantShown("Who writes here")
}

// click clicks a cell with the left mouse button.
func (d *driver) click(x, y int) *driver {
	return d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
}

func (d *driver) wantFocus(want bool) *driver {
	d.t.Helper()
	fetchtest.Equal(d.t, d.isPaneFocused(), want, "the pane has the focus")
	return d
}

func TestTwoPanes(t *testing.T) {
	for name, keys := range map[string]string{
		"list": "", "focus": "tab down", "text": "down tab pgdown", "missing": "end up", "search": "end",
	} {
		d := driveTwoPanes(t, Options{}).press(strings.Fields(keys)...)
		checkGolden(t, "twopanes-"+name+"-160x45.txt", d.screen())
	}
}

// TestFocusOfPanes checks that Tab moves the focus, and that keys act on the focused pane.
func TestFocusOfPanes(t *testing.T) {
	d := driveTwoPanes(t, Options{}).wantFocus(false)
	d.press("tab").wantFocus(true).press("shift+tab").wantFocus(false)
	d.press("tab", "esc").wantFocus(false).press("tab", "backspace").wantFocus(false).wantURL(item('1', "/panes"))
	d.press("down", "tab", "pgdown", "down").wantShown("row 42 of the text").wantNotShown("row 2 of the text")
	fetchtest.Equal(t, d.tab.Session.Page().Cursor, 1, "the cursor of the list")
	d.press("y")
	fetchtest.Equal(t, fmt.Sprint(d.otherMsgs), "["+item('0', "/long").String()+"]", "the URL that was copied")
	d.press("enter").wantURL(item('0', "/long")).wantFocus(false)
	fetchtest.Equal(t, d.tab.Pager.Width, 160, "the width of a text")
	d.press("backspace").wantURL(item('1', "/panes")).wantShown("row 2 of the text", "A long text")
	fetchtest.Equal(t, d.tab.Pager.Width, 80, "the width of the list")
	d.press("up", "tab", "down", "enter").wantURL(item('0', "/bob"))
	d.press("backspace", "q")
	if _, ok := d.quit(); !ok {
		t.Error("q did not quit")
	}
}

// quit calls Model.quit and reports whether it returned tea.QuitMsg.
func (d *driver) quit() (msg tea.Msg, ok bool) {
	msg = d.Model.quit()()
	_, ok = msg.(tea.QuitMsg)
	return msg, ok
}

// TestResizeTwoPanes checks that on a screen of fewer than 150 columns the focus is in the list, which keeps its place.
func TestResizeTwoPanes(t *testing.T) {
	d := driveTwoPanes(t, Options{})
	d.press("down", "tab")
	before := d.tab.Session.Page().Place
	d.send(tea.WindowSizeMsg{Width: 150, Height: 45}).wantFocus(true)
	d.send(tea.WindowSizeMsg{Width: 149, Height: 45}).wantFocus(false).wantShown("row 2 of the text")
	fetchtest.Equal(t, d.tab.Session.Page().Place, before)
	d.send(tea.WindowSizeMsg{Width: 150, Height: 45}).wantFocus(false).press("p", "p").wantShown("row 2 of the text").press("p")
	fetchtest.Equal(t, d.peek.open, false, "a second p leaves the pane open")
}

// TestWidthOfPanes checks that keys move the border within limits, and that a restored session has the
// same border.
func TestWidthOfPanes(t *testing.T) {
	dir := t.TempDir()
	d := driveTwoPanes(t, Options{Sessions: sessions.Open(dir)})
	d.press("alt+>", "alt+>")
	fetchtest.Equal(t, d.tab.Pager.Width, 96)
	for range 10 {
		d.press("alt+<")
	}
	fetchtest.Equal(t, d.tab.Pager.Width, minListPane)
	for range 20 {
		d.press("alt+>")
	}
	fetchtest.Equal(t, d.tab.Pager.Width, 160-minItemPane)
	fetchtest.NoError(t, d.endSession(true))
	d = drivePane(t, paneLibrary(t), Options{Sessions: sessions.Open(dir), Restore: true}, 160, 45)
	d.press("p")
	fetchtest.Equal(t, d.tab.Pager.Width, 160-minItemPane, "restored")
	d.press("p", "alt+>").wantShown("only one pane")
}

// TestMouseInPanes checks that clicks and the wheel act on the pane under the pointer.
func TestMouseInPanes(t *testing.T) {
	d := driveTwoPanes(t, Options{Config: config.Config{Mouse: true}})
	d.click(5, 3).wantURL(item('1', "/panes")).wantShown("row 2 of the text")
	d.send(tea.MouseWheelMsg{X: 120, Y: 9, Button: tea.MouseWheelDown}).wantNotShown("row 2 of the text").wantShown("row 3 of the text")
	d.click(120, 9).wantFocus(true).click(5, 2).wantFocus(false).wantShown("Who writes here")
	d.click(90, 4).wantURL(item('1', "/ann"))
	d.press("backspace").click(5, 3).click(5, 3).wantURL(item('0', "/long"))
}

// TestPaneAsksNothing checks that the pane asks for no input and begins no message.
func TestPaneAsksNothing(t *testing.T) {
	w := paneLibrary(t)
	compose := urlcore.Generic{Name: "mailto", Rest: "a@example.org"}
	w[item('0', "/letter")] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return nil, &protocols.Compose{URL: compose, Title: "A letter"}
	}
	w.addPage(item('1', "/panes"), protocols.LayoutMenu, "", link(protocols.Search, "Search", item('7', "/find")),
		link(protocols.Text, "Letter", item('0', "/letter")), link(protocols.Session, "The old MUD", urlcore.Generic{
			Name: "telnet", Rest: "//mud.example.org/",
		}))
	n := countFetches(w)
	d := drivePane(t, w, Options{Home: item('1', "/panes")}, 160, 45)
	d.press("p").wantShown("search: press Enter").press("tab", "down").wantFocus(true)
	d.press("tab", "down").wantShown("message to write: press Enter").press("down").wantShown("opened by another program")
	fetchtest.Equal(t, n[item('7', "/find")], 0, "searches")
	d.press("end", "home")
	fetchtest.Equal(t, d.tab.Session.Page().Failed, nil)
}

// TestKeysInThePane checks that finding, filtering, wrapping and copying act on the focused pane. If a
// key works only in the list, a notice must say so.
func TestKeysInThePane(t *testing.T) {
	list := item('1', "/panes")
	d := driveTwoPanes(t, Options{}).press("down", "tab")
	d.submit("/", "row 77").wantShown("row 77 of the text", "match 1 of 1").wantURL(list)
	fetchtest.Equal(t, d.tab.SearchPattern() == nil, true, "the list was searched")
	if !strings.Contains(d.View().Content, string(d.styles.Found+d.styles.Selected)+"row 77") {
		t.Errorf("the match in the pane is not marked:\n%q", d.View().Content)
	}
	d.submit("/", "of the").press("n", "n").wantShown("match 80 of 100").press("N").wantShown("match 79 of 100")
	d.submit("&", "row 5").wantShown("row 59 of the text", "& row 5", "19 of 100", "Nothing here").wantNotShown("row 60 of the text")
	d.press("esc").wantFocus(true).wantShown("row 6 of the text").press("esc").wantFocus(false)
	d.press("tab", "y")
	fetchtest.Equal(t, fmt.Sprint(d.otherMsgs[len(d.otherMsgs)-1]), item('0', "/long").String(), "the URL that was copied")
	wrapped := d.tab.Pager.WrapsLines()
	d.press("w")
	fetchtest.Equal(t, d.peek.tab.Pager.WrapsLines(), false, "the pane wraps")
	fetchtest.Equal(t, d.tab.Pager.WrapsLines(), wrapped, "the list wraps")
	for _, key := range []string{"insert", "s", "m", "V", "I", "r"} {
		d.press(key).wantShown("works in the list: press Tab to go there")
	}
	d.press("/").wantShown("Find:").press("esc").wantFocus(true)
	d.press("esc", "up", "tab", "down", "y") // copies a link of a menu that the pane showed before
	fetchtest.Equal(t, fmt.Sprint(d.otherMsgs[len(d.otherMsgs)-1]), item('0', "/bob").String(), "the link that was copied")
	d.submit("/", "ann").press("y", "enter").wantURL(item('1', "/ann"))
}

// TestRefusalsInThePane checks that an action that does not work in the pane is also refused from
// the palette and the help.
func TestRefusalsInThePane(t *testing.T) {
	d := driveTwoPanes(t, Options{}).press("down", "tab")
	for _, list := range []string{":", "?"} {
		for action, why := range map[string]string{
			"reload": "reload works in the list: press Tab to go there", "tag all": "tag all works in the list",
		} {
			d.press(list).send(tea.PasteMsg{Content: action}).press("enter").wantShown(why).wantFocus(true)
		}
	}
	d.press(":").send(tea.PasteMsg{Content: "back"}).press("enter").wantFocus(false).wantURL(item('1', "/panes"))
	d.press(":").send(tea.PasteMsg{Content: "reload"}).press("enter").wantNotShown("works in the list")
}
