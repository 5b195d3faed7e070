package protocols

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"gofer/urlcore"
)

// Form is a form of a hypertext (HTML Living Standard, section 4.10): what it
// asks for, and where the answers go. Its texts are those of the page.
type Form struct {
	Title  string      `json:"t,omitempty"`
	Action urlcore.URL `json:"-"` // what the answers are sent to
	// Post sends the answers in the body of a request, Multipart each as a part
	// of it, as files need. Else they stand in the URL.
	Post      bool        `json:"p,omitempty"`
	Multipart bool        `json:"m,omitempty"`
	Fields    []FormField `json:"f,omitempty"`
}

// FormField is a field of a form.
type FormField struct {
	Name  string `json:"n,omitempty"`
	Label string `json:"l,omitempty"`
	// Value is the proposal, or of a check what is sent for a yes.
	Value string `json:"v,omitempty"`
	Input Input  `json:"i,omitempty"`
	// Hidden has no question: its value is sent as it is.
	Hidden  bool `json:"h,omitempty"`
	Checked bool `json:"x,omitempty"` // the proposal of a check
	// Choices are what is chosen from, Values what is sent for each: without a
	// Name, names with values as in a query.
	Choices []string `json:"c,omitempty"`
	Values  []string `json:"w,omitempty"`
}

// FormScheme is the scheme of the URLs of forms.
const FormScheme = "form"

// maxForm is how long the URL of a form can be, in octets.
const maxForm = 64 << 10

// URL is a URL that holds all of the form: "form:" and that of its action, "?"
// and its fields. It is nil for a form that is too large.
func (f *Form) URL() urlcore.URL {
	fields, err := json.Marshal(f)
	if err != nil || len(fields) > maxForm || f.Action == nil {
		return nil
	}
	action := strings.NewReplacer("%", "%25", "?", "%3F").Replace(f.Action.String())
	u, err := urlcore.Canon(urlcore.Generic{Name: FormScheme, Rest: action + "?" + urlcore.EscapeQuery(string(fields))})
	if err != nil {
		return nil
	}
	return u
}

// ParseForm reads the URL of a form.
func ParseForm(u urlcore.URL) (*Form, error) {
	g, ok := u.(urlcore.Generic)
	action, fields, has := strings.Cut(g.Rest, "?")
	if !ok || !has || g.Name != FormScheme {
		return nil, errors.New("it is not the URL of a form")
	}
	f := new(Form)
	action, err := url.PathUnescape(action)
	if err != nil {
		return nil, err
	}
	if fields, err = url.PathUnescape(fields); err != nil {
		return nil, err
	}
	if f.Action, err = urlcore.Parse(action); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(fields), f); err != nil {
		return nil, err
	}
	for i := range f.Fields {
		if f.Fields[i].Input > InputNote {
			return nil, errors.New("it has a field of an unknown kind")
		}
	}
	return f, nil
}
