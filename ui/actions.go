package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/protocols"
	"gofer/ui/newsreader"
	"gofer/ui/room"
)

// action is an action of the user, with its keys. The help page, the manual and the key hints are
// generated from the table of actions.
type action struct {
	keys         []string // key names of Bubble Tea; "1..9" at the end means nine keys
	name         string   // a few words, shown in hints and used in protocols.Action
	help         string
	do           func(*Model) tea.Cmd // runs the action; nil if the open prompt runs the action by its name
	availability availability
}

// availability says where an action works, and what it does while the pane has the focus. The values are combined.
type availability uint16

const (
	always availability = 0
	// unlessRestricted marks actions that save or read files, start other programs, change
	// servers or the bookmarks, or need the history or the score file.
	unlessRestricted availability = 1 << (iota - 1)

	listOnly    // works in the list, not in the pane: it needs a list, or covers or reloads the page of the tab
	pictureOnly // works in the pane if the pane has a picture
	withoutPage // works in the pane even if the pane has no page
	wholeItem   // does not work in the pane if the pane has only the beginning of the item

	opensInPane  // opens the link of the pane
	leavesPane   // moves the focus to the list
	clearsFilter // clears the filter of the pane, if there is one
	readsPane    // scrolls the pane

	// The values below say when a key of the action runs while other keys wait, see typeahead.
	interrupts  // at once
	anytime     // at once if no key waits: it does the same before and after the answer of a page
	moves       // opens no prompt for the keys after it
	wholePage   // when the page is complete
	wholeScreen // when the screen is full
	nextScreen  // when the page has the next screen
	nextItem    // when the page has the next item or row
)

// has reports whether a has one of the values.
func (a availability) has(values availability) bool { return a&values != 0 }

// The names of the contexts in [Bindings]: the part of the screen that reads the keys.
const (
	contextPage     = "page"     // the page
	contextNews     = "news"     // a news page or the page of an unsent message; keys bound here have priority over the keys of contextPage
	contextBar      = "bar"      // the URL bar
	contextPrompt   = "prompt"   // a prompt for text, or a list of choices
	contextForm     = "form"     // a form
	contextQuestion = "question" // a yes-or-no question
)

// isPageContext reports whether a page, not a prompt, reads the keys.
func isPageContext(context string) bool { return context == contextPage || context == contextNews }

// section is a group of actions in the help.
type section struct {
	title        string
	contexts     []string
	actions      []action
	availability availability // of all its actions, besides their own
	binding      string       // the context in [Bindings], if it is not the first one
}

// KeyHelp is a row of the help: an action with its keys. In the rows that [Help] returns, an action
// without keys has its name in the field Keys.
type KeyHelp struct {
	Section    string   // title of the section: "Move", "Go", ...
	Context    string   // context of the keys, as in [Bindings]
	Keys       []string // labels as on a keyboard: "Ctrl-L", "PgDn", "Space"
	Name       string   // name of the action
	Help       string   // one sentence without a full stop
	Restricted bool     // the action is left out in restricted mode
	Unbound    bool     // no key is bound to the action
}

// Keys returns all actions with their keys, in the order of the help. Later layers have priority
// over earlier ones.
func Keys(layers ...Bindings) []KeyHelp {
	km, _ := newKeymap(false, layers...)
	var all []KeyHelp
	for _, s := range km.sections {
		for _, a := range s.actions {
			all = append(all, KeyHelp{Section: s.title, Context: s.bindingContext(), Keys: keyLabels(a.keys), Name: a.name, Help: a.help, Restricted: a.availability.has(unlessRestricted)})
		}
	}
	return all
}

func sections() []section {
	all := []section{
		{"Go", []string{contextPage}, goActions(), withoutPage, ""},
		{"Go", []string{contextPage, contextBar, contextPrompt, contextForm, contextQuestion}, helpActions(), withoutPage, ""},
		{"Move", []string{contextPage}, moveActions(), moves, ""},
		{"Find", []string{contextPage}, findActions(), 0, ""},
		{"Save, copy, bookmark", []string{contextPage}, keepActions(), 0, ""},
		{"Tabs", []string{contextPage}, tabActions(), withoutPage, ""},
		{"Tabs", []string{contextPage, contextQuestion}, nextTabActions(), withoutPage | interrupts, ""},
		{"Tabs", []string{contextPage, contextBar, contextPrompt, contextForm, contextQuestion}, tabSwitchActions(), withoutPage | interrupts, ""},
		{"Tags", []string{contextPage}, tagActions(), listOnly, ""},
		{"Show", []string{contextPage}, lookActions(), 0, ""},
		{"Articles and groups", []string{contextPage}, articleActions(), listOnly, ""},
		{"Files on servers", []string{contextPage}, fileActions(), listOnly, ""},
		{title: "News", contexts: []string{contextNews}}, // addNewsAction adds the actions
		{"URL bar", []string{contextBar}, barActions(), 0, ""},
		{"Prompts", []string{contextPrompt}, promptActions(), 0, ""},
		{"Forms", []string{contextForm}, formActions(), 0, ""},
		{"All prompts", []string{contextPrompt, contextForm, contextQuestion}, leaveActions(), 0, ""},
		{"All prompts", []string{contextBar, contextPrompt, contextForm, contextQuestion}, newTabActions(), 0, contextPrompt},
		{"Editing", []string{contextBar, contextPrompt, contextForm}, editActions(), 0, "editing"},
		{"Questions", []string{contextQuestion}, questionActions(), 0, ""},
	}
	for i := range all {
		for j := range all[i].actions {
			all[i].actions[j].availability |= all[i].availability
		}
	}
	return all
}

func goActions() []action {
	return []action{
		{[]string{"enter", "right"}, "open", "open the link under the cursor", (*Model).follow, opensInPane},
		{[]string{"backspace", "left", "h", "alt+left"}, "back", "go back to the previous page as you left it", (*Model).goBack, leavesPane | anytime},
		{[]string{"f", "alt+right"}, "forward", "go forward again after going back", (*Model).goForward, always},
		{[]string{"u"}, "up a level", "go up to the directory, menu or group of the page", (*Model).goUp, anytime},
		{[]string{"g", "ctrl+l"}, "URL", "type a URL", (*Model).editURL, interrupts},
		{[]string{"~"}, "home", "go to the home page", (*Model).openHome, anytime},
		{[]string{"r", "ctrl+r", "f5"}, "reload", "load the page again and keep the position", (*Model).reload, listOnly | anytime | wholePage},
		{[]string{"esc", "ctrl+g"}, "stop", "stop loading or saving; close pane; clear filter", (*Model).stop, clearsFilter | leavesPane | interrupts},
		{[]string{"p"}, "peek", "preview the item in a pane, or close the pane", (*Model).togglePeek, always},
		{[]string{"alt+>"}, "widen list", "widen the list of two panes", bindArg(1, (*Model).resizePanes), always},
		{[]string{"alt+<"}, "narrow list", "narrow the list of two panes", bindArg(-1, (*Model).resizePanes), always},
		{[]string{"'"}, "hints", "label links with letters; type them to open one", bindTab((*tab).AskLink), wholeScreen},
		{strings.Split("123456789", ""), "link number", "select the link with that number; Enter opens it", (*Model).askLinkNumber, wholeScreen},
		{[]string{"l"}, "details", "open the link; list the files a download left out", (*Model).showDetails, opensInPane},
		{[]string{"R"}, "readme", "open the README, index or .message of a directory", (*Model).openReadme, listOnly | wholePage},
		showList("B", about.Bookmarks, "show the bookmarks", anytime),
		showList("H", about.Visits, "show the visited pages", unlessRestricted|anytime),
		showList("J", about.Downloads, "show the downloads: running, finished, unfinished", unlessRestricted|anytime),
		{[]string{"Y"}, string(protocols.ActionResume), "resume the unfinished downloads", func(m *Model) tea.Cmd { return m.downloads.ResumeAll() }, unlessRestricted | anytime},
		{[]string{"alt+b"}, string(protocols.ActionRate), "limit the rate of the downloads", func(m *Model) tea.Cmd { return m.downloads.AskRate() }, unlessRestricted | anytime},
		{[]string{":", "ctrl+p"}, "actions", "list all actions and run one", (*Model).openPalette, always},
		showList("alt+,", about.Settings, "show and change the settings", unlessRestricted|anytime),
		{[]string{"f8"}, "theme", "choose the colors of the screen", func(m *Model) tea.Cmd { return m.changeSetting("theme") }, unlessRestricted | anytime},
		{[]string{"q"}, "quit", "quit gofer", (*Model).quit, anytime},
		{[]string{"ctrl+c"}, "stop or quit", "stop loading; quit when nothing is loading", (*Model).stopOrQuit, interrupts},
		{[]string{"ctrl+z"}, "suspend", "suspend (fg to resume)", (*Model).suspend, unlessRestricted | anytime},
	}
}

func helpActions() []action {
	return []action{{[]string{"?", "f1"}, "help", "show the keys, first those for the page", (*Model).showHelp, anytime}}
}

func moveActions() []action {
	return []action{
		{[]string{"down", "j"}, "down", "go to the next item if near, else one row down", bindTab(bindArg(1, (*tab).Step)), nextItem},
		{[]string{"up", "k"}, "up", "go to the previous item if near, else one row up", bindTab(bindArg(-1, (*tab).Step)), always},
		{[]string{"tab"}, "next link", "go to the next link, or to the other pane", bindArg(1, (*Model).goToNextLink), withoutPage | nextItem},
		{[]string{"shift+tab"}, "previous link", "go to the previous link, or to the other pane", bindArg(-1, (*Model).goToNextLink), withoutPage},
		{[]string{"space"}, "read on", "scroll a screen down; after an article open the next", bindNews((*newsreader.Reader).ReadOn), readsPane | nextScreen},
		{[]string{"pgdown", "ctrl+f"}, "page down", "scroll a screen down", bindTab(bindArg(1, (*tab).PageBy)), nextScreen},
		{[]string{"pgup", "b", "ctrl+b"}, "page up", "scroll a screen up", bindTab(bindArg(-1, (*tab).PageBy)), always},
		{[]string{"ctrl+d"}, "half down", "scroll half a screen down", bindTab(bindArg(1, (*tab).HalfPageBy)), nextScreen},
		{[]string{"ctrl+u"}, "half up", "scroll half a screen up", bindTab(bindArg(-1, (*tab).HalfPageBy)), always},
		{[]string{"home"}, "top", "go to the beginning of the page", bindTab((*tab).GoToTop), always},
		{[]string{"end", "G"}, "end", "go to the end of the page", bindTab((*tab).GoToBottom), wholePage},
		{[]string{"."}, "next new", "go to the next new link or unread article", bindNews((*newsreader.Reader).NextNew), listOnly | wholePage},
		{[]string{","}, "previous new", "go to the previous new link or unread article", bindNews(bindArg(-1, (*newsreader.Reader).MoveToNew)), listOnly | wholePage},
		{[]string{">", "shift+right"}, "pan right", "scroll right", (*Model).panRight, always},
		{[]string{"<", "shift+left"}, "pan left", "scroll left", bindTab((*tab).PanLeft), always},
	}
}

func findActions() []action {
	return []action{
		{[]string{"/"}, "find", "find text in the page; \\v begins a regular expression", bindTab(bindArg(1, (*tab).AskFind)), wholePage},
		{[]string{"n"}, "next match", "go to the next match", bindTab(bindArg(1, (*tab).FindAgain)), wholePage},
		{[]string{"N"}, "previous match", "go to the previous match", bindTab(bindArg(-1, (*tab).FindAgain)), wholePage},
		{[]string{"alt+/"}, "find backwards", "find text, from the cursor to the top of the page", bindTab(bindArg(-1, (*tab).AskFind)), wholePage},
		{[]string{"&"}, "filter", "show only the lines with the typed words", bindTab((*tab).AskFilter), wholePage},
		{[]string{"O"}, "outline", "list the headings of the page and go to one", bindTab((*tab).AskHeading), wholePage},
		{[]string{"s"}, "sort", "sort the list by a column, or reverse its order", (*Model).chooseOrder, listOnly | wholePage},
		{[]string{"alt+."}, "hidden", "show hidden lines: dot files, killed articles", (*Model).toggleHidden, listOnly},
	}
}

func keepActions() []action {
	return []action{
		{[]string{"d"}, "save", "save the item, the tagged items or the page", func(m *Model) tea.Cmd { return m.downloads.Save() }, unlessRestricted},
		{[]string{"D"}, "save as", "save the item or the page under another name", func(m *Model) tea.Cmd { return m.downloads.SaveAs() }, unlessRestricted},
		{[]string{"S"}, "save text", "save the text of the page as shown", func(m *Model) tea.Cmd { return m.outside.SaveText() }, unlessRestricted | wholeItem | wholePage},
		{[]string{"o"}, "open outside", "open the item or the page with another program", func(m *Model) tea.Cmd { return m.outside.Open() }, unlessRestricted},
		{[]string{"|"}, "pipe text", "pipe the text of the page to a command", func(m *Model) tea.Cmd { return m.outside.PipeText() }, unlessRestricted | wholeItem | wholePage},
		{[]string{"alt+|"}, "pipe document", "pipe the octets of the item or page to a command", func(m *Model) tea.Cmd { return m.outside.PipeDocument() }, unlessRestricted},
		{[]string{"y"}, "copy", "copy the URL of the item or page, or of tagged items", (*Model).copyURL, always},
		{[]string{"Q"}, "QR code", "show the URL of the item or page as a QR code", func(m *Model) tea.Cmd { return m.aids.ShowQR() }, listOnly},
		{[]string{"a"}, "bookmark page", "bookmark the page, or edit its bookmark", func(m *Model) tea.Cmd { return m.bookmarks.BookmarkPage() }, unlessRestricted},
		{[]string{"A"}, "bookmark item", "bookmark the item or tagged items; rename a folder", func(m *Model) tea.Cmd { return m.bookmarks.BookmarkItem() }, unlessRestricted},
		{[]string{"E"}, "edit bookmarks", "open the file of bookmarks in $VISUAL or $EDITOR", func(m *Model) tea.Cmd { return m.bookmarks.Edit() }, unlessRestricted | withoutPage},
		{[]string{"z"}, "undo", "undo a new download, bookmark, mark or rule", (*Model).undo, withoutPage},
		{[]string{"x"}, "forget", "remove the visit, bookmark, draft or (tagged) files", (*Model).forgetItem, unlessRestricted | listOnly},
		{[]string{"X"}, "forget more", "remove the visits of a host or a day, or all", (*Model).askForget, unlessRestricted | withoutPage},
		{[]string{"alt+x"}, "forget logins", "forget the typed logins, cookies and consents", (*Model).forgetLogins, withoutPage | anytime},
		{[]string{"P"}, "private", "turn private mode on or off: record no visits", (*Model).togglePrivate, unlessRestricted | withoutPage | anytime},
	}
}

func tagActions() []action {
	return []action{
		{[]string{"insert", "#"}, "tag", "tag or untag the item, and go to the next", bindTab((*tab).Tag), always},
		{[]string{"alt+t"}, "tag pattern", "tag the items that match a pattern like *.txt", bindTab(bindArg(true, (*tab).AskTag)), wholePage},
		{[]string{"alt+y"}, "untag pattern", "untag the items that match a pattern", bindTab(bindArg(false, (*tab).AskTag)), wholePage},
		{[]string{"alt+a"}, "tag all", "tag all items that are shown", bindTab((*tab).TagAll), wholePage},
		{[]string{"alt+i"}, "invert tags", "tag the untagged items and untag the tagged ones", bindTab((*tab).InvertTags), wholePage},
		{[]string{"alt+n"}, "untag all", "untag all items, including hidden ones", bindTab((*tab).UntagAll), always},
	}
}

func lookActions() []action {
	return []action{
		{[]string{"w", "alt+w"}, "wrap", "wrap long lines, then preformatted ones too, then none", func(m *Model) tea.Cmd { return m.aids.ToggleWrap() }, always},
		{[]string{"e", "alt+e"}, "charset", "choose the charset and keep it for the server", func(m *Model) tea.Cmd { return m.aids.ChooseCharset() }, always},
		{[]string{"c", "alt+l"}, "colors", "show or hide the colors of texts", func(m *Model) tea.Cmd { return m.aids.ToggleColors() }, always},
		{[]string{"\\"}, "raw", "show the octets of the page, or the page again", func(m *Model) tea.Cmd { return m.aids.ToggleRaw() }, listOnly},
		{[]string{"*"}, "all headers", "show all headers of articles, or only the main ones", func(m *Model) tea.Cmd { return m.aids.ToggleHeaders() }, always},
		{[]string{"%"}, "ROT13", "turn ROT13 on or off: letters shifted by 13", func(m *Model) tea.Cmd { return m.aids.ToggleROT13() }, always},
		{[]string{"I"}, "page information", "show the server, size and transcript of the page", func(m *Model) tea.Cmd { return m.aids.ShowInfo() }, listOnly},
		{[]string{"="}, "explain", "explain the URL of the page and its request", (*Model).explainPage, always},
		{[]string{"i"}, "explain item", "explain the URL of the item under the cursor", (*Model).explainItem, always},
		{[]string{"!"}, "attributes", "show attributes, views and form of a Gopher+ item", func(m *Model) tea.Cmd { return m.aids.ShowAttributes() }, always},
		{[]string{"$"}, "menu attributes", "show attributes of all items of a Gopher+ menu", func(m *Model) tea.Cmd { return m.aids.ShowMenuAttributes() }, always},
		{[]string{"+"}, "zoom in", "magnify the picture; tag by pattern in a list", bindArg(1, (*Model).zoom), pictureOnly},
		{[]string{"-"}, "zoom out", "show more of the picture; untag by pattern in a list", bindArg(-1, (*Model).zoom), pictureOnly},
		{[]string{"0"}, "fit", "show all of the picture", (*Model).fitPicture, pictureOnly},
		{[]string{"M"}, "mouse", "let the mouse open, scroll and go back, or select text", (*Model).toggleMouse, withoutPage | anytime},
	}
}

func articleActions() []action {
	return []action{
		{[]string{"alt+f"}, "follow up", "answer the article in its groups, with $EDITOR", composeAction("followup"), unlessRestricted},
		{[]string{"alt+r"}, "reply", "answer the article by mail to its author", composeAction("reply"), unlessRestricted},
		{[]string{"alt+p"}, "post", "write a new article in the group", (*Model).post, unlessRestricted},
		{[]string{"m"}, "mark", "mark the article or tagged ones as read or unread", bindNews((*newsreader.Reader).Mark), always},
		{[]string{"K"}, "mark thread", "mark the articles of the thread as read", bindNews((*newsreader.Reader).MarkThread), wholePage},
		{[]string{"C"}, "catch up", "mark all articles of the group as read", bindNews(bindArg(false, (*newsreader.Reader).CatchUp)), wholePage},
		{[]string{"alt+d"}, "catch up and go", "mark all as read, and open the next unread group", bindNews(bindArg(true, (*newsreader.Reader).CatchUp)), wholePage},
		{[]string{")"}, "next article", "go to the next article of the group", bindNews(bindArg(1, (*newsreader.Reader).OpenAdjacent)), always},
		{[]string{"("}, "previous article", "go to the previous article of the group", bindNews(bindArg(-1, (*newsreader.Reader).OpenAdjacent)), always},
		{[]string{"^"}, "parent article", "go to the article that this one answers", bindNews((*newsreader.Reader).OpenParent), always},
		{[]string{"alt+down"}, "next thread", "go to the next thread, from an article too", bindNews(bindArg(1, (*newsreader.Reader).MoveToThread)), always},
		{[]string{"alt+up"}, "previous thread", "go to the previous thread, from an article too", bindNews(bindArg(-1, (*newsreader.Reader).MoveToThread)), always},
		{[]string{"alt+g"}, "next group", "go to the next group with unread articles", bindNews((*newsreader.Reader).OpenNextGroup), always},
		{[]string{"L"}, "older articles", "load the next 500 older articles of the group", (*Model).loadOlderArticles, always},
		{[]string{"v"}, "fold", "fold the thread, the long quotes or the folder", (*Model).fold, always},
		{[]string{"alt+v"}, "fold all", "fold all threads, or unfold them", bindNews((*newsreader.Reader).FoldAll), wholePage},
		{[]string{"alt+q"}, "leave", "go to the group, then the list of groups, then quit", (*Model).leave, always},
		{[]string{"F"}, "subscribe", "subscribe to the group, or unsubscribe", bindNews((*newsreader.Reader).Subscribe), always},
		{[]string{"alt+h"}, "search group", "search the whole group on its server", bindNews((*newsreader.Reader).SearchGroup), always},
		{[]string{"alt+z"}, "fetch articles", "fetch unread articles of the group or all groups", bindNews((*newsreader.Reader).FetchArticles), unlessRestricted},
		{[]string{"alt+("}, "watch", "score a thread or an author up; press the key twice for the thread", bindNews((*newsreader.Reader).Watch), unlessRestricted | wholePage},
		{[]string{"alt+)"}, "kill", "kill a thread or an author; press the key twice for the thread", bindNews((*newsreader.Reader).Kill), unlessRestricted | wholePage},
		{[]string{";"}, "score rule", "make a rule that kills or scores similar articles", bindNews((*newsreader.Reader).MakeRule), unlessRestricted | wholePage},
		{[]string{"alt+s"}, "supersede", "replace your article with a new version", composeAction("supersede"), unlessRestricted},
		{[]string{"alt+c"}, "cancel article", "cancel your own article", composeAction("cancel"), unlessRestricted},
	}
}

func fileActions() []action {
	return []action{
		{[]string{"V"}, "upload", "upload a file or folder to the directory", func(m *Model) tea.Cmd { return m.changes.UploadFile() }, unlessRestricted},
		{[]string{"f7", "alt+k"}, "make directory", "make a directory in the directory of the page", func(m *Model) tea.Cmd { return m.changes.MakeDirectory() }, unlessRestricted},
		{[]string{"f2", "alt+m"}, "rename", "rename the file on the server, or move tagged files", func(m *Model) tea.Cmd { return m.changes.Rename() }, unlessRestricted},
		{[]string{"f4", "alt+o"}, "edit file", "edit the file under the cursor and upload it", func(m *Model) tea.Cmd { return m.changes.EditFile() }, unlessRestricted},
		{[]string{"alt+j"}, "chmod", "change the mode of the file, or of tagged files", func(m *Model) tea.Cmd { return m.changes.Chmod() }, unlessRestricted},
	}
}

func barActions() []action {
	return []action{
		{[]string{"enter"}, "go", "open the URL", nil, always},
		{[]string{"down", "tab", "ctrl+n"}, "next", "take the next completion", nil, always},
		{[]string{"up", "shift+tab", "ctrl+p"}, "previous", "take the previous completion, or an earlier URL", nil, always},
		{[]string{"alt+enter"}, "go in a tab", "open the URL in a new tab", nil, always},
		{[]string{"ctrl+l"}, "select", "select the whole text", nil, always},
	}
}

func promptActions() []action {
	return []action{
		{[]string{"enter"}, "done", "choose, or go to the next field; finish at the last", nil, always},
		{[]string{"tab"}, "next field", "complete the typed text, or go to the next field", nil, always},
		{[]string{"shift+tab"}, "previous field", "go to the previous field", nil, always},
		{[]string{"down", "ctrl+n"}, "down", "go to the next choice, field or line", nil, always},
		{[]string{"up", "ctrl+p"}, "up", "go to the previous choice, field or line", nil, always},
		{[]string{"pgdown"}, "page down", "scroll the choices or the page a screen down", nil, always},
		{[]string{"pgup"}, "page up", "scroll the choices or the page a screen up", nil, always},
	}
}

func editActions() []action {
	return []action{
		{[]string{"left", "ctrl+b"}, "left", "move left; select the previous choice", nil, always},
		{[]string{"right", "ctrl+f"}, "right", "move right; select the next choice", nil, always},
		{[]string{"alt+left", "ctrl+left", "alt+b"}, "word left", "move one word left", nil, always},
		{[]string{"alt+right", "ctrl+right", "alt+f"}, "word right", "move one word right", nil, always},
		{[]string{"home", "ctrl+a"}, "line start", "move to the beginning of the line", nil, always},
		{[]string{"end", "ctrl+e"}, "line end", "move to the end of the line", nil, always},
		{[]string{"backspace", "ctrl+h", "shift+backspace"}, "erase", "delete the character to the left; close an empty prompt", nil, always},
		{[]string{"delete", "ctrl+d"}, "delete", "delete the character at the cursor", nil, always},
		{[]string{"ctrl+w", "alt+backspace", "ctrl+backspace"}, "erase word", "delete the word to the left", nil, always},
		{[]string{"ctrl+u"}, "erase to start", "delete everything to the left", nil, always},
		{[]string{"ctrl+k"}, "erase to end", "delete everything to the right", nil, always},
		{[]string{"esc", "ctrl+c", "ctrl+g"}, "cancel", "close the prompt or form", nil, always},
		{[]string{"ctrl+z"}, "suspend", "suspend (fg to resume)", (*Model).suspend, unlessRestricted},
	}
}

func formActions() []action {
	return []action{
		{[]string{"tab"}, "next field", "complete the typed text, or go to the next field", nil, always},
		{[]string{"shift+tab"}, "previous field", "go to the previous field", nil, always},
		{[]string{"down", "ctrl+n"}, "down", "go to the next field, or line of a text", nil, always},
		{[]string{"up", "ctrl+p"}, "up", "go to the previous field, or line of a text", nil, always},
		{[]string{"enter"}, "done", "go to the next field; add a line; press the button", nil, always},
		{[]string{"space"}, "change", "set or clear a check box; list the choices", nil, always},
		{[]string{"ctrl+o"}, "choose", "list the choices or the files", nil, always},
		{[]string{"pgdown"}, "page down", "scroll the form a screen down", nil, always},
		{[]string{"pgup"}, "page up", "scroll the form a screen up", nil, always},
		{[]string{"ctrl+s", "alt+enter"}, "send", "send the form", nil, always},
	}
}

func questionActions() []action {
	return []action{
		{[]string{"y", "Y"}, "yes", "answer yes", nil, always},
		{[]string{"n", "N", "esc", "ctrl+g"}, "no", "answer no", nil, always},
		{[]string{"enter", "q", "ctrl+c"}, "leave", "answer yes if nothing would be lost", nil, always},
		{[]string{"g"}, "URL", "type another URL; Esc returns to the question", (*Model).editURLOverPrompt, interrupts},
		{[]string{"down", "j"}, "down", "scroll the page down", bindTab(bindArg(1, (*tab).Step)), always},
		{[]string{"up", "k"}, "up", "scroll the page up", bindTab(bindArg(-1, (*tab).Step)), always},
		{[]string{"pgdown", "space"}, "page down", "scroll the page a screen down", bindTab(bindArg(1, (*tab).PageBy)), always},
		{[]string{"pgup"}, "page up", "scroll the page a screen up", bindTab(bindArg(-1, (*tab).PageBy)), always},
		{[]string{"home"}, "top", "go to the beginning of the page", bindTab((*tab).GoToTop), always},
		{[]string{"end"}, "end", "go to the end of the page", bindTab((*tab).GoToBottom), always},
	}
}

// bindTab returns an action that calls the function do with the focused tab.
func bindTab(do func(*tab) tea.Cmd) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return do(m.focusedTab()) }
}

// bindNews returns an action that calls the function do with the newsreader.
func bindNews(do func(*newsreader.Reader) tea.Cmd) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return do(m.news) }
}

// bindArg returns a function of v that calls do(v, n). For example, n is 1 for the next link and -1
// for the previous one.
func bindArg[T, N any](n N, do func(T, N) tea.Cmd) func(T) tea.Cmd {
	return func(v T) tea.Cmd { return do(v, n) }
}

// showList returns the action that opens the page of gofer's own with these items. It has the name of the page.
func showList(key string, items about.Data, help string, a availability) action {
	name := about.ListOf(items).Name
	return action{[]string{key}, name, help, func(m *Model) tea.Cmd { return m.visit(room.Target{URL: about.Page(name)}, room.How{}) }, a}
}
