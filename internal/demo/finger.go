package demo

import "strings"

// StartFinger starts a finger server (RFC 1288) that runs until Close. people maps user names to
// answers, and "" to the list of users. A query for an unknown user gets the answer that fingerd
// sends.
func StartFinger(people map[string]string) (*LookupServer, error) {
	return startLookup("finger", people, strings.Repeat("plan ", 15), func(query string) (name, missing string) {
		query = strings.TrimSpace(strings.TrimPrefix(query, "/W"))
		return query, "finger: " + query + ": no such user.\n"
	})
}

// worldPeople maps the users of the finger server to its answers, and "" to the list of users.
var worldPeople = map[string]string{
	"": "Login    Name           Tty    Idle  Login Time   Office\n" +
		"mary     Mary Moss      tty1          Mar  1 09:00 Library\n" +
		"oscar    Oscar Otter    tty2    3:20  Mar  1 08:12 Boat house\n",
	"mary": "Login: mary                              Name: Mary Moss\n" +
		"Directory: /home/mary                    Shell: /bin/sh\n" +
		"On since Sun Mar  1 09:00 (UTC) on tty1\nNo mail.\n" +
		"Plan:\nTo put every book back where it was: gopher://@GOPHER@/1/library\n",
	"oscar": "Login: oscar                             Name: Oscar Otter\n" +
		"Directory: /home/oscar                   Shell: /bin/sh\n" +
		"On since Sun Mar  1 08:12 (UTC) on tty2, idle 3:20\nNo mail.\n" +
		"Plan:\nTo swim when it rains. What the words mean: dict://@DICT@/d:otter\n",
}

// addFinger adds a finger server to the World.
func (w *World) addFinger() (fill func(replace func(string) string)) {
	return w.addLookup("FINGER", "79", worldPeople, StartFinger, "", "Who is there, by finger")
}
