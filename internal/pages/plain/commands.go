package plain

import (
	"strconv"
	"strings"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// help is the text that the command h prints.
const help = `Commands, each with Enter:
  Enter or Space   more of the page
  12               follow link 12
  b                back
  f                forward, after going back
  u                up: the menu or directory that the page is in
  r                reload the page
  t                the page from its beginning
  g URL            open a URL, or search with a search word; g may be left out
  /words           find words from here on; / or n finds the next
  y 12             print the URL of link 12; y: of the page
  d 12             save link 12; d: the page
  F 12, R 12       answer article 12 in its groups, or by mail; F, R: of the page
  P 12             write an article in group 12; P: in the group of the page
  a                bookmark the page
  B                the bookmarks
  H                the history
  h or ?           this help
  q                quit
Ctrl-C stops loading; if nothing is loading, it quits.`

// runCommand runs a command and prints its errors. A returned error ends the program.
func (b *browser) runCommand(command string) error {
	name, rest, _ := strings.Cut(command, " ")
	rest = strings.TrimSpace(rest)
	if n, err := strconv.Atoi(command); err == nil {
		return b.follow(n)
	}
	if words, ok := strings.CutPrefix(command, "/"); ok {
		b.find(words)
		return nil
	}
	switch name {
	case "g":
		if rest == "" {
			b.say("Type g and a URL: g gopher://gopher.floodgap.com/")
			return nil
		}
		return b.openTyped(rest)
	case "d", "y":
		if _, err := strconv.Atoi(rest); rest == "" || err == nil {
			b.handleItem(name, rest)
			return nil
		}
	case "F", "R", "P":
		if _, err := strconv.Atoi(rest); rest == "" || err == nil {
			return b.writeMessage(map[string]string{"F": "followup", "R": "reply", "P": "post"}[name], rest)
		}
	}
	if rest != "" {
		return b.openTyped(command)
	}
	return b.runWord(name)
}

// runWord runs a command of one word.
func (b *browser) runWord(command string) error {
	switch command {
	case "":
		if !b.hasMore() {
			b.say("End of the page.")
			return nil
		}
		b.printPart(0)
	case "q":
		return errQuit
	case "h", "?":
		b.say("%s", help)
	case "b":
		return b.showAfterMove(b.session.GoBack(), "no page before this one")
	case "f":
		return b.showAfterMove(b.session.GoForward(), "no page after this one")
	case "t":
		b.places[b.session.Page()] = new(place)
		return b.showPage()
	case "u":
		u, ok := urlcore.Up(b.session.Page().URL)
		if !ok {
			b.say("There is nothing above this page.")
			return nil
		}
		return b.visit(u, false)
	case "r":
		p := b.session.Page()
		return b.visitPlace(p.URL, p.Fragment, p.Failed == nil)
	case "n":
		b.find("")
	case "a":
		b.bookmark()
	case "H":
		return b.openOwnPage("history")
	case "B":
		return b.openOwnPage("bookmarks")
	default:
		return b.openTyped(command)
	}
	return nil
}

// showAfterMove shows the current page after a step in the history. If moved is not set, there was no page
// in that direction, and showAfterMove says so in the words of noPage.
func (b *browser) showAfterMove(moved bool, noPage string) error {
	if !moved {
		b.say("There is %s.", noPage)
		return nil
	}
	return b.showPage()
}

func (b *browser) link(n int) (link protocols.Hyperlink, ok bool) {
	p := b.session.Page()
	at := b.places[p]
	if n < 1 || n > len(at.links) {
		b.say("There is no link %d: so far there are %d.", n, len(at.links))
		return link, false
	}
	return at.links[n-1], true
}

func (b *browser) follow(n int) error {
	link, ok := b.link(n)
	if !ok {
		return nil
	}
	u := link.URL
	p := b.session.Page()
	switch b.places[p].acts[n] {
	case protocols.ActionBack:
		return b.runWord("b")
	case protocols.ActionCopy:
		b.handleItem("y", "")
		return nil
	case protocols.ActionOutline, protocols.ActionList, protocols.ActionResume, protocols.ActionRate, protocols.ActionOpen, protocols.ActionExplain, protocols.ActionForget:
		b.say("Only the screen can do this.")
		return nil
	case protocols.ActionEditURL:
		b.say("Type g and the URL: g %s", formatURL(p.URL))
		return nil
	}
	more := b.places[p].more
	if more.link != n {
		return b.visitPlace(u, link.Fragment, false)
	}
	b.firstNew = more.line // the first of the new items
	defer func() { b.firstNew = 0 }()
	asked := p.MoreItems(p.Lines.WithoutLink(more.line).Note)
	b.items[u] += asked
	err := b.visit(u, true)
	if now := b.session.Page(); now == p || now.Failed != nil {
		b.items[u] -= asked
	}
	return err
}

// target returns the link with the given number, or a link to the page if number is "".
func (b *browser) target(number string) (link protocols.Hyperlink, ok bool) {
	if n, err := strconv.Atoi(number); err == nil {
		return b.link(n)
	}
	p := b.session.Page()
	return protocols.Hyperlink{URL: p.URL, Fragment: p.Fragment}, true
}

// handleItem saves a link or the page, or prints its URL if name is "y".
func (b *browser) handleItem(name, number string) {
	link, ok := b.target(number)
	u := link.URL
	switch {
	case !ok: // target has printed the reason
	case name == "y":
		b.say("%s", clean.Text(protocols.LinkText(u, link.Fragment)))
	case b.Save == nil:
		b.say("Nothing is saved here.")
	default:
		ctx, end := b.withInterrupt()
		defer end()
		if err := b.Save(ctx, u); err != nil {
			b.printError(err)
		}
	}
}

// writeMessage asks for a message about a link or the page.
func (b *browser) writeMessage(kind, number string) error {
	link, ok := b.target(number)
	if !ok {
		return nil
	}
	u := link.URL
	if s := u.Scheme(); s != "nntp" && s != "news" && s != "nntps" && s != "snews" {
		b.say("This is neither an article nor a group.")
		return nil
	}
	return b.visit(about.ComposeURL(kind, u), false)
}

func (b *browser) bookmark() {
	p := b.session.Page()
	if b.Bookmark == nil {
		b.say("No bookmarks are kept here.")
		return
	}
	title := b.title(p)
	if p.Failed != nil {
		title = urlcore.Host(p.URL)
	}
	if err := b.Bookmark(p.URL, p.Fragment, title); err != nil {
		b.printError(err)
		return
	}
	b.say("Bookmarked. B shows the bookmarks.")
}

// find prints the page from the first line that contains words, in the part that was printed last or
// below. If words is "", it prints from the next line that contains the words of the last search. It
// distinguishes case if the words have capital letters.
func (b *browser) find(words string) {
	p := b.session.Page()
	at := b.places[p]
	from := at.top
	if words == "" {
		words = b.searched
		from++
	}
	if b.searched = words; words == "" {
		b.say("/words finds words.")
		return
	}
	fold := func(s string) string { return s }
	if strings.ToLower(words) == words {
		fold = strings.ToLower
	}
	for i := from; ; i++ {
		l, ok := b.waitLine(p, i)
		if !ok {
			break
		}
		if !strings.Contains(fold(p.Reading().Line(l.Text)), fold(words)) {
			continue
		}
		if i < at.next {
			*at = place{}
		}
		b.skipTo(p, i)
		b.printPart(0)
		return
	}
	b.say("Not found below: %s. t goes to the beginning.", words)
}
