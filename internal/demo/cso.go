package demo

import (
	"bufio"
	"fmt"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
)

// CSOServer is a CSO phone book (RFC 2378) on a free port of 127.0.0.1. It knows the commands
// fields, query and quit, and has a few entries. The query "name=many room=N" finds N generated
// entries.
type CSOServer struct{ server }

// csoFields lists the fields of an entry.
var csoFields = [...]struct{ name, properties, description string }{
	{"alias", "max 32 Indexed Lookup Public Default", "Unique name of the entry."},
	{"name", "max 64 Indexed Lookup Public Default", "Name of the person."},
	{"email", "max 128 Indexed Lookup Public Default", "Mail address."},
	{"phone", "max 64 Lookup Public Default", "Telephone number."},
	{"room", "max 64 Lookup Public", "Where the person can be found."},
	{"hours", "max 256 Public", "When the person can be found."},
	{"url", "max 128 Public", "Page of the person."},
}

// csoPeople lists the entries, each with its values in the order of csoFields.
var csoPeople = [...][len(csoFields)]string{
	{"m-moss", "Mary Moss", "mary@example.invalid", "555 0101", "Library, ground floor", "Monday to Friday,\n9 to 17", "gopher://example.invalid/1/mary"},
	{"o-otter", "Oscar Otter", "oscar@example.invalid", "555 0102", "Boat house", "when it rains", ""},
	{"p-otter", "Paula Otter", "paula@example.invalid", "555 0103", "Boat house", "when it does not", ""},
	{"j-moewe", "J\xf6rg M\xf6we", "joerg@example.invalid", "555 0104", "Lighthouse", "", ""}, // in ISO 8859-1
	{"g-gopher", "Gordon \"Gus\" Gopher", "gus@example.invalid", "", "Hole 70", "", "gopher://example.invalid/1/gus"},
}

// StartCSO starts a server that runs until Close.
func StartCSO() (*CSOServer, error) {
	s := new(CSOServer)
	return s, s.start(s.serve)
}

// URL returns the URL of the phone book.
func (s *CSOServer) URL() string { return "gopher://" + s.Addr() + "/2" }

func (s *CSOServer) serve(c net.Conn) {
	serveLines(c, "", func(w *bufio.Writer, line string) bool {
		command, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch strings.ToLower(command) {
		case "fields":
			for i, f := range csoFields {
				fmt.Fprintf(w, "-200:%d:%s:%s\r\n-200:%d:%s:%s\r\n", i+1, f.name, f.properties, i+1, f.name, f.description)
			}
			fmt.Fprint(w, "200:Ok.\r\n")
		case "query", "ph":
			answerCSOQuery(w, rest)
		case "quit":
			fmt.Fprint(w, "200:Bye!\r\n")
			return false
		default:
			fmt.Fprint(w, "514:Unknown command.\r\n")
		}
		return true
	})
}

// answerCSOQuery answers the command query. text is the rest of the command line.
func answerCSOQuery(w *bufio.Writer, text string) {
	terms := splitTerms(text)
	wanted, returned := make(map[string]string), map[string]bool{}
	for i, t := range terms {
		if t == "return" {
			for _, name := range terms[i+1:] {
				returned[name] = true
			}
			break
		}
		name, value, ok := strings.Cut(t, "=")
		if !ok {
			name, value = "name", t
		}
		wanted[name] = lowerASCII(value)
	}
	known, indexed := 0, false
	for _, f := range csoFields {
		if _, ok := wanted[f.name]; ok {
			known++
			indexed = indexed || strings.Contains(f.properties, "Indexed")
		}
	}
	switch n, _ := strconv.Atoi(wanted["room"]); {
	case known < len(wanted):
		fmt.Fprint(w, "507:Field does not exist.\r\n")
		return
	case !indexed:
		fmt.Fprint(w, "515:No indexed field in query.\r\n")
		return
	case wanted["name"] == "many":
		for i := range n {
			number := strconv.Itoa(i)
			writeCSOEntry(w, i+1, [len(csoFields)]string{"many-" + number, "Many " + number, "many-" + number + "@example.invalid"}, returned)
			if _, err := w.Write(nil); err != nil { // the client has disconnected
				return
			}
		}
		fmt.Fprint(w, "200:Ok.\r\n")
		return
	}
	var found [][len(csoFields)]string
	for _, p := range csoPeople {
		if isCSOMatch(p, wanted) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		fmt.Fprint(w, "501:No matches to your query.\r\n")
		return
	case 1:
	default:
		fmt.Fprintf(w, "102:There were %d matches to your request.\r\n", len(found))
	}
	for i, p := range found {
		writeCSOEntry(w, i+1, p, returned)
	}
	fmt.Fprint(w, "200:Ok.\r\n")
}

func writeCSOEntry(w *bufio.Writer, index int, person [len(csoFields)]string, returned map[string]bool) {
	for i, f := range csoFields {
		shown := returned["all"] || returned[f.name] || len(returned) == 0 && strings.Contains(f.properties, "Default")
		if !shown || person[i] == "" {
			continue
		}
		name := f.name
		for line := range strings.SplitSeq(person[i], "\n") {
			fmt.Fprintf(w, "-200:%d:%8s: %s\r\n", index, name, line)
			name = ""
		}
	}
}

// isCSOMatch reports whether each pattern matches a word of its field in person. patterns maps
// the names of fields to patterns, which may contain wildcards.
func isCSOMatch(person [len(csoFields)]string, patterns map[string]string) bool {
	for i, f := range csoFields {
		words := strings.Fields(lowerASCII(person[i]))
		for _, pattern := range strings.Fields(patterns[f.name]) {
			if !slices.ContainsFunc(words, func(word string) bool { ok, _ := path.Match(pattern, word); return ok }) {
				return false
			}
		}
	}
	return true
}

// splitTerms splits a query at blanks outside quotes.
func splitTerms(s string) (terms []string) {
	var term strings.Builder
	quoted, escaped := false, false
	for i := range len(s) {
		switch c := s[i]; {
		case escaped:
			term.WriteByte(strings.NewReplacer("n", "\n", "t", "\t").Replace(string(c))[0])
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == ' ' && !quoted:
			terms = append(terms, term.String())
			term.Reset()
		default:
			term.WriteByte(c)
		}
	}
	terms = append(terms, term.String())
	return terms
}
