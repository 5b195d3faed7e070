// Package waissource parses WAIS source descriptions. A source description describes a database and
// its server:
//
//	(:source :version 3 :ip-name "h" :tcp-port 210 :database-name "x" ...)
package waissource

import (
	"cmp"
	"strconv"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// Media is the media type of a source description.
const Media = "application/x-wais-source"

// MaxSize is the size limit of a source description, in octets.
const MaxSize = 64 << 10

// Source is a source description. The strings contain raw octets from the server.
type Source struct {
	Host        string // "" if missing
	Port        uint16 // 0 if missing
	Database    string
	Maintainer  string // a mail address
	Cost        string
	CostUnit    string
	Description string
}

// Parse reads a source description and ignores unknown fields. ok is false if text does not begin
// with "(:source" or names no database.
func Parse(text string) (s Source, ok bool) {
	p := parser{rest: text}
	if p.next() != "(" || !strings.EqualFold(p.next(), ":source") {
		return s, false
	}
	values := make(map[string]string)
	for {
		name := p.next()
		if name == "" || name == ")" {
			break
		}
		if !strings.HasPrefix(name, ":") {
			p.skip(name)
			continue
		}
		before := p
		value := p.next()
		switch {
		case value == ")" || strings.HasPrefix(value, ":") && !strings.HasPrefix(name, ":cost"):
			p = before // a name without a value
		case value == "(":
			p.skip(value)
		default:
			text, isString := strings.CutPrefix(value, stringMark)
			if !isString {
				text = strings.TrimPrefix(value, ":")
			}
			values[strings.ToLower(name[1:])] = text
		}
	}
	port, err := strconv.ParseUint(values["tcp-port"], 10, 16)
	if err != nil {
		port = 0
	}
	s = Source{
		Host: cmp.Or(values["ip-name"], values["ip-address"]), Port: uint16(port), Database: values["database-name"],
		Maintainer: values["maintainer"], Cost: values["cost"], CostUnit: values["cost-unit"],
		Description: strings.TrimSpace(values["description"]),
	}
	return s, s.Database != ""
}

// stringMark is the first character of a string token. It distinguishes a string from other tokens,
// because a string may contain any text, such as ")".
const stringMark = "\""

type parser struct{ rest string }

// next returns the next token: a parenthesis, a word, or stringMark followed by a string. It
// returns "" at the end.
func (p *parser) next() string {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n\f")
	if p.rest == "" {
		return ""
	}
	switch p.rest[0] {
	case '(', ')':
		token := p.rest[:1]
		p.rest = p.rest[1:]
		return token
	case '"':
		return p.readString()
	}
	i := strings.IndexAny(p.rest, " \t\r\n\f()\"")
	if i < 0 {
		i = len(p.rest)
	}
	token := p.rest[:i]
	p.rest = p.rest[i:]
	return token
}

// readString parses a string. A backslash escapes any character.
func (p *parser) readString() string {
	var b strings.Builder
	b.WriteString(stringMark)
	for s := p.rest[1:]; ; {
		i := strings.IndexAny(s, `"\`)
		if i < 0 || s[i] == '\\' && i+1 == len(s) {
			b.WriteString(s)
			p.rest = ""
			return b.String()
		}
		b.WriteString(s[:i])
		if s[i] == '"' {
			p.rest = s[i+1:]
			return b.String()
		}
		b.WriteByte(s[i+1])
		s = s[i+2:]
	}
}

// skip reads to the end of the list that begins with token. It does nothing if token is a word or a
// string.
func (p *parser) skip(token string) {
	for depth := 0; token != ""; token = p.next() {
		switch token {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth <= 0 {
			return
		}
	}
}

// URL returns the URL of the database, or nil if the URL would be invalid. If s has no host, the URL
// leads to server.
func (s Source) URL(server urlcore.HostPort) urlcore.URL {
	w := urlcore.WAIS{HostPort: urlcore.HostPort{Host: s.Host, Port: s.Port}, Database: s.Database}
	if s.Host == "" {
		w.HostPort = server
	}
	u, _ := urlcore.Canon(w)
	return u
}

// Lines returns lines that describe the database: a link to u, which may be nil, the description,
// the maintainer and the cost.
func (s Source) Lines(u urlcore.URL) []protocols.Line {
	var lines []protocols.Line
	if u != nil {
		lines = append(lines, protocols.Line{Kind: protocols.Search, Text: s.Database, Link: u}, protocols.Line{})
	}
	return append(lines, s.About()...)
}

// About returns the lines of [Source.Lines] without the link.
func (s Source) About() (lines []protocols.Line) {
	for text := range strings.Lines(s.Description) {
		lines = append(lines, protocols.Line{Text: strings.TrimRight(text, "\r\n")})
	}
	if len(lines) > 0 {
		lines = append(lines, protocols.Line{})
	}
	if s.Maintainer != "" {
		line := protocols.Line{Text: "Maintainer: " + s.Maintainer}
		if u, err := urlcore.Parse("mailto:" + s.Maintainer); err == nil && strings.Contains(s.Maintainer, "@") {
			line.Kind, line.Link = protocols.Mail, u
		}
		lines = append(lines, line)
	}
	if cost := strings.TrimSpace(s.Cost + " " + s.CostUnit); cost != "" && !strings.Contains(cost, "free") {
		lines = append(lines, protocols.Line{Text: "Cost: " + cost})
	}
	return lines
}
