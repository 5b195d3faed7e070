package z3950

import (
	"bytes"
	"fmt"

	"gofer/protocols"
)

// welcome is a parsed reply to an Init.
type welcome struct {
	accepted   bool
	options    []byte // a BIT STRING
	name       string // of the program of the server, and its version
	diagnostic *diagnostic
}

func readWelcome(reply element, m mask) welcome {
	w := welcome{
		accepted: reply.find(12).number() != 0,
		options:  bytes.Clone(reply.find(4).content),
		name:     reply.find(111).text(),
	}
	if version := reply.find(112).text(); version != "" {
		w.name += " " + version
	}
	w.name = m.text(w.name)
	if info := reply.find(11); info.exists() {
		w.diagnostic = findDiagnostic(info, m, 0)
	} else {
		w.diagnostic = findDiagnostic(reply.find(201), m, 0)
	}
	return w
}

// allows reports whether the server supports a service.
func (w welcome) allows(option int) bool {
	i := 1 + option/8 // after the number of unused bits
	return i < len(w.options) && w.options[i]&(0x80>>(option%8)) != 0
}

// findDiagnostic returns the first element in e that has the form of a diagnostic: there are several formats for the
// reasons of a refused Init.
func findDiagnostic(e element, m mask, depth int) *diagnostic {
	if depth > maxNesting || !e.constructed {
		return nil
	}
	if e.find(tagOID).exists() && e.find(tagInteger).exists() {
		return readDiagnostic(e, m)
	}
	for child := range e.children() {
		if d := findDiagnostic(child, m, depth+1); d != nil {
			return d
		}
	}
	return nil
}

// answer is a parsed reply to a Search or a Present.
type answer struct {
	count       int // of records in the result set, of a Search
	returned    int // of records in the answer
	records     []record
	diagnostics []*diagnostic
}

// record is a record of a database, or the reason why it was not sent.
type record struct {
	database string
	syntax   string // an object identifier
	octets   []byte // of a record that is one string of octets
	tree     element
	failure  *diagnostic
}

// readAnswer parses the reply to a request for at most asked records.
func readAnswer(reply element, asked int, m mask) (a answer, err error) {
	a = answer{count: reply.find(23).number(), returned: reply.find(24).number()}
	if d := reply.find(130); d.exists() {
		a.diagnostics = append(a.diagnostics, readDiagnostic(d, m))
	}
	for d := range reply.find(205).children() {
		if len(a.diagnostics) < maxDiagnostics {
			a.diagnostics = append(a.diagnostics, readDiagnostic(d, m))
		}
	}
	if a.count < 0 || a.returned < 0 {
		return a, malformed(errDamaged)
	}
	for r := range reply.find(28).children() {
		if len(a.records) >= asked {
			return a, malformed(fmt.Errorf("the server sent more than the %d records that were requested", asked))
		}
		a.records = append(a.records, readRecord(r, m))
	}
	return a, nil
}

const maxDiagnostics = 20

// readRecord reads a NamePlusRecord.
func readRecord(e element, m mask) record {
	r := record{database: e.find(0).text()}
	if failure := e.find(1, 2).only(); failure.exists() {
		r.failure = readDiagnostic(failure, m)
		return r
	}
	external := e.find(1, 1, tagExternal)
	if !external.exists() {
		r.failure = &diagnostic{text: "the server sent only a part of the record, which was not requested"}
		return r
	}
	r.syntax = external.find(tagOID).oid()
	if octets := external.find(1); octets.exists() {
		r.octets = octets.octets()
		return r
	}
	r.tree = external.find(0).only()
	if r.tree.tag != tagSequence { // a string, perhaps in parts
		r.octets = r.tree.octets()
	}
	return r
}

// entry is a term of an index.
type entry struct {
	term, shown string
	count       int // of records with the term, or -1
	failure     *diagnostic
}

// readEntries parses the reply to a Scan for at most asked terms.
func readEntries(reply element, asked int, m mask) (entries []entry, failure *diagnostic, err error) {
	list := reply.find(7)
	if d := list.find(2).only(); d.exists() {
		failure = readDiagnostic(d, m)
	}
	for e := range list.find(1).children() {
		if len(entries) >= asked {
			return nil, nil, malformed(fmt.Errorf("the server sent more than the %d terms that were requested", asked))
		}
		if d := e.only(); e.tag == 2 {
			entries = append(entries, entry{failure: readDiagnostic(d, m)})
			continue
		}
		item := entry{term: e.find(tagTerm).text(), shown: e.find(0).text(), count: -1}
		if n := e.find(2); n.exists() {
			item.count = n.number()
		}
		entries = append(entries, item)
	}
	return entries, failure, nil
}

// closeError returns the error for a Close of the server.
func closeError(e element, m mask) error {
	reasons := map[int]string{
		0: "it has finished", 1: "it shuts down", 2: "it has a system problem", 3: "a limit of costs is reached", 4: "it has no more resources",
		5: "it suspects a violation of its security", 6: "it found an error in the protocol", 7: "the session was idle for too long", 8: "it gave up",
	}
	cause := reasons[e.find(211).number()]
	if cause == "" {
		cause = "it gave no reason"
	}
	return &protocols.Error{
		Reason: protocols.Broken, Op: "read the answer", Text: m.text(e.find(3).text()),
		Err: fmt.Errorf("the server ended the session: %s; try again", cause),
	}
}
