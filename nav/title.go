package nav

import (
	"cmp"
	neturl "net/url"
	"path"
	"strings"
	"unicode"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

const (
	// titleLines is the number of lines of a menu that are searched for its title.
	titleLines = 40
	// shortTitle is the largest length, in octets, of a title cut from a longer line. Only a single
	// word may be longer.
	shortTitle = 40
	// maxTitle is the largest length, in octets, of a line that contains a title.
	maxTitle = 200
)

// decoration has the characters that frame a line of words.
const decoration = " \t|/\\*=-_~+#.:;,<>^\"'`"

// IsUntitled reports whether p is a menu without a title and without lines. If lines arrive, the
// first of them may contain a title.
func (p *Page) IsUntitled() bool {
	return p.Title == "" && p.Layout == protocols.LayoutMenu && p.Lines.Len() == 0
}

// BarTitle returns the title to show after the URL of p, or "". The first choice is the text of the link
// to p, but not for gofer's own pages, and not for a group whose name is in the text. The second choice
// is the subject of an article, or the title of p if FirstWords is not set. BarTitle never returns a
// text that repeats the end of the URL, nor the title of p if it is only the host.
func (p *Page) BarTitle() string {
	title := p.cleanTitle()
	if p.FirstWords || title == urlcore.Host(p.URL) { // the port may follow the host
		title = ""
	}
	if p.Lines.Len() > 0 {
		if h, ok := p.Lines.WithoutLink(0).Note.(*protocols.ArticleHeader); ok {
			title = p.Reading().Short(h.Subject)
		}
	}
	link := strings.TrimSuffix(oneBlank(p.LinkTitle), " ("+urlcore.Host(p.URL)+")") // a bookmark's title may end with the server
	if p.isAboutPage() || protocols.KindOf(p.URL) == protocols.Group && strings.Contains(wordsOf(link), wordsOf(p.URL.String()[strings.LastIndexAny(p.URL.String(), ":/")+1:])) {
		link = ""
	}
	for _, title := range []string{link, title} {
		if title != "" && !p.urlEndsWith(title) {
			return title
		}
	}
	return ""
}

// cleanTitle returns the title of p as it is shown.
func (p *Page) cleanTitle() string { return oneBlank(p.Reading().Short(p.Title)) }

// oneBlank returns s with one blank between words. Titles in menus are padded with blanks to make columns.
func oneBlank(s string) string { return strings.Join(strings.Fields(s), " ") }

// ListTitle returns the title of p for the row of tabs and the history: the name of a group, or the
// title of p. If the title is empty or only repeats the end of the URL, ListTitle prefers [Page.BarTitle].
func (p *Page) ListTitle() string {
	title := p.cleanTitle()
	if title == "" || p.urlEndsWith(title) && protocols.KindOf(p.URL) != protocols.Group {
		return cmp.Or(p.BarTitle(), title)
	}
	return title
}

// urlEndsWith reports whether the URL of p ends with the words of title. The suffix of a file name
// and the type code of FTP may follow them.
func (p *Page) urlEndsWith(title string) bool {
	text := p.URL.String()
	if s, err := neturl.PathUnescape(text); err == nil {
		text = p.Reading().Short(s)
	}
	text, _, _ = strings.Cut(text, ";type=")
	words := wordsOf(title)
	return strings.HasSuffix(wordsOf(text), words) || strings.HasSuffix(wordsOf(strings.TrimSuffix(text, path.Ext(text))), words)
}

// wordsOf returns the words of s in lower case, with a space before each.
func wordsOf(s string) (words string) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	}) {
		words += " " + word
	}
	return words
}

// learnTitle makes the first words of a menu without a title its title, for tabs, bookmarks and the
// history. The main menu of a server needs this, because it has no selector that names it.
func (p *Page) learnTitle(start int) {
	if p.Title != "" || p.Layout != protocols.LayoutMenu {
		return
	}
	for i := start; i < min(titleLines, p.Lines.Len()); i++ {
		line := p.Lines.WithoutLink(i)
		if line.Kind != protocols.Info || len(line.Text) > maxTitle {
			continue
		}
		whole := clean.WithoutSequences(line.Text)
		text := strings.Trim(whole, decoration)
		if before, _, _ := strings.Cut(whole, text); isDrawing(before) {
			continue
		}
		if isTitle(p.Reading().Text(text)) {
			p.Title, p.FirstWords = firstWords(text), true
			return
		}
	}
}

// firstWords returns the first sentence of a line, or the words that fit into a short title.
func firstWords(text string) string {
	if end := strings.IndexAny(text, ".!?:"); end > 0 && end <= shortTitle && strings.HasPrefix(text[end+1:], " ") {
		return text[:end]
	}
	title := ""
	for word := range strings.FieldsSeq(text) {
		if title != "" && len(title)+1+len(word) > shortTitle {
			break
		}
		title = strings.TrimPrefix(title+" "+word, " ")
	}
	return title
}

// isDrawing reports whether prefix, the text before the words of a line, is part of a drawing: it
// has two different signs.
func isDrawing(prefix string) bool {
	sign := strings.TrimSpace(prefix)
	return sign != "" && strings.Trim(sign, sign[:1]+" ") != ""
}

// isTitle reports whether a line consists of words and is not a drawing. Such a line has a word of
// three different letters, few other signs, and no wide gaps.
func isTitle(s string) bool {
	letters, others, word := 0, 0, ""
	named := false
	for _, r := range s {
		switch {
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
			letters++
			if !strings.ContainsRune(word, r) && !unicode.IsDigit(r) {
				word += string(r)
			}
			named = named || len([]rune(word)) >= 3
			continue
		case !unicode.IsSpace(r):
			others++
		}
		word = ""
	}
	return named && letters >= 3*others && !strings.Contains(s, "    ")
}
