package document

import (
	"cmp"
	"io"
	"slices"
	"strings"
)

const mediaPartial = "message/partial"

// describePartial returns a description of a message/partial, such as "part 2 of 3 of a message"
// (RFC 2046, section 5.2.2).
func (a *articleReader) describePartial(params map[string]string) string {
	f := encodedFile{part: int(max(0, parseNumber(params["number"]))), parts: int(parseNumber(params["total"]))}
	if f.parts < f.part {
		f.parts = 0
	}
	text := cmp.Or(f.partText(), "a part") + " of a message"
	if a.subject.Part == 0 {
		text += ": save all parts and join them to read it"
	}
	return text
}

// takePartial passes the content of a message/partial to a.take. Before the first part it adds the
// fields of the outer header h that belong to the whole message (RFC 2046, section 5.2.2.1).
func (a *articleReader) takePartial(l *leaf, h articleHeader, params map[string]string) {
	if l.asIs = false; parseNumber(params["number"]) == 1 { // the last line end belongs to the message
		var b strings.Builder
		for _, f := range h.fields {
			name := strings.ToLower(f.name)
			if !strings.HasPrefix(name, "content-") && !slices.Contains([]string{"subject", "message-id", "encrypted", "mime-version"}, name) {
				b.WriteString(f.name + ":" + strings.TrimRight(f.value, "\r\n") + "\r\n")
			}
		}
		l.body = io.MultiReader(strings.NewReader(b.String()), l.body)
	}
	a.passWanted(l)
}
