package cso

import (
	"strconv"
	"strings"
)

// reply is a line of an answer (RFC 2378, section 2):
//
//	[-]code:[index:][field:]text
type reply struct {
	code  int // 0: the line is none, and all of it is text
	more  bool
	index int    // the entry or field that it belongs to, 0 if it has none
	field string // without blanks around it
	text  string
	row   string // field and text as they came
}

func parseReply(line string) reply {
	number, rest, ok := strings.Cut(strings.TrimPrefix(line, "-"), ":")
	code, _ := strconv.ParseUint(number, 10, 16)
	if !ok || code < 100 || code > 999 {
		return reply{text: line, row: line}
	}
	r := reply{code: int(code), more: line[0] == '-', text: rest, row: rest}
	number, rest, ok = strings.Cut(rest, ":")
	index, err := strconv.ParseUint(strings.TrimSpace(number), 10, 31)
	if !ok || err != nil || !r.more {
		return r
	}
	r.index, r.row, r.text = int(index), rest, rest
	if field, text, ok := strings.Cut(rest, ":"); ok {
		r.field, r.text = strings.TrimSpace(field), text
	}
	return r
}

// progress reports whether r tells how far the server has come.
func (r reply) progress() bool { return r.code >= 100 && r.code < 200 }

// final reports whether nothing follows r.
func (r reply) final() bool { return r.code >= 200 && !r.more }

// failed reports whether r is why there is no answer.
func (r reply) failed() bool { return r.code >= 400 }

// quote writes a value of a query, in quotes where it would not stay one word.
func quote(value string) string {
	if value != "" && !strings.ContainsAny(value, " \t\"\\") {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\n", `\n`).Replace(value) + `"`
}
