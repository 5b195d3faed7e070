package program

import (
	"errors"
	"strings"
	"sync"
)

// Words splits a command into words at blanks outside of quotes, as a shell does. A
// backslash quotes the next character; in double quotes only " and \, in single quotes
// none. No other character is special.
func Words(command string) (words []string, err error) {
	var word strings.Builder
	quote, begun := rune(0), false
	escaped := false
	for _, c := range command {
		switch {
		case escaped:
			if quote == '"' && c != '"' && c != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, begun = true, true
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, begun = c, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	switch {
	case quote != 0 || escaped:
		return nil, errors.New("a quote in the command is not closed")
	case len(words) == 0 || words[0] == "":
		return nil, errors.New("the command is empty")
	}
	return words, nil
}

// Env returns the part of an environment for other programs: the variables about the
// screen, the language and the user's files. All others may hold secrets.
func Env(environ []string) []string {
	var env []string
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if passed()[strings.ToUpper(name)] || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_") {
			env = append(env, v)
		}
	}
	return env
}

// passed are the variables that are passed on.
var passed = sync.OnceValue(func() map[string]bool {
	names := make(map[string]bool)
	for _, name := range strings.Fields(`PATH HOME USER LOGNAME SHELL PWD TMPDIR TZ LANG LANGUAGE
		TERM TERMINFO TERMINFO_DIRS TERM_PROGRAM TERM_PROGRAM_VERSION COLORTERM NO_COLOR COLUMNS LINES TMUX STY
		DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS DESKTOP_SESSION KDE_FULL_SESSION KDE_SESSION_VERSION
		SSH_AUTH_SOCK SSH_AGENT_PID SSH_TTY SSH_CONNECTION BROWSER EDITOR VISUAL PAGER LESS LESSCHARSET MAILCAPS
		SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP USERPROFILE USERNAME APPDATA LOCALAPPDATA
		PROGRAMFILES PROGRAMFILES(X86) PROGRAMDATA HOMEDRIVE HOMEPATH`) {
		names[name] = true
	}
	return names
})
