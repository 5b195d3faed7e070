package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// pressAtOnce presses all keys before it runs their commands.
func (d *driver) pressAtOnce(keys ...string) *driver {
	var cmds []tea.Cmd
	for _, k := range keys {
		_, cmd := d.Update(keyPress(k))
		d.View()
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		d.run(cmd)
	}
	return d
}

// TestKeysBeforeTheAnswer checks that keys have the same effect before and after the answer of the
// server.
func TestKeysBeforeTheAnswer(t *testing.T) {
	dir := func(path string) urlcore.URL { f := file(path); f.Type = 'd'; return f }
	for _, tt := range []struct {
		name string
		keys []string
		want urlcore.URL
		on   urlcore.URL // link under the cursor
	}{
		{"up three levels", []string{"u", "u", "u"}, dir("a"), dir("a/b")},
		{"up and back", []string{"u", "left"}, dir("a/b/c/d"), dir("a/b/c/d/e")},
		{"up beyond the top", []string{"u", "u", "u", "u", "u", "u"}, dir(""), dir("a")},
		{"enter twice", []string{"enter", "enter"}, dir("a/b/c/d/e"), nil},
		{"enter and back", []string{"enter", "left"}, dir("a/b/c/d"), dir("a/b/c/d/e")},
		{"enter and up", []string{"enter", "u"}, dir("a/b/c/d"), dir("a/b/c/d/e")},
		{"enter and reload", []string{"enter", "r"}, dir("a/b/c/d/e"), nil},
		{"reload and back", []string{"r", "left"}, dir("a/b"), dir("x")},
		{"back and forward", []string{"left", "f"}, dir("a/b/c/d"), dir("a/b/c/d/e")},
	} {
		for name, press := range map[string]func(*driver, ...string) *driver{"at once": (*driver).pressAtOnce, "one by one": (*driver).press} {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				w := web{}
				path := ""
				for _, next := range []string{"a", "a/b", "a/b/c", "a/b/c/d", "a/b/c/d/e"} {
					w.addPage(dir(path), protocols.LayoutDirectory, path, link(protocols.Text, "x", dir("x")), link(protocols.Directory, next, dir(next)))
					path = next
				}
				w.addPage(dir(path), protocols.LayoutDirectory, path)
				d := drive(t, w, Options{Home: dir("a/b")}, 80, 24)
				d.run(d.visit(dir("a/b/c/d")))
				d.Model.tab.Session.Page().Cursor = 1
				press(d, tt.keys...)
				d.wantURL(tt.want)
				line, _ := d.Model.tab.Pager.Current()
				fetchtest.Equal(t, line.Link, tt.on, "the cursor is on")
			})
		}
	}
}

// TestKeysWait checks what happens to keys that wait for a page: what the status line shows, and which events drop them.
func TestKeysWait(t *testing.T) {
	w, _ := burstWeb()
	w.addStall(item('1', "/stalls"))
	w[item('1', "/secret")] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return nil, &protocols.Login{Server: "h:70", With: func(string, string) { t.Error("a key has answered the login") }}
	}
	w.addFailure(item('1', "/confirm"), &protocols.Confirm{Question: "Trust it", GiveConsent: func() { t.Error("a key has answered the question") }})
	w.addFailure(item('1', "/words"), &protocols.Ask{URL: item('1', "/words"), Fields: []protocols.Field{{}}, With: func([]string) (urlcore.URL, error) {
		t.Error("keys were sent to a server that asked without being expected to")
		return item('1', "/"), nil
	}})
	w.addPage(item('1', "/"), protocols.LayoutMenu, "Start",
		link(protocols.Menu, "stalls", item('1', "/stalls")), link(protocols.Menu, "missing", item('1', "/missing")), link(protocols.Menu, "secret", item('1', "/secret")),
		link(protocols.Menu, "confirm", item('1', "/confirm")), link(protocols.Menu, "words", item('1', "/words")), link(protocols.Menu, "alpha", item('1', "/alpha")))
	late := pace{answer: time.Second}
	many := strings.Repeat(" down", 300)
	for _, tt := range []struct {
		name, before, keys string
		waiting            string // in the status line while the keys wait, or ""
		then               string // keys pressed after that
		want               string // the final state
		shown              string // on the final screen
		p                  pace
	}{
		{"stalled", "", "enter down enter x", "waiting: Down Enter x", "", "/1/, line 0", "waiting: Down Enter x", pace{}},
		{"reload before the answer", "", "enter f5 down", "waiting: Down", "", "/1/, line 0", "waiting: Down", pace{}},
		{"stopped", "", "enter down enter", "waiting: Down Enter", "esc down enter", "/1/missing", "Not found", pace{}},
		{"interrupted", "", "enter down enter", "waiting: Down Enter", "ctrl+c down down", "/1/, line 2", "", pace{}},
		{"canceled", "", "enter down enter", "waiting: Down Enter", "ctrl+g down enter", "/1/missing", "Not found", pace{}},
		{"another URL behind Ctrl-G", "down", "enter enter y ctrl+g ctrl+g g ctrl+u g o p h e r . e x a m p l e . o r g / 1 / a l p h a enter j enter", "waiting: j Enter", "", "/1/alpha/two", "", late},
		{"another URL", "", "enter down enter", "waiting: Down Enter", "ctrl+l g o p h e r . e x a m p l e . o r g / 1 / a l p h a enter", "/1/alpha, line 2", "", pace{}},
		{"another tab", "end t home", "enter down enter", "waiting: Down Enter", "ctrl+pgdown down", "tab 2 of 2: gopher://gopher.example.org/1/alpha, line 3", "", pace{}},
		{"another tab behind a key that may ask", "end t home", "enter / [ ]", "waiting: / [ ]", "", "tab 1 of 2", "waiting: / [ ]", pace{}},
		{"a key that is for tabs on some pages", "end t home", "enter ] [", "waiting: ] [", "", "tab 1 of 2", "waiting: ] [", pace{}},
		{"letters behind Enter", "", "enter down enter g o T", "waiting: Down Enter g o T", "", "/1/, line 0", "", pace{}},
		{"stopped later", "", "enter" + many, "and 248 more", "esc down", "/1/, line 1", "", pace{}},
		{"failed", "down", "enter end enter", "waiting: End Enter", "", "/1/missing", "dropped: End Enter", late},
		{"login", "down down", "enter d o w n enter", "waiting: d o w n Enter", "", ", prompt", "User:", late},
		{"question", "down down down", "enter y y", "waiting: y y", "", ", question", "dropped: y y (typed before you could read this)", late},
		{"unexpected prompt", "down down down down", "enter j j enter", "waiting: j j Enter", "", ", prompt", "Answer:", late},
		{"two keys that are one", "", "end enter down down g g enter", "waiting: Down Down g g Enter", "", "/1/alpha/one, line 2", "", late},
		{"reload", "", "r down down", "", "", "/1/, line 2", "", late},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := Options{}
				o.Config.Keys.Page = map[string][]string{"top": {"home", "gg"}}
				k := newTypist(t, w, o, tt.p)
				k.pass(10 * time.Second)
				k.pressEvery(5*time.Second, strings.Fields(tt.before)...)
				k.pressEvery(0, strings.Fields(tt.keys)...)
				k.pass(200 * time.Millisecond)
				if tt.waiting == "" {
					k.wantNotShown("waiting: ")
				} else {
					k.wantShown(tt.waiting)
				}
				k.pressEvery(10*time.Millisecond, strings.Fields(tt.then)...)
				k.pass(5 * time.Second)
				if got := k.state(); !strings.Contains(got, tt.want) {
					t.Errorf("got %s, want %s", got, tt.want)
				}
				k.wantShown(tt.shown)
			})
		})
	}
}

// TestKeysOnEndlessPage checks that keys on a page that never ends act as soon as the lines that they need have come, and
// that keys about the whole page do not wait forever.
func TestKeysOnEndlessPage(t *testing.T) {
	w, _ := burstWeb()
	at := item('1', "/endless")
	w.addSlowPage(at, 100_000, 130*time.Millisecond, nil)
	w.addPage(item('1', "/"), protocols.LayoutMenu, "Start", link(protocols.Menu, "endless", at))
	w.addText(item('0', "/slow1"), "One", "the first")
	for _, tt := range []struct {
		keys  string
		after time.Duration
		want  string
	}{
		{"enter down", 300 * time.Millisecond, "/1/endless, line 1,"},
		{"enter down enter", 300 * time.Millisecond, "/0/slow1,"},
		{"enter down down down", 560 * time.Millisecond, "/1/endless, line 3,"},
		{"enter end", 2900 * time.Millisecond, "/1/endless, line 0,"},
		{"enter end", 3050 * time.Millisecond, "/1/endless, line 22,"},
		{"enter / 2 0 enter", 3200 * time.Millisecond, "/1/endless, line 20,"},
	} {
		t.Run(fmt.Sprint(tt.keys, " ", tt.after), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newTypist(t, w, Options{}, pace{})
				k.pass(time.Second)
				k.pressEvery(0, strings.Fields(tt.keys)...)
				k.pass(tt.after)
				if got := k.state(); !strings.Contains(got, tt.want) {
					t.Errorf("got %s, want %s", got, tt.want)
				}
			})
		})
	}
}

// TestUnreadPrompts checks that no key answers a prompt that the user has not had the time to read, and that prompts which
// the user's own keys open take keys at once. The answer of the server comes after half a second. A duration among the keys
// is a pause.
func TestUnreadPrompts(t *testing.T) {
	quiz := urlcore.Gopher{HostPort: urlcore.HostPort{Host: "gopher.example.org"}, Type: '0', Selector: "/form", Plus: "?", HasPlus: true}
	first := item('1', "/first") // the page with the cursor on the item that asks
	for _, tt := range []struct {
		question string // with which the server answers
		keys     string
		every    time.Duration // between the keys
		want     string        // what the keys have answered or sent, or ""
		shown    string        // on the last screen
	}{
		{"confirm", "r / f o o 600ms enter y", 0, "", "Trust it?"},
		{"confirm", "r : m o u s e 600ms enter y", 0, "", ""},
		{"confirm", "r ? 600ms esc y", 0, "", "Trust it?"},
		{"confirm", "r g 600ms esc y", 0, "", "Trust it?"},
		{"confirm", "enter ? 600ms esc y", 0, "", "Trust it?"},
		{"confirm", "r d 600ms y", 0, "", "Trust it?"},
		{"confirm", "r s 600ms esc y", 0, "", "Trust it?"},
		{"confirm", "r g 600ms ctrl+l esc y", 0, "", "Trust it?"},
		{"confirm", "r g 600ms esc y y y y y y", 100 * time.Millisecond, "", "Trust it?"},
		{"confirm", "r g 600ms esc esc", 0, "", "Ask again"},
		{"confirm", "r 600ms y", 0, "", "dropped: y (typed before you could read this)"},
		{"confirm", "r 600ms y 450ms y", 0, "confirmed", ""},
		{"confirm", "r 600ms esc", 0, "", "Ask again"},
		{"confirm", "r 600ms n", 0, "", "dropped: n"},
		{"confirm", "r t 600ms ] y [ y", 0, "", "Trust it?"},
		{"confirm", "r down down down y", 30 * time.Millisecond, "", "Trust it?"},
		{"confirm", "r 350ms down down down y", 50 * time.Millisecond, "", "Trust it?"},
		{"login", "r / f o o 600ms enter n n enter n n enter", 0, "", "User:"},
		{"login", "r 600ms n 450ms n n enter p enter", 0, "nn:p", ""},
		{"words", "enter 600ms x enter", 0, "", "One:"},
		{"words", "enter 1s x enter", 0, "x", ""},
		{"form", "enter 600ms down down down enter", 0, "", "Send"},
		{"form", "enter 1s down down down enter", 0, ";", ""},
		{"known form", "enter down down down enter", 0, "", "dropped: Down Enter"},
		{"known form", "enter a down b down enter", 0, "", "[a "},
		{"known form", "enter 600ms a down b down enter", 0, "a;b", ""},
		{"known words", "enter x enter", 0, "x", ""},
		{"known words", "enter 600ms x enter", 0, "x", ""},
	} {
		t.Run(tt.question+" "+tt.keys, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := ""
				fields := []protocols.Field{{Label: "One"}, {Label: "Two"}}
				with := func(answers []string) (urlcore.URL, error) {
					got += strings.Join(answers, ";")
					return item('1', "/"), nil
				}
				questions := map[string]error{
					"confirm":     &protocols.Confirm{Question: "Trust it", GiveConsent: func() { got += "confirmed" }},
					"login":       &protocols.Login{Server: "h:70", With: func(user, password string) { got += user + ":" + password }},
					"words":       &protocols.Ask{URL: first, Fields: fields[:1], With: with},
					"form":        &protocols.Ask{URL: first, Fields: fields, IsForm: true, With: with},
					"known form":  &protocols.Ask{URL: quiz, Fields: fields, IsForm: true, With: with},
					"known words": &protocols.Ask{URL: item('7', "/find"), Fields: fields[:1], With: with},
				}
				asks := map[string]urlcore.URL{"known form": quiz, "known words": item('7', "/find")}[tt.question]
				if asks == nil {
					asks = first
				}
				w := web{}
				w.addPage(item('1', "/"), protocols.LayoutMenu, "Start", link(protocols.KindOf(asks), "first", asks), link(protocols.Menu, "second", item('1', "/second")))
				start, fetched := w[item('1', "/")], 0
				w[item('1', "/")] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
					if fetched++; fetched > 1 && got == "" && questions[tt.question] != nil && !strings.HasPrefix(tt.question, "known") && tt.question != "form" && tt.question != "words" {
						return nil, questions[tt.question]
					}
					return start(ctx, req)
				}
				if q := questions[tt.question]; q != nil {
					w[asks] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
						if got != "" {
							return start(ctx, req)
						}
						return nil, q
					}
				}
				k := newTypist(t, w, Options{}, pace{answer: 500 * time.Millisecond})
				k.pass(10 * time.Second)
				for _, key := range strings.Fields(tt.keys) {
					if pause, err := time.ParseDuration(key); err == nil {
						k.pass(pause)
					} else {
						k.pressEvery(tt.every, key)
					}
				}
				k.pass(2 * time.Second)
				if got != tt.want {
					t.Errorf("answered %q, want %q", got, tt.want)
				}
				k.wantShown(tt.shown)
			})
		})
	}
}

// slowServer lists directories slowly, and makes changes.
type slowServer struct {
	distantWeb
	protocols.Putter     // not used
	protocols.Identifier // not used
	*changeServer
}

func (s slowServer) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	return s.distantWeb.Fetch(ctx, req)
}

func (s slowServer) Change(ctx context.Context, c *protocols.Change) (urlcore.URL, error) {
	return s.change(ctx, c)
}

// TestQuestionBeforeForm checks that the form of an item which was known to ask, behind an open question, does not make the
// question take keys before it could be read.
func TestQuestionBeforeForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quiz := urlcore.Gopher{HostPort: urlcore.HostPort{Host: "gopher.example.org"}, Type: '0', Selector: "/form", Plus: "?", HasPlus: true}
		bin, answered := item('9', "/bin"), false
		w := web{}
		w.addFailure(quiz, &protocols.Ask{URL: quiz, Fields: []protocols.Field{{Label: "One"}, {Label: "Two"}}, IsForm: true})
		w[bin] = func(ctx context.Context, _ protocols.Request) (*protocols.Resource, error) {
			_ = sleep(ctx, 450*time.Millisecond)
			return nil, &protocols.Confirm{Question: "Trust it", GiveConsent: func() { answered = true }}
		}
		w.addPage(item('1', "/"), protocols.LayoutMenu, "Start", link(protocols.Binary, "bin", bin), link(protocols.KindOf(quiz), "form", quiz))
		k := newTypist(t, w, Options{}, pace{answer: 500 * time.Millisecond})
		k.pass(10 * time.Second)
		k.pressEvery(0, "d", "down", "enter")
		k.pass(505 * time.Millisecond)
		k.wantShown("Trust it?")
		k.pressEvery(0, "y")
		k.pass(2 * time.Second)
		fetchtest.Equal(t, answered, false, "the key has answered the question")
		k.wantShown("Trust it?")
	})
}

// TestRemovalOnUnseenPage checks that no key typed ahead answers the question about a file in a directory that
// was not on the screen when the keys were pressed.
func TestRemovalOnUnseenPage(t *testing.T) {
	for pause, want := range map[time.Duration]string{0: "a.txt b.txt", 10 * time.Millisecond: "a.txt b.txt", 2 * time.Second: "b.txt"} {
		synctest.Test(t, func(t *testing.T) {
			s := newChangeServer("a.txt", "b.txt")
			o := s.options()
			o.Home = item('1', "/")
			s.w.addPage(o.Home, protocols.LayoutMenu, "Start", link(protocols.Directory, "pub", ftpItem("pub", 'd')))
			k := newTypist(t, s.w, o, pace{answer: 800 * time.Millisecond})
			k.pass(2 * time.Second)
			k.pressEvery(pause, "enter", "x", "y")
			k.pass(3 * time.Second)
			fetchtest.Equal(t, strings.Join(s.names, " "), want, "files after a pause of %v", pause)
			if want == "a.txt b.txt" {
				k.wantShown("Remove \"a.txt\"", "dropped: y (typed before you could read this)")
			}
		})
	}
}

// TestUnreadRemoval checks that no key typed ahead answers the question about a directory whose contents a server lists
// first, and that a notice names the key and the reason.
func TestUnreadRemoval(t *testing.T) {
	for _, tt := range []struct {
		pause       time.Duration
		want, shown string
	}{
		{0, "a.txt dir", "dropped: y (typed before you could read this)"},
		{2 * time.Second, "a.txt", "removed dir"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newChangeServer("a.txt", "dir")
			s.w.addPage(s.item("dir"), protocols.LayoutDirectory, "dir", protocols.Line{Kind: protocols.Text, Text: "f", Link: ftpItem("pub/dir/f", 0)})
			o := s.options()
			o.Server = slowServer{distantWeb{s.w, pace{answer: 300 * time.Millisecond}}, nil, nil, s}
			k := newTypist(t, s.w, o, pace{})
			k.pass(time.Second)
			k.pressEvery(tt.pause, "x", "y")
			k.pass(2 * time.Second)
			fetchtest.Equal(t, strings.Join(s.names, " "), tt.want, "files after a pause of %v", tt.pause)
			fetchtest.Equal(t, strings.Count(k.screen(), tt.shown), 1, "times that %q is shown after a pause of %v", tt.shown, tt.pause)
			if view := k.View(); k.openPrompt() != nil {
				row := strings.Split(view.Content, "\n")[view.Cursor.Y]
				fetchtest.Equal(t, strings.Contains(row, "(y/N)"), true, "the cursor is in the row of the question")
			}
		})
	}
}
