package wais

import (
	"fmt"
	"strconv"
)

// The types of protocol data units.
const (
	pduInit           = 20
	pduInitResponse   = 21
	pduSearch         = 22
	pduSearchResponse = 23
)

// The tags of Z39.50-1988 and the additional tags of WAIS.
const (
	tagReferenceID   = 2
	tagVersion       = 3
	tagOptions       = 4
	tagPreferredSize = 5
	tagMaximumSize   = 6
	tagID            = 8
	tagResultSet     = 17
	tagDatabase      = 18
	tagElementSet    = 19
	tagQueryType     = 20
	tagQuery         = 21
	tagDiagnostic    = 28
	tagAttributes    = 44
	tagTerm          = 45
	tagOperator      = 46
	tagUserInfo      = 99
	tagSeedWords     = 106
	tagDateFactor    = 111
	tagMaxDocuments  = 114
	tagDocumentID    = 116
	tagDocVersion    = 117
	tagScore         = 118
	tagLength        = 120
	tagSource        = 121
	tagDate          = 122
	tagHeadline      = 123
	tagCity          = 124
	tagText          = 127
	tagLines         = 131
	tagTypes         = 132
	tagType          = 133
	groupHeader      = 150
	groupShort       = 151
	groupLong        = 152
	groupText        = 153
	groupHeadline    = 154
)

const (
	headerSize  = 25
	messageSize = 100_000 // octets of the largest answer requested; the buffer of freeWAIS has this size
)

// formatMessage returns an APDU with a WAIS header. The APDU is given in two parts, its header and
// the rest.
func formatMessage(header, rest []byte) string {
	n := 2 + len(header) + len(rest)
	return fmt.Sprintf("%010dz2%-10s  0", n, "wais") + string([]byte{byte(len(header) >> 8), byte(len(header))}) + string(header) + string(rest)
}

// initRequest returns an InitRequest. It contains nothing about the user.
func initRequest() string {
	b := []byte{pduInit}
	b = appendField(b, tagVersion, "\x80")
	b = appendField(b, tagOptions, "\x80") // search
	b = appendNumber(b, tagPreferredSize, messageSize)
	b = appendNumber(b, tagMaximumSize, messageSize)
	return formatMessage(appendField(b, tagID, "gofer"), nil)
}

// searchRequest returns the request for the documents that match q. It uses a query of type "3",
// relevance feedback.
func searchRequest(database string, q query, limit int) string {
	b := append24([]byte{pduSearch}, 30)
	b = append24(append24(b, 5000), 30)
	b = appendField(append(b, 1), tagResultSet, "")
	b = appendField(b, tagDatabase, database)
	b = appendField(b, tagQueryType, "3")
	info := appendField(nil, tagSeedWords, q.words)
	for _, d := range q.examples {
		id, _ := documentID(d.path)
		info = appendField(info, tagDocumentID, id)
		info = appendField(info, tagType, d.typ) // freeWAIS-sf crashes without a type
	}
	info = appendNumber(info, tagDateFactor, 1)
	info = appendNumber(info, tagMaxDocuments, limit)
	return formatMessage(b, appendField(nil, tagUserInfo, string(info)))
}

// retrieveRequest returns the request for a part of a document. The parameters start and end are the
// offsets of the part. The request uses a query of type "1", reverse Polish notation.
func retrieveRequest(database, id, typ string, start, end int64) string {
	b := append24([]byte{pduSearch}, 10)
	b = append24(append24(b, 16), 15)
	b = appendField(append(b, 1), tagResultSet, "FOO")
	b = appendField(b, tagDatabase, database)
	b = appendField(b, tagQueryType, "1")
	b = appendField(b, tagElementSet, " \x1fDocument Text")
	b = appendField(b, tagReferenceID, "3")
	var query []byte
	for i, c := range [...]struct{ attributes, term string }{
		{"un re ig ig ig ig", id},
		{"wt re ig ig ig ig", typ},
		{"wb ro ig ig ig ig", strconv.FormatInt(start, 10)},
		{"wb rl ig ig ig ig", strconv.FormatInt(end, 10)},
	} {
		query = appendField(appendField(query, tagAttributes, c.attributes), tagTerm, c.term)
		if i > 0 {
			query = appendField(query, tagOperator, "a")
		}
	}
	return formatMessage(b, appendField(nil, tagQuery, string(query)))
}
