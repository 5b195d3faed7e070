// Package explain explains the parts of a URL and lists the commands that a fetch of it would
// send.
package explain

import (
	"cmp"
	"encoding/hex"
	"errors"
	"strings"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// Mask replaces passwords.
const Mask = "****"

// Explanation explains one URL. Its texts are safe to show: Mask replaces a password.
type Explanation struct {
	URL   string `json:"url"`   // the canonical text
	Names string `json:"names"` // the kind of the item, its server and its scheme, on one line
	// Fragment is the text after "#", which is not part of the URL (RFC 1738, section 2.2).
	// The function URL leaves it empty.
	Fragment string `json:"fragment,omitempty"`
	Parts    []Part `json:"parts"` // in order; the joined texts of all parts are URL
	// Warnings name legal but risky parts (RFC 1738, section 6).
	Warnings []Warning `json:"warnings"`
	// Asks are the labels of the questions asked before anything is sent. In Steps they are
	// in angle brackets.
	Asks  []string `json:"asks,omitempty"`
	Steps []Step   `json:"steps"`
	// Nothing is the reason why gofer sends nothing. It is empty if gofer sends Steps, or if the
	// function URL got no plan.
	Nothing string `json:"nothing,omitempty"`
}

// Part is a piece of a URL; see [urlcore.Part].
type Part struct {
	Name string `json:"name"`
	Text string `json:"text"` // "" if the part is there but empty
	// Octets is the value as [clean.Octets] writes it.
	Octets       string `json:"octets"`
	Hex          string `json:"octets_hex"`
	ReadableText string `json:"reads,omitempty"` // the value as text, if it is UTF-8 with characters beyond ASCII
	Rule         string `json:"rule"`
	Meaning      string `json:"meaning"`
}

// Warning is the name of one of [urlcore.Warnings], and a sentence that explains it.
type Warning struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

// Step is one exchange with a server; see [protocols.Step].
type Step struct {
	Peer string `json:"peer"`
	Send string `json:"send"` // the octets with the line end, as clean.Octets writes them
	Hex  string `json:"send_hex"`
	Note string `json:"note,omitempty"`
}

// URL explains u, which must be canonical. The parameter plan is the method Plan of a
// [protocols.Planner], or nil.
func URL(u urlcore.URL, plan func(urlcore.URL) ([]protocols.Step, error)) Explanation {
	x := Explanation{URL: Text(u), Names: describeItem(u), Parts: []Part{}, Warnings: Warnings(urlcore.WarningsOf(u)), Steps: []Step{}}
	for _, p := range urlcore.Parts(u) {
		if p.Name == "password" && p.Text != "" {
			p.Text, p.Value = Mask, Mask
		}
		x.Parts = append(x.Parts, Part{
			Name: p.Name, Text: clean.Line(p.Text), Octets: clean.Octets(p.Value), Hex: hex.EncodeToString([]byte(p.Value)),
			ReadableText: readableText(p.Value), Rule: p.Rule, Meaning: p.Meaning,
		})
	}
	if plan != nil {
		x.plan(u, plan)
	}
	return x
}

// describeItem describes the item of u and its server: "Search at h.example:70, by gopher".
func describeItem(u urlcore.URL) string {
	text := "Item"
	if k := protocols.KindOf(u); k != protocols.Other {
		text = k.String()
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	switch addr, ok := urlcore.Addr(u); {
	case ok && addr != "":
		text += " at " + addr
	case ok:
		text += " at your news server"
	}
	return clean.Line(text + ", by " + u.Scheme())
}

// Text returns the canonical text of u with Mask instead of a password.
func Text(u urlcore.URL) string {
	var b strings.Builder
	for _, p := range urlcore.Parts(u) {
		if p.Name == "password" && p.Text != "" {
			p.Text = Mask
		}
		b.WriteString(p.Text)
	}
	return clean.Line(b.String())
}

// readableText returns s if s is UTF-8, has characters beyond ASCII, and is safe to show. Otherwise it
// returns "".
func readableText(s string) string {
	beyond := strings.IndexFunc(s, func(r rune) bool { return r > '~' }) >= 0
	if !beyond || (clean.Reading{Charset: charset.UTF8, AllLines: true}).Line(s) != s || strings.ContainsRune(s, '\ufffd') {
		return ""
	}
	return s
}

var warningMeanings = map[string]string{
	"encoded-control": "it has control characters, which could harm a terminal or a server",
	"nondefault-port": "the port is not the default of its scheme; it may belong to another kind of server",
	"not-1738":        "RFC 1738 has no such form; it is of a draft, of a later RFC or in common use",
	"password":        "it has a password, which anybody who sees the URL can read",
	"reserved-port":   "the port belongs to another service, which may take the request for commands",
}

// Warnings returns the names of the warnings in w, with their meanings.
func Warnings(w urlcore.Warnings) []Warning {
	list := []Warning{}
	for _, name := range w.Names() {
		list = append(list, Warning{name, warningMeanings[name]})
	}
	return list
}

func (x *Explanation) plan(u urlcore.URL, plan func(urlcore.URL) ([]protocols.Step, error)) {
	steps, err := plan(u)
	if ask, ok := errors.AsType[*protocols.Ask](err); ok {
		steps, err = x.planWithAnswers(ask, plan)
	}
	for _, s := range steps {
		x.Steps = append(x.Steps, Step{
			Peer: clean.Text(s.Peer), Send: clean.Octets(s.Send), Hex: hex.EncodeToString([]byte(s.Send)), Note: clean.Text(s.Note),
		})
	}
	switch {
	case err != nil:
		x.Nothing = explainNothing(u.Scheme(), err)
	case len(steps) == 0:
		x.Nothing = "no server is asked; gofer makes this page itself"
	}
}

// planWithAnswers answers each field of ask with "<label>", and returns the plan of the resulting URL. It
// adds the labels to x.Asks.
func (x *Explanation) planWithAnswers(ask *protocols.Ask, plan func(urlcore.URL) ([]protocols.Step, error)) ([]protocols.Step, error) {
	var answers []string
	for _, f := range ask.Fields {
		label := clean.Text(cmp.Or(f.Label, f.ServerLabel))
		x.Asks = append(x.Asks, label)
		answers = append(answers, "<"+strings.ToLower(label)+">")
	}
	u, err := ask.With(answers)
	if err != nil {
		return nil, err
	}
	return plan(u)
}

// explainNothing says why nothing is sent.
func explainNothing(scheme string, err error) string {
	if handoff, ok := errors.AsType[*protocols.Handoff](err); ok {
		return clean.Text("gofer leaves it to another program: " + strings.Join(handoff.Argv, " "))
	}
	text := clean.Text(err.Error())
	failure, ok := errors.AsType[*protocols.Error](err)
	if !ok || failure.Reason != protocols.Unsupported {
		return text
	}
	if failure.Err == nil {
		text = "gofer cannot open " + scheme + ": URLs"
	} else if len(failure.Lines) > 0 {
		text = clean.Text(failure.Err.Error())
	}
	for i, l := range failure.Lines { // a blank line and sentences
		if i == 0 {
			text += "."
		}
		text = strings.TrimRight(text+" "+clean.Text(l.Text), " ")
	}
	return text
}
