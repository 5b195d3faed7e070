package z3950

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"gofer/internal/ber"
	"gofer/protocols"
)

// welcome is a parsed reply to an Init.
type welcome struct {
	accepted   bool
	options    []byte // a BIT STRING
	name       string // of the program of the server, and its version
	diagnostic *diagnostic
}

func readWelcome(reply ber.Element, m mask) welcome {
	w := welcome{
		accepted: reply.Find(12).Number() != 0,
		options:  bytes.Clone(reply.Find(4).Content),
		name:     reply.Find(111).Text(),
	}
	if version := reply.Find(112).Text(); version != "" {
		w.name += " " + version
	}
	w.name = m.text(w.name)
	if info := reply.Find(11); info.Exists() {
		w.diagnostic = findDiagnostic(info, m)
	} else {
		w.diagnostic = findDiagnostic(reply.Find(201), m)
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
func findDiagnostic(e ber.Element, m mask) *diagnostic {
	if !e.Constructed {
		return nil
	}
	if e.Find(ber.ObjectID).Exists() && e.Find(ber.Integer).Exists() {
		return readDiagnostic(e, m)
	}
	for child := range e.Children() {
		if d := findDiagnostic(child, m); d != nil {
			return d
		}
	}
	return nil
}

// answer is a parsed reply to a Search or a Present.
type answer struct {
	success bool // of a Search
	count   int  // of records in the result set, of a Search
	records []record
	failure *diagnostic // the first of the whole answer
}

// record is a record of a database, or the reason why it was not sent.
type record struct {
	database string
	syntax   string // an object identifier
	octets   []byte // of a record that is one string of octets
	tree     ber.Element
	failure  *diagnostic
}

// readAnswer parses the reply to a request for at most asked records.
func readAnswer(reply ber.Element, asked int, m mask) (a answer, err error) {
	a = answer{success: reply.Find(22).Number() != 0, count: reply.Find(23).Number()}
	for _, d := range []ber.Element{reply.Find(130), reply.Find(205).First()} {
		if d.Exists() && a.failure == nil {
			a.failure = readDiagnostic(d, m)
		}
	}
	if a.count < 0 {
		return a, ber.Malformed(ber.ErrDamaged)
	}
	for r := range reply.Find(28).Children() {
		if len(a.records) >= asked {
			return a, ber.Malformed(fmt.Errorf("the server sent more than the %d records that were requested", asked))
		}
		a.records = append(a.records, readRecord(r, m))
	}
	return a, nil
}

// lacksSyntax reports whether the server does not have the records in the syntax.
func (a answer) lacksSyntax() bool {
	d := a.failure
	for _, r := range a.records {
		if r.failure == nil {
			return false
		}
		d = cmp.Or(d, r.failure)
	}
	return d != nil && slices.Contains([]int{noRecord, noRecordInSyntax, unsupportedSyntax}, d.condition)
}

// readRecord reads a NamePlusRecord.
func readRecord(e ber.Element, m mask) record {
	r := record{database: e.Find(0).Text()}
	if failure := e.Find(1, 2).First(); failure.Exists() {
		r.failure = readDiagnostic(failure, m)
		return r
	}
	external := e.Find(1, 1, ber.External)
	if !external.Exists() {
		r.failure = &diagnostic{text: "the server sent only a part of the record, which was not requested"}
		return r
	}
	r.syntax = external.Find(ber.ObjectID).OID()
	if octets := external.Find(1); octets.Exists() {
		r.octets = octets.Octets()
		return r
	}
	r.tree = external.Find(0).First()
	if r.tree.Tag != ber.Sequence { // a string, perhaps in parts
		r.octets = r.tree.Octets()
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
func readEntries(reply ber.Element, asked int, m mask) (entries []entry, failure *diagnostic, err error) {
	list := reply.Find(7)
	if d := list.Find(2).First(); d.Exists() {
		failure = readDiagnostic(d, m)
	}
	for e := range list.Find(1).Children() {
		if len(entries) >= asked {
			return nil, nil, ber.Malformed(fmt.Errorf("the server sent more than the %d terms that were requested", asked))
		}
		if d := e.First(); e.Tag == 2 {
			entries = append(entries, entry{failure: readDiagnostic(d, m)})
			continue
		}
		item := entry{term: e.Find(tagTerm).Text(), shown: e.Find(0).Text(), count: -1}
		if n := e.Find(2); n.Exists() {
			item.count = n.Number()
		}
		entries = append(entries, item)
	}
	return entries, failure, nil
}

// closeError returns the error for a Close of the server.
func closeError(e ber.Element, m mask) error {
	reasons := map[int]string{
		0: "it has finished", 1: "it shuts down", 2: "it has a system problem", 3: "a limit of costs is reached", 4: "it has no more resources",
		5: "it suspects a violation of its security", 6: "it found an error in the protocol", 7: "the session was idle for too long", 8: "it gave up",
	}
	cause := reasons[e.Find(211).Number()]
	if cause == "" {
		cause = "it gave no reason"
	}
	return &protocols.Error{
		Reason: protocols.Broken, Op: "read the answer", Text: m.text(e.Find(3).Text()),
		Err: fmt.Errorf("the server ended the session: %s; try again", cause),
	}
}
