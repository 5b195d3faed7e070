package term

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
)

// TestNotifier checks what each terminal gets, and that a text cannot end the sequence.
func TestNotifier(t *testing.T) {
	raw := func(cmd tea.Cmd) string {
		if cmd == nil {
			return ""
		}
		return fmt.Sprint(cmd().(tea.RawMsg).Msg)
	}
	for _, tt := range []struct{ name, value, want, version, afterVersion string }{
		{"TERM", "xterm-kitty", "\a\x1b]99;;saved a\x1b\\", "", ""},
		{"TERM_PROGRAM", "WezTerm", "\a\x1b]777;notify;gofer;saved a\x1b\\", "", ""},
		{"TERM_PROGRAM", "iTerm.app", "\a\x1b]9;gofer: saved a\x1b\\", "", ""},
		{"STY", "1.pts", "\a", "", ""},
		{"TERM", "xterm-256color", "\a\x1b[>q", "foot(1.16.2)", "\x1b]777;notify;gofer;saved a\x1b\\"},
		{"TERM", "xterm", "\a\x1b[>q", "XTerm(390)", ""},
	} {
		n := Notifier{Version: new(Version), Env: func(name string) string { return map[string]string{tt.name: tt.value}[name] }}
		fetchtest.Equal(t, raw(n.Notify(t.Context(), "saved a")), tt.want, "%s=%s: sent", tt.name, tt.value)
		n.Version.Name = tt.version
		fetchtest.Equal(t, raw(n.HandleVersion()), tt.afterVersion, "%s=%s: sent after the version", tt.name, tt.value)
	}
	n := Notifier{Version: new(Version), Env: func(name string) string { return map[string]string{"TERM": "xterm-kitty"}[name] }}
	if got := raw(n.Notify(t.Context(), "a\x1b\\\x1b]52;c;eA==\a\u009cb")); len(got) == 0 || countControls(got) != 3 {
		t.Errorf("a hostile name: sent %q", got)
	}
}

// countControls counts the control characters in s.
func countControls(s string) (n int) {
	for _, r := range s {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			n++
		}
	}
	return n
}
