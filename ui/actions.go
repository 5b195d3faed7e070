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
	needs        need
	availability availability
}

// need is what a key of an action waits for while a page loads, see [typeahead]. Each value needs more than the one
// before it.
type need int8

const (
	stops       need = iota - 3 // nothing; it only stops or drops what runs or waits
	interrupts                  // nothing, and it drops the keys that wait
	anytime                     // nothing: it does the same before and after the answer of a page
	currentLine                 // the line under the cursor
	nextItem                    // the next item or row
	wholeScreen                 // a full screen
	nextScreen                  // the next screen
	wholePage
	wholeOrNone // the whole page, but nothing before the answer
)

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

	moves       // opens no prompt for the keys after it
	changesPane // moves the focus to the other tab of a pair, if there is one
	changes     // changes a directory of a server: its key waits for the change that is running
	readsOn     // opens another page of the list of the page, also from an error page
)

// has reports whether a has one of the values.
func (a availability) has(values availability) bool { return a&values != 0 }

// The names of the contexts in [Bindings]: the part of the screen that reads the keys.
const (
	contextPage     = "page"     // the page
	contextNews     = "news"     // a news page or the page of an unsent message; keys bound here have priority over the keys of contextPage
	contextFiles    = "files"    // a page beside another one; keys bound here have priority over the keys of contextPage
	contextEntry    = "entry"    // an entry of a followed page, opened from the list of entries; it has keys of contextPage and contextNews
	contextBar      = "bar"      // the URL bar
	contextPrompt   = "prompt"   // a prompt for text, or a list of choices
	contextForm     = "form"     // a form
	contextQuestion = "question" // a yes-or-no question
)

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
		{"Tabs", []string{contextPage, contextQuestion}, nextTabActions(), withoutPage, ""},
		{"Tabs", []string{contextPage, contextBar, contextPrompt, contextForm, contextQuestion}, tabSwitchActions(), withoutPage, ""},
		{"Tags", []string{contextPage}, tagActions(), listOnly, ""},
		{"Show", []string{contextPage}, lookActions(), 0, ""},
		{"Articles and groups", []string{contextPage}, articleActions(), listOnly, ""},
		{"Files on servers", []string{contextPage}, fileActions(), listOnly, ""},
		{"Two tabs", []string{contextPage}, pairActions(), listOnly, ""},
		{title: "News", contexts: []string{contextNews}}, // addOverlayAction adds the actions of this section and the next one
		{title: "Beside a directory", contexts: []string{contextFiles}},
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
		{[]string{"enter", "right"}, "open", "open the link under the cursor", (*Model).follow, currentLine, opensInPane},
		{[]string{"backspace", "left", "h", "alt+left"}, "back", "go back to the previous page as you left it", (*Model).goBack, anytime, leavesPane},
		{[]string{"f", "alt+right"}, "forward", "go forward again after going back", (*Model).goForward, currentLine, always},
		{[]string{"u"}, "up a level", "go up to the directory, menu or group of the page", (*Model).goUp, anytime, always},
		{[]string{"g", "ctrl+l"}, "URL", "type a URL", (*Model).editURL, interrupts, always},
		{[]string{"~"}, "home", "go to the home page", (*Model).openHome, anytime, always},
		{[]string{"r", "ctrl+r", "f5"}, "reload", "load the page again and keep the position", (*Model).reload, wholeOrNone, listOnly},
		{[]string{"esc", "ctrl+g"}, "stop", "stop loading or saving; close the preview; clear filter", (*Model).stop, stops, clearsFilter | leavesPane},
		{[]string{"p"}, "peek", "preview the item in a pane, or close the pane", (*Model).togglePeek, currentLine, always},
		{[]string{"alt+>"}, "widen list", "widen the list of two panes", bindArg(1, (*Model).resizePanes), currentLine, always},
		{[]string{"alt+<"}, "narrow list", "narrow the list of two panes", bindArg(-1, (*Model).resizePanes), currentLine, always},
		{[]string{"'"}, "hints", "label links with letters; type them to open one", bindTab((*tab).AskLink), wholeScreen, always},
		{strings.Split("123456789", ""), "link number", "select the link with that number; Enter opens it", (*Model).askLinkNumber, wholeScreen, always},
		{[]string{"l"}, "details", "open the link; list the files a download left out", (*Model).showDetails, currentLine, opensInPane},
		{[]string{"R"}, "readme", "open the README, index or .message of a directory", (*Model).openReadme, wholePage, listOnly},
		showList("B", about.Bookmarks, "show the bookmarks", anytime, always),
		showList("H", about.Visits, "show the visited pages", anytime, unlessRestricted),
		showList("_", about.Entries, "show the new entries of the followed pages", anytime, unlessRestricted),
		showList("J", about.Downloads, "show the downloads: running, finished, unfinished", anytime, unlessRestricted),
		showList("@", about.Later, "show the pages to read later", anytime, unlessRestricted),
		{[]string{"Y"}, string(protocols.ActionResume), "resume the unfinished downloads", func(m *Model) tea.Cmd { return m.downloads.ResumeAll() }, anytime, unlessRestricted},
		{[]string{"alt+b"}, string(protocols.ActionRate), "limit the rate of the downloads", func(m *Model) tea.Cmd { return m.downloads.AskRate() }, anytime, unlessRestricted},
		{[]string{":", "ctrl+p"}, "actions", "list all actions and run one", (*Model).openPalette, currentLine, always},
		showList("alt+,", about.Settings, "show and change the settings", anytime, unlessRestricted),
		{[]string{"f8"}, "theme", "choose the colors of the screen", func(m *Model) tea.Cmd { return m.changeSetting("theme") }, anytime, unlessRestricted},
		{[]string{"q"}, "quit", "quit gofer", (*Model).quit, anytime, always},
		{[]string{"ctrl+c"}, "stop or quit", "stop loading; quit when nothing is loading", (*Model).stopOrQuit, stops, always},
		{[]string{"ctrl+z"}, "suspend", "suspend (fg to resume)", (*Model).suspend, anytime, unlessRestricted},
	}
}

func moveActions() []action {
	return []action{
		{[]string{"down", "j"}, "down", "go to the next item if near, else one row down", bindTab(bindArg(1, (*tab).Step)), nextItem, always},
		{[]string{"up", "k"}, "up", "go to the previous item if near, else one row up", bindTab(bindArg(-1, (*tab).Step)), currentLine, always},
		{[]string{"tab"}, "next link", "go to the next link, or to the other pane", bindArg(1, (*Model).goToNextLink), nextItem, withoutPage | changesPane},
		{[]string{"shift+tab"}, "previous link", "go to the previous link, or to the other pane", bindArg(-1, (*Model).goToNextLink), currentLine, withoutPage},
		{[]string{"space"}, "read on", "scroll a screen down; after an article open the next", bindNews((*newsreader.Reader).ReadOn), nextScreen, readsPane | readsOn},
		{[]string{"pgdown", "ctrl+f"}, "page down", "scroll a screen down", bindTab(bindArg(1, (*tab).PageBy)), nextScreen, always},
		{[]string{"pgup", "b", "ctrl+b"}, "page up", "scroll a screen up", bindTab(bindArg(-1, (*tab).PageBy)), currentLine, always},
		{[]string{"ctrl+d"}, "half down", "scroll half a screen down", bindTab(bindArg(1, (*tab).HalfPageBy)), nextScreen, always},
		{[]string{"ctrl+u"}, "half up", "scroll half a screen up", bindTab(bindArg(-1, (*tab).HalfPageBy)), currentLine, always},
		{[]string{"home"}, "top", "go to the beginning of the page", bindTab((*tab).GoToTop), currentLine, always},
		{[]string{"end", "G"}, "end", "go to the end of the page", bindTab((*tab).GoToBottom), wholePage, always},
		{[]string{"."}, "next new", "go to the next new link or unread article", bindNews((*newsreader.Reader).NextNew), wholePage, listOnly | readsOn},
		{[]string{","}, "previous new", "go to the previous new link or unread article", bindNews(bindArg(-1, (*newsreader.Reader).MoveToNew)), wholePage, listOnly},
		{[]string{">", "shift+right"}, "pan right", "scroll right", (*Model).panRight, currentLine, always},
		{[]string{"<", "shift+left"}, "pan left", "scroll left", bindTab((*tab).PanLeft), currentLine, always},
	}
}

func findActions() []action {
	return []action{
		{[]string{"/"}, "find", "find text in the page; \\v begins a regular expression", bindTab(bindArg(1, (*tab).AskFind)), wholePage, always},
		{[]string{"n"}, "next match", "go to the next match", bindTab(bindArg(1, (*tab).FindAgain)), wholePage, always},
		{[]string{"N"}, "previous match", "go to the previous match", bindTab(bindArg(-1, (*tab).FindAgain)), wholePage, always},
		{[]string{"alt+/"}, "find backwards", "find text, from the cursor to the top of the page", bindTab(bindArg(-1, (*tab).AskFind)), wholePage, always},
		{[]string{"&"}, "filter", "show only the lines with the typed words", bindTab((*tab).AskFilter), wholePage, always},
		{[]string{"O"}, "outline", "list the headings of the page and go to one", bindTab((*tab).AskHeading), wholePage, always},
		{[]string{"s"}, "sort", "sort the list by a column, or reverse its order", (*Model).chooseOrder, wholePage, listOnly},
		{[]string{"alt+."}, "hidden", "show hidden lines: dot files, killed articles", (*Model).toggleHidden, currentLine, listOnly},
	}
}

func keepActions() []action {
	return []action{
		{[]string{"d"}, "save", "save the item, the tagged items or the page", func(m *Model) tea.Cmd { return m.downloads.Save() }, currentLine, unlessRestricted},
		{[]string{"D"}, "save as", "save the item or the page under another name", func(m *Model) tea.Cmd { return m.downloads.SaveAs() }, currentLine, unlessRestricted},
		{[]string{"S"}, "save text", "save the text of the page as shown", func(m *Model) tea.Cmd { return m.outside.SaveText() }, wholePage, unlessRestricted | wholeItem},
		{[]string{"f6"}, "bundle", "save the page or tagged items with all below in a zip file", func(m *Model) tea.Cmd { return m.changes.Bundle() }, currentLine, unlessRestricted | listOnly},
		{[]string{"o"}, "open outside", "open the item or the page with another program", func(m *Model) tea.Cmd { return m.outside.Open() }, currentLine, unlessRestricted},
		{[]string{"|"}, "pipe text", "pipe the text of the page to a command", func(m *Model) tea.Cmd { return m.outside.PipeText() }, wholePage, unlessRestricted | wholeItem},
		{[]string{"alt+|"}, "pipe document", "pipe the octets of the item or page to a command", func(m *Model) tea.Cmd { return m.outside.PipeDocument() }, currentLine, unlessRestricted},
		{[]string{"y"}, "copy", "copy the URL of the item or page, or of tagged items", (*Model).copyURL, currentLine, always},
		{[]string{"Q"}, "QR code", "show the URL of the item or page as a QR code", func(m *Model) tea.Cmd { return m.aids.ShowQR() }, currentLine, listOnly},
		{[]string{"a"}, "bookmark page", "bookmark the page, or edit its bookmark", func(m *Model) tea.Cmd { return m.bookmarks.BookmarkPage() }, currentLine, unlessRestricted},
		{[]string{"A"}, "bookmark item", "bookmark the item or tagged items; rename a folder", func(m *Model) tea.Cmd { return m.bookmarks.BookmarkItem() }, currentLine, unlessRestricted},
		{[]string{"Z"}, string(protocols.ActionLater), "add the item or page, or tagged items, to the pages to read later", func(m *Model) tea.Cmd { return m.offline.ReadLater() }, currentLine, unlessRestricted},
		{[]string{"E"}, "edit bookmarks", "open the file of bookmarks in $VISUAL or $EDITOR", func(m *Model) tea.Cmd { return m.bookmarks.Edit() }, currentLine, unlessRestricted | withoutPage},
		{[]string{"F"}, "follow", "follow the page, subscribe to the group; or stop it", (*Model).followPage, currentLine, always},
		{[]string{"z"}, "undo", "undo a new download, bookmark, mark or rule", (*Model).undo, currentLine, withoutPage},
		{[]string{"x"}, "forget", "remove the visit, bookmark, draft or (tagged) files", (*Model).forgetItem, currentLine, unlessRestricted | listOnly | changes},
		{[]string{"X"}, "forget more", "remove the visits of a host or a day, or all", (*Model).askForget, currentLine, unlessRestricted | withoutPage},
		{[]string{"alt+x"}, "forget logins", "forget the typed logins, cookies and consents", (*Model).forgetLogins, anytime, withoutPage},
		{[]string{"P"}, "private", "turn private mode on or off: record no visits", (*Model).togglePrivate, anytime, unlessRestricted | withoutPage},
	}
}

func tagActions() []action {
	return []action{
		{[]string{"insert", "#"}, "tag", "tag or untag the item, and go to the next", bindTab((*tab).Tag), currentLine, always},
		{[]string{"alt+t"}, "tag pattern", "tag the items that match a pattern like *.txt", bindTab(bindArg(true, (*tab).AskTag)), wholePage, always},
		{[]string{"alt+y"}, "untag pattern", "untag the items that match a pattern", bindTab(bindArg(false, (*tab).AskTag)), wholePage, always},
		{[]string{"alt+a"}, "tag all", "tag all items that are shown", bindTab((*tab).TagAll), wholePage, always},
		{[]string{"alt+i"}, "invert tags", "tag the untagged items and untag the tagged ones", bindTab((*tab).InvertTags), wholePage, always},
		{[]string{"alt+n"}, "untag all", "untag all items, including hidden ones", bindTab((*tab).UntagAll), currentLine, always},
	}
}

func lookActions() []action {
	return []action{
		{[]string{"w", "alt+w"}, "wrap", "wrap long lines, then preformatted ones too, then none", func(m *Model) tea.Cmd { return m.aids.ToggleWrap() }, currentLine, always},
		{[]string{"e", "alt+e"}, "charset", "choose the charset and keep it for the server", func(m *Model) tea.Cmd { return m.aids.ChooseCharset() }, currentLine, always},
		{[]string{"c", "alt+l"}, "colors", "show or hide the colors of texts", func(m *Model) tea.Cmd { return m.aids.ToggleColors() }, currentLine, always},
		{[]string{"\\"}, "raw", "show the octets of the page, or the page again", func(m *Model) tea.Cmd { return m.aids.ToggleRaw() }, currentLine, listOnly},
		{[]string{"f9", "alt+\\"}, "article view", "show only the article of a web page, or the page again", func(m *Model) tea.Cmd { return m.aids.ToggleArticle() }, wholePage, listOnly},
		{[]string{"*"}, "all headers", "show all headers of articles, or only the main ones", func(m *Model) tea.Cmd { return m.aids.ToggleHeaders() }, currentLine, always},
		{[]string{"%"}, "ROT13", "turn ROT13 on or off: letters shifted by 13", func(m *Model) tea.Cmd { return m.aids.ToggleROT13() }, currentLine, always},
		{[]string{"I"}, "page information", "show the server, size and transcript of the page", func(m *Model) tea.Cmd { return m.aids.ShowInfo() }, currentLine, listOnly},
		{[]string{"alt+shift+i"}, "identity", "choose the certificate by which a server knows you", (*Model).chooseIdentity, anytime, unlessRestricted},
		{[]string{"="}, "explain", "explain the URL of the page and its request", (*Model).explainPage, currentLine, always},
		{[]string{"i"}, "explain item", "explain the URL of the item under the cursor", (*Model).explainItem, currentLine, always},
		{[]string{"!"}, "attributes", "show attributes, views and form of a Gopher+ item", func(m *Model) tea.Cmd { return m.aids.ShowAttributes() }, currentLine, always},
		{[]string{"$"}, "menu attributes", "show attributes of all items of a Gopher+ menu", func(m *Model) tea.Cmd { return m.aids.ShowMenuAttributes() }, currentLine, always},
		{[]string{"+"}, "zoom in", "magnify the picture; tag by pattern in a list", bindArg(1, (*Model).zoom), currentLine, pictureOnly},
		{[]string{"-"}, "zoom out", "show more of the picture; untag by pattern in a list", bindArg(-1, (*Model).zoom), currentLine, pictureOnly},
		{[]string{"0"}, "fit", "show all of the picture", (*Model).fitPicture, currentLine, pictureOnly},
		{[]string{"M"}, "mouse", "let the mouse open, scroll and go back, or select text", (*Model).toggleMouse, anytime, withoutPage},
	}
}

func articleActions() []action {
	return []action{
		{[]string{"alt+f"}, "follow up", "answer the article in its groups, with $EDITOR", composeAction("followup"), currentLine, unlessRestricted},
		{[]string{"alt+r"}, "reply", "answer the article by mail to its author", composeAction("reply"), currentLine, unlessRestricted},
		{[]string{"alt+p"}, "post", "write a new article in the group", (*Model).post, currentLine, unlessRestricted},
		{[]string{"m"}, "mark", "mark the article or tagged ones as read or unread", (*Model).mark, currentLine, always},
		{[]string{"K"}, "mark thread", "mark the articles of the thread as read", bindNews((*newsreader.Reader).MarkThread), wholePage, always},
		{[]string{"C"}, "catch up", "mark all articles of the group or source as read", bindArg(false, (*Model).catchUp), wholePage, always},
		{[]string{"alt+d"}, "catch up and go", "mark all as read, and go to the next unread group", bindArg(true, (*Model).catchUp), wholePage, always},
		{[]string{")"}, "next article", "go to the next article of the group", bindNews(bindArg(1, (*newsreader.Reader).OpenAdjacent)), currentLine, readsOn},
		{[]string{"("}, "previous article", "go to the previous article of the group", bindNews(bindArg(-1, (*newsreader.Reader).OpenAdjacent)), currentLine, readsOn},
		{[]string{"^"}, "parent article", "go to the article that this one answers", bindNews((*newsreader.Reader).OpenParent), currentLine, always},
		{[]string{"alt+down"}, "next thread", "go to the next thread, from an article too", bindNews(bindArg(1, (*newsreader.Reader).MoveToThread)), currentLine, always},
		{[]string{"alt+up"}, "previous thread", "go to the previous thread, from an article too", bindNews(bindArg(-1, (*newsreader.Reader).MoveToThread)), currentLine, always},
		{[]string{"alt+g"}, "next group", "go to the next group with unread articles", bindNews((*newsreader.Reader).OpenNextGroup), currentLine, always},
		{[]string{"L"}, "older articles", "load the next 500 older articles of the group", (*Model).loadOlderArticles, currentLine, always},
		{[]string{"v"}, "fold", "fold the thread, the long quotes or the folder", (*Model).fold, currentLine, always},
		{[]string{"alt+v"}, "fold all", "fold all threads, or unfold them", bindNews((*newsreader.Reader).FoldAll), wholePage, always},
		{[]string{"alt+q"}, "leave", "go to the group, then the list of groups, then quit", (*Model).leave, currentLine, always},
		{[]string{"alt+h"}, "search group", "search the whole group on its server", bindNews((*newsreader.Reader).SearchGroup), currentLine, always},
		{[]string{"alt+z"}, string(protocols.ActionFetch), "fetch for offline: unread articles; a page and its links", func(m *Model) tea.Cmd { return m.offline.Fetch() }, currentLine, unlessRestricted},
		{[]string{"alt+("}, "watch", "score a thread or an author up; press the key twice for the thread", bindNews((*newsreader.Reader).Watch), wholePage, unlessRestricted},
		{[]string{"alt+)"}, "kill", "kill a thread or an author; press the key twice for the thread", bindNews((*newsreader.Reader).Kill), wholePage, unlessRestricted},
		{[]string{";"}, "score rule", "make a rule that kills or scores similar articles", bindNews((*newsreader.Reader).MakeRule), wholePage, unlessRestricted},
		{[]string{"alt+s"}, "supersede", "replace your article with a new version", composeAction("supersede"), currentLine, unlessRestricted},
		{[]string{"alt+c"}, "cancel article", "cancel your own article", composeAction("cancel"), currentLine, unlessRestricted},
	}
}

func fileActions() []action {
	return []action{
		{[]string{"V"}, "upload", "upload a file or folder to the directory", func(m *Model) tea.Cmd { return m.changes.UploadFile() }, currentLine, unlessRestricted | changes},
		{[]string{"f7", "alt+k"}, "make directory", "make a directory in the directory of the page", func(m *Model) tea.Cmd { return m.changes.MakeDirectory() }, currentLine, unlessRestricted | changes},
		{[]string{"f2", "alt+m"}, "rename", "rename the file on the server, or move tagged files", func(m *Model) tea.Cmd { return m.changes.Rename() }, currentLine, unlessRestricted | changes},
		{[]string{"f4", "alt+o"}, "edit file", "edit the file under the cursor or a Gemini page; upload it", (*Model).editFile, currentLine, unlessRestricted | changes},
		{[]string{"alt+j"}, "chmod", "change the mode of the file, or of tagged files", func(m *Model) tea.Cmd { return m.changes.Chmod() }, currentLine, unlessRestricted | changes},
	}
}

func barActions() []action {
	return []action{
		{keys: []string{"enter"}, name: "go", help: "open the URL"},
		{keys: []string{"down", "tab", "ctrl+n"}, name: "next", help: "take the next completion"},
		{keys: []string{"up", "shift+tab", "ctrl+p"}, name: "previous", help: "take the previous completion, or an earlier URL"},
		{keys: []string{"alt+enter"}, name: "go in a tab", help: "open the URL in a new tab"},
		{keys: []string{"ctrl+l"}, name: "select", help: "select the whole text"},
	}
}

func promptActions() []action {
	return []action{
		{keys: []string{"enter"}, name: "done", help: "choose, or go to the next field; finish at the last"},
		{keys: []string{"tab"}, name: "next field", help: "complete the typed text, or go to the next field"},
		{keys: []string{"shift+tab"}, name: "previous field", help: "go to the previous field"},
		{keys: []string{"down", "ctrl+n"}, name: "down", help: "go to the next choice, field or line"},
		{keys: []string{"up", "ctrl+p"}, name: "up", help: "go to the previous choice, field or line"},
		{keys: []string{"pgdown"}, name: "page down", help: "scroll the choices or the page a screen down"},
		{keys: []string{"pgup"}, name: "page up", help: "scroll the choices or the page a screen up"},
	}
}

func editActions() []action {
	return []action{
		{keys: []string{"left", "ctrl+b"}, name: "left", help: "move left; select the previous choice"},
		{keys: []string{"right", "ctrl+f"}, name: "right", help: "move right; select the next choice"},
		{keys: []string{"alt+left", "ctrl+left", "alt+b"}, name: "word left", help: "move one word left"},
		{keys: []string{"alt+right", "ctrl+right", "alt+f"}, name: "word right", help: "move one word right"},
		{keys: []string{"home", "ctrl+a"}, name: "line start", help: "move to the beginning of the line"},
		{keys: []string{"end", "ctrl+e"}, name: "line end", help: "move to the end of the line"},
		{keys: []string{"backspace", "ctrl+h", "shift+backspace"}, name: "erase", help: "delete the character to the left; close an empty prompt"},
		{keys: []string{"delete", "ctrl+d"}, name: "delete", help: "delete the character at the cursor"},
		{keys: []string{"ctrl+w", "alt+backspace", "ctrl+backspace"}, name: "erase word", help: "delete the word to the left"},
		{keys: []string{"ctrl+u"}, name: "erase to start", help: "delete everything to the left"},
		{keys: []string{"ctrl+k"}, name: "erase to end", help: "delete everything to the right"},
		{keys: []string{"esc", "ctrl+c", "ctrl+g"}, name: "cancel", help: "close the prompt or form", needs: stops},
		{[]string{"ctrl+z"}, "suspend", "suspend (fg to resume)", (*Model).suspend, currentLine, unlessRestricted},
	}
}

func formActions() []action {
	return []action{
		{keys: []string{"tab"}, name: "next field", help: "complete the typed text, or go to the next field"},
		{keys: []string{"shift+tab"}, name: "previous field", help: "go to the previous field"},
		{keys: []string{"down", "ctrl+n"}, name: "down", help: "go to the next field, or line of a text"},
		{keys: []string{"up", "ctrl+p"}, name: "up", help: "go to the previous field, or line of a text"},
		{keys: []string{"enter"}, name: "done", help: "go to the next field; add a line; press the button"},
		{keys: []string{"space"}, name: "change", help: "set or clear a check box; list the choices"},
		{keys: []string{"ctrl+o"}, name: "choose", help: "list the choices or the files"},
		{keys: []string{"pgdown"}, name: "page down", help: "scroll the form a screen down"},
		{keys: []string{"pgup"}, name: "page up", help: "scroll the form a screen up"},
		{keys: []string{"ctrl+s", "alt+enter"}, name: "send", help: "send the form"},
	}
}

func questionActions() []action {
	return []action{
		{keys: []string{"y", "Y"}, name: "yes", help: "answer yes"},
		{keys: []string{"n", "N", "esc", "ctrl+g"}, name: "no", help: "answer no", needs: stops},
		{keys: []string{"p", "P"}, name: "pause", help: "pause, where the question offers it"},
		{keys: []string{"enter", "q", "ctrl+c"}, name: "leave", help: "answer yes if nothing would be lost"},
		{[]string{"g"}, "URL", "type another URL; Esc returns to the question", (*Model).editURLOverPrompt, interrupts, always},
		{[]string{"down", "j"}, "down", "scroll the page down", bindTab(bindArg(1, (*tab).Step)), currentLine, always},
		{[]string{"up", "k"}, "up", "scroll the page up", bindTab(bindArg(-1, (*tab).Step)), currentLine, always},
		{[]string{"pgdown", "space"}, "page down", "scroll the page a screen down", bindTab(bindArg(1, (*tab).PageBy)), currentLine, always},
		{[]string{"pgup"}, "page up", "scroll the page a screen up", bindTab(bindArg(-1, (*tab).PageBy)), currentLine, always},
		{[]string{"home"}, "top", "go to the beginning of the page", bindTab((*tab).GoToTop), currentLine, always},
		{[]string{"end"}, "end", "go to the end of the page", bindTab((*tab).GoToBottom), currentLine, always},
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
func showList(key string, items about.Data, help string, n need, a availability) action {
	name := about.ListOf(items).Name
	return action{[]string{key}, name, help, func(m *Model) tea.Cmd { return m.visit(room.Target{URL: about.Page(name)}, room.How{}) }, n, a}
}
