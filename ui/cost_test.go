package ui

import (
	"fmt"
	"strings"
	"testing"

	"gofer/protocols"
)

// demoMenu returns a typical menu of items with short names, which has more items than the screen has
// rows. The result also has a text and a list of links.
func demoMenu() web {
	w := web{}
	lines := []protocols.Line{info("    Welcome. This is a Gopher hole on your own machine."), info("")}
	for i := range 40 {
		name := []string{"A short tour", "The library: books and papers", "Pictures and sounds", "Links to other holes"}[i%4]
		lines = append(lines, link([]protocols.Kind{protocols.Menu, protocols.Text}[i%2],
			fmt.Sprintf("%s (%d)", name, i+1), item('1', fmt.Sprintf("/%s/%d", strings.ToLower(strings.Fields(name)[1]), i+1))))
	}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "A hole in the ground", lines...)
	text := ""
	for i := range 50 {
		text += fmt.Sprintf("Line %d of a text %s\n", i+1, strings.Repeat("of words ", i%5+1))
	}
	w.addText(item('0', "/text"), "A text", text)
	links := ""
	for i := range 20 {
		links += fmt.Sprintf("[%d] <URL:gopher://gopher.example.org:70/0/%d>\n", i+1, i+1)
	}
	w.addText(item('0', "/links"), "Links", links)
	return w
}

// countWritten returns the number of octets written to the terminal.
func (tm *terminal) countWritten() int {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	return tm.octets
}

// measureCost returns the average number of octets that a press of key costs. After each press, the screen
// shows the next text of places. The keys in back return to the first of them. The cheapest of three
// rounds counts, because an answer of the terminal may cause a redraw.
func (tm *terminal) measureCost(back, key string, places ...string) int {
	tm.t.Helper()
	least := make([]int, len(places))
	for range 3 {
		tm.typeKeys(back)
		tm.waitFor(places[0])
		for i, place := range places[1:] {
			before := tm.countWritten()
			tm.typeKeys(key)
			tm.waitFor(place)
			if n := tm.countWritten() - before; least[i] == 0 || n < least[i] {
				least[i] = n
			}
		}
	}
	sum := 0
	for _, n := range least {
		sum += n
	}
	return sum / (len(places) - 1)
}

// TestOctetsOfAMove checks that a key causes few octets of output.
func TestOctetsOfAMove(t *testing.T) {
	places := func(format string, step, from, n int) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(format, (from+i)*step)
		}
		return all
	}
	check := func(what string, n, limit int) {
		t.Logf("%s: %d octets", what, n)
		if n > limit {
			t.Errorf("%s: %d octets to the terminal, want at most %d", what, n, limit)
		}
	}
	tm := startProgram(t, demoMenu(), Options{}, 80, 24)
	top := "\x1b[H"
	check("the cursor to the next item, with all of its row", tm.measureCost(top, "j", places(" %d/42", 1, 3, 17)...), 220)
	tm.typeKeys("g\x15gopher://gopher.example.org/0/text\r")
	check("the page up by a line", tm.measureCost(top, "j", places(" %d%%", 2, 20, 17)...), 100)
	tm.typeKeys("g\x15gopher://gopher.example.org/0/links\r")
	tm.waitFor("next link")
	check("the cursor to the next link of a text", tm.measureCost(top+
		"\t", "\t", places(" gopher://gopher.example.org/0/%d", 1, 1, 17)...), 130)
	tm.typeKeys("q")
	tm.waitForEnd()
	ssh := envOf(map[string]string{"TERM": "xterm-256color"})
	tm = startProgram(t, demoMenu(), Options{Env: ssh, Remote: true}, 80, 24)
	check("over SSH, the cursor to the next item", tm.measureCost(top, "j", places(" %d/42", 1, 3, 17)...), 125)
	tm.typeKeys("g\x15gopher://gopher.example.org/0/links\r")
	tm.waitFor("next link")
	check("over SSH, the cursor to the next link of a text", tm.measureCost(top+
		"\t", "\t", places(" gopher://gopher.example.org/0/%d", 1, 1, 17)...), 130)
	tm.typeKeys("q")
	tm.waitForEnd()
}
