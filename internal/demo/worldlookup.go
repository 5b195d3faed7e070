package demo

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

// worldNames maps the names of the whois server to its answers.
var worldNames = map[string]string{
	"gopher.example": "% The names of the demonstration world\n\ndomain:       GOPHER.EXAMPLE\n" +
		"organisation: The Gopher Hole\ncontact:      gus@example.invalid\nrefer:        @WHOIS@\nsource:       gopher://@GOPHER@/1\n",
	"otter.example": "domain:       OTTER.EXAMPLE\norganisation: The Boat House\ncontact:      oscar@example.invalid\nurl:          finger://@FINGER@/oscar\n",
}

// worldDictionaries lists the databases of the dict server.
var worldDictionaries = []Dictionary{
	{"beasts", "Beasts of the demonstration world", map[string]string{
		"gopher": "gopher \\go\"pher\\, n.\n   1. A small animal that digs a {hole}.\n   2. A protocol of 1991, unlike an {otter}.\n",
		"otter":  "otter, n.\n   An animal that swims. It shares the river with\n   the {water\n   vole}.\n",
		"hole":   "hole, n.\n   What a {gopher} digs.\n", "water vole": "water vole, n.\n   Not an {otter}.\n",
	}},
	{"words", "Words of the early Internet", map[string]string{
		"gopher": "gopher: the distributed document search and retrieval protocol (RFC 1436)\n",
		"menu":   "menu: lines, of which each leads somewhere; see {gopher}\n",
	}},
}

// startLookups starts the finger, whois and dict servers. fillLookups adds the texts of the finger
// and whois servers later, because they contain the addresses of all servers.
func (w *World) startLookups() {
	w.people, w.names = map[string]string{}, map[string]string{}
	startServer(w, "FINGER", "79", &w.Finger, func() (*LookupServer, error) { return StartFinger(w.people) })
	startServer(w, "WHOIS", "43", &w.Whois, func() (*LookupServer, error) { return StartWhois(w.names) })
	startServer(w, "DICT", "2628", &w.Dict, func() (*LookupServer, error) { return StartDict(worldDictionaries...) })
}

// fillLookups adds the texts of the finger and whois servers, and the start pages of all three
// servers. Clients may use the servers only after the call.
func (w *World) fillLookups(replace func(string) string) {
	for name, text := range worldPeople {
		w.people[name] = replace(text)
	}
	for name, text := range worldNames {
		w.names[name] = replace(text)
	}
	w.addStartPage(w.Finger.URL(""), "Who is there, by finger")
	w.addStartPage(w.Whois.URL("gopher.example"), "A name, by whois")
	w.addStartPage(w.Dict.URL(""), "The dictionaries")
}
