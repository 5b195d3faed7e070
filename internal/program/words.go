package program

import (
	"errors"
	"strings"
)

// Words splits a command at blanks outside of quotes, as a shell does. A backslash quotes the next
// character. In double quotes a backslash quotes only " and \; in single quotes it quotes nothing.
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
