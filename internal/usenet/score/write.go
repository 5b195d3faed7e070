package score

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gofer/internal/text/mimeheader"
	"gofer/protocols"
)

// The values of [NewRule.By]. The rule selects articles with the same property.
const (
	ByAuthor  = "author"
	BySubject = "subject"
	ByThread  = "thread"
)

// NewRule describes a new rule for articles that are similar to a given one.
type NewRule struct {
	By     string
	Groups string // a pattern
	Score  int
	Days   int       // days until the rule expires; 0 means never
	Now    time.Time // time of creation
	// Thread has the articles of the thread as it is shown, for ByThread. Some may lack the references to its first
	// article. Nil is the given article.
	Thread []*protocols.ArticleNote
}

// maxRoots bounds the number of articles that the rule for a thread names.
const maxRoots = 50

// rootOf returns the Message-ID of the first article that an article refers to, or its own.
func rootOf(article *protocols.ArticleNote) string {
	if len(article.References) > 0 {
		return article.References[0]
	}
	return article.MessageID
}

// roots returns the different roots of the articles of the thread, the first one that of the given article.
func (r NewRule) roots(article *protocols.ArticleNote) []string {
	roots := []string{rootOf(article)}
	for _, other := range r.Thread {
		root := rootOf(other)
		if len(roots) < maxRoots && isPattern("<"+root+">") && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return roots
}

// CheckGroup returns an error if a rule cannot be for the one group with this name. Section names are patterns, and
// have no quotes. RFC 3977, section 4.1, excludes most of these characters from the names of groups.
func CheckGroup(group string) error {
	if strings.ContainsAny(group, "!*,?[\\]~%") || strings.ContainsFunc(group, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return errors.New("the name of this group cannot be written in a score file")
	}
	return nil
}

// isPattern reports whether a rule can have the value.
func isPattern(value string) bool {
	return !strings.ContainsAny(value, "\r\n") && len(Quote(value)) <= maxPattern
}

// Lines returns the rule for articles that are similar to the given one, as lines of a score file.
// subject and author are decoded and clean. Lines returns an error if the article lacks the property
// of the rule, or if the property is too long.
func (r NewRule) Lines(article *protocols.ArticleNote, subject, author string) (string, error) {
	roots := r.roots(article)
	base, _ := protocols.BaseSubject(subject)
	if list := mimeheader.Addresses(author); len(list) > 0 {
		author = list[0].Address
	}
	value := map[string]string{ByAuthor: author, BySubject: base, ByThread: roots[0]}[r.By]
	switch {
	case value == "" || strings.ContainsAny(value, "\r\n"):
		return "", errors.New("this article has no " + r.By + " to make a rule of")
	case len(Quote(value)) > maxPattern-len("<>"):
		return "", errors.New("the " + r.By + " of this article is too long for a rule")
	}
	var b strings.Builder
	colons := ":"
	if r.By == ByThread {
		colons = "::"
	}
	fmt.Fprintf(&b, "[%s]\n  Score%s %d\n", r.Groups, colons, r.Score)
	if r.Days > 0 {
		fmt.Fprintf(&b, "  Expires: %s\n", r.Now.AddDate(0, 0, r.Days).Format("2-1-2006"))
	}
	switch r.By {
	case ByAuthor:
		fmt.Fprintf(&b, "  From: %s\n", Quote(author))
	case BySubject:
		fmt.Fprintf(&b, "  Subject: %s\n", Quote(base))
	case ByThread:
		fmt.Fprintf(&b, "  %% %s\n", subject)
		for _, root := range roots {
			fmt.Fprintf(&b, "  Message-ID: %s\n  References: %[1]s\n", Quote("<"+root+">"))
		}
	}
	return b.String(), nil
}

// Add returns the file with an empty line and the lines of text appended. An empty file needs no
// empty line.
func Add(file []byte, text string) []byte {
	out := bytes.Clone(file)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	if len(out) > 0 {
		out = append(out, '\n')
	}
	return append(out, text...)
}

// Remove undoes Add. It returns the file without the last occurrence of text and without the empty
// line before it. If text does not occur, it returns the file unchanged.
func Remove(file []byte, text string) []byte {
	i := bytes.LastIndex(file, []byte(text))
	if i < 0 || i > 0 && file[i-1] != '\n' {
		return file
	}
	before := file[:i]
	if bytes.HasSuffix(before, []byte("\n\n")) {
		before = before[:len(before)-1]
	}
	return append(bytes.Clone(before), file[i+len(text):]...)
}
