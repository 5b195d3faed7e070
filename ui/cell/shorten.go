package cell

import (
	"strings"
	"unicode"
)

// ShortenMiddle returns s and its width. If s is wider than width cells, ShortenMiddle replaces its
// middle with mark. If width is less than 8, it replaces the end instead.
func (c Cells) ShortenMiddle(s string, width int, mark string) (string, int) {
	all := c.Width(s)
	if all <= width {
		return s, all
	}
	if width < 8 {
		return c.Fit(s, width, mark)
	}
	head, a, _ := c.Cut(s, 0, (width-1)*2/3)
	rest := width - 1 - a
	tail, b, _ := c.Cut(s, all-rest, rest)
	return head + mark + tail, a + 1 + b
}

// MinNameWidth is the width that a shortened name keeps if possible.
const MinNameWidth = 8

// maxWordWidth is the greatest width of an ordinary word. Wider words are treated as names.
const maxWordWidth = 16

// isName reports whether a word looks like a path or a name, not like an ordinary word.
func isName(word string) bool {
	inner := strings.TrimFunc(word, unicode.IsPunct)
	return strings.ContainsFunc(inner, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' })
}

// Shorten returns s and its width. If s is wider than width cells, Shorten first shortens paths in the middle, and then
// leaves out a remark about a folder. Next it shortens names, the longest one first. Then it leaves out words before the last
// clause, which often names a key. A long clause after a semicolon is shortened by itself, or left out if it gets less than two
// fifths of the width. At last Shorten leaves out words in the middle of s. A key at the end, as in " (z: undo)", stays.
func (c Cells) Shorten(s string, width int, mark string) (string, int) {
	s, n := c.shorten(s, width, mark)
	return strings.ReplaceAll(s, nameBlank, " "), n
}

// nameBlank is a blank in the result of OneName.
const nameBlank = "\u00a0"

// OneName returns a name for a text that is passed to Shorten, which then treats the name as one word, and nothing in it as a
// clause or a remark of the text. The part of a notice that says whether something has failed comes before the name.
func OneName(name string) string { return strings.ReplaceAll(name, " ", nameBlank) }

func (c Cells) shorten(s string, width int, mark string) (string, int) {
	excess := c.Width(s) - width
	if excess <= 0 {
		return s, excess + width
	}
	if at := keyRemark(s); at > 0 && c.Width(s[at:]) <= width/2 {
		text, n := c.shorten(s[:at], width-c.Width(s[at:]), mark)
		return text + s[at:], n + c.Width(s[at:])
	}
	if from, to := pathRemark(s); to > 0 {
		if words, excess := c.shortenWords(s, width, mark, isPath); excess <= 0 {
			return c.joinWords(words)
		}
		return c.shorten(s[:from]+s[to:], width, mark)
	}
	words, excess := c.shortenWords(s, width, mark, func(word string) bool { return c.Width(word) > maxWordWidth || isName(word) })
	if excess <= 0 {
		return c.joinWords(words)
	}
	s = strings.Join(words, " ")
	for _, separator := range []string{"; ", ": "} {
		if text, ok := c.dropBefore(s, strings.LastIndex(s, separator), width, mark); ok {
			return text, c.Width(text)
		}
	}
	if end := strings.LastIndex(s, "; "); end > 0 {
		if room := width - c.Width(s[:end]+"; "); room >= width*2/5 {
			text, n := c.shorten(s[end+2:], room, mark)
			return s[:end] + "; " + text, width - room + n
		}
		return c.shorten(s[:end], width, mark)
	}
	return c.dropWords(words, width, mark)
}

// dropBefore leaves out the last words before the clause that begins at the octet clause. It returns false if there is
// no clause, if the clause is too wide or ends with a remark about the whole text, or if no word fits before it.
func (c Cells) dropBefore(s string, clause, width int, mark string) (text string, ok bool) {
	if clause <= 0 || c.Width(s[clause:]) > width*3/4 || strings.HasSuffix(s, ")") {
		return "", false
	}
	rest := s[clause:]
	room := width - c.Width(" "+mark+rest)
	end := 0
	for i := range clause {
		if s[i] == ' ' && c.Width(s[:i]) <= room {
			end = i
		}
	}
	return s[:end] + " " + mark + rest, end > 0
}

// shortenWords shortens the longest words of s for which the function may returns true. The result excess is the number of
// cells by which the words are still too wide.
func (c Cells) shortenWords(s string, width int, mark string, may func(word string) bool) (words []string, excess int) {
	words, excess = strings.Split(s, " "), c.Width(s)-width
	for excess > 0 {
		longest, size := 0, 0
		for i, word := range words {
			if n := c.Width(word); n > size && may(word) {
				longest, size = i, n
			}
		}
		if size <= MinNameWidth {
			break
		}
		short, n := c.ShortenMiddle(words[longest], max(size-excess, MinNameWidth), mark)
		words[longest], excess = short, excess-(size-n)
	}
	return words, excess
}

func (c Cells) joinWords(words []string) (string, int) {
	text := strings.Join(words, " ")
	return text, c.Width(text)
}

// isPath reports whether a word is a part of a path.
func isPath(word string) bool { return strings.ContainsAny(word, `/\`) }

// keyRemark returns where a remark about a key such as " (z: undo)" begins at the end of s, or 0.
func keyRemark(s string) int {
	at := max(strings.LastIndex(s, " ("), 0)
	if !strings.HasSuffix(s, ")") || !strings.Contains(s[at:], ": ") {
		return 0
	}
	return at
}

// pathRemark returns where a remark such as " (3 kB, in /tmp)" or " (in /tmp)" begins and ends in s. If there is none, the end is 0.
func pathRemark(s string) (from, to int) {
	from = strings.LastIndex(s, " (")
	if from < 0 {
		return 0, 0
	}
	n := strings.LastIndexByte(s[from:], ')')
	if n < 0 || !strings.HasPrefix(s[from:], " (in ") && !strings.Contains(s[from:from+n], ", in ") {
		return 0, 0
	}
	return from, from + n + 1
}

// dropWords joins the first and the last words with mark between them, as many as fit in width cells.
func (c Cells) dropWords(words []string, width int, mark string) (string, int) {
	first, last := 0, len(words)
	room := width - c.Width(mark)
	take := func(word string, limit int) bool {
		n := c.Width(word) + 1
		if room-n < limit {
			return false
		}
		room -= n
		return true
	}
	for first < last && take(words[first], width/4) {
		first++
	}
	for first < last && take(words[last-1], 0) {
		last--
	}
	if first == 0 || last == len(words) {
		return c.ShortenMiddle(strings.Join(words, " "), width, mark)
	}
	text := strings.Join(words[:first], " ") + " " + mark + " " + strings.Join(words[last:], " ")
	return text, c.Width(text)
}
