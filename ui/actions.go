package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// action is one thing a key does. The table of them is the only list of keys:
// the help page, the manual and the hints are made of it.
type action struct {
	keys []string // as Bubble Tea names them
	name string   // one or two words, for the hints
	help string
	do   func(*Model) tea.Cmd
}

// section is a group of actions in the help.
type section struct {
	title   string
	actions []action
}

// KeyHelp describes one key binding for people.
type KeyHelp struct {
	Section string   // what it has to do with: "Move", "Go", ...
	Keys    []string // as printed on a keyboard: "Ctrl-L", "PgDn", "Space"
	Name    string   // one or two words
	Help    string   // one sentence without a full stop
}

// Keys returns every key of the program in the order in which the help shows
// them.
func Keys() []KeyHelp {
	var all []KeyHelp
	for _, s := range sections() {
		for _, a := range s.actions {
			keys := make([]string, len(a.keys))
			for i, k := range a.keys {
				keys[i] = keyLabel(k)
			}
			all = append(all, KeyHelp{Section: s.title, Keys: keys, Name: a.name, Help: a.help})
		}
	}
	return all
}

func sections() []section {
	return []section{
		{"Move", moveActions()},
		{"Go", goActions()},
		{"Do", doActions()},
	}
}

func moveActions() []action {
	return []action{
		{[]string{"down", "j"}, "down", "to the next link when it is near, else one row down", (*Model).down},
		{[]string{"up", "k"}, "up", "to the link before when it is near, else one row up", (*Model).up},
		{[]string{"tab"}, "next link", "to the next link, wherever it is", (*Model).nextLink},
		{[]string{"shift+tab"}, "link before", "to the link before, wherever it is", (*Model).previousLink},
		{[]string{"pgdown", "space", "ctrl+f"}, "page down", "one screen down", (*Model).pageDown},
		{[]string{"pgup", "b", "ctrl+b"}, "page up", "one screen up", (*Model).pageUp},
		{[]string{"ctrl+d"}, "half down", "half a screen down", (*Model).halfDown},
		{[]string{"ctrl+u"}, "half up", "half a screen up", (*Model).halfUp},
		{[]string{"home"}, "top", "to the beginning of the page", (*Model).top},
		{[]string{"end", "G"}, "end", "to the end of the page", (*Model).bottom},
		{[]string{">", "shift+right"}, "pan right", "see what is further to the right", (*Model).panRight},
		{[]string{"<", "shift+left"}, "pan left", "back to the left", (*Model).panLeft},
		{[]string{"w"}, "wrap", "wrap long lines, or do not", (*Model).toggleWrap},
		{[]string{"/"}, "find", "search in the page", (*Model).startFind},
		{[]string{"n"}, "next found", "to the next place where the words are", (*Model).findNext},
		{[]string{"N"}, "found before", "to the place before where the words are", (*Model).findPrevious},
	}
}

func goActions() []action {
	return []action{
		{[]string{"enter", "right", "l"}, "open", "follow the link under the cursor", (*Model).follow},
		{[]string{"backspace", "left", "h", "alt+left"}, "back", "to the page before, as it was left", (*Model).back},
		{[]string{"f", "alt+right"}, "forward", "forward again", (*Model).forward},
		{[]string{"u"}, "up a level", "to the directory, menu or group that the page is in", (*Model).upLevel},
		{[]string{"r", "ctrl+r", "f5"}, "reload", "fetch the page again and keep the place", (*Model).reload},
		{[]string{"esc"}, "stop", "stop what is being loaded and stay; forget what was searched", (*Model).stop},
		{[]string{"g", "ctrl+l"}, "address", "type a URL", (*Model).editURL},
		{[]string{"~"}, "home", "to the home page", (*Model).home},
		{[]string{"B"}, "bookmarks", "the bookmarks", (*Model).openBookmarks},
		{[]string{"H"}, "history", "the pages visited", (*Model).openHistory},
		{[]string{"?", "f1"}, "help", "the help page", (*Model).openHelp},
	}
}

func doActions() []action {
	return []action{
		{[]string{"d"}, "save", "save the item under the cursor, or the page, as a file", (*Model).save},
		{[]string{"a"}, "bookmark page", "bookmark this page", (*Model).bookmarkPage},
		{[]string{"A"}, "bookmark item", "bookmark the item under the cursor", (*Model).bookmarkItem},
		{[]string{"x"}, "forget", "remove the visit under the cursor from the history", (*Model).forgetVisit},
		{[]string{"X"}, "forget more", "remove the visits of a host or a day, or all, from the history", (*Model).askForget},
		{[]string{"="}, "explain", "explain the URL of this page: its parts, and what it makes gofer send", (*Model).explainPage},
		{[]string{"i"}, "explain item", "explain the URL of the item under the cursor", (*Model).explainItem},
		{[]string{"y"}, "copy", "copy the URL of the item under the cursor, or of the page, to the clipboard", (*Model).copyURL},
		{[]string{"ctrl+z"}, "suspend", "put the program to sleep; fg wakes it", (*Model).suspend},
		{[]string{"q"}, "quit", "leave", (*Model).quit},
		{[]string{"ctrl+c"}, "stop or quit", "stop what is being loaded; leave when nothing is", (*Model).stopOrQuit},
	}
}

// keyTable maps each key to what it does.
func keyTable() map[string]action {
	table := make(map[string]action)
	for _, s := range sections() {
		for _, a := range s.actions {
			for _, k := range a.keys {
				table[k] = a
			}
		}
	}
	return table
}

// keyLabel writes a key as keyboards and manuals do.
func keyLabel(k string) string {
	var mods string
	for _, m := range []struct{ in, out string }{{"ctrl+", "Ctrl-"}, {"alt+", "Alt-"}, {"shift+", "Shift-"}} {
		if rest, ok := strings.CutPrefix(k, m.in); ok {
			mods += m.out
			k = rest
		}
	}
	if mods != "" && len(k) == 1 {
		return mods + strings.ToUpper(k)
	}
	if name, ok := keyNames()[k]; ok {
		return mods + name
	}
	return mods + k
}

func keyNames() map[string]string {
	return map[string]string{
		"down": "Down", "up": "Up", "left": "Left", "right": "Right",
		"pgdown": "PgDn", "pgup": "PgUp", "home": "Home", "end": "End",
		"tab": "Tab", "enter": "Enter", "esc": "Esc", "space": "Space",
		"backspace": "Backspace", "f1": "F1", "f5": "F5",
	}
}
