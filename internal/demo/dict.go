package demo

import (
	"bufio"
	"crypto/md5" //nolint:gosec // RFC 2229, section 3.11
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"strings"
)

// Dictionary is a database of a dict server.
type Dictionary struct {
	Name, Title string
	Entries     map[string]string
}

// DictUser and DictPassword are the login of the dict server. No command requires a login.
const (
	DictUser     = "reader"
	DictPassword = "words"
)

const dictID = "<1.2.3@loopback>"

// StartDict starts a DICT server (RFC 2229) that runs until Close.
func StartDict(dictionaries ...Dictionary) (*LookupServer, error) {
	s := &LookupServer{scheme: "dict"}
	d := dictDatabases(dictionaries)
	return s, s.start(func(c net.Conn) { serveLines(c, "220 loopback dictd <auth> "+dictID+"\r\n", d.answer) })
}

type dictDatabases []Dictionary

// databases returns the database called name, or all databases for "*" and "!".
func (d dictDatabases) databases(name string) []Dictionary {
	if name == "*" || name == "!" {
		return d
	}
	i := slices.IndexFunc(d, func(d Dictionary) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return d[i : i+1]
}

// answer answers a command. It returns false after QUIT.
func (d dictDatabases) answer(w *bufio.Writer, command string) bool {
	f := splitTerms(strings.TrimSpace(command))
	list := func(code int, rows [][2]string) {
		fmt.Fprintf(w, "%d %d present\r\n", code, len(rows))
		for _, r := range rows {
			fmt.Fprintf(w, "%s \"%s\"\r\n", r[0], r[1])
		}
		fmt.Fprint(w, ".\r\n250 ok\r\n")
	}
	var rows [][2]string
	command = strings.ToUpper(strings.Join(f[:min(2, len(f))], " "))
	switch verb := strings.ToUpper(f[0]); {
	case verb == "QUIT":
		fmt.Fprint(w, "221 bye\r\n")
		return false
	case verb == "CLIENT":
		fmt.Fprint(w, "250 ok\r\n")
	case verb == "AUTH":
		digest := md5.Sum([]byte(dictID + DictPassword)) //nolint:gosec // as above
		if len(f) == 3 && f[1] == DictUser && f[2] == hex.EncodeToString(digest[:]) {
			fmt.Fprint(w, "230 Authentication successful\r\n")
		} else {
			fmt.Fprint(w, "531 Access denied\r\n")
		}
	case command == "SHOW DATABASES":
		for _, d := range d {
			rows = append(rows, [2]string{d.Name, d.Title})
		}
		list(110, rows)
	case command == "SHOW STRATEGIES":
		list(111, [][2]string{{"exact", "Match headwords exactly"}, {"prefix", "Match prefixes"}})
	case verb == "DEFINE" && len(f) == 3:
		d.define(w, f[1], strings.ToLower(f[2]))
	case verb == "MATCH" && len(f) == 4:
		for _, d := range d.databases(f[1]) {
			for word := range d.Entries {
				if word == f[3] || f[2] != "exact" && strings.HasPrefix(word, f[3][:min(3, len(f[3]))]) {
					rows = append(rows, [2]string{d.Name, word})
				}
			}
		}
		slices.SortFunc(rows, func(a, b [2]string) int { return strings.Compare(a[1], b[1]) })
		switch {
		case d.databases(f[1]) == nil:
			fmt.Fprint(w, "550 invalid database, use SHOW DB for list\r\n")
		case len(rows) == 0:
			fmt.Fprint(w, "552 no match\r\n")
		default:
			list(152, rows)
		}
	default:
		fmt.Fprint(w, "500 unknown command\r\n")
	}
	return true
}

func (d dictDatabases) define(w *bufio.Writer, database, word string) {
	var found []Dictionary
	for _, d := range d.databases(database) {
		if _, ok := d.Entries[word]; ok || word == lookupMany {
			found = append(found, d)
		}
	}
	switch {
	case d.databases(database) == nil:
		fmt.Fprint(w, "550 invalid database, use SHOW DB for list\r\n")
		return
	case len(found) == 0:
		fmt.Fprint(w, "552 no match\r\n")
		return
	case database == "!":
		found = found[:1]
	}
	fmt.Fprintf(w, "150 %d definitions retrieved\r\n", len(found))
	for _, d := range found {
		fmt.Fprintf(w, "151 \"%s\" %s \"%s\"\r\n", word, d.Name, d.Title)
		text := d.Entries[word]
		if word == lookupMany {
			text = strings.Repeat(strings.Repeat("many ", 15)+"\n", lookupLines)
		}
		sendText(w, text)
	}
	fmt.Fprint(w, "250 ok\r\n")
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

// addDict adds a dict server to the World.
func (w *World) addDict() (fill func(replace func(string) string)) {
	start := func(map[string]string) (*LookupServer, error) { return StartDict(worldDictionaries...) }
	return w.addLookup("DICT", "2628", nil, start, "", "The dictionaries")
}
