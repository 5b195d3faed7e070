package term

// Sequences that are written before and after a session or a program uses the terminal. A terminal
// ignores unknown sequences. All modes are reset, because a record of the modes that a server has set
// could be wrong.
const (
	// These sequences save and restore the titles of the window and of its icon (XTPUSHTITLE, XTPOPTITLE).
	pushBothTitles = "\x1b[22;0t"
	popBothTitles  = "\x1b[23;0t"

	// pushTitle and popTitle save and restore only the title of the window.
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b[23;2t"

	// resetTerminal resets all modes, keeps the text on the screen and moves the cursor to the
	// beginning of the next row. Some modes are separate for the two screens of a terminal. The cursor
	// is saved, since some of the sequences move it.
	resetTerminal = "\x18\x1b\\" + // ends an unfinished sequence
		"\x1b[?1049h" + resetModes + "\x1b[?1049l" +
		"\x1b7" + resetModes + "\x1b8\x1b[m\x1b(B\x0f" +
		"\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\" + // the palette, the default colors
		"\r\n"

	resetModes = "\x1b[!p" + // DECSTR; the other sequences are for terminals without DECSTR
		"\x1b[m\x1b]8;;\x1b\\" + // colors, a hyperlink
		"\x1b(B\x1b)B\x0f" + // character sets
		"\x1b[r" + // the rows that scroll
		"\x1b[?1l\x1b>" + // the cursor keys, the keypad
		"\x1b[4l\x1b[20l\x1b[?5l\x1b[?6l\x1b[?45l\x1b[?69l\x1b[?7h" + // insert, new line, reverse, origin, margins, wrapping
		"\x1b[?9l\x1b[?1000l\x1b[?1001l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l" + // the mouse
		"\x1b[?1004l\x1b[?2004l\x1b[?2026l\x1b[?2031l\x1b[?2048l" + // reports of focus, pastes, colors, sizes; synchronized output
		"\x1b[>4m\x1b[=0u" + // xterm's and kitty's keyboard protocols
		"\x1b[0 q\x1b[?25h" // the cursor
)
