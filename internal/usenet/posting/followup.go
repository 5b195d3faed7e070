package posting

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gofer/internal/text/document"
	"gofer/internal/text/mimeheader"
	"gofer/internal/usenet/compose"
	"gofer/protocols"
)

// splitGroups splits the value of a Newsgroups or Followup-To field (RFC 5536, section 3.1.4).
func splitGroups(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })
}

// wantsMail reports whether the author wants answers by mail only (RFC 5536, section 3.2.6).
func wantsMail(a *document.Original) bool {
	return slices.ContainsFunc(splitGroups(a.Raw("Followup-To")), func(s string) bool { return strings.EqualFold(s, "poster") })
}

// newFollowUp returns the template of a follow-up to an article (RFC 5537, section 3.4.3).
func (c *Client) newFollowUp(a *document.Original) compose.Text {
	groups := splitGroups(a.Raw("Followup-To"))
	if len(groups) == 0 {
		groups = splitGroups(a.Raw("Newsgroups"))
	}
	return compose.Text{
		Header: []compose.Field{
			{Name: "From", Value: c.From},
			{Name: "Newsgroups", Value: strings.Join(groups, ",")},
			{Name: "Subject", Value: makeAnswerSubject(a.Field("Subject"))},
			{Name: "References", Value: makeReferences(a)},
		},
		Body: c.makeAttribution(a) + "\n" + quoteText(a.Text, a.Flowed) + "\n" + c.readSignature(),
	}
}

// newReply returns the template of an answer by mail. The mailer adds the From field.
func (c *Client) newReply(a *document.Original) compose.Text {
	to := cmp.Or(a.Raw("Reply-To"), a.Raw("From"))
	return compose.Text{
		Header: []compose.Field{
			{Name: "To", Value: formatMailboxes(to)},
			{Name: "Subject", Value: makeAnswerSubject(a.Field("Subject"))},
			{Name: "In-Reply-To", Value: a.Raw("Message-ID")},
			{Name: "References", Value: makeReferences(a)},
		},
		Body: c.makeAttribution(a) + "\n" + quoteText(a.Text, a.Flowed) + "\n" + c.readSignature(),
	}
}

// newVersion returns the template of an article that supersedes the given one (RFC 5537, section
// 5.4).
func (c *Client) newVersion(a *document.Original) compose.Text {
	t := compose.Text{Body: strings.Join(a.Text, "\n")}
	for _, name := range []string{"From", "Newsgroups", "Followup-To", "Subject", "References"} {
		value := a.Field(name)
		if name == "From" {
			value = c.From
		}
		if value != "" {
			t.Header = append(t.Header, compose.Field{Name: name, Value: value})
		}
	}
	return t
}

// makeAnswerSubject returns the subject of an answer to an article with the subject s. The subject has
// one "Re: " and no "(was: ...)".
func makeAnswerSubject(s string) string {
	base, _ := protocols.BaseSubject(s)
	return "Re: " + base
}

const (
	maxReferences = 998 - len("References: ") // octets (RFC 5537, section 3.4.4)
	maxID         = 250                       // octets (RFC 5536, section 3.1.3)
)

var messageID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[!-;=?-~]+@[!-;=?-~]+>`) })

// makeReferences returns the References field of an answer to an article: the Message-IDs in the
// article's own References field, then its Message-ID. An article without References may have one
// Message-ID in In-Reply-To instead. If the result is too long, the first Message-ID and the last
// ones stay (RFC 5537, section 3.4.4).
func makeReferences(a *document.Original) string {
	before := a.Raw("References")
	if before == "" {
		if parents := messageID().FindAllString(a.Raw("In-Reply-To"), -1); len(parents) == 1 {
			before = parents[0]
		}
	}
	var ids []string
	size := -1
	for _, id := range slices.Backward(messageID().FindAllString(before+" "+a.Raw("Message-ID"), -1)) {
		if len(id) <= maxID && !slices.Contains(ids, id) {
			ids = append(ids, id)
			size += len(id) + 1
		}
	}
	slices.Reverse(ids)
	for len(ids) > 1 && size > maxReferences {
		size -= len(ids[1]) + 1
		ids = slices.Delete(ids, 1, 2)
	}
	return strings.Join(ids, " ")
}

// makeAttribution returns the line above a quote. In c.Attribution, %n means the author's name, %a the
// address, %d the date, %i the Message-ID, %g the groups and %s the subject.
func (c *Client) makeAttribution(a *document.Original) string {
	var from protocols.Address
	if list := mimeheader.Addresses(a.Raw("From")); len(list) > 0 {
		from = list[0]
	}
	date := a.Field("Date")
	if t := mimeheader.ParseDate(date); !t.IsZero() {
		date = t.Format("2006-01-02")
	}
	groups := strings.Join(splitGroups(a.Raw("Newsgroups")), ", ")
	return strings.NewReplacer("%n", cmp.Or(from.Name, from.Address), "%a", from.Address, "%d", date, "%i", a.Raw("Message-ID"), "%g", groups, "%s", a.Field("Subject"), "%%", "%").Replace(c.Attribution)
}

// quoteText returns text as a quote, without its signature. If text is flowed (see
// [document.Original]), so is the quote.
func quoteText(text []string, flowed bool) string {
	for i, line := range slices.Backward(text) {
		if line == "-- " {
			text = text[:i]
			break
		}
	}
	for len(text) > 0 && strings.TrimSpace(text[len(text)-1]) == "" {
		text = text[:len(text)-1]
	}
	var b strings.Builder
	for _, line := range text {
		if !flowed || strings.TrimSpace(line) == "" {
			line = strings.TrimRight(line, " \t")
		}
		if line != "" && line[0] != '>' {
			line = " " + line
		}
		b.WriteString(">" + line + "\n")
	}
	return b.String()
}

// formatMailboxes returns the addresses in a field as the user would write them.
func formatMailboxes(raw string) string {
	var texts []string
	for _, a := range mimeheader.Addresses(raw) {
		text := a.Address
		if a.Name != "" {
			text = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(a.Name) + `" <` + a.Address + ">"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}
