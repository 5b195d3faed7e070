package demo

import "strings"

// StartWhois starts a whois server (RFC 3912) that runs until Close. The keys of the map
// answers are names in lower case.
func StartWhois(answers map[string]string) (*LookupServer, error) {
	return startLookup("whois", answers, "name: "+strings.Repeat("many ", 15), func(query string) (name, missing string) {
		return strings.ToLower(strings.TrimSpace(query)), "% No match for \"" + query + "\".\n"
	})
}

// worldNames maps the names of the whois server to its answers.
var worldNames = map[string]string{
	"gopher.example": "% The names of the demonstration world\n\ndomain:       GOPHER.EXAMPLE\n" +
		"organisation: The Gopher Hole\ncontact:      gus@example.invalid\nrefer:        @WHOIS@\nsource:       gopher://@GOPHER@/1\n",
	"otter.example": "domain:       OTTER.EXAMPLE\norganisation: The Boat House\ncontact:      oscar@example.invalid\nurl:          finger://@FINGER@/oscar\n",
}

// addWhois adds a whois server to the World.
func (w *World) addWhois() (fill func(replace func(string) string)) {
	return w.addLookup("WHOIS", "43", worldNames, StartWhois, "gopher.example", "A name, by whois")
}
