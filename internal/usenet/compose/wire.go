package compose

import (
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"
	"unicode/utf8"
)

// addressFields are the fields that contain addresses.
const addressFields = " from to cc bcc reply-to sender "

// generatedFields are the fields that gofer or servers set. The user must not write them.
const generatedFields = " date message-id mime-version received return-path "

// Format returns the message in the format of RFC 5322 and 2045: the fields in extra, the user's
// fields except the ones named in omit, and the body in UTF-8. Lines end in CR LF. A line end in
// the value of a field cannot begin another field.
func (t Text) Format(extra []Field, omit ...string) (string, error) {
	var b strings.Builder
	for _, f := range extra {
		writeField(&b, f.Name, f.Value)
	}
	for _, f := range t.Header {
		name := strings.ToLower(f.Name)
		switch value := f.Value; {
		case strings.Contains(generatedFields, " "+name+" "), strings.HasPrefix(name, "content-"):
			return "", fmt.Errorf("the field %s is not allowed in a draft", f.Name)
		case slices.ContainsFunc(omit, func(s string) bool { return strings.EqualFold(s, name) }):
		case strings.Contains(addressFields, " "+name+" "):
			list, err := Addresses(value)
			if err != nil {
				return "", fmt.Errorf("%s: %w", f.Name, err)
			}
			texts := make([]string, len(list))
			for i, a := range list {
				texts[i] = a.String()
			}
			writeField(&b, f.Name, strings.Join(texts, ", "))
		case !utf8.ValidString(value):
			return "", fmt.Errorf("%s is not UTF-8", f.Name)
		default:
			writeField(&b, f.Name, mime.QEncoding.Encode("utf-8", value))
		}
	}
	t.writeBody(&b)
	return b.String(), nil
}

// Addresses parses a list of mail addresses. The error is shown to the user.
func Addresses(list string) ([]*mail.Address, error) {
	found, err := mail.ParseAddressList(list)
	if err != nil {
		return nil, fmt.Errorf("%q is not a list of addresses such as name@host, name@host", list)
	}
	for _, a := range found {
		if strings.ContainsAny(a.Address, "\r\n\x00 <>") || !strings.Contains(a.Address, "@") {
			return nil, fmt.Errorf("%q is not a mail address", a.Address)
		}
	}
	return found, nil
}

// maxLine is the longest line of a folded header. Lines with encoded words must not be longer (RFC 2047,
// section 2).
const maxLine = 76

// writeField writes a field, folded at blanks. Line ends in the value become blanks.
func writeField(b *strings.Builder, name, value string) {
	b.WriteString(name + ":")
	column := len(name) + 1
	for _, word := range strings.Fields(strings.ReplaceAll(value, "\x00", "")) {
		if column+1+len(word) > maxLine && column > len(name)+1 {
			b.WriteString("\r\n")
			column = 0
		}
		b.WriteString(" " + word)
		column += 1 + len(word)
	}
	b.WriteString("\r\n")
}

// maxPlain is the longest line of a body that is sent without an encoding (RFC 5322, section 2.1.1).
const maxPlain = 998

func (t Text) writeBody(b *strings.Builder) {
	body := strings.TrimRight(strings.ReplaceAll(t.Body, "\r\n", "\n"), "\n") + "\n"
	body, flowed := flow(body)
	format := ""
	if flowed {
		format = "; format=flowed"
	}
	plain, ascii := utf8.ValidString(body), true
	for line := range strings.Lines(body) {
		plain = plain && len(line) <= maxPlain && !strings.ContainsAny(line, "\r\x00")
		for i := range len(line) {
			ascii = ascii && line[i] < utf8.RuneSelf
		}
	}
	body = strings.ReplaceAll(body, "\n", "\r\n")
	writeField(b, "MIME-Version", "1.0")
	if plain && ascii {
		writeField(b, "Content-Type", "text/plain; charset=us-ascii"+format)
		b.WriteString("\r\n" + body)
		return
	}
	writeField(b, "Content-Type", "text/plain; charset=utf-8"+format)
	if plain && t.EightBit {
		writeField(b, "Content-Transfer-Encoding", "8bit")
		b.WriteString("\r\n" + body)
		return
	}
	writeField(b, "Content-Transfer-Encoding", "quoted-printable")
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(b)
	_, _ = w.Write([]byte(strings.ToValidUTF8(body, "\ufffd")))
	_ = w.Close()
}
