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

// LookupServer is a finger, whois or dict server on a free port of 127.0.0.1. Its methods are
// safe for concurrent use.
type LookupServer struct {
	server
	scheme string
}

// URL returns the canonical URL of a query.
func (s *LookupServer) URL(query string) string {
	return s.scheme + "://" + s.hostInURLs() + "/" + query
}

// StartFinger starts a finger server (RFC 1288) that runs until Close. people maps user names to
// answers, and "" to the list of users. A query for an unknown user gets the answer that fingerd
// sends.
func StartFinger(people map[string]string) (*LookupServer, error) {
	return startLookup("finger", people, strings.Repeat("plan ", 15), func(query string) (name, missing string) {
		query = strings.TrimSpace(strings.TrimPrefix(query, "/W"))
		return query, "finger: " + query + ": no such user.\n"
	})
}

// StartWhois starts a whois server (RFC 3912) that runs until Close. The keys of the map
// answers are names in lower case.
func StartWhois(answers map[string]string) (*LookupServer, error) {
	return startLookup("whois", answers, "name: "+strings.Repeat("many ", 15), func(query string) (name, missing string) {
		return strings.ToLower(strings.TrimSpace(query)), "% No match for \"" + query + "\".\n"
	})
}

// lookupMany is a query whose answer has lookupLines lines, about 10 MB.
const (
	lookupMany  = "many"
	lookupLines = 120_000
)

// startLookup starts a server that answers from the map answers. The function parse returns the
// name that a query asks for, and the answer if the map does not contain the name. The answer to
// [lookupMany] repeats manyLine.
func startLookup(scheme string, answers map[string]string, manyLine string, parse func(query string) (name, missing string)) (*LookupServer, error) {
	s := &LookupServer{scheme: scheme}
	return s, s.start(func(c net.Conn) {
		serveLines(c, "", func(w *bufio.Writer, query string) bool {
			name, missing := parse(query)
			text, ok := answers[name]
			switch {
			case name == lookupMany:
				text = strings.Repeat(manyLine+"\n", lookupLines)
			case !ok:
				text = missing
			}
			_, _ = w.WriteString(strings.ReplaceAll(text, "\n", "\r\n"))
			return false
		})
	})
}

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
