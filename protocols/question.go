package protocols

import (
	"cmp"
	"errors"
	"strings"

	"gofer/urlcore"
)

// Question is an error that asks the user a question: an [*Ask], a [*Login], a [*Confirm], a [*Compose] or
// a [*Handoff].
type Question interface {
	error
	question()
}

func (*Ask) question()     {}
func (*Login) question()   {}
func (*Confirm) question() {}
func (*Compose) question() {}
func (*Handoff) question() {}

// QuestionOf returns the Question in err, or nil.
func QuestionOf(err error) Question {
	q, _ := errors.AsType[Question](err)
	return q
}

// Ask is the error of a Fetch that needs input from the user. The input is, for example, search words (RFC
// 1436, section 3.7) or the answers to a Gopher+ form.
type Ask struct {
	URL         urlcore.URL // the URL of the Fetch
	Title       string      // the title from gofer
	Server      string      // host or host:port of the server that sent ServerTitle and the labels of Fields
	ServerTitle string      // the title from the server, not cleaned; may be ""
	Fields      []Field     // at least one
	IsForm      bool        // the server sent a form: it is shown as a page even with a single field
	// Charset is "" if the proposed values, the choices and the answers passed to With are in UTF-8.
	// Otherwise these texts are in the charset of the server's texts, or in Charset if the server's texts
	// are ASCII.
	Charset string
	// IsAnew reports whether the last answers to the same fields are not proposed again: the proposals say what holds now.
	IsAnew bool
	// With returns the URL to fetch. It takes one answer for each field.
	With func(answers []string) (urlcore.URL, error)
}

// Field is one input field of an Ask.
type Field struct {
	Label       string // the label from gofer; may be "" if ServerLabel is set
	ServerLabel string // the label from the server, not cleaned; may be ""
	Value       string // the proposed answer
	Input       Input
	Choices     []string // the choices of an InputChoice, at least one; not cleaned
	// Required reports whether the server demands an answer.
	Required bool
}

// Input is the kind of input of a field.
type Input uint8

// The kinds of input. The comment of each kind describes the answer.
const (
	InputLine   Input = iota // a line
	InputSecret              // a line that is neither shown nor stored
	InputText                // several lines, separated by line feeds
	InputCheck               // "1" for yes, "0" for no
	InputChoice              // one of the field's choices
	InputFile                // the path of a local file to send
	InputNote                // always "": the field is only a label
)

// AskOne returns the question of one field, whose answer must not be blank. The function urlOf returns the URL to fetch.
func AskOne(u urlcore.URL, title, label string, urlOf func(answer string) urlcore.URL) *Ask {
	return &Ask{
		URL: u, Title: title, Fields: []Field{{Label: label}},
		With: func(answers []string) (urlcore.URL, error) {
			if len(answers) == 0 || strings.TrimSpace(answers[0]) == "" {
				return nil, errors.New("nothing was typed")
			}
			return urlcore.Canon(urlOf(strings.TrimSpace(answers[0])))
		},
	}
}

func (a *Ask) Error() string { return "input needed: " + a.Title }

// Login is the error of a Fetch whose server wants credentials.
type Login struct {
	URL    urlcore.URL // the URL of the Fetch
	Server string      // host:port, for the prompt
	User   string      // the proposed user, from the URL
	Secret string      // the name of what is asked for, "Passphrase"; "": "Password"
	Note   string      // the failure that makes a login necessary, or ""
	Text   string      // the server's message, not cleaned
	Failed bool        // the credentials were tried and refused
	// With stores the credentials for this server in memory. After the call, the caller fetches the URL
	// again.
	With func(user, password string)
}

func (l *Login) Error() string {
	if l.Failed {
		return "login failed at " + l.Server
	}
	return l.Server + " requires a login"
}

// Confirm is the error of a Fetch that needs the user's consent, for example to send a password in the
// clear. Nothing that needs the consent was sent.
type Confirm struct {
	URL      urlcore.URL // the URL of the Fetch; may be nil
	Question string      // the question without "?": "Send the password in the clear"
	Reason   string      // why the question is asked, in one or two sentences
	Details  []string    // lines below the reason, such as the message to send; not cleaned
	Consent  Consent     // the kind of consent
	// GiveConsent records in memory that the user agreed. It does no I/O. After the call, the caller
	// fetches the URL again.
	GiveConsent func()
}

// Consent is a kind of [Confirm]. If gofer runs without a screen, the user can agree in advance to all
// questions of a kind.
type Consent uint8

// The kinds of consent.
const (
	ConsentAsked         Consent = iota // the user cannot agree in advance
	ConsentCertificate                  // accept an unverified certificate
	ConsentPlainPassword                // send a password in the clear
	ConsentReplace                      // replace a file on a server
	ConsentPort                         // connect to a port where another service may listen
	NumConsents
)

// consents has one row for each Consent.
var consents = [NumConsents]struct {
	flag, help string // the flag of commands that agrees in advance; without help, only some commands have the flag
	refused    string // the heading of a page that shows the question again, instead of the question
	perItem    bool   // the answer no leaves out one item of a tree
	longDetail bool   // the details are many lines: the first is enough for an error message
}{
	ConsentCertificate:   {flag: "trust", help: "trust a certificate of an unknown issuer or an unknown host key, unless it has changed"},
	ConsentPlainPassword: {flag: "plain-password", help: "send passwords in the clear to servers without TLS"},
	ConsentReplace:       {flag: "force"},
	ConsentPort: {
		flag: "any-port", help: "connect to ports that usually belong to other services", refused: "Nothing was sent", perItem: true, longDetail: true,
	},
}

// Flag returns the name of the flag that agrees to all questions of the kind, and its help text. The name is "" if
// the user cannot agree in advance. The help text is "" if only commands have the flag that describe it themselves.
func (c Consent) Flag() (name, help string) { return consents[c].flag, consents[c].help }

// LeavesOutItem reports whether the answer no leaves out only one item of a tree.
func (c Consent) LeavesOutItem() bool { return consents[c].perItem }

// Heading returns the title of a page that shows the question again.
func (c *Confirm) Heading() string { return cmp.Or(consents[c.Consent].refused, c.Question+"?") }

// ShortDetails returns the details for an error message.
func (c *Confirm) ShortDetails() []string {
	if len(c.Details) > 1 && consents[c.Consent].longDetail {
		return []string{c.Details[0], "..."}
	}
	return c.Details
}

func (c *Confirm) Error() string { return "not confirmed: " + c.Question }

// Handoff is the error of a Fetch for a URL that another program opens, such as a mailer. Unless Always is
// set, the program is not started before the user has seen Argv and agreed.
type Handoff struct {
	URL    urlcore.URL
	Argv   []string // the program and its arguments, without a shell
	Window bool     // the program opens a window and needs no terminal
	Always bool     // the user has allowed the program in advance
}

func (h *Handoff) Error() string { return h.URL.Scheme() + ": needs another program" }
