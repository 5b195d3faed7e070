package ui

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/picture"
	"gofer/internal/text/clean"
	"gofer/internal/text/sentence"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/page"
	"gofer/ui/room"
)

// changeSetting asks for a new value of a setting.
func (m *Model) changeSetting(key string) tea.Cmd {
	if m.opts.SetSetting == nil {
		return m.notify("no settings are kept")
	}
	settings := m.opts.Settings
	return m.expectPrompt(func() resultFunc {
		all, err := settings()
		i := slices.IndexFunc(all, func(s config.Setting) bool { return s.Key == key })
		switch {
		case err != nil:
			return m.noticeResult("not changed: " + clean.Short(err.Error()))
		case i < 0:
			return m.noticeResult("not changed: there is no setting " + clean.Short(key) + " any more")
		}
		return func() tea.Cmd {
			if _, _, ok := all[i].Binding(); ok {
				return m.askKeys(all, i)
			}
			return m.askSetting(&all[i])
		}
	})
}

// askSetting asks for a new value of s, from a list or as text. While a theme is selected in the
// list, the screen has its colors.
func (m *Model) askSetting(s *config.Setting) tea.Cmd {
	t, page, head := m.tab, m.tab.Session.Page(), ask.Head{Title: s.Key}
	show := func(theme string) {
		if s.Key == "theme" {
			m.previewTheme(theme)
		}
	}
	set := func(name, text string, retry func(error)) tea.Cmd {
		if name == "" && (text == s.Text && text != "" || text == "" && s.Source == "default") { // nothing has changed: do not write the file
			show("")
			return nil
		}
		store := func() tea.Cmd {
			return m.setSetting("", func(err error) tea.Cmd {
				switch show(""); {
				case err != nil && retry != nil:
					retry(err)
				case err == nil && page != nil && page.Failed != nil && page == m.tab.Session.Page():
					return m.reload() // the setting was missing
				}
				return nil
			}, config.Edit{Key: s.Key, Name: name, Old: s.Text, Text: text})
		}
		if config.Tag(s.Key, "server") != "news" || text == "" || m.opts.TryNewsServer == nil {
			return store()
		}
		return m.tryServer(text, func(err error) tea.Cmd {
			if err != nil {
				return m.askUnreachable(t, page, err, retry, store)
			}
			return store()
		})
	}
	switch {
	case s.Source == "":
		value := ask.Field{Label: "Value", Value: s.Text, Required: true}
		if s.Choices != nil {
			value.Input, value.Choices = protocols.InputChoice, s.Choices
		}
		p := ask.NewForm(ask.Head{Title: "Add " + strings.ReplaceAll(s.Key, `""`, "NAME")}, "Save", ask.Field{Label: "Name", Required: true}, value)
		p.Short = true
		p.Finish = func(answers []string) tea.Cmd { return set(answers[0], answers[1], func(error) { t.AskHere(p) }) }
		return t.Ask(p)
	case s.Choices == nil:
		p := ask.NewForm(ask.Head{Title: "Change a setting"}, "Save", ask.Field{Label: s.Key, Value: s.Text},
			ask.Field{Label: "Without a value, the setting gets its default" + parenthesized(s.Default), Input: protocols.InputNote})
		p.Short = true
		p.Finish = func(answers []string) tea.Cmd {
			return set("", answers[0], func(err error) {
				p.Title = clean.Short(err.Error())
				t.AskHere(p)
			})
		}
		return t.Ask(p)
	}
	var choices []ask.Choice
	for _, value := range s.Choices {
		choices = append(choices, ask.Choice{Text: value, Do: func() tea.Cmd { return set("", value, nil) }})
	}
	choices = append(choices, ask.Choice{Text: "default (" + s.Default + ")", Do: func() tea.Cmd { return set("", "", nil) }})
	list := ask.NewList(choices, true, slices.Index(s.Choices, s.Text))
	list.Moved = func(i int) { show(append(slices.Clone(s.Choices), s.Default)[i]) }
	p := ask.NewChoose(head, s.Key, list)
	p.Leave = func([]string) tea.Cmd { show(""); return nil }
	return m.tab.Ask(p)
}

// parenthesized returns the text in parentheses after a blank, or "" if there is none.
func parenthesized(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// previewTheme shows a theme until the user leaves the tab or the list. If theme is "", it shows
// the theme of the settings.
func (m *Model) previewTheme(theme string) {
	if theme != m.preview {
		m.preview = theme
		m.restyle(m.background)
	}
}

// serverTrial is the attempt to reach the server of a setting before the setting is stored.
type serverTrial struct {
	server string // as typed
	stop   context.CancelFunc
}

// tryServer tries to reach a server in the background, and calls done with the result. Esc stops the attempt, and then
// done is not called.
func (m *Model) tryServer(server string, done func(error) tea.Cmd) tea.Cmd {
	ctx, stop := context.WithCancel(m.ctx)
	try, trial := m.opts.TryNewsServer, &serverTrial{clean.Short(server), stop}
	m.stopTrial()
	m.trial = trial
	return runInBackground(func() resultFunc {
		err := try(ctx, server)
		stop()
		return func() tea.Cmd {
			if m.trial != trial {
				return nil
			}
			m.trial = nil
			return done(err)
		}
	})
}

// stopTrial stops the attempt to reach a server. It returns false if there is none.
func (m *Model) stopTrial() bool {
	if m.trial == nil {
		return false
	}
	m.trial.stop()
	m.trial = nil
	return true
}

// askUnreachable says why the server of a setting was not reached, and asks what to do: edit the setting again with the
// function edit, or store it with the function store.
func (m *Model) askUnreachable(t *tab, p *nav.Page, why error, edit func(error), store func() tea.Cmd) tea.Cmd {
	reason := clean.Short(sentence.Of(why))
	if t.Session.Page() != p || !slices.Contains(m.tabs, t) {
		return m.notify("not changed: " + reason)
	}
	t.AskHere(ask.NewChoose(ask.Head{Title: reason}, "Not saved", ask.NewList([]ask.Choice{
		{Text: "Edit it", Do: func() tea.Cmd { edit(errors.New(reason)); return nil }},
		{Text: "Save it anyway", Do: store},
		{Text: "Do not save it", Do: func() tea.Cmd { return m.notify("not changed") }},
	}, true, 0)))
	return nil
}

// setSetting writes changes of settings to the file, one after the other, and uses them. Then it calls
// done with the error or nil. The notice describes the last change, and has the parameter note.
func (m *Model) setSetting(note string, done func(error) tea.Cmd, edits ...config.Edit) tea.Cmd {
	set := m.opts.SetSetting
	return m.change(func() (*room.Undo, func() tea.Cmd) {
		var o Options
		var err error
		for _, e := range edits {
			if o, err = set(e); err != nil {
				break
			}
		}
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = failed.Err // the page and the prompt name the file
		}
		return nil, func() tea.Cmd {
			if err != nil {
				return tea.Batch(done(err), m.notify("not changed: "+clean.Short(err.Error())))
			}
			used := m.useOptions(o)
			return tea.Batch(used, m.notify(clean.Short(savedText(edits[len(edits)-1])+note)), m.reloadOwn(about.Settings), done(nil))
		}
	})
}

// savedText returns a notice with the setting and its value. It omits a value that may have a
// password.
func savedText(e config.Edit) string {
	text := strings.Replace(e.Key, `""`, e.Name, 1)
	if !strings.Contains(e.Text, "@") {
		text += " = " + cmp.Or(e.Text, "default") + ","
	}
	if text += " saved"; config.Tag(e.Key, "scope") == "start" {
		text += " for the next start"
	}
	return text
}

// useOptions replaces the options by o and updates all parts that depend on them.
func (m *Model) useOptions(o Options) tea.Cmd {
	old := m.opts
	o.setDefaults()
	m.opts = o
	km := configuredKeymap(&o.Config)
	km.pageContext = m.keys.pageContext
	*m.keys = *km
	if o.Config.Mouse != old.Config.Mouse {
		m.mouse = o.Config.Mouse
	}
	m.terminal.SetRemote(m.isRemote())
	if rate := o.Config.Downloads.LimitRate; rate != old.Config.Downloads.LimitRate && o.Downloads != nil {
		o.Downloads.SetRate(rate.N)
	}
	m.restyle(m.background)
	m.graphics.SetProtocol(picture.GraphicsOf(o.Config.Images, m.env))
	m.look.Colors = m.pictureColors(m.terminal.Profile)
	maps.DeleteFunc(m.tab.Pager.WrapHost, func(server string, _ page.Wrap) bool { // a server with an unchanged setting keeps the choice of the user
		return !reflect.DeepEqual(wrapSetting(&old.Config, server), wrapSetting(&o.Config, server))
	})
	for _, t := range m.allTabs() {
		if t.Pager.Invalidate(); t.Session.Page() != nil {
			m.applyWrap(t.Session.Page())
		}
		if o.Config.SortArticles != old.Config.SortArticles || o.Config.Threads != old.Config.Threads {
			m.orderArticles(t)
		}
	}
	if o.Config.Refresh != old.Config.Refresh {
		return m.inbox.Schedule()
	}
	return nil
}

// orderArticles sets the order of articles on pages that t opens.
func (m *Model) orderArticles(t *tab) {
	t.Session.Folded = m.opts.Config.Threads == "folded"
	if o := articleOrder(&m.opts.Config); o != (nav.Order{}) {
		t.Session.SetOrder(nav.KindOf(protocols.LayoutArticles), o)
	}
}

// articleOrder returns the order of articles in the settings. The zero value is by age, the oldest first.
func articleOrder(c *config.Config) nav.Order {
	key, reversed := strings.CutPrefix(c.SortArticles, "-")
	switch key {
	case "age":
		key = nav.ArrivalOrder
	case "subject":
		key = nav.ByName
	}
	return nav.Order{By: key, Reversed: reversed, Flat: c.Threads == "flat"}
}
