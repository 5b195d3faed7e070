package z3950

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
	return group(
		pduInit,
		leaf(3, "\x05\xe0"),
		leaf(4, "\x01"+string(options[:])),
		number(5, messageSize), number(6, messageSize),
		authentication,
		leaf(110, "gofer"), leaf(111, "gofer"),
	)
}

// idPass returns an IdAuthentication with a user and a password.
func idPass(user, password string) string {
	return group(7, group(tagSequence, leaf(1, user), leaf(2, password)))
}

// openID returns an IdAuthentication that is one text.
func openID(text string) string { return group(7, leaf(tagVisible, text)) }

func databaseList(tag int, names []string) string {
	var parts []string
	for _, name := range names {
		parts = append(parts, leaf(tagDatabase, name))
	}
	return group(tag, parts...)
}

// searchRequest returns a Search that returns only the number of records. The result set gets the name set.
func searchRequest(databases []string, set, rpn string) string {
	return group(
		pduSearch,
		number(13, 0), number(14, 1), number(15, 0), leaf(16, "\xff"),
		leaf(tagResultSet, set),
		databaseList(tagDatabases, databases),
		group(tagQuery, group(1, oid(tagOID, bib1), rpn)),
	)
}

// presentRequest asks for n records from start on, which counts from 1. A syntax or element set of "" is the server's choice.
func presentRequest(start, n int, elementSet, syntax string) string {
	elements, syntaxPart := "", ""
	if elementSet != "" {
		elements = group(tagElements, leaf(0, elementSet))
	}
	if syntax != "" {
		syntaxPart = oid(tagSyntax, syntax)
	}
	return group(pduPresent, leaf(tagResultName, resultSet), number(30, start), number(29, n), elements, syntaxPart)
}

// resultSet is the name of the result set of the last search.
const resultSet = "default"

// scanRequest asks for n terms of an index from a term on. The parameter term is an operand.
func scanRequest(databases []string, term string, n int) string {
	return group(pduScan, databaseList(3, databases), oid(tagOID, bib1), term, number(5, 0), number(6, n), number(7, 1))
}

// attribute is the type and the value of an attribute of the set bib-1.
type attribute struct{ kind, value int }

// operand returns a term with its attributes.
func operand(term string, attributes ...attribute) string {
	var list []string
	for _, a := range attributes {
		list = append(list, group(tagSequence, number(120, a.kind), number(121, a.value)))
	}
	return group(tagOperand, group(tagAttributes, list...), leaf(tagTerm, term))
}

// allOf returns the query that all operands match.
func allOf(operands []string) string {
	rpn := ""
	for i, o := range operands {
		o = group(0, o)
		if i > 0 {
			o = group(1, rpn, o, group(tagOperator, leaf(0, "")))
		}
		rpn = o
	}
	return rpn
}
