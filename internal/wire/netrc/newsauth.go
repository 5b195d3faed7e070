package netrc

import (
	"net"
	"strings"
)

// FindNews is like [Find], but reads ~/.newsauth of tin and inews. Each line has a server (name or
// name:port), the password and perhaps the user. Words with blanks are in quotes.
func FindNews(path, host, port, user string) (Login, bool, error) {
	return readLogin(path, func(text string) (Login, bool) {
		for line := range strings.Lines(text) {
			server, rest := nextWord(line)
			if server == "" || server[0] == '#' || !strings.EqualFold(server, host) && !strings.EqualFold(server, net.JoinHostPort(host, port)) {
				continue
			}
			var login Login
			login.Password, rest = nextWord(rest)
			login.User, _ = nextWord(rest)
			if user == "" || login.User == "" || login.User == user {
				return login, true
			}
		}
		return Login{}, false
	})
}
