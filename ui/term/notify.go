package term

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/text/clean"
)

// Notifier rings the bell of the terminal, and shows notifications on the desktop of the user if the terminal can do so.
// The terminal says what it is in its environment. Over SSH, which does not pass this environment on, it is asked for its
// version. The zero value is not usable without Env and Version.
type Notifier struct {
	Env     func(string) string // environment of the terminal
	Version *Version

	waiting string // the text that waits for the version, or ""
}

// bell is the control character that rings the bell. tmux and screen pass it on.
const bell = "\a"

// Ring returns the command that rings the bell.
func (n *Notifier) Ring() tea.Cmd { return tea.Raw(bell) }

// Notify returns the command that rings the bell and shows text. In tmux it shows text only if tmux passes sequences on.
func (n *Notifier) Notify(ctx context.Context, text string) tea.Cmd {
	text = clean.Short(text)
	switch {
	case n.Env("TMUX") != "":
		return func() tea.Msg { return tea.Raw(bell + inTmux(ctx, n.Env, text))() }
	case n.Env("STY") != "":
		return n.Ring()
	}
	for _, name := range []string{n.Version.Name, n.Env("TERM_PROGRAM"), n.Env("TERM")} {
		if s := notification(name, text); s != "" {
			return tea.Raw(bell + s)
		}
	}
	if n.Version.Name == "" {
		n.waiting = text
	}
	return tea.Raw(bell + n.Version.Query())
}

// HandleVersion is called when the terminal has answered. It returns the command that shows the text that waits for the
// answer, or nil.
func (n *Notifier) HandleVersion() tea.Cmd {
	text := n.waiting
	n.waiting = ""
	if s := notification(n.Version.Name, text); text != "" && s != "" {
		return tea.Raw(s)
	}
	return nil
}

// inTmux returns the sequence that shows text through tmux, or "" if tmux does not pass it on or its terminal is unknown.
func inTmux(ctx context.Context, env func(string) string, text string) string {
	var out strings.Builder
	if runDetached(ctx, env, nil, &out, "tmux", "display-message", "-p", "#{allow-passthrough}|#{client_termtype}|#{client_termname}") != nil {
		return ""
	}
	fields := strings.Split(strings.TrimSpace(out.String()), "|")
	if fields[0] == "0" || fields[0] == "off" { // "": tmux before 3.3 does not have the option, and passes all on
		return ""
	}
	for _, name := range fields[1:] {
		if s := notification(name, text); s != "" {
			return ansi.TmuxPassthrough(s)
		}
	}
	return ""
}

// notification returns the sequence by which the terminal with a name shows text, or "". The name is the beginning of its
// answer to XTVERSION, of TERM_PROGRAM or of TERM.
func notification(name, text string) string {
	name = strings.ToLower(strings.TrimPrefix(name, "xterm-"))
	for _, t := range []struct {
		names string
		begin string
	}{
		{"kitty", "\x1b]99;;"},
		{"foot ghostty wezterm contour rio rxvt-unicode", "\x1b]777;notify;gofer;"},
		{"iterm", "\x1b]9;gofer: "},
	} {
		for known := range strings.FieldsSeq(t.names) {
			if strings.HasPrefix(name, known) {
				return t.begin + text + "\x1b\\"
			}
		}
	}
	return ""
}
