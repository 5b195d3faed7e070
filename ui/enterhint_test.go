package ui

import "testing"

// TestHintOfEnter checks that the hint of Enter says what it does on a folder of bookmarks and on a
// download.
func TestHintOfEnter(t *testing.T) {
	b := newBookmarks(t, "## one\n"+item('1', "/a").String()+" First\n")
	d := drive(t, libraryWithBookmarks(b), Options{Bookmarks: b}, 80, 24)
	d.press("B").wantShown("Enter fold")
	d.press("down").wantShown("Enter open")
	d.press("up", "enter").wantShown("Enter unfold")
	d.submit("&", "one").wantShown("Enter open")

	w := library()
	m := addDownloads(t, w)
	for _, item := range m.Items() {
		item.Pause()
		item.Wait()
	}
	d = drive(t, w, Options{Downloads: m}, 80, 24)
	d.press("J", "down").wantShown("Enter resume")
	d.press("down", "down", "down", "down").wantShown("Enter open")
}
