package z3950

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gofer/internal/ber"
	"gofer/protocols"
)

// diagnostic is a reason why a server did not do what was asked (Z39.50-2003, appendix 4).
type diagnostic struct {
	condition int    // of the set bib-1
	text      string // what the server adds
}

// The conditions that gofer acts on.
const (
	noRecord          = 14
	noRecordInSyntax  = 238
	unsupportedSyntax = 239
	noReason          = 100
	databaseMissing   = 235
	accessControl     = 101
	accessDenied      = 236
	badUser           = 1010
	badPassword       = 1011
	expiredLogin      = 1021
	expiredPassword   = 1022
	changedPassword   = 1023
)

// conditions has a sentence and the reason for frequent conditions.
var conditions = map[int]struct {
	sentence string
	reason   protocols.Reason
}{
	1:                 {"the server has a permanent problem; ask who runs it", protocols.ServerFailed},
	2:                 {"the server has a temporary problem; try again later", protocols.ServerFailed},
	3:                 {"the server does not support this kind of search; search for fewer words in one field", protocols.NotSupported},
	5:                 {"the search has too many words; search for fewer", protocols.ServerFailed},
	11:                {"the search is too long for the server; search for fewer or shorter words", protocols.ServerFailed},
	12:                {"too many records match; search for more words", protocols.ServerFailed},
	13:                {"the result has no such record; search again", protocols.NotFound},
	noRecord:          {"the server cannot send the record; try again later", protocols.NotFound},
	23:                {"the server does not search these databases together; name one of them in the URL", protocols.NotSupported},
	25:                {"the database has no such element set; leave out ;esn= of the URL", protocols.NotSupported},
	30:                {"the server no longer has the result; search again", protocols.ServerFailed},
	31:                {"the server has no room for the result; search for more words", protocols.ServerFailed},
	noReason:          {"the server gave no reason; ask who runs it", protocols.ServerFailed},
	accessControl:     {"the server refuses access; log in, or ask who runs it", protocols.Denied},
	108:               {"the server does not understand the search; search for plain words", protocols.NotSupported},
	109:               {"the database is not available; check its name, or try again later", protocols.NotFound},
	111:               {"the server does not search so many databases at once; name fewer in the URL", protocols.NotSupported},
	113:               {"the server does not support this kind of search; search in another field", protocols.NotSupported},
	114:               {"the database cannot be searched by this field; search in another field", protocols.NotSupported},
	117:               {"the server does not support this kind of search; search in another field", protocols.NotSupported},
	118:               {"the database cannot be searched for phrases; search for words without quotes", protocols.NotSupported},
	123:               {"the server does not support these fields together; search in one field", protocols.NotSupported},
	125:               {"the word is not of the form that this field needs; check it", protocols.ServerFailed},
	accessDenied:      {"the database is not for everybody; ask who runs the server for a login", protocols.Denied},
	noRecordInSyntax:  {"the record is not available in this record syntax; name another one in the URL, such as ;rs=sutrs", protocols.NotSupported},
	unsupportedSyntax: {"the server does not have this record syntax; name another one in the URL, such as ;rs=sutrs", protocols.NotSupported},
	1012:              {"the login has no searches left; ask who runs the server", protocols.Denied},
	1013:              {"the login is for another program; ask who runs the server", protocols.Denied},
	1014:              {"the server cannot check logins now; try again later", protocols.ServerFailed},
	1015:              {"too many sessions have this login; try again later", protocols.Denied},
	1016:              {"the server refuses the address of this machine; ask who runs it", protocols.Denied},
	1017:              {"the login may search no database; ask who runs the server", protocols.Denied},
	1018:              {"the server is out of resources; try again later", protocols.ServerFailed},
	1019:              {"the server is closed for maintenance; try again later", protocols.ServerFailed},
	1020:              {"the server is not available; try again later", protocols.ServerFailed},
}

// mask hides the passwords in a text of the server. The words of the server about itself and about failures pass it; the
// records are documents and do not.
type mask func(text string) string

// The octets of a text that are shown, and of those in which passwords are looked for.
const (
	maxText     = 1000
	maxReadText = 8000
)

// text returns the text without passwords and of at most maxText octets. It masks before it cuts, because a part of a password
// is not masked.
func (m mask) text(text string) string {
	text = m(text[:min(len(text), maxReadText)])
	return text[:min(len(text), maxText)]
}

// asSent is the mask of a text that is a part of a record.
func asSent(text string) string { return text }

// readDiagnostic reads a DiagRec in the default format. Any other format gives condition 0.
func readDiagnostic(e ber.Element, m mask) *diagnostic {
	d := &diagnostic{condition: e.Find(ber.Integer).Number()}
	for _, tag := range []int{ber.Visible, ber.General} {
		if text := e.Find(tag); text.Exists() {
			d.text = m.text(text.Text())
		}
	}
	return d
}

// isLogin reports whether a login may help.
func (d *diagnostic) isLogin() bool {
	return d == nil || d.isDenial() || slices.Contains([]int{0, badUser, badPassword, expiredLogin, expiredPassword, changedPassword}, d.condition)
}

// isDenial reports whether the server refuses access to a database.
func (d *diagnostic) isDenial() bool {
	return d.condition == accessControl || d.condition == accessDenied
}

// isUnsupported reports whether the server may support the same search with other attributes.
func (d *diagnostic) isUnsupported() bool {
	return slices.Contains([]int{113, 114, 117, 118, 121, 122, 123}, d.condition)
}

// toError returns the diagnostic as the error of the operation op.
func (d *diagnostic) toError(op string) *protocols.Error {
	e := &protocols.Error{Reason: protocols.ServerFailed, Op: op, Text: d.text}
	c, known := conditions[d.condition]
	switch {
	case known:
		e.Reason, e.Err = c.reason, errors.New(c.sentence)
	case d.condition > 0:
		e.Err = fmt.Errorf("Z39.50 diagnostic %d; ask who runs the server", d.condition)
	}
	if d.condition == databaseMissing {
		e.Reason, e.Err = protocols.NotFound, fmt.Errorf("%w; check its name", protocols.ErrNoDatabase)
	}
	return e
}

// sentence returns the diagnostic as a line of a page: what the server said and the cause, without what to do.
func (d *diagnostic) sentence() string {
	e := d.toError("")
	if e.Err == nil {
		return e.Text
	}
	cause, _, _ := strings.Cut(e.Err.Error(), ";")
	if e.Text != "" {
		cause = e.Text + ": " + cause
	}
	return cause
}
