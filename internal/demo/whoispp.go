package demo

import (
	"bufio"
	"fmt"
	"net"
	"slices"
	"strings"
)

// Directory is what a Whois++ server knows (RFC 1835).
type Directory struct {
	Handle  string // the name of the server
	Records []DirectoryRecord
	// Others lists servers to which the server refers for queries that match there.
	Others []OtherDirectory
}

// DirectoryRecord is a record of a Directory. A value with several lines has line feeds.
type DirectoryRecord struct {
	Template, Handle string
	Fields           [][2]string
}

// OtherDirectory is a Directory with the server that has it.
type OtherDirectory struct {
	*Directory
	Server *LookupServer
}

// StartWhoispp starts a Whois++ server that runs until Close. The directory may change until the first query.
func StartWhoispp(d *Directory) (*LookupServer, error) {
	s := &LookupServer{scheme: "whois++"}
	return s, s.start(func(c net.Conn) {
		serveLines(c, "% 220-"+d.Handle+"\r\n% 220 Whois++ server of the demonstration world\r\n", func(w *bufio.Writer, query string) bool {
			d.answer(w, query)
			return false
		})
	})
}

const (
	directoryMaxFull = 5  // more matches are only counted
	directoryLine    = 75 // longer lines are broken
)

// answer answers a query with its constraints: "name=smith:format=handle".
func (d *Directory) answer(w *bufio.Writer, query string) {
	query, constraints, _ := strings.Cut(query, ":")
	if strings.TrimSpace(query) == "" {
		fmt.Fprint(w, "% 500 Syntax error\r\n% 203 Bye\r\n")
		return
	}
	fmt.Fprint(w, "% 200 Command okay\r\n")
	format := "full"
	for c := range strings.SplitSeq(constraints, ";") {
		switch name, value, _ := strings.Cut(c, "="); {
		case name == "format":
			format = value
		case name != "":
			fmt.Fprintf(w, "%% 111 Requested constraint not supported: %s\r\n", name)
		}
	}
	found := d.search(query)
	if format == "full" && len(found) > directoryMaxFull {
		format = "summary"
	}
	switch {
	case query == lookupMany:
		d.write(w, "FULL", DirectoryRecord{"TEXT", lookupMany, slices.Repeat([][2]string{{"Line", strings.Repeat("many ", 12)}}, lookupLines)})
	case format == "summary":
		fmt.Fprintf(w, "# SUMMARY %s\r\n Matches: %d\r\n# END\r\n", d.Handle, len(found))
	default:
		for _, r := range found {
			d.write(w, strings.ToUpper(format), r)
		}
	}
	for _, o := range d.Others {
		if len(o.search(query)) > 0 {
			host, port, _ := net.SplitHostPort(o.Server.Addr())
			fmt.Fprintf(w, "# SERVER-TO-ASK %s\r\n Server-Handle: %[1]s\r\n Host-Name: %s\r\n Host-Port: %s\r\n# END\r\n", o.Handle, host, port)
		}
	}
	fmt.Fprint(w, "% 226 Transaction complete\r\n% 203 Bye\r\n")
}

// search returns the records that contain all words of a query. The word name=smith is in a value of the field.
func (d *Directory) search(query string) (found []DirectoryRecord) {
	query = strings.ToLower(query)
	for _, r := range slices.Concat(directoryCommands, d.Records) {
		matches := true
		for word := range strings.FieldsSeq(query) {
			matches = matches && r.matches(word)
		}
		if matches {
			found = append(found, r)
		}
	}
	return found
}

// directoryCommands has the answers to commands. They match only the whole command.
var directoryCommands = []DirectoryRecord{
	{"COMMANDS", "commands", [][2]string{{"Commands", "commands\nhelp\nlist"}}},
	{"HELP", "help", [][2]string{
		{"Usage", "words to find, name=smith to look only in a field, handle=x for a record"},
		{"Note", "words:format=handle lists the matches instead of their records"},
	}},
	{"LIST", "list", [][2]string{{"Templates", "USER\nSERVICES"}}},
}

func (r DirectoryRecord) matches(word string) bool {
	field, value, isField := strings.Cut(word, "=")
	if !isField {
		field, value = "", word
	}
	isHandle := (field == "" || field == "handle") && value == strings.ToLower(r.Handle)
	if isHandle || field == "handle" || r.Template == strings.ToUpper(r.Handle) {
		return isHandle
	}
	return slices.ContainsFunc(r.Fields, func(f [2]string) bool {
		return (field == "" || field == strings.ToLower(f[0])) && strings.Contains(strings.ToLower(f[1]), value)
	})
}

// write writes a record in a format.
func (d *Directory) write(w *bufio.Writer, format string, r DirectoryRecord) {
	fmt.Fprintf(w, "# %s %s %s %s\r\n", format, r.Template, d.Handle, r.Handle)
	if format == "HANDLE" {
		return
	}
	for i, f := range r.Fields {
		if format == "ABRIDGED" && i > 0 {
			break
		}
		mark := " " + f[0] + ": "
		for text := range strings.SplitSeq(f[1], "\n") {
			for len(text) > directoryLine {
				fmt.Fprintf(w, "%s%s\r\n", mark, text[:directoryLine])
				mark, text = "+", text[directoryLine:]
			}
			fmt.Fprintf(w, "%s%s\r\n", mark, text)
			mark = "-"
		}
	}
	fmt.Fprint(w, "# END\r\n")
}

// The directories of the World. Clients may use them only after the texts have been filled.
func newHoleDirectory() *Directory {
	return &Directory{Handle: "HOLE", Records: []DirectoryRecord{
		{"USER", "gus", [][2]string{
			{"Name", "Gus Gopher"},
			{"Email", "gus@example.invalid"},
			{"Address", "The Gopher Hole\nUnder the Meadow"},
			{"URI", "gopher://@GOPHER@/1"},
		}},
		{"USER", "mary", [][2]string{
			{"Name", "Mary Moss"},
			{"Email", "mary@example.invalid"},
			{"Description", "Mary Moss looks after the library of the Gopher Hole, and puts every book back where it was. Ask her by finger: finger://@FINGER@/mary"},
		}},
		{"SERVICES", "library", [][2]string{{"Name", "The library"}, {"Description", "Texts that Gus and Mary keep"}, {"URI", "gopher://@GOPHER@/1/library"}}},
	}}
}

func newBoatDirectory() *Directory {
	return &Directory{Handle: "BOATS", Records: []DirectoryRecord{
		{"USER", "oscar", [][2]string{{"Name", "Oscar Otter"}, {"Email", "oscar@example.invalid"}, {"Description", "A neighbour of Gus"}, {"URI", "finger://@FINGER@/oscar"}}},
	}}
}

// addWhoispp adds two Whois++ servers to the World. The first refers to the second.
func (w *World) addWhoispp() (fill func(replace func(string) string)) {
	boats, hole := newBoatDirectory(), newHoleDirectory()
	var first, second *LookupServer
	startServer(w, "BOATS", "7070", &second, func() (*LookupServer, error) { return StartWhoispp(boats) })
	startServer(w, "WHOISPP", "63", &first, func() (*LookupServer, error) { return StartWhoispp(hole) })
	hole.Others = []OtherDirectory{{boats, second}}
	return func(replace func(string) string) {
		for _, d := range []*Directory{hole, boats} {
			for _, r := range d.Records {
				for i := range r.Fields {
					r.Fields[i][1] = replace(r.Fields[i][1])
				}
			}
		}
		w.addStartPage(first.URL("gus"), "Who knows Gus, by Whois++")
	}
}
