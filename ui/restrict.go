package ui

import "slices"

// restrictedActions are the names of those that are not there where
// [Options.Restricted] is set: they save files, or start other programs.
func restrictedActions() []string {
	return []string{"save", "save as", "save text", "downloads", "pipe text", "pipe document", "open outside", "edit bookmarks", "suspend", "follow up", "reply", "post", "supersede", "cancel article"}
}

// Restricted reports whether the action is not there in restricted mode.
func (k *KeyHelp) Restricted() bool { return slices.Contains(restrictedActions(), k.Name) }

// without takes actions away.
func (km *keymap) without(names []string) {
	for i := range km.sections {
		s := &km.sections[i]
		s.actions = slices.DeleteFunc(s.actions, func(a action) bool { return slices.Contains(names, a.name) })
	}
	for _, name := range names {
		delete(km.named, name)
	}
	for _, table := range km.tables {
		for key, a := range table {
			if slices.Contains(names, a.name) {
				delete(table, key)
			}
		}
	}
}

// restrictedText tells that something is not done in restricted mode.
const restrictedText = "files and other programs are not used here"
