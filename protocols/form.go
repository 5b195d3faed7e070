package protocols

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"gofer/urlcore"
)

// Form is an HTML form (HTML Living Standard, section 4.10). Its texts come from the page.
type Form struct {
	Title     string      `json:"t,omitempty"`
	Action    urlcore.URL `json:"-"`           // the URL to which the answers are sent
	Post      bool        `json:"p,omitempty"` // answers are sent in the body of the request, not in the URL
	Multipart bool        `json:"m,omitempty"` // each answer is a part of the body; needed for files
	Fields    []FormField `json:"f,omitempty"`
}

// FormField is a field of a form.
type FormField struct {
	Name    string `json:"n,omitempty"`
	Label   string `json:"l,omitempty"`
	Value   string `json:"v,omitempty"` // the proposed value, or the value of a checked check box
	Input   Input  `json:"i,omitempty"`
	Hidden  bool   `json:"h,omitempty"` // the field is not shown; Value is sent
	Checked bool   `json:"x,omitempty"` // the check box is initially checked
	// Required reports whether the page says that the field must be filled in.
	Required bool     `json:"r,omitempty"`
	Choices  []string `json:"c,omitempty"` // the texts of the choices of an InputChoice
	// Values holds the value to send for each element of Choices. If Name is "", it holds queries instead,
	// such as "a=1&b=2".
	Values []string `json:"w,omitempty"`
}

// FormScheme is the scheme of the URLs of forms.
const FormScheme = "form"

// maxForm is the maximal length of a form in JSON, in octets.
const maxForm = 64 << 10

// URL returns a URL that contains the whole form: "form:", the URL in Action, "?" and the fields. It
// returns nil if the form is too large.
func (f *Form) URL() urlcore.URL {
	fields, err := json.Marshal(f)
	if err != nil || len(fields) > maxForm || f.Action == nil {
		return nil
	}
	action := strings.NewReplacer("%", "%25", "?", "%3F").Replace(f.Action.String())
	u, _ := urlcore.Canon(urlcore.Generic{Name: FormScheme, Rest: action + "?" + urlcore.EscapeQuery(string(fields))})
	return u
}

// ParseForm returns the form in a URL made by [Form.URL].
func ParseForm(u urlcore.URL) (*Form, error) {
	g, ok := u.(urlcore.Generic)
	action, fields, hasFields := strings.Cut(g.Rest, "?")
	if !ok || !hasFields || g.Name != FormScheme {
		return nil, errors.New("the URL is not the URL of a form")
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
	if slices.ContainsFunc(f.Fields, func(field FormField) bool { return field.Input > InputNote }) {
		return nil, errors.New("the form has a field of an unknown kind")
	}
	return f, nil
}
