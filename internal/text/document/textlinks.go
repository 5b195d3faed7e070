package document

import (
	"slices"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// TextLink is a link within the text of a line.
type TextLink struct {
	URL      urlcore.URL
	Fragment string // the fragment of the URL as the text writes it, or ""
	// Readings are other URLs that a URL broken over lines may mean.
	Readings []urlcore.URL
	// Start is the offset of the link in the line, in octets.
	Start int
	// EndLine is the number of further lines that contain the link. End is the offset of the end of
	// the link in its last line.
	EndLine, End int
}

// MaxContinuationLines is the largest number of continuation lines of a URL.
const MaxContinuationLines = 5

// maxTextLinks is the largest number of links found in one line.
const maxTextLinks = 256

// TextLinks finds the links that begin in a line of a document, in order. These are the links of a
// hypertext, or the URLs that [urlcore.Parser.Extract] finds. In an article, Message-IDs in angle
// brackets are also links, to the server of the article. TextLinks removes quote marks from a URL
// with line breaks.
//
// The function line returns the text of the k-th line after the first, and of the line before it if k is
// -1. It returns false if the line does not exist or has not been read yet. The result open is true if a line that does not exist or
// has not been read yet is needed to find all links.
func TextLinks(head *protocols.Head, first *protocols.Line, line func(k int) (string, bool)) (links []TextLink, open bool) {
	text, page := first.Text, head.Base()
	if note, ok := first.Note.(*protocols.Hypertext); ok && len(note.Links) > 0 {
		for i := range note.Links {
			l := &note.Links[i]
			links = append(links, TextLink{URL: l.URL, Fragment: l.Fragment, Start: l.From, End: l.To})
		}
		return links, false
	}
	if !urlcore.MayContainURL(text) {
		return nil, false
	}
	joined, starts, open := joinBroken(text, line)
	before := ""
	if last, ok := line(-1); ok && strings.TrimSpace(last[len(QuoteMark(last)):]) != "" {
		before = ".\n" // the URL does not begin a paragraph
	}
	p := urlcore.Parser{MailFields: true, OwnNNTP: true, Readings: true}
	for _, f := range p.Extract(before + joined) {
		fragment := f.WrittenFragment(before + joined)
		f.Start, f.End = f.Start-len(before), f.End-len(before)
		if f.Start >= len(text) || len(links) == maxTextLinks {
			break
		}
		if !protocols.MayLead(page, f.URL) {
			f.URL, f.Alternatives, fragment = protocols.UnopenedLink(urlcore.Reference(f.URL, "")), nil, ""
		}
		l := TextLink{URL: f.URL, Fragment: fragment, Readings: f.Alternatives, Start: f.Start, End: f.End}
		if head.Media == protocols.MediaArticle {
			l.URL = addServer(page, contentOf(page, f.URL))
		}
		for k, s := range starts {
			if f.End > s.joined {
				l.EndLine, l.End = k+1, f.End-s.joined+s.quote
			}
		}
		links = append(links, l)
	}
	if head.Media == protocols.MediaArticle && first.Kind != protocols.Header {
		links = addMessageIDs(links, text, page)
	}
	for i := range links {
		links[i].URL = head.Lead(links[i].URL)
		for k := range links[i].Readings {
			links[i].Readings[k] = head.Lead(links[i].Readings[k])
		}
	}
	return links, open
}

// addServer returns u. If u is a news: or nntp: URL without a server, addServer adds the server of page.
func addServer(page, u urlcore.URL) urlcore.URL {
	at := urlcore.NewsGroup(page)
	if addr, ok := urlcore.Addr(u); !ok || addr != "" || at.Host == "" {
		return u
	}
	on := u
	switch u := u.(type) {
	case urlcore.News:
		u.HostPort, u.Secure = at.HostPort, at.Secure
		on = canonURL(u)
	case urlcore.NNTP:
		u.HostPort, u.Secure = at.HostPort, at.Secure
		on = canonURL(u)
	}
	if on == nil {
		return u
	}
	return on
}

// joint describes a continuation line in the result of joinBroken: the offset of the line, and the
// length of its quote mark, which joinBroken omits.
type joint struct{ joined, quote int }

// joinBroken returns text followed by the lines that continue it, if text ends inside a URL in
// angle brackets. The joints in starts describe these lines, and open is as in [TextLinks].
func joinBroken(text string, line func(k int) (string, bool)) (joined string, starts []joint, open bool) {
	quote := QuoteMark(text)
	if !HasUnclosedBracket(text) {
		if EndsInURL(text) {
			return joinParagraph(text, quote, line)
		}
		return text, nil, false
	}
	joined = text
	for k := 1; k <= MaxContinuationLines; k++ {
		s, ok := line(k)
		if !ok {
			return text, nil, true
		}
		if len(QuoteMark(s)) < len(quote) || strings.TrimSpace(s[len(quote):]) == "" {
			break
		}
		starts = append(starts, joint{len(joined) + 1, len(quote)})
		joined += "\n" + s[len(quote):]
		if end := strings.IndexAny(s[len(quote):], "<>"); end >= 0 {
			joined = joined[:len(joined)-len(s)+len(quote)+end+1]
			return joined, starts, false
		}
	}
	return text, nil, false
}

// joinParagraph is like joinBroken, for a text that ends in a URL without angle brackets. It returns the
// lines up to the end of the paragraph; the reader of the URL decides which of them continue it.
func joinParagraph(text, quote string, line func(k int) (string, bool)) (joined string, starts []joint, open bool) {
	joined = text[len(quote):]
	if !strings.HasSuffix(strings.TrimRight(joined, " \t\r"), "-") && strings.ContainsAny(strings.TrimSpace(joined), " \t") {
		return text, nil, false
	}
	joined = strings.Repeat(" ", len(quote)) + joined // keeps the offsets
	for k := 1; k <= MaxContinuationLines+1; k++ {
		s, ok := line(k)
		if !ok {
			return joined, starts, true
		}
		if QuoteMark(s) != quote {
			break
		}
		starts = append(starts, joint{len(joined) + 1, len(quote)})
		joined += "\n" + s[len(quote):]
		if !ContinuesOnNextLine(s) {
			break
		}
	}
	return joined, starts, false
}

// EndsInURL reports whether the last word of a line may be a URL without angle brackets, which the next
// line may continue.
func EndsInURL(s string) bool {
	s = strings.TrimRight(s, " \t\r")
	s = s[strings.LastIndexAny(s, " \t>")+1:]
	return !strings.HasPrefix(s, "<") && urlcore.MayContainURL(s)
}

// HasUnclosedBracket reports whether a line ends inside angle brackets that may contain a URL.
func HasUnclosedBracket(s string) bool {
	s = s[len(QuoteMark(s)):]
	i := strings.LastIndexAny(s, "<>")
	if i < 0 || s[i] == '>' {
		return false
	}
	rest := strings.TrimRight(s[i+1:], " \t")
	return rest == "" || isASCIILetter(rest[0])
}

// ContinuesOnNextLine reports whether the line s can be in the middle of a URL in angle brackets:
// it has text, but no bracket.
func ContinuesOnNextLine(s string) bool {
	s = s[len(QuoteMark(s)):]
	return strings.TrimSpace(s) != "" && !strings.ContainsAny(s, "<>")
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// QuoteMark returns the quote mark of a line: "> ", ">> ".
func QuoteMark(s string) string {
	i := 0
	for i < len(s) && s[i] == '>' {
		if i++; i < len(s) && s[i] == ' ' {
			i++
		}
	}
	return s[:i]
}

// addMessageIDs adds the Message-IDs in text that do not overlap with the given links.
func addMessageIDs(links []TextLink, text string, page urlcore.URL) []TextLink {
	n := 0
	for i := 0; i < len(text) && len(links) < maxTextLinks; {
		from := strings.IndexByte(text[i:], '<')
		if from < 0 {
			break
		}
		from += i
		for n < len(links) && links[n].Start < from {
			n++
		}
		if n < len(links) && links[n].Start == from {
			if links[n].EndLine > 0 {
				break
			}
			i = links[n].End
			continue
		}
		i = from + 1
		end := strings.IndexAny(text[i:], "<> \t")
		if end < 0 {
			break
		}
		end += i
		if text[end] != '>' || !looksLikeID(text[:from], text[i:end]) {
			continue
		}
		u := messageURL(page, text[from:end+1])
		if u == nil {
			continue
		}
		links = slices.Insert(links, n, TextLink{URL: u, Start: from, End: end + 1})
		i = end
	}
	return links
}

// looksLikeID distinguishes a Message-ID from a mail address, which has the same form. It looks at
// the text before the ID, at signs and digits that names do not have, and at the length.
func looksLikeID(before, id string) bool {
	left, host, ok := strings.Cut(id, "@")
	if !ok || left == "" || host == "" {
		return false
	}
	before = strings.TrimRight(before, " :")
	for _, word := range [...]string{"article", "message", "message-id", "references", "in-reply-to", "supersedes", "news"} {
		if hasSuffixFold(before, word) {
			return true
		}
	}
	digits := 0
	for i := range len(left) {
		if c := left[i]; c >= '0' && c <= '9' {
			digits++
		}
	}
	return digits >= 4 || len(left) >= 20 || !isASCIILetter(left[0]) || strings.ContainsAny(left, "$%/!=#*{}^|~")
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}
