package posting

import (
	"cmp"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gofer/internal/text/document"
	"gofer/internal/text/mimeheader"
	"gofer/internal/usenet/compose"
	"gofer/protocols"
)

// groupList splits a Newsgroups or Followup-To field (RFC 5536, section 3.1.4).
func groupList(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })
}

// wantsMail reports whether the author wants answers by mail only (RFC 5536, section 3.2.6).
func wantsMail(a *document.Original) bool {
	return slices.ContainsFunc(groupList(a.Raw("Followup-To")), func(s string) bool { return strings.EqualFold(s, "poster") })
}

// followUp returns the template of a follow-up to a (RFC 5537, section 3.4.3).
func (c *Client) followUp(a *document.Original) compose.Text {
	groups := groupList(a.Raw("Followup-To"))
	if len(groups) == 0 {
		groups = groupList(a.Raw("Newsgroups"))
	}
	return compose.Text{
		Header: []compose.Field{
			{Name: "From", Value: c.From},
			{Name: "Newsgroups", Value: strings.Join(groups, ",")},
			{Name: "Subject", Value: answerSubject(a.Field("Subject"))},
			{Name: "References", Value: references(a)},
		},
		Body: c.attribution(a) + "\n" + quoteText(a.Text, a.Flowed) + "\n" + c.readSignature(),
	}
}

// reply returns the template of an answer by mail. The mailer adds the From field.
func (c *Client) reply(a *document.Original) compose.Text {
	to := cmp.Or(a.Raw("Reply-To"), a.Raw("From"))
	return compose.Text{
		Header: []compose.Field{
			{Name: "To", Value: formatMailboxes(to)},
			{Name: "Subject", Value: answerSubject(a.Field("Subject"))},
			{Name: "In-Reply-To", Value: a.Raw("Message-ID")},
			{Name: "References", Value: references(a)},
		},
		Body: c.attribution(a) + "\n" + quoteText(a.Text, a.Flowed) + "\n" + c.readSignature(),
	}
}

// supersede returns the template of an article that supersedes a (RFC 5537, section 5.4).
func (c *Client) supersede(a *document.Original) compose.Text {
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

// answerSubject returns the subject of an answer to an article with the subject s. The subject has
// one "Re: " and no "(was: ...)".
func answerSubject(s string) string {
	base, _ := protocols.BaseSubject(s)
	return "Re: " + base
}

const (
	maxReferences = 998 - len("References: ") // octets (RFC 5537, section 3.4.4)
	maxID         = 250                       // octets (RFC 5536, section 3.1.3)
)

var messageID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[!-;=?-~]+@[!-;=?-~]+>`) })

// references returns the References field of an answer to a: the References and the Message-ID of a.
// If the field is too long, references keeps the first and the last Message-IDs (RFC 5537, section
// 3.4.4).
func references(a *document.Original) string {
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

// attribution returns the line above a quote. In the setting, %n means the author's name, %a the
// address, %d the date, %i the Message-ID, %g the groups and %s the subject.
func (c *Client) attribution(a *document.Original) string {
	var from protocols.Address
	if list := mimeheader.Addresses(a.Raw("From")); len(list) > 0 {
		from = list[0]
	}
	date := a.Field("Date")
	if t, err := mail.ParseDate(date); err == nil {
		date = t.Format("2006-01-02")
	}
	groups := strings.Join(groupList(a.Raw("Newsgroups")), ", ")
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
