package document

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

const mediaPartial = "message/partial"

// partialText says which part of a message a message/partial is (RFC 2046,
// section 5.2.2).
func (a *articleReader) partialText(params map[string]string) string {
	part, parts := number(params["number"]), number(params["total"])
	text := "a part"
	if part > 0 {
		text = fmt.Sprintf("part %d", part)
		if parts >= part {
			text += fmt.Sprintf(" of %d", parts)
		}
	}
	if text += " of a message"; a.subject.Part == 0 {
		text += ": save all parts and join them to read it"
	}
	return text
}

// takePartial takes the octets of a part of a message. Before those of the first one
// stands what the whole message has of the header around it (RFC 2046, section
// 5.2.2.1).
func (a *articleReader) takePartial(l *leaf, h articleHeader, params map[string]string) {
	if l.asIs = false; number(params["number"]) == 1 { // the last line end is the part's
		var b strings.Builder
		for _, f := range h.fields {
			name := strings.ToLower(f.name)
			if !strings.HasPrefix(name, "content-") && !slices.Contains([]string{"subject", "message-id", "encrypted", "mime-version"}, name) {
				b.WriteString(f.name + ":" + strings.TrimRight(f.value, "\r\n") + "\r\n")
			}
		}
		l.body = io.MultiReader(strings.NewReader(b.String()), l.body)
	}
	a.taken(l)
}
