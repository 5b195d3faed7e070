package telnet

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// escapes are Ctrl-] as terminals send it: also those in which the server has
// turned on another keyboard protocol (kitty's, xterm's modifyOtherKeys).
var escapes = []string{"\x1d", "\x1b[93;5u", "\x1b[93;5:1u", "\x1b[27;5;93~"}

// cutEscape cuts what is typed around the first Ctrl-].
func cutEscape(p []byte) (before, after []byte, found bool) {
	before = p
	for _, e := range escapes {
		if b, a, ok := bytes.Cut(p, []byte(e)); ok && (!found || len(b) < len(before)) {
			before, after, found = b, a, true
		}
	}
	return before, after, found
}

// line is the line that is being typed, where the server does not edit it.
type line struct{ text []byte }

// mode is how what is typed is taken.
type mode struct {
	editing bool // lines are sent when they are whole
	echo    bool // what is typed is shown
	binary  bool // line ends are sent as they are (RFC 856)
}

// lineEnd is what is sent for Enter (RFC 854; a CR that is not before an LF goes
// with a NUL).
func (m mode) lineEnd() string {
	switch {
	case m.binary:
		return "\r"
	case m.editing:
		return "\r\n"
	}
	return "\r\x00"
}

// mode is how what is typed is taken now.
func (s *session) mode() mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return mode{s.options.editing(), s.options.echo(), s.options.client.state[optBinary] == on}
}

// typed sends what is typed, at once or with the end of its line.
func (s *session) typed(p []byte) {
	if len(p) == 0 {
		return
	}
	send, shown := s.line.take(p, s.mode())
	s.send(send)
	s.print(shown)
}

// take takes what is typed and returns what to send and what to show.
func (l *line) take(p []byte, m mode) (send []byte, shown string) {
	var echo strings.Builder
	if !m.editing {
		send, l.text = doubled(l.text), nil
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
	} else if p[0] != 0x1b || len(p) == 1 { // keys such as Up mean nothing here
		for _, c := range p {
			send = append(send, l.edit(c, m, &echo)...)
		}
	}
	if !m.echo {
		return send, ""
	}
	return send, strings.ReplaceAll(echo.String(), "\n\r", "\r\n")
}

// edit takes one octet as the terminal of the system would, and returns what
// is to be sent now.
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

// maxLine bounds the line that is being typed, in octets.
const maxLine = 4 << 10

// flush returns the line with an end, and begins a new one.
func (l *line) flush(end string) []byte {
	send := append(doubled(l.text), end...)
	l.text = nil
	return send
}

// erase takes the last n characters away.
func (l *line) erase(n int, echo *strings.Builder) {
	for ; n > 0 && len(l.text) > 0; n-- {
		r, size := utf8.DecodeLastRune(l.text)
		l.text = l.text[:len(l.text)-size]
		echo.WriteString(strings.Repeat("\b \b", displaywidth.Rune(r)))
	}
}
