package ui

import "slices"

// restrictedActions are the names of those that are not there where
// [Options.Restricted] is set: they save files, look at those of the machine, start other
// programs, change servers or the bookmarks, or need what is not there: history, score file.
func restrictedActions() []string {
	return []string{"save", "save as", "save text", "downloads", "pipe text", "pipe document", "open outside", "bookmark page", "bookmark item", "edit bookmarks", "forget", "history", "score rule", "suspend", "private", "forget more", "rename", "make directory", "upload", "follow up", "reply", "post", "supersede", "cancel article"}
}

// Restricted reports whether the action is not there in restricted mode.
func (k *KeyHelp) Restricted() bool { return slices.Contains(restrictedActions(), k.Name) }

// restrictedText tells that something is not done in restricted mode.
const restrictedText = "files and other programs are not used here"
