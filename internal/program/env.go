package program

import (
	"slices"
	"strings"
)

// Env returns the variables of environ that other programs get. They are about the screen, the
// language and the user's files. Other variables are omitted, because they may contain secrets.
func Env(environ []string) []string {
	passed := strings.Fields(`PATH HOME USER LOGNAME SHELL PWD TMPDIR TZ LANG LANGUAGE
		TERM TERMINFO TERMINFO_DIRS TERM_PROGRAM TERM_PROGRAM_VERSION COLORTERM NO_COLOR COLUMNS LINES TMUX TMUX_PANE STY
		DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS DESKTOP_SESSION KDE_FULL_SESSION KDE_SESSION_VERSION
		SSH_AUTH_SOCK SSH_AGENT_PID SSH_TTY SSH_CONNECTION BROWSER EDITOR VISUAL PAGER LESS LESSCHARSET MAILCAPS
		SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP USERPROFILE USERNAME APPDATA LOCALAPPDATA
		PROGRAMFILES PROGRAMFILES(X86) PROGRAMDATA HOMEDRIVE HOMEPATH`)
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return !slices.Contains(passed, strings.ToUpper(name)) && !strings.HasPrefix(name, "LC_") && !strings.HasPrefix(name, "XDG_")
	})
}
