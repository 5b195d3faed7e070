package z3950

import (
	"gofer/internal/ber"
	"gofer/urlcore"
)

// The tags of APDUs and of the parts of requests (Z39.50-2003, section 4.1).
const (
	pduInit        = 20
	pduInitReply   = 21
	pduSearch      = 22
	pduSearchReply = 23
	pduPresent     = 24
	pduReply       = 25 // of a Present
	pduScan        = 35
	pduScanReply   = 36
	pduClose       = 48

	tagDatabases  = 18
	tagDatabase   = 105
	tagResultSet  = 17
	tagResultName = 31
	tagSyntax     = 104
	tagElements   = 19
	tagQuery      = 21
	tagOperand    = 102
	tagAttributes = 44
	tagTerm       = 45
	tagOperator   = 46
)

// The object identifiers of Z39.50.
const (
	bib1      = "1.2.840.10003.3.1"
	syntaxOID = "1.2.840.10003.5."
)

// Bits of the options in an Init, from the first one on.
const (
	optionSearch  = 0
	optionPresent = 1
	optionScan    = 7
	optionNamed   = 14 // result sets with names
)

// messageSize is how large the answers of a server should be, in octets.
const messageSize = 1 << 20

// initRequest returns an Init of the versions 1 to 3 with an IdAuthentication, or none if it is "".
func initRequest(authentication string) string {
	var options [2]byte
	for _, bit := range []int{optionSearch, optionPresent, optionScan, optionNamed} {
		options[bit/8] |= 0x80 >> (bit % 8)
	}
	return ber.Group(
		pduInit,
		ber.Leaf(3, "\x05\xe0"),
		ber.Leaf(4, "\x01"+string(options[:])),
		ber.Number(5, messageSize), ber.Number(6, messageSize),
		authentication,
		ber.Leaf(110, "gofer"), ber.Leaf(111, "gofer"),
	)
}

// idPass returns an IdAuthentication with a user and a password.
func idPass(user, password string) string {
	return ber.Group(7, ber.Group(ber.Sequence, ber.Leaf(1, user), ber.Leaf(2, password)))
}

// openID returns an IdAuthentication that is one text.
func openID(text string) string { return ber.Group(7, ber.Leaf(ber.Visible, text)) }

func databaseList(tag int, u urlcore.Z3950) string {
	var parts []string
	for _, name := range u.DatabaseNames() {
		parts = append(parts, ber.Leaf(tagDatabase, name))
	}
	return ber.Group(tag, parts...)
}

// searchRequest returns a Search of the databases of u that returns only the number of records. The result set gets the name set.
func searchRequest(u urlcore.Z3950, set, rpn string) string {
	return ber.Group(
		pduSearch,
		ber.Number(13, 0), ber.Number(14, 1), ber.Number(15, 0), ber.Leaf(16, "\xff"),
		ber.Leaf(tagResultSet, set),
		databaseList(tagDatabases, u),
		ber.Group(tagQuery, ber.Group(1, ber.OID(ber.ObjectID, bib1), rpn)),
	)
}

// presentRequest asks for n records from start on, which counts from 1. A syntax or element set of "" is the server's choice.
func presentRequest(start, n int, elementSet, syntax string) string {
	elements, syntaxPart := "", ""
	if elementSet != "" {
		elements = ber.Group(tagElements, ber.Leaf(0, elementSet))
	}
	if syntax != "" {
		syntaxPart = ber.OID(tagSyntax, syntax)
	}
	return ber.Group(pduPresent, ber.Leaf(tagResultName, resultSet), ber.Number(30, start), ber.Number(29, n), elements, syntaxPart)
}

// resultSet is the name of the result set of the last search.
const resultSet = "default"

// scanRequest asks for the terms of an index from that of t on.
func (t target) scanRequest() string {
	from := operand(t.clauses[0].text, attribute{attributeUse, t.clauses[0].field.use})
	return ber.Group(pduScan, databaseList(3, t.url), ber.OID(ber.ObjectID, bib1), from, ber.Number(5, 0), ber.Number(6, maxEntries), ber.Number(7, 1))
}

// attribute is the type and the value of an attribute of the set bib-1.
type attribute struct{ kind, value int }

// operand returns a term with its attributes.
func operand(term string, attributes ...attribute) string {
	var list []string
	for _, a := range attributes {
		list = append(list, ber.Group(ber.Sequence, ber.Number(120, a.kind), ber.Number(121, a.value)))
	}
	return ber.Group(tagOperand, ber.Group(tagAttributes, list...), ber.Leaf(tagTerm, term))
}

// The operators of a query.
const (
	and = 0
	or  = 1
)

// join returns the query of operands with an operator between them.
func join(operator int, operands []string) string {
	rpn := ""
	for i, o := range operands {
		o = ber.Group(0, o)
		if i > 0 {
			o = ber.Group(1, rpn, o, ber.Group(tagOperator, ber.Leaf(operator, "")))
		}
		rpn = o
	}
	return rpn
}
