package score

import (
	"bytes"
	"errors"
	"fmt"
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
}

// Lines returns the rule for articles that are similar to the given one, as lines of a score file.
// subject and author are decoded and clean. Lines returns an error if the article lacks the property
// of the rule, or if the property is too long.
func (r NewRule) Lines(article *protocols.ArticleNote, subject, author string) (string, error) {
	root := article.MessageID
	if len(article.References) > 0 {
		root = article.References[0]
	}
	base, _ := protocols.BaseSubject(subject)
	if list := mimeheader.Addresses(author); len(list) > 0 {
		author = list[0].Address
	}
	value := map[string]string{ByAuthor: author, BySubject: base, ByThread: root}[r.By]
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
		fmt.Fprintf(&b, "  %% %s\n  Message-ID: %s\n  References: %[2]s\n", subject, Quote("<"+root+">"))
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
