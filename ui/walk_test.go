package ui

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/text/clean"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// wildScenes returns scenes of hostile pages, forms and prompts, of pictures of odd sizes, and of
// random pages.
func wildScenes(t *testing.T) []scene {
	at, texts := item('1', "/wild"), hostileTexts()
	evil := strings.Join(texts, " ")
	both := []int{trueColor, graphemes}
	page := func(name string, layout protocols.Layout, texts []string) scene {
		return scene{name: name, url: at, kinds: both, step: 4, pages: func(w web) { addHostilePage(w, at, layout, texts) }}
	}
	shown := func(name string, show func(*driver)) scene {
		return scene{name: name, url: item('1', "/"), kinds: []int{trueColor}, step: 7, show: show}
	}
	disputed := page("disputed", protocols.LayoutMenu, disputedTexts())
	disputed.rows = 60
	list := []scene{
		disputed,
		{name: "survey", url: at, kinds: []int{trueColor}, step: 3, pages: func(w web) { w.addForm(at, hostileSurvey()) }},
		{name: "pane", url: at, keys: "p", kinds: both, step: 3, pages: func(w web) {
			addHostilePage(w, item('1', "/hostile"), protocols.LayoutMenu, texts)
			w.addPicture(item('I', "/picture"), pngFile(t, 60, 40))
			w.addPage(at, protocols.LayoutMenu, "",
				link(protocols.Menu, texts[0], item('1', "/hostile")),
				link(protocols.Image, strings.Repeat("世界", 500), item('I', "/picture")),
				link(protocols.Other, texts[3], urlcore.Generic{Name: "x-odd", Rest: "//h\u202eost/"}),
				link(protocols.Text, texts[1], item('0', "/none")))
		}},
		shown("asked", func(d *driver) {
			d.Model.tab.Prompt = d.newAsk(d.tab, &protocols.Ask{
				URL: at, Title: evil,
				Fields: []protocols.Field{{Label: evil, Value: evil}, {Label: evil, Input: protocols.InputSecret}},
			})
		}),
		shown("asked for a login", func(d *driver) {
			d.Model.tab.Prompt = ask.NewLogin(&protocols.Login{Server: evil, User: evil, Text: evil}, at, nil)
		}),
		shown("list", func(d *driver) {
			var choices []ask.Choice
			for _, s := range texts {
				choices = append(choices, ask.Choice{Text: clean.Short(s), About: clean.Short(s), Key: clean.Short(s)})
			}
			d.tab.Choose("Actions", "Action", ask.NewList(choices, false, 0))
		}),
		shown("told", func(d *driver) { d.notify(evil) }),
		shown("error in the URL bar", func(d *driver) {
			places := d.places()
			places.Guess = func(string) (urlcore.URL, error) { return nil, errors.New(evil) }
			d.bar = ask.NewBar(places, clean.Short(evil))
			d.answer("go")
			if d.bar == nil || !d.bar.HasError() {
				t.Error("the URL bar shows no error")
			}
		}),
	}
	for _, size := range []image.Point{{1, 1}, {1, 300}, {300, 1}} {
		list = append(list, scene{
			name: fmt.Sprint("picture of ", size), url: at,
			pages: func(w web) { w.addPicture(at, pngFile(t, size.X, size.Y)) },
		})
	}
	var headings []string
	for i, s := range texts {
		headings = append(headings, s, []string{"# ", "1. ", ">> ", "=== "}[i%4]+s, strings.ToUpper(s), "===\n")
	}
	chosen := chooseSeed()
	rnd := rand.New(rand.NewPCG(chosen, 1))
	pieces := slices.Concat(texts, []string{"a", "é", "世", "\x1b", "\n", "👍🏽", "\u0301", " "})
	for i, layout := range layouts {
		outline := page(fmt.Sprint("headings ", i), layout, headings)
		outline.keys, outline.kinds, outline.step = "O", []int{trueColor}, 7
		list = append(list, page(fmt.Sprint("hostile ", i), layout, texts), outline)
		for try := range 6 {
			chance := make([]string, 8)
			for i := range chance {
				for range rnd.IntN(6) {
					p := pieces[rnd.IntN(len(pieces))]
					chance[i] += p[:rnd.IntN(min(len(p), 90)+1)]
				}
			}
			s := page(fmt.Sprintf("chance %d.%d of seed %d", i, try, chosen), layout, chance)
			s.kinds, s.step = []int{try % 3}, 7
			list = append(list, s)
		}
	}
	return list
}

// disputedTexts returns texts of characters with disputed widths.
func disputedTexts() []string {
	return []string{
		strings.Repeat("㉈", 300), "\U0001d15f" + strings.Repeat("\U0001d165", 300), "क" + strings.Repeat("\u093e", 300),
		strings.Repeat("क्", 300),
		strings.Repeat("ᄀ", 300), strings.Repeat("\u1112\u1161\u11ab", 100), strings.Repeat("🇩 ", 200),
		strings.Repeat("⸻", 300), strings.Repeat("\u0d4ea", 200),
		strings.Repeat("世👍🏽", 100),
	}
}

// hostileSurvey returns a form with hostile texts in fields of all types.
func hostileSurvey() *survey {
	s := &survey{}
	for _, text := range hostileTexts() {
		for in := range protocols.InputNote + 1 {
			s.fields = append(s.fields, protocols.Field{Label: text, Value: text, Input: in, Choices: []string{text, "x"}})
		}
		s.fields = append(s.fields, protocols.Field{Label: text, Input: protocols.InputChoice})
	}
	return s
}

// Kinds of terminals in TestWalk.
const (
	trueColor = iota
	asciiOnly
	graphemes // the terminal measures grapheme clusters
)

// walk is a scene in one kind of terminal.
type walk struct {
	*driver
	t     *testing.T
	scene scene
	kind  int
	nth   int // index of kind in scene.kinds
}

// TestWalk shows all scenes at many widths in several kinds of terminals. It also presses all keys on
// small screens and pastes a megabyte. For most scenes, two kinds of terminals alternate from width to
// width.
func TestWalk(t *testing.T) {
	for _, s := range slices.Concat(scenes(), wildScenes(t)) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.step, s.rows = cmp.Or(s.step, 5), cmp.Or(s.rows, 40)
			wild := s.kinds != nil
			if !wild {
				s.kinds = []int{trueColor, asciiOnly}
			}
			for nth, kind := range s.kinds {
				o := Options{Config: config.Config{ASCII: kind == asciiOnly}, NoColor: kind == asciiOnly}
				w := &walk{driver: s.open(t, o, 80, 24), t: t, scene: s, kind: kind, nth: nth}
				w.removePaneDelay()
				if !wild {
					w.resizeOften()
				}
				switch kind {
				case trueColor:
					w.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
				case graphemes:
					w.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeSet})
				}
				if wild {
					w.terminals, w.checked = newTerminals(t), nil
				}
				w.walkWidths()
				if kind == trueColor && !wild {
					w.walkSmallScreens()
					w.pasteHugeText()
				}
			}
		})
	}
}

// reopen opens the scene from the start.
func (w *walk) reopen() {
	if w.scene.name != "stalls" {
		w.run(w.visit(w.scene.url))
	}
	w.scene.play(w.driver)
}

// resize changes the size of the screen, and checks the screen.
func (w *walk) resize(width, height int) {
	w.t.Helper()
	w.send(tea.WindowSizeMsg{Width: width, Height: height})
	checkView(w.t, w.driver, width, height)
}

// pressEach presses keys, and checks the screen after each.
func (w *walk) pressEach(names ...string) {
	w.t.Helper()
	for _, name := range names {
		w.press(name)
		checkView(w.t, w.driver, w.width, w.height)
	}
}

// resizeOften resizes the screen many times, and checks that the screen is the same afterwards.
func (w *walk) resizeOften() {
	before := w.screen()
	for i := range 23 {
		size := [][2]int{{1, 1}, {500, 200}, {20, 6}, {0, 0}, {132, 43}, {2, 50}, {300, 2}}[i%7]
		w.resize(size[0], size[1])
	}
	w.resize(80, 24)
	if after := w.screen(); after != before && !w.scene.timed {
		w.t.Errorf("resizing changed the screen from\n%s\nto\n%s", before, after)
	}
}

// walkWidths shows the scene at widths up to 220, scene.step columns apart. Between two widths it presses
// keys that move, find, filter, list the headings, label the links and open the pane.
func (w *walk) walkWidths() {
	through := " enter pgdown w end n > N up < home "
	onPage := strings.Fields("pgdown down > w end up tab < pgup ctrl+d home ctrl+u & o space w" + through + "esc / 世" +
		through + "esc & o" + through + "esc / x" + through + "esc & \u0301" + through + "esc / \\ v x | $" + through +
		"esc O pgdown down enter ' esc p down w tab esc + - 0 :")
	inPrompt := strings.Fields("tab pgdown down space a ctrl+o right up left home x end backspace")
	hasPrompt, keys := w.driver.Model.tab.Prompt != nil, onPage
	switch {
	case hasPrompt:
		keys = inPrompt
	case w.scene.name == "downloads": // Enter would resume a stalled download and wait for the download
		keys = strings.Fields(strings.ReplaceAll(strings.Join(onPage, " "), "enter", "i"))
	}
	at, step := w.nth*17, w.scene.step
	for n := range 220 / step {
		width := 1 + n*step + w.nth%step
		w.resize(width, 1+width%w.scene.rows)
		for range min(step, 3) {
			w.pressEach(keys[at%len(keys)])
			at++
		}
		if hasPrompt && w.driver.Model.tab.Prompt == nil {
			w.reopen()
		}
	}
	w.pressEach("esc", "esc")
	if w.scene.name == "pane" {
		w.run(w.visit(w.scene.url))
		w.pressEach("p", "down", "esc", "home")
		w.resize(80, 24)
		w.wantCursor(0)
		if w.peek.open || w.driver.Model.tab.Pager.Height != 20 || w.driver.Model.tab.Pager.Width != 80 {
			w.t.Errorf(
				"without the pane the page has %d by %d cells, want 80 by 20", w.driver.Model.tab.Pager.Width,
				w.driver.Model.tab.Pager.Height,
			)
		}
	}
}

// walkSmallScreens presses each key of pages on a small screen.
func (w *walk) walkSmallScreens() {
	if w.scene.name == "downloads" {
		return // a key would wait for a stalled download
	}
	sizes := [][2]int{{0, 0}, {1, 1}, {2, 2}, {3, 1}, {1, 30}, {5, 3}, {20, 5}, {8, 8}}
	for i, key := range slices.Sorted(maps.Keys(w.driver.keys.tables[contextPage])) {
		size := sizes[(i+w.kind+len(w.scene.name))%len(sizes)]
		w.resize(size[0], size[1])
		w.pressEach(key)
		w.press("x", "esc")
		w.pressEach("esc")
	}
}

// pasteHugeText pastes a megabyte into the prompt or page of the scene.
func (w *walk) pasteHugeText() {
	w.resize(80, 24)
	w.reopen()
	w.send(tea.PasteMsg{Content: strings.Repeat("gopher://example.org/ 世界\n", 1<<20/28)})
	w.pressEach("x", "left", "home", "end", "backspace", "ctrl+w", "alt+b")
}
