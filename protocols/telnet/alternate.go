package telnet

// alternate detects whether the remote program has turned on the alternate screen: CSI ?
// ... 47, 1047 or 1049 h, and l. Its zero value is off.
type alternate struct {
	on bool

	state byte // the last character of a sequence so far: 0, ESC, '[', '?'
	found bool // the sequence has one of the modes
	mode  int
}

// see reads the output to the terminal.
func (a *alternate) see(p []byte) {
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
