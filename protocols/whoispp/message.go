package whoispp

import (
	"strconv"
	"strings"

	"gofer/protocols"
)

// The codes of system messages that have a meaning for the page (RFC 1835, appendix E).
const (
	codeOK        = 200
	codeDone      = 201
	codeBye       = 203 // the server closes the connection
	codeGreeting  = 220
	codeComplete  = 226 // all of the answer has been sent
	codeAuthorize = 430
	codeDenied    = 530
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
	if err != nil {
		return message{text: text}
	}
	return message{int(code), strings.TrimSpace(strings.TrimPrefix(text[3:], "-"))}
}

// isRemark reports whether the message is shown: the usual messages of an answer are not.
func (m message) isRemark() bool {
	switch m.code {
	case codeOK, codeDone, codeBye, codeGreeting, codeComplete, codeCharset:
		return false
	}
	return m.text != ""
}

// isEnd reports whether nothing follows the message. Servers may leave out the first of the two (RFC 2958, section 2).
func (m message) isEnd() bool { return m.code == codeComplete || m.code == codeBye }

// failure returns the error in the message, or nil.
func (m message) failure(addr string) error {
	if m.code < 400 || m.code > 599 {
		return nil
	}
	e := &protocols.Error{Reason: protocols.ServerFailed, Op: "ask the directory at " + addr, Code: m.code, Text: m.text}
	if m.code == codeAuthorize || m.code == codeDenied {
		e.Reason = protocols.Denied
	}
	return e
}
