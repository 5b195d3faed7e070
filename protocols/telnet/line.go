package telnet

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// escapes are the octets that a terminal may send for Ctrl-]. The server may have enabled one of two
// keyboard protocols: kitty's, or xterm's modifyOtherKeys.
var escapes = []string{"\x1d", "\x1b[93;5u", "\x1b[93;5:1u", "\x1b[27;5;93~"}

// cutEscape returns the input before and after the first Ctrl-].
func cutEscape(p []byte) (before, after []byte, found bool) {
	before = p
	for _, e := range escapes {
		if b, a, ok := bytes.Cut(p, []byte(e)); ok && (!found || len(b) < len(before)) {
			before, after, found = b, a, true
		}
	}
	return before, after, found
}

// line is the line that the user is typing, if gofer and not the server edits lines.
type line struct{ text []byte }

// mode says how input is handled.
type mode struct {
	editing bool // only complete lines are sent
	echo    bool // the input is shown
	binary  bool // line ends are sent unchanged (RFC 856)
}

// lineEnd returns the octets to send for Enter. By RFC 854, a CR is followed by an LF or a NUL.
func (m mode) lineEnd() string {
	switch {
	case m.binary:
		return "\r"
	case m.editing:
		return "\r\n"
	}
	return "\r\x00"
}

// mode returns the current mode.
func (s *session) mode() mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return mode{s.options.isEditing(), s.options.showsInput(), s.options.client.state[optBinary] == on}
}

// handleInput handles the input p. If gofer edits lines, handleInput sends only complete lines. Otherwise it
// sends p at once.
func (s *session) handleInput(p []byte) {
	if len(p) == 0 {
		return
	}
	send, shown := s.line.handleKeys(p, s.mode())
	s.send(send)
	s.print(shown)
}

// handleKeys handles the input p. It returns the octets to send and the text to show.
func (l *line) handleKeys(p []byte, m mode) (send []byte, shown string) {
	var echo strings.Builder
	if !m.editing {
		send, l.text = doubleIAC(l.text), nil
		for _, c := range p {
			switch {
			case c == '\r':
				send = append(send, m.lineEnd()...)
				echo.WriteByte('\n')
			case c == iac:
				send = append(send, iac, iac)
				continue
			default:
				send = append(send, c)
			}
			if c == '\r' || c >= ' ' && c != 0x7f || c == '\b' {
				echo.WriteByte(c)
			}
		}
	} else if p[0] != 0x1b || len(p) == 1 { // the sequence of a key such as Up is ignored
		for _, c := range p {
			send = append(send, l.edit(c, m, &echo)...)
		}
	}
	if !m.echo {
		return send, ""
	}
	return send, strings.ReplaceAll(echo.String(), "\n\r", "\r\n")
}

// edit handles one octet of the input like a terminal driver. It returns the octets to send.
func (l *line) edit(c byte, m mode, echo *strings.Builder) []byte {
	switch c {
	case '\r', '\n':
		echo.WriteString("\r\n")
		return l.flush(m.lineEnd())
	case '\b', 0x7f:
		l.erase(1, echo)
	case 0x15: // Ctrl-U
		l.erase(len(l.text), echo)
	case 0x17: // Ctrl-W
		word := bytes.TrimRight(l.text, " ")
		word = word[bytes.LastIndexByte(word, ' ')+1:]
		l.erase(utf8.RuneCount(word)+len(l.text)-len(bytes.TrimRight(l.text, " ")), echo)
	case 0x03: // Ctrl-C
		l.text = nil
		return []byte{iac, ip}
	case 0x1c: // Ctrl-\
		l.text = nil
		return []byte{iac, brk}
	case 0x1a: // Ctrl-Z
		l.text = nil
		return []byte{iac, susp}
	case 0x04: // Ctrl-D
		return l.flush("\x04")
	default:
		if c >= ' ' || c == '\t' {
			if len(l.text) < maxLine {
				l.text = append(l.text, c)
				echo.WriteByte(c)
			} else {
				echo.WriteByte('\a')
			}
		}
	}
	return nil
}

// maxLine is the maximum length of the typed line in octets.
const maxLine = 4 << 10

// flush clears the line and returns its octets, followed by end.
func (l *line) flush(end string) []byte {
	send := append(doubleIAC(l.text), end...)
	l.text = nil
	return send
}

// erase removes the last n characters.
func (l *line) erase(n int, echo *strings.Builder) {
	for ; n > 0 && len(l.text) > 0; n-- {
		r, size := utf8.DecodeLastRune(l.text)
		l.text = l.text[:len(l.text)-size]
		echo.WriteString(strings.Repeat("\b \b", displaywidth.Rune(r)))
	}
}
