package ui

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"gofer/internal/pages/about"
	"gofer/protocols"
	"gofer/urlcore"
)

// scene is a page, and the keys that a test presses on it.
type scene struct {
	name  string
	url   urlcore.URL
	keys  string // separated by spaces
	typed string
	timed bool          // shows the current time, so it has no golden file
	pages func(web)     // adds the pages that only this scene needs
	show  func(*driver) // shows something that no key opens
	kinds []int         // kinds of terminals for TestWalk; nil for a scene of [scenes]
	step  int           // columns between the widths of TestWalk; 0 means 2
	rows  int           // maximum height in TestWalk; 0 means 40
}

func scenes() []scene {
	menu := item('1', "/")
	return []scene{
		{name: "menu", url: menu},
		{name: "directory", url: file("pub")},
		{name: "groups", url: urlcore.News{Group: "*"}},
		{name: "group", url: urlcore.News{Group: "lab.threads"}, keys: "down"},
		{name: "article", url: urlcore.News{MessageID: "1@x"}},
		{name: "text", url: item('0', "/about.txt")},
		{name: "links", url: item('0', "/links"), keys: "tab"},
		{name: "picture", url: item('I', "/sunset.jpg")},
		{name: "missing", url: item('0', "/missing")},
		{name: "confirm", url: item('1', "/confirm")},
		{name: "login", url: file("private")},
		{name: "form", url: item('0', "/survey"), keys: "tab tab", typed: "one"},
		{name: "stalls", url: item('0', "/stalls"), timed: true},
		{name: "help", url: about.Page("help")},
		{name: "help-menu", url: menu, keys: "?"},
		{name: "help-group", url: urlcore.News{Group: "lab.threads"}, keys: "?"},
		{name: "help-typed", url: menu, keys: "?", typed: "mark"},
		{name: "home", url: about.Page("home")},
		{name: "bookmarks", url: about.Page("bookmarks")},
		{name: "history", url: about.Page("history")},
		{name: "downloads", url: about.Page("downloads")},
		{name: "explain", url: menu, keys: "="},
		{name: "information", url: menu, keys: "I", timed: true},
		{name: "search", url: menu, keys: "down down down enter c a t"},
		{name: "url-bar", url: menu, keys: "g home x"},
		{name: "completion", url: menu, keys: "g", typed: "gopher"},
		{name: "completion-selected", url: menu, keys: "g e down down"},
		{name: "bookmark", url: menu, keys: "a"},
		{name: "palette", url: menu, keys: ":", typed: "tab"},
		{name: "outline", url: item('0', "/long"), keys: "O"},
		{name: "find", url: menu, keys: "/", typed: "hole"},
		{name: "filter", url: menu, keys: "&", typed: "hole"},
		{name: "hints", url: menu, keys: "'"},
		{name: "hints-article", url: urlcore.News{MessageID: "1@x"}, keys: "'"},
		{name: "hints-text", url: item('0', "/links"), keys: "'"},
		{name: "numbers", url: file("pub"), keys: "3"},
		{name: "tabs", url: menu, keys: "t down t ]"},
		{name: "peek", url: menu, keys: "down p"},
		{name: "pair", url: file("pub"), keys: "ctrl+o down tab"},
		{name: "peek-menu", url: menu, keys: "p", pages: func(w web) {
			w.addPage(item('1', "/phlogs"), protocols.LayoutMenu, "Phlogs", info("Who writes here"),
				link(protocols.Menu, "Ann", item('1', "/ann")), link(protocols.Text, "Bob", item('0', "/bob")))
		}},
		{name: "peek-picture", url: menu, keys: "down down p", show: func(d *driver) {
			d.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
		}},
		{name: "peek-search", url: menu, keys: "down down down p"},
		{name: "peek-missing", url: file("pub"), keys: "p"},
		{name: "peek-article", url: urlcore.News{Group: "lab.threads"}, keys: "down p"},
		{name: "private", url: menu, keys: "P"},
		{name: "hypertext", url: item('h', "/first"), keys: "tab tab"},
		{name: "raw", url: item('0', "/about.txt"), keys: "\\"},
		{name: "qr", url: item('0', "/about.txt"), keys: "Q"},
		{name: "schemes", url: about.Page("schemes"), keys: "down"},
		{name: "unknown-key", url: menu, keys: "Z"},
		{name: "quit", url: menu, keys: "X", typed: "all"},
	}
}

// open shows the scene in a new driver.
func (s scene) open(t *testing.T, o Options, width, height int) *driver {
	t.Helper()
	store := newBookmarks(t, item('1', "/").String()+" A hole in the ground\n"+
		"## ftp/files\n"+file("pub").String()+" Files, and a title that is longer than a small screen is wide\n")
	z := newSlowWeb(t, store)
	hypertext, first, _ := hypertexts()
	z.web[item('h', "/first")] = hypertext[first]
	z.about.SchemeState = func(u urlcore.URL) string { return "the program " + u.Scheme() }
	pages := []urlcore.URL{about.ExplainURL(item('1', "/"))}
	for _, name := range []string{"home", "bookmarks", "history", "help", "schemes"} {
		pages = append(pages, about.Page(name))
	}
	for _, u := range pages {
		z.web[u] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			return z.about.Fetch(ctx, protocols.Request{URL: u})
		}
	}
	if s.pages != nil {
		s.pages(z.web)
	}
	o = addCompletions(o)
	o.Home, o.Bookmarks = s.url, store
	if s.name == "stalls" {
		o.Home = about.Page("home")
	}
	if s.name == "downloads" {
		o.Downloads = addDownloads(t, z.web)
	}
	d := drive(t, z.web, o, width, height)
	s.play(d)
	return d
}

// play presses the keys of the scene.
func (s scene) play(d *driver) {
	if s.name == "stalls" {
		d.visit(s.url) // returns before the load ends
		d.drawn = false
	}
	if s.keys != "" {
		d.press(strings.Fields(s.keys)...)
	}
	d.typeText(s.typed)
	if s.show != nil {
		s.show(d)
		d.drawn = false
	}
}

// TestScenes compares the text of each scene at four sizes and its colors at one size with a golden
// file.
func TestScenes(t *testing.T) {
	for _, s := range scenes() {
		if s.timed {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			var b strings.Builder
			for _, size := range [][2]int{{20, 6}, {40, 12}, {80, 24}, {132, 43}} {
				fmt.Fprintf(&b, "== %dx%d\n%s", size[0], size[1], s.open(t, Options{}, size[0], size[1]).screen())
			}
			if !strings.HasSuffix(s.name, "picture") { // the colors of pictures are in other files
				b.WriteString("== colors\n" + s.describeStyles(t))
			}
			blank := regexp.MustCompile(`\n{4,}`)
			checkGolden(t, "scenes/"+s.name+".txt", blank.ReplaceAllStringFunc(b.String(), func(rows string) string {
				return fmt.Sprintf("\n[%d blank rows]\n", len(rows)-1)
			}))
		})
	}
}

// describeStyles draws the scene on a small screen and returns one letter for the style of each
// character. A legend lists each style as seen in terminals with all colors, fewer colors and no
// colors.
func (s scene) describeStyles(t *testing.T) string {
	full := readStyles(s.open(t, Options{}, 40, 12).View())
	none := readStyles(s.open(t, Options{NoColor: true}, 40, 12).View())
	few := s.open(t, Options{}, 40, 12)
	few.send(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
	fewer := readStyles(few.View())
	var b, legend strings.Builder
	letters := map[string]byte{"": '.'}
	for y, row := range full {
		var line []byte
		for x, st := range row {
			if _, ok := letters[st]; !ok {
				letters[st] = byte('a' + len(letters) - 1)
				in := func(rows [][]string) string {
					if y < len(rows) && x < len(rows[y]) {
						return rows[y][x]
					}
					return "-"
				}
				fmt.Fprintf(&legend, "%c: %s | %s | %s | %s\n", letters[st], st, convertStyle(st, colorprofile.ANSI256),
					convertStyle(in(fewer), colorprofile.ANSI), in(none))
			}
			line = append(line, letters[st])
		}
		b.WriteString(strings.TrimRight(string(line), ".") + "\n")
	}
	return b.String() + legend.String()
}

// readStyles returns the style of each character of a screen: all SGR parameters since the last reset.
func readStyles(v tea.View) (rows [][]string) {
	for line := range strings.SplitSeq(v.Content, "\n") {
		var row []string
		st := ""
		for line != "" {
			if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
				sgr, after, _ := strings.Cut(rest, "m")
				if line = after; sgr == "" || sgr == "0" {
					st = ""
				} else {
					st = strings.TrimPrefix(st+";"+strings.TrimPrefix(sgr, "0;"), ";")
				}
				continue
			}
			for _, r := range line {
				line = line[len(string(r)):]
				break
			}
			row = append(row, st)
		}
		rows = append(rows, row)
	}
	return rows
}

// convertStyle returns the SGR parameters that a terminal with profile p gets for the parameters sgr.
func convertStyle(sgr string, p colorprofile.Profile) string {
	var b bytes.Buffer
	w := colorprofile.Writer{Forward: &b, Profile: p}
	_, _ = w.WriteString("\x1b[" + sgr + "m")
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), "\x1b["), "m")
}
