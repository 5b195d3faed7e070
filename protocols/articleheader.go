package protocols

import (
	"strconv"
	"strings"
	"time"

	"gofer/urlcore"
)

// ArticleHeader is the Note of the first line of an article. It holds the decoded header of the article
// (RFC 5536, section 3). Octets that are neither UTF-8 nor in encoded words are in the charset of the page.
type ArticleHeader struct {
	From, ReplyTo []Address
	Subject       string
	Date          time.Time
	DateText      UnreadDate // the Date field if it cannot be read
	Newsgroups    []urlcore.URL
	FollowupTo    []urlcore.URL
	ToPoster      bool // "Followup-To: poster": the author wants answers by mail
	Organization  string
	MessageID     string // without < >
	References    []urlcore.URL
	Crossposts    []Crosspost
	Lines         int64  // the number of lines of the body, or -1
	Charset       string // the charset in Content-Type, or ""
}

// Address is a mailbox of a header field (RFC 5322, section 3.4).
type Address struct {
	Name    string `json:"name,omitempty"`
	Address string `json:"address"`
}

func (*ArticleHeader) Row() Row          { return Row{} }
func (*ArticleHeader) Columns() []Column { return nil }

func (h *ArticleHeader) Attributes() []Attribute {
	followup := urlTexts(h.FollowupTo)
	if h.ToPoster {
		followup = []string{"poster"}
	}
	var crossposts map[string]uint64
	for _, c := range h.Crossposts {
		if crossposts == nil {
			crossposts = make(map[string]uint64)
		}
		crossposts[c.Group] = c.Number
	}
	return []Attribute{
		{"from", ifKnown(len(h.From) > 0, h.From)},
		{"reply_to", ifKnown(len(h.ReplyTo) > 0, h.ReplyTo)},
		{"subject", h.Subject},
		{"date", h.Date},
		{"date_text", string(h.DateText)},
		{"newsgroups", urlTexts(h.Newsgroups)},
		{"followup_to", followup},
		{"organization", h.Organization},
		{"message_id", h.MessageID},
		{"references", urlTexts(h.References)},
		{"numbers", ifKnown(crossposts != nil, crossposts)},
		{"lines", ifKnown(h.Lines >= 0, h.Lines)},
	}
}

func urlTexts(urls []urlcore.URL) (texts []string) {
	for _, u := range urls {
		texts = append(texts, urlcore.Redact(u).String())
	}
	return texts
}

func (h *ArticleHeader) Memory() int {
	return 2*noteSize + len(h.Subject) + 120*(len(h.Newsgroups)+len(h.FollowupTo)+len(h.References)+len(h.From))
}

// Detail is the Note of a header line that is hidden until the user asks for the whole header.
type Detail uint8

// The kinds of details.
const (
	KnownField Detail = iota // a field that printed pages include
	OtherField               // any other field
)

func (Detail) Row() Row                { return Row{} }
func (Detail) Columns() []Column       { return nil }
func (Detail) Attributes() []Attribute { return nil }
func (Detail) Memory() int             { return 16 }

// AttachmentNote is the Note of the line for a part of an article.
type AttachmentNote struct {
	Name, Media string
	Size        int64 // octets, or -1 if unknown
	Part, Parts int   // part number and number of parts of a split file; 0 if unknown
}

func (*AttachmentNote) Row() Row          { return Row{} }
func (*AttachmentNote) Columns() []Column { return nil }

func (n *AttachmentNote) Attributes() []Attribute {
	return []Attribute{
		{"name", n.Name},
		{"media", n.Media},
		{"size", Octets(n.Size)},
		{"part", ifKnown(n.Part > 0, n.Part)},
		{"parts", ifKnown(n.Parts > 0, n.Parts)},
	}
}

func (n *AttachmentNote) Memory() int { return noteSize + len(n.Name) + len(n.Media) }

// Crosspost is a newsgroup of an article, and the number of the article in this group (RFC 5536, section
// 3.2.14).
type Crosspost struct {
	Group  string
	Number uint64
}

// MaxCrossposts limits the number of groups of an article.
const MaxCrossposts = 1000

// ParseCrossposts parses the Xref field of an article: the server, then group:number for each group. It
// skips malformed groups.
func ParseCrossposts(xref string) (list []Crosspost) {
	fields := strings.Fields(xref)
	for _, s := range fields[min(1, len(fields)):min(MaxCrossposts, len(fields))] {
		i := strings.LastIndexByte(s, ':')
		if i <= 0 {
			continue
		}
		if n, err := strconv.ParseUint(s[i+1:], 10, 63); err == nil {
			list = append(list, Crosspost{Group: s[:i], Number: n})
		}
	}
	return list
}
