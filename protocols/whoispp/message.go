package whoispp

import (
	"strconv"
	"strings"

	"gofer/protocols"
)

// The codes of system messages that have a meaning for the page.
const (
	codeOK        = 200
	codeBye       = 203
	codeGreeting  = 220
	codeComplete  = 226 // the last message of an answer
	codeAuthorize = 430
	codeCharset   = 600 // its text is the charset of the answer
)

// message is a system message: "% 220 text", or "% 220-text" if more lines follow.
type message struct {
	code int // 0 for a remark without a code
	text string
}

// parseMessage parses a line that begins with "%".
func parseMessage(line string) message {
	text := strings.TrimSpace(strings.TrimPrefix(line, "%"))
	if len(text) < 3 || len(text) > 3 && text[3] != ' ' && text[3] != '-' {
		return message{text: text}
	}
	code, err := strconv.ParseUint(text[:3], 10, 16)
	if err != nil || code < 100 {
		return message{text: text}
	}
	return message{int(code), strings.TrimSpace(strings.TrimPrefix(text[3:], "-"))}
}

// isRemark reports whether the message is shown: the usual messages of an answer are not.
func (m message) isRemark() bool {
	switch m.code {
	case codeOK, codeBye, codeGreeting, codeComplete, codeCharset:
		return false
	}
	return m.text != ""
}

// failure returns the error in the message, or nil.
func (m message) failure(addr string) error {
	if m.code < 400 || m.code > 599 {
		return nil
	}
	e := &protocols.Error{Reason: protocols.ServerFailed, Op: "ask the directory at " + addr, Code: m.code, Text: m.text}
	if m.code == codeAuthorize {
		e.Reason = protocols.Denied
	}
	return e
}
