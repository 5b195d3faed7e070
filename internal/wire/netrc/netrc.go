// Package netrc reads logins from ~/.netrc like ftp(1) and curl, and logins of news servers
// from ~/.newsauth like tin.
package netrc

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"gofer/internal/userfile"
)

const maxFile = 1 << 20

// Login is a user and a password.
type Login struct{ User, Password string }

// Find returns the login for a host, and for a user if user is not "", from the file at path. It
// returns false if there is no file or no such login. It returns an error if the file cannot be read,
// or if other users can read the password.
func Find(path, host, user string) (Login, bool, error) {
	return readLogin(path, func(text string) (Login, bool) { return find(text, host, user) })
}

// readLogin calls the function search with the text of a file to find a login.
func readLogin(path string, search func(text string) (Login, bool)) (login Login, ok bool, err error) {
	f, err := userfile.Open(path, os.O_RDONLY, 0)
	if os.IsNotExist(err) || path == "" {
		return Login{}, false, nil
	}
	if err != nil {
		return Login{}, false, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return Login{}, false, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return Login{}, false, err
	}
	login, ok = search(strings.ReplaceAll(string(data), "\r\n", "\n"))
	if ok && login.Password != "" && runtime.GOOS != "windows" && fi.Mode().Perm()&0o077 != 0 {
		return Login{}, false, fmt.Errorf("%s is not used, because others can read it: chmod 600 %s", path, path)
	}
	return login, ok, nil
}

// find returns the first login in text for host and user. The entry "default" is for all hosts.
func find(text, host, user string) (found Login, ok bool) {
	var login Login
	inside := false
	fits := func() bool { return inside && (user == "" || login.User == "" || login.User == user) }
	for text != "" {
		var word string
		word, text = nextWord(skipComments(text))
		var value string
		switch word {
		case "machine", "login", "password", "account":
			value, text = nextWord(text)
		}
		switch word {
		case "machine", "default":
			if fits() {
				return login, true
			}
			login, inside = Login{}, word == "default" || strings.EqualFold(value, host)
		case "login":
			login.User = value
		case "password":
			login.Password = value
		case "macdef": // a macro ends with an empty line
			_, text, _ = strings.Cut(text, "\n\n")
		}
	}
	return login, fits()
}

const blanks = " \t\r\n"

// skipComments removes blanks and comments from the beginning of text. It is not called before a
// value, because a value may begin with "#".
func skipComments(text string) string {
	text = strings.TrimLeft(text, blanks)
	for strings.HasPrefix(text, "#") {
		_, text, _ = strings.Cut(text, "\n")
		text = strings.TrimLeft(text, blanks)
	}
	return text
}

// escapes maps the character after a backslash in quotes to its meaning.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t'}

// nextWord returns the first word of text, and the rest. A word in quotes may contain blanks and
// the escapes \", \\, \n, \r and \t, as in curl.
func nextWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, blanks)
	if !strings.HasPrefix(text, `"`) {
		i := strings.IndexAny(text, blanks)
		if i < 0 {
			i = len(text)
		}
		return text[:i], text[i:]
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), text[i+1:]
		case c == '\\' && i+1 < len(text):
			i++
			c = text[i]
			if e, ok := escapes[c]; ok {
				c = e
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}
