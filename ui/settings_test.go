package ui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/urlcore"
)

// settingsReader is a driver on about:settings that records changes of settings.
type settingsReader struct {
	*driver
	edits []config.Edit
	err   error
	next  Options // result of the next change
}

func newSettingsReader(t *testing.T) *settingsReader {
	all := []config.Setting{
		{Key: "theme", Text: "auto", Default: "auto", Source: "default", Choices: []string{"auto", "dark", "light"}},
		{Key: "mouse", Text: "false", Default: "false", Source: "config.toml:3", Choices: []string{"true", "false"}},
		{Key: "timeouts.idle", Text: "9s", Default: "1m0s", Source: "config.toml:5"},
		{Key: `host."".charset`},
	}
	r, w := new(settingsReader), make(web)
	client := &about.Client{
		Settings:     func() ([]config.Setting, error) { return append([]config.Setting(nil), all...), nil },
		SettingsFile: "config.toml",
	}
	w[about.Page("settings")] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		return client.Fetch(ctx, protocols.Request{URL: about.Page("settings")})
	}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "A menu", protocols.Line{
		Text: "Dark mode!", Link: fetchtest.Parse(t, "about:settings?theme"),
	})
	w.addPage(fetchtest.Parse(t, "news:a.b"), protocols.LayoutArticles, "a.b", protocols.Line{Text: "First article"})
	w[fetchtest.Parse(t, "about:settings?theme")] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		return client.Fetch(ctx, protocols.Request{URL: fetchtest.Parse(t, "about:settings?theme")})
	}
	o := Options{Settings: client.Settings, Config: config.Config{Theme: "auto"}, SetSetting: func(e config.Edit) (Options, error) {
		r.edits = append(r.edits, e)
		return r.next, r.err
	}}
	r.driver = drive(t, w, o, 80, 24)
	r.next = r.opts
	return r
}

// TestChangeSettings changes each kind of setting on about:settings.
func TestChangeSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		line  string // line to be found and opened
		keys  []string
		typed string
		want  []config.Edit
	}{
		"a choice":          {"theme ", []string{"down", "enter"}, "", []config.Edit{{Key: "theme", Old: "auto", Text: "dark"}}},
		"the default":       {"mouse ", []string{"down", "enter"}, "", []config.Edit{{Key: "mouse", Old: "false"}}},
		"the default again": {"theme ", []string{"up", "enter"}, "", nil},
		"yes or no":         {"mouse ", []string{"up", "enter"}, "", []config.Edit{{Key: "mouse", Old: "false", Text: "true"}}},
		"a text":            {"idle ", []string{"ctrl+u"}, "1s", []config.Edit{{Key: "timeouts.idle", Old: "9s", Text: "1s"}}},
		"no text":           {"idle ", []string{"ctrl+u", "enter"}, "", []config.Edit{{Key: "timeouts.idle", Old: "9s"}}},
		"a new name": {
			"NAME.charset",
			[]string{"h", "enter", "c", "p", "8", "6", "6", "enter"},
			"",
			[]config.Edit{{Key: `host."".charset`, Name: "h", Text: "cp866"}},
		},
		"unchanged": {"mouse ", []string{"enter"}, "", nil},
		"canceled":  {"theme ", []string{"down", "esc"}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSettingsReader(t)
			r.run(r.visit(about.Page("settings")))
			r.submit("/", tt.line).press("enter").press(tt.keys...)
			if tt.typed != "" {
				r.typeText(tt.typed).press("enter")
			}
			fetchtest.EqualSlices(t, r.edits, tt.want, "changes")
		})
	}
}

// TestBindKey changes the keys of actions on a form, which proposes the old keys. A key of another action is
// taken away only after a question.
func TestBindKey(t *testing.T) {
	all := []config.Setting{
		{Key: `keys.page.""`},
		{Key: "keys.page.home", Text: "T F9", Source: "config.toml:7"},
		{Key: `keys.page."save as"`, Text: "D", Source: "config.toml:8"},
		{Key: `keys.news.""`},
	}
	home := config.Edit{Key: "keys.page.home", Old: "T F9"}
	with := func(e config.Edit, text string) config.Edit { e.Text = text; return e }
	add := func(context, name, text string) config.Edit {
		return config.Edit{Key: "keys." + context + `.""`, Name: name, Text: text}
	}
	for name, tt := range map[string]struct {
		setting string
		do      func(r *settingsReader)
		want    []config.Edit
	}{
		"another key": {"keys.page.home", func(r *settingsReader) {
			r.wantShown("‹ home ›", "[T F9 ").press("down").typeText("F12").press("enter").wantShown("keys.page.home = T F9 F12, saved")
		}, []config.Edit{with(home, "T F9 F12")}},
		"a key less": {"keys.page.home", func(r *settingsReader) {
			r.press("down", "backspace", "backspace", "backspace", "backspace", "enter")
		}, []config.Edit{with(home, "T")}},
		"no keys of its own": {"keys.page.home", func(r *settingsReader) { r.press("down", "ctrl+u", "enter") }, []config.Edit{home}},
		"no keys":            {"keys.page.home", func(r *settingsReader) { r.press("down", "ctrl+u").typeText("none").press("enter") }, []config.Edit{with(home, "none")}},
		"another action": {`keys.page.""`, func(r *settingsReader) {
			r.typeText("page inf").wantShown("‹ page information ›", "show the server, size and transcript").press("tab").wantShown("[I ")
			r.typeText("F12").press("enter")
		}, []config.Edit{add("page", "page information", "I F12")}},
		"keys typed before the action": {`keys.page.""`, func(r *settingsReader) {
			r.press("down").typeText("F12 ").press("up").typeText("page inf").press("tab").wantShown("[I F12 ").press("enter")
		}, []config.Edit{add("page", "page information", "I F12")}},
		"of news pages": {`keys.news.""`, func(r *settingsReader) {
			r.typeText("post").press("tab").wantShown("[w ").typeText("F12").press("enter")
		}, []config.Edit{add("news", "post", "w F12")}},
		"no key": {`keys.page.""`, func(r *settingsReader) {
			r.press("down").typeText("Meta-x").press("enter").wantShown(`"Meta-x" is not a key`, "[Enter Right Meta-x ").press("esc")
		}, nil},
		"the old keys": {"keys.page.home", func(r *settingsReader) { r.press("down", "enter").wantShown("not changed") }, nil},
		"not the key of another action": {"keys.page.home", func(r *settingsReader) {
			r.press("down").typeText("Q ,").press("enter").wantShown(`"Q" is the only key of "QR code", "," is the only key of "previous new":`, `bind them to "home" instead? (y/N)`)
			r.press("n").wantShown("[T F9 Q , ").press("esc")
		}, nil},
		"the key of another action": {"keys.page.home", func(r *settingsReader) {
			r.press("down").typeText("q").press("enter").wantShown(`"q" is the only key of "quit"`).press("y").wantShown(`saved; q was "quit"`)
		}, []config.Edit{with(home, "T F9 q")}},
		"a key of the settings": {`keys.page."save as"`, func(r *settingsReader) {
			r.press("down").typeText("T F9").press("enter").wantShown(`"T" is the key of "home"`).press("y")
		}, []config.Edit{with(home, "none"), {Key: `keys.page."save as"`, Old: "D", Text: "D T F9"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSettingsReader(t)
			r.opts.Settings = func() ([]config.Setting, error) { return all, nil }
			r.opts.Config.Keys.Page = config.Bindings{"home": {"T", "F9"}, "save as": {"D"}}
			r.next = r.opts
			r.run(r.writeInBackground(func() resultFunc { return func() tea.Cmd { r.useOptions(r.next); return nil } }))
			r.run(r.changeSetting(tt.setting))
			tt.do(r)
			fetchtest.EqualSlices(t, r.edits, tt.want, "changes")
		})
	}
}

// TestThemePreview checks that the selected theme is previewed, and that Esc or an error restores the
// old theme. A change must use the new options.
func TestThemePreview(t *testing.T) {
	r := newSettingsReader(t)
	before := r.styles.Accent
	r.run(r.changeSetting("theme"))
	r.press("down", "down")
	fetchtest.Equal(t, r.preview, "light", "theme while it is selected")
	if r.styles.Accent == before {
		t.Error("the selected theme has the same colors")
	}
	r.press("esc")
	fetchtest.Equal(t, r.styles.Accent, before, "colors after Esc")
	r.run(r.changeSetting("theme"))
	r.press("down", "down")
	first := r.tab
	r.run(r.openAndShowTab(1, room.Target{URL: r.tab.Session.Page().URL}, room.How{}))
	fetchtest.Equal(t, r.styles.Accent, before, "colors in another tab")
	r.run(r.showTab(first))
	r.press("esc")
	r.err = errors.New("disk full")
	r.run(r.changeSetting("theme"))
	r.press("down", "enter").wantShown("not changed: disk full")
	fetchtest.Equal(t, r.styles.Accent, before, "colors after an error")
	r.err, r.next.Config.Theme, r.next.Config.Mouse = nil, "light", true
	r.next.Config.Keys.Page = config.Bindings{"theme": {"T"}}
	r.next.Guess = func(string) (urlcore.URL, error) { return item('1', "/guessed"), nil }
	r.run(r.changeSetting("theme"))
	r.press("down", "enter").wantShown("theme = dark, saved")
	fetchtest.Equal(t, r.opts.Config.Theme, "light", "theme of the new options")
	fetchtest.Equal(t, r.mouse, true, "mouse")
	fetchtest.Equal(t, fetchtest.Must(shell{r.Model}.Guess("a"))(t), item('1', "/guessed"), "URL of a bookmark as typed")
	r.press("T").wantShown("default (auto)")
}

// TestServersChangeNoSettings checks that a server's link to a setting opens the page of the setting,
// but no prompt.
func TestServersChangeNoSettings(t *testing.T) {
	r := newSettingsReader(t)
	r.press("enter").wantURL(fetchtest.Parse(t, "about:settings?theme")).wantShown("theme")
	fetchtest.Equal(t, r.tab.Prompt == nil, true, "no prompt")
	r.opts.SetSetting = nil
	r.submit("/", "theme ").press("enter").wantShown("no settings are kept")
	fetchtest.Equal(t, len(r.edits), 0, "changes")
}

// newsServerReader is a settingsReader with a group that needs a news server.
func newsServerReader(t *testing.T, try func(ctx context.Context, server string) error) (r *settingsReader, group urlcore.URL) {
	group = fetchtest.Parse(t, "news:comp.lang.go")
	w := make(web)
	r = new(settingsReader)
	w.addPage(item('1', "/"), protocols.LayoutMenu, "A menu", protocols.Line{Text: "An item", Link: item('0', "/a")})
	w.addText(item('0', "/a"), "a", "the text of a\n")
	w.addPage(group, protocols.LayoutArticles, "comp.lang.go", protocols.Line{Text: "First article"})
	articles := w[group]
	w[group] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		if len(r.edits) == 0 || r.err != nil {
			return nil, &protocols.Error{Reason: protocols.NoServer, Op: "find the news server", Err: errors.New("none is set")}
		}
		return articles(ctx, req)
	}
	setting := config.Setting{Key: "news_server", Source: "default"}
	r.driver = drive(t, w, Options{
		Settings: func() ([]config.Setting, error) { return []config.Setting{setting}, nil },
		SetSetting: func(e config.Edit) (Options, error) {
			r.edits = append(r.edits, e)
			return r.next, r.err
		},
		TryNewsServer: try,
	}, 80, 24)
	r.next = r.opts
	return r, group
}

// TestNewsServer opens a group without a news server. No prompt opens unasked. The page has a link that asks for the server,
// which is tried before it is stored. Then the group opens.
func TestNewsServer(t *testing.T) {
	var tried []string
	refused := error(&protocols.Error{Reason: protocols.Refused, Op: "connect to news.example.org:119"})
	r, group := newsServerReader(t, func(_ context.Context, server string) error {
		tried = append(tried, server)
		return refused
	})
	r.run(r.visit(group)).wantShown("No news server set")
	fetchtest.Equal(t, r.openPrompt() == nil, true, "no prompt opens unasked")
	r.press("ctrl+l").typeText("gopher://gopher.example.org/0/a").press("enter").wantShown("the text of a")
	fetchtest.Equal(t, len(r.edits)+len(tried), 0, "changes and attempts")

	open := func() { r.run(r.visit(group)).wantCurrent("Set your news server").press("enter") }
	open()
	r.typeText("news.example.org").press("enter").wantShown("Could not connect to news.example.org:119", "Edit it", "Save it anyway")
	fetchtest.EqualSlices(t, tried, []string{"news.example.org"}, "attempts")
	fetchtest.Equal(t, len(r.edits), 0, "changes")
	r.press("enter").wantShown("[news.example.org ").press("esc")
	fetchtest.Equal(t, len(r.edits), 0, "changes after the edit was canceled")

	open()
	r.typeText("news.example.org").press("enter").press("esc")
	fetchtest.Equal(t, len(r.edits), 0, "changes after Esc")
	r.err = errors.New("disk full")
	open()
	r.typeText("news.example.org").press("enter", "down", "enter").wantShown("─ disk full ─").press("esc")
	r.err, r.edits = nil, nil
	open()
	r.typeText("news.example.org").press("enter", "down", "enter").wantShown("First article")
	refused, r.edits = nil, nil
	open()
	r.typeText("news.example.org").press("enter").wantShown("First article")
	fetchtest.EqualSlices(t, r.edits, []config.Edit{{Key: "news_server", Text: "news.example.org"}}, "changes")
}

// TestStopTrial checks that Esc and Ctrl-C stop the attempt to reach a server, and that nothing is stored then. A failure
// that is known after the user has opened another page is a notice.
func TestStopTrial(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c", "ctrl+l"} {
		stopped := false
		r, group := newsServerReader(t, func(ctx context.Context, _ string) error {
			stopped = ctx.Err() != nil
			return &protocols.Error{Reason: protocols.Refused}
		})
		r.run(r.visit(group)).press("enter").typeText("news.example.org")
		_, trial := r.Update(keyPress("enter"))
		r.wantShown("trying news.example.org")
		if r.press(key); key == "ctrl+l" {
			r.typeText("gopher://gopher.example.org/0/a").press("enter").run(trial).wantShown("not changed: Connection refused")
		} else {
			r.wantShown("stopped").run(trial).wantNotShown("Save it anyway")
			fetchtest.Equal(t, stopped, true, "the attempt was stopped by "+key)
		}
		fetchtest.Equal(t, len(r.edits)+len(r.otherMsgs), 0, "changes and messages after "+key)
	}
}

// TestWrapAfterChange checks that a changed setting for wrapping applies to the open page. Changes of
// other settings must not undo the key that switches wrapping.
func TestWrapAfterChange(t *testing.T) {
	r := newSettingsReader(t)
	wrapped := func(on bool) map[string]config.Host { return map[string]config.Host{"gopher.example.org": {Wrap: &on}} }
	r.opts.Config.Host = wrapped(true)
	r.run(r.visit(item('1', "/")))
	fetchtest.Equal(t, r.tab.Pager.WrapsLines(), true, "wrapped as set")
	r.run(r.aids.ToggleWrap()) // all lines
	r.run(r.aids.ToggleWrap()) // none
	r.next.Config.Host = wrapped(true)
	r.run(r.changeSetting("theme"))
	r.press("down", "enter")
	fetchtest.Equal(t, r.tab.Pager.WrapsLines(), false, "wrapped after another setting, as switched")
	for _, on := range []bool{false, true} {
		r.next.Config.Host = wrapped(on)
		r.run(r.changeSetting("theme"))
		r.press("down", "enter")
		fetchtest.Equal(t, r.tab.Pager.WrapsLines(), on, "wrapped as set after a change")
	}
}

// TestOptionsAreUsed checks that changed settings apply to the signs on the screen, to the order
// of articles and to pictures.
func TestOptionsAreUsed(t *testing.T) {
	r := newSettingsReader(t)
	r.next.Config = config.Config{ASCII: true, Threads: "folded", SortArticles: "date", Images: "sixel"}
	r.run(r.changeSetting("theme"))
	r.press("down", "enter").wantNotShown("─").wantShown("-----")
	r.run(r.visit(fetchtest.Parse(t, "news:a.b")))
	p := r.tab.Session.Page()
	fetchtest.Equal(t, p.Order, nav.Order{By: "date"}, "order of articles")
	fetchtest.Equal(t, p.Folded, true, "threads are folded")
	r.next.Config.ASCII = false
	r.run(r.changeSetting("theme"))
	r.press("down", "enter").wantShown("─")
}

// TestSavedText checks the notice about a changed setting, which says whether a restart is needed.
func TestSavedText(t *testing.T) {
	for _, tt := range []struct{ key, text, want string }{
		{"theme", "dark", "theme = dark, saved"},
		{"theme", "", "theme = default, saved"},
		{`host."".wrap`, "true", "host.NAME.wrap = true, saved"},
		{"mail.smtp", "smtp://a:b@h", "mail.smtp saved"},
		{"downloads.folder", "/d", "downloads.folder = /d, saved for the next start"},
	} {
		fetchtest.Equal(t, savedText(config.Edit{Key: tt.key, Name: "NAME", Text: tt.text}), tt.want, "%s", tt.key)
	}
}

// TestRefusedValue checks that the reason is shown for a refused value, and that the prompt
// keeps the typed text.
func TestRefusedValue(t *testing.T) {
	r := newSettingsReader(t)
	r.err = errors.New("a time is written like 15s")
	r.run(r.changeSetting("timeouts.idle"))
	r.press("ctrl+u").typeText("12").press("enter").wantShown("a time is written like 15s").wantShown("timeouts.idle  [12 ")
	r.err = nil
	r.press("s", "enter").wantShown("timeouts.idle = 12s, saved")
}

// TestUnwritableSettings checks that a narrow screen shows the reason of a failed write.
func TestUnwritableSettings(t *testing.T) {
	r := newSettingsReader(t)
	r.send(tea.WindowSizeMsg{Width: 40, Height: 12})
	r.err = fmt.Errorf("lock the file: %w", &fs.PathError{
		Op: "open", Path: "/home/somebody/.config/gofer/config.toml.lock", Err: fs.ErrPermission,
	})
	r.run(r.changeSetting("theme"))
	r.press("down", "enter").wantShown("not changed: permission denied")
}
