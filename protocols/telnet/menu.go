package telnet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gofer/internal/text/clean"
)

// menuKeys maps keys of the menu to the telnet commands that they send.
var menuKeys = map[byte]byte{'b': brk, 'i': ip, 'o': ao, 'a': ayt, 'e': ec, 'k': el}

// runMenu shows a menu of commands and runs the chosen command. The parameter typed is input that was read
// already, and the result rest is the input after the choice. The result closed reports whether the user has
// closed the session. Output from the server is shown after the menu has closed.
func (s *session) runMenu(ctx context.Context, typed []byte) (rest []byte, closed bool, err error) {
	s.screenMu.Lock()
	_, _ = fmt.Fprint(s.terminal.Output, s.openMenu())
	var send []byte
	for chosen := false; !chosen && err == nil; {
		var key byte
		if key, typed, err = s.readKey(ctx, typed); err == nil {
			send, closed, chosen = s.choose(key)
		}
	}
	lost := s.closeMenu()
	s.screenMu.Unlock()
	if closed || err != nil {
		return nil, closed, err
	}
	s.send(send)
	if lost {
		s.mu.Lock()
		if columns, rows := s.terminal.Size(); s.options.client.state[optSize] == on {
			s.sendWindowSize(columns, max(1, rows-1)) // a changed size makes the remote program redraw its screen
			s.sendWindowSize(columns, rows)
		}
		s.mu.Unlock()
	}
	return typed, false, nil
}

// readKey returns the next key that is a single octet. It reads typed before it reads the terminal.
// It skips the sequences of other keys and of the mouse.
func (s *session) readKey(ctx context.Context, typed []byte) (key byte, rest []byte, err error) {
	for {
		for len(typed) > 0 {
			n := keyLength(typed)
			key, typed = typed[0], typed[n:]
			if n == 1 {
				return key, typed, nil
			}
		}
		var ok bool
		select {
		case <-ctx.Done():
			return 0, nil, context.Cause(ctx)
		case typed, ok = <-s.terminal.Input:
			if !ok {
				return 0, nil, errNoTerminal
			}
		}
	}
}

// keyLength returns the length of the first key in p. This is the length of a CSI or SS3 sequence,
// or 1 for any other key. The slice p must not be empty.
func keyLength(p []byte) int {
	if len(p) < 3 || p[0] != 0x1b || p[1] != '[' && p[1] != 'O' {
		return 1
	}
	for i := 2; i < len(p); i++ {
		if p[i] >= '@' && p[i] <= '~' {
			return i + 1
		}
	}
	return len(p)
}

// choose returns the octets to send for a key of the menu. The result closed reports whether the session
// must close, and chosen reports whether the menu must close.
func (s *session) choose(key byte) (send []byte, closed, chosen bool) {
	switch key {
	case '\r', '\n', 0x1b, ' ':
		return nil, false, true
	case 'c', 'q':
		return nil, true, true
	case ']', 0x1d:
		return []byte{0x1d}, false, true
	case 'u', 'p':
		text := s.url.User
		if key == 'p' {
			text = s.url.Password
		}
		if text == "" {
			return nil, false, false
		}
		return append(doubleIAC([]byte(text)), s.mode().lineEnd()...), false, true
	}
	command, ok := menuKeys[key]
	return []byte{iac, command}, false, ok
}

// pushKeyboard and popKeyboard save and restore the state of kitty's keyboard protocol.
const pushKeyboard, popKeyboard = "\x1b[>0u", "\x1b[<u"

// openMenu returns the output that draws the menu. It uses the alternate screen, unless the remote
// program already uses it.
func (s *session) openMenu() string {
	var b strings.Builder
	if s.alternate.on {
		b.WriteString("\x1b7")
	} else {
		b.WriteString("\x1b[?1049h")
	}
	b.WriteString(pushKeyboard + "\x1b[m\x1b(B\x0f\x1b[2J")
	columns, rows := s.terminal.Size()
	for i, text := range s.menuLines() {
		if i < rows {
			r := []rune(text)
			fmt.Fprintf(&b, "\x1b[%d;1H%s", i+1, string(r[:min(len(r), max(0, columns-1))]))
		}
	}
	return b.String()
}

// closeMenu removes the menu. It reports whether the screen under the menu is lost.
func (s *session) closeMenu() (lost bool) {
	text := popKeyboard + "\x1b[2J\x1b[?1049l"
	if s.alternate.on {
		text = popKeyboard + "\x1b8"
	}
	_, _ = fmt.Fprint(s.terminal.Output, text)
	return s.alternate.on
}

// menuLines returns the rows of the menu, at most 11. Unless the user name is long, the list of keys fits a screen of
// 40 columns.
func (s *session) menuLines() []string {
	lines := []string{
		clean.Text("telnet " + s.url.Addr()),
		fmt.Sprintf("open for %s, %d bytes received, %d sent", time.Since(s.begun).Round(time.Second), s.received.Load(), s.sent.Load()),
		s.optionsText(),
		"",
		"Enter  continue    c  close session",
		"b  send break      i  interrupt",
		"a  are you there?  o  abort output",
		"e  erase char      k  erase line",
		"]  send Ctrl-]",
	}
	if s.url.User != "" {
		lines = append(lines, "u  type the user "+clean.Text(s.url.User))
	}
	if s.url.Password != "" {
		lines = append(lines, "p  type the password of the URL")
	}
	return lines
}

// optionsText describes which options are on.
func (s *session) optionsText() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := "keys sent at once"
	if s.options.isEditing() {
		text = "lines sent on Enter"
	}
	if s.options.showsInput() {
		text += ", local echo"
	} else {
		text += ", remote echo"
	}
	for _, o := range []struct {
		opt  byte
		name string
	}{{optType, "type"}, {optSize, "size"}, {optBinary, "binary"}} {
		if s.options.client.state[o.opt] == on {
			text += ", " + o.name
		}
	}
	return text
}

// altScreen detects whether the remote program has turned on the alternate screen. The sequence CSI
// ? ... h with the mode 47, 1047 or 1049 turns it on, and the same sequence with l turns it off.
type altScreen struct {
	on bool

	state byte // the last character of the sequence so far: 0, ESC, '[' or '?'
	found bool // the sequence has one of the modes
	mode  int
}

// update looks for the sequences in p, output from the server.
func (a *altScreen) update(p []byte) {
	for _, c := range p {
		switch {
		case c == 0x1b:
			a.state = c
		case a.state == 0x1b && c == '[':
			a.state = c
		case a.state == '[' && c == '?':
			a.state, a.found, a.mode = c, false, 0
		case a.state == '?' && c >= '0' && c <= '9':
			a.mode = min(a.mode*10+int(c-'0'), 1<<16)
		case a.state == '?' && (c == ';' || c == 'h' || c == 'l'):
			a.found = a.found || a.mode == 47 || a.mode == 1047 || a.mode == 1049
			if a.mode = 0; c != ';' {
				a.on = a.found && c == 'h' || !a.found && a.on
				a.state = 0
			}
		default:
			a.state = 0
		}
	}
}
