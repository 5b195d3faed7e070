package document

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"gofer/protocols"
)

// Bounds of a form.
const (
	maxFields  = 200 // fields of a form, buttons of a form, and forms of a page
	maxLabel   = 80  // octets
	maxSign    = 40  // octets of a value that are shown
	maxOptions = 1000
	maxForm    = 1 << 20 // octets kept while a form is read
	tagSize    = 64      // octets that reserve counts for a tag in addition to its values
)

type form struct {
	protocols.Form
	preceding    []byte            // the words since the last field
	labels       map[string]string // labels by the id of the field
	more         []fieldState      // states of the fields
	labeled      string            // the id of the field that the open label element names
	label        []byte            // the text of the open label element
	inLabel      bool
	fieldsBefore int    // number of fields before the open label element
	signs        int    // number of signs of fields, such as "[____]", in the open label element
	pending      bool   // the next words are the label of the last check box or radio button
	pendingAt    int    // the index of the field of this check box or button
	before       string // the words before a check box, which are its label if no words follow
	buttons      []protocols.FormField
	button       *protocols.FormField // the button whose text follows, or nil
	options      bool                 // the last field is an open select
	several      bool                 // the select allows several choices
	noValue      bool                 // the value of the option is its text
	text         *[]byte              // collects text that is not shown, or nil
	read         []byte               // text of the open textarea or option
	leftOut      string               // remark in the title about omitted fields, buttons or choices
	unsent       string               // where the page sends the form, if gofer cannot; or ""
	size         int                  // octets stored
	tooLarge     bool                 // the form was too large and has been emptied
}

// reserve counts n more octets to store, and reports whether the form is still small enough. A form
// that is too large is emptied.
func (f *form) reserve(n int) bool {
	if f.size += n; f.size > maxForm && !f.tooLarge {
		*f = form{tooLarge: true}
	}
	return !f.tooLarge
}

func (h *htmlReader) startFormTag(tag atom.Atom, attr attributes) {
	if tag == atom.Form {
		h.endForm()
		h.breakLine()
		h.startForm(attr)
		return
	}
	f, size := h.form, tagSize
	for i := range attr {
		size += len(attr[i].value)
	}
	if f == nil || !f.reserve(size) {
		return
	}
	switch tag {
	case atom.Button, atom.Textarea, atom.Select:
		f.settleLabel()
	}
	switch tag {
	case atom.Label:
		f.inLabel, f.labeled, f.label, f.fieldsBefore, f.signs = true, attr.get(atom.For), nil, len(f.Fields), 0
	case atom.Input:
		h.addInput(attr)
	case atom.Button:
		if kind := strings.ToLower(attr.get(atom.Type)); kind == "" || kind == "submit" {
			f.button = &protocols.FormField{Name: attr.get(atom.Name), Value: attr.get(atom.Value)}
			h.addWord([]byte("["))
			f.preceding = nil
		}
	case atom.Textarea:
		f.add(attr, protocols.FormField{Input: protocols.InputText})
		f.read, f.text = nil, &f.read
	case atom.Select:
		_, f.several = attr.find(atom.Multiple)
		f.add(attr, protocols.FormField{Input: protocols.InputChoice})
		f.options = true
	case atom.Option:
		h.endOption()
		if n := len(f.Fields); f.options && n > 0 && len(f.Fields[n-1].Choices) < maxOptions {
			field := &f.Fields[n-1]
			_, hasValue := attr.find(atom.Value)
			f.noValue = !hasValue
			field.Choices, field.Values = append(field.Choices, ""), append(field.Values, attr.get(atom.Value))
			if _, ok := attr.find(atom.Selected); ok {
				f.more[n-1].selected = append(f.more[n-1].selected, len(field.Choices)-1)
			}
			f.read, f.text = nil, &f.read
		} else if f.options {
			f.leaveOut(maxOptions, "choices")
		}
	}
}

// leaveOut records that the form has only the first n fields, buttons or choices. The parameter parts
// is "fields", "buttons" or "choices".
func (f *form) leaveOut(n int, parts string) {
	f.leftOut = cmp.Or(f.leftOut, fmt.Sprintf(", with the first %d %s", n, parts))
}

// addButton adds a button that sends the form.
func (f *form) addButton(b protocols.FormField) {
	if len(f.buttons) >= maxFields {
		f.leaveOut(maxFields, "buttons")
		return
	}
	f.buttons = append(f.buttons, b)
}

// startForm begins a form. endForm yields its line, when the fields are known.
func (h *htmlReader) startForm(attr attributes) {
	ref := strings.TrimSpace(attr.get(atom.Action))
	action, _ := h.resolve(ref)
	if ref == "" {
		action = h.base
	}
	if h.forms > maxFields {
		return
	}
	if h.forms++; h.forms > maxFields {
		h.writeLine("[Form left out: the page has more than " + strconv.Itoa(maxFields) + " forms]")
		return
	}
	f := &form{labels: map[string]string{}}
	if f.Action = action; action == nil || action.Scheme() != "http" && action.Scheme() != "https" {
		f.unsent = unsentAction(action, unopenedReference(h.base, ref))
	}
	f.Post = strings.EqualFold(attr.get(atom.Method), "post")
	f.Multipart = strings.EqualFold(attr.get(atom.Enctype), "multipart/form-data")
	h.form = f
}

func (h *htmlReader) endFormTag(tag atom.Atom) {
	f := h.form
	if tag == atom.Form {
		h.endForm()
		return
	}
	if f == nil || f.tooLarge {
		return
	}
	switch tag {
	case atom.Label:
		label := strings.TrimSpace(string(f.label))
		f.inLabel = false
		switch n := len(f.Fields); {
		case f.labeled != "":
			f.labels[f.labeled] = label
			f.endLine()
		case f.signs == 1 && f.pending:
			f.preceding = f.label
			f.settleLabel()
		case n == f.fieldsBefore+1 && f.Fields[n-1].Input != protocols.InputChoice:
			f.Fields[n-1].Label, f.preceding = label, nil
		}
	case atom.Button:
		if f.button != nil {
			f.button.Label = strings.TrimSpace(string(f.preceding))
			h.blank = false
			h.addWord([]byte("]"))
			f.addButton(*f.button)
			f.button, f.preceding = nil, nil
		}
	case atom.Textarea:
		h.endTextarea()
		f.preceding = nil
	case atom.Option:
		h.endOption()
	case atom.Select:
		h.endSelect()
	}
}

// endForm yields the line that links to the form.
func (h *htmlReader) endForm() {
	f := h.form
	if f == nil {
		return
	}
	if f.options {
		h.endSelect()
	}
	h.endTextarea()
	if f.tooLarge {
		h.form = nil
		h.writeLine(formTooLarge)
		return
	}
	f.finish()
	h.form = nil
	if len(f.Fields) == 0 && len(f.buttons) == 0 {
		h.forms-- // it does not count among the forms of the page
		return
	}
	u := f.URL()
	if f.unsent != "" {
		u = protocols.UnopenedLink(f.unsent)
	}
	if u == nil {
		h.writeLine(formTooLarge)
		return
	}
	h.breakLine()
	h.endLink()
	h.setLink(u, "")
	h.addWord([]byte(f.line()))
	h.endLink()
	h.breakLine()
}

const formTooLarge = "[Form: too large to be filled in here]"

func (h *htmlReader) writeLine(s string) {
	h.breakLine()
	h.addText([]byte(s))
	h.breakLine()
}

// line returns a description of the form in one line.
func (f *form) line() string {
	var labels []string
	for i := range f.Fields {
		if !f.Fields[i].Hidden {
			labels = append(labels, strings.TrimRight(f.Fields[i].Label, ":* "))
		}
	}
	const most = 5
	if len(labels) > most {
		labels = append(labels[:most], "...")
	}
	kind := "[Form: "
	if f.unsent != "" {
		kind = "[Form that cannot be sent: "
	}
	if len(labels) == 0 {
		return kind + f.Title + f.leftOut + "]"
	}
	return kind + strings.Join(labels, ", ") + " -> " + f.Title + f.leftOut + "]"
}

// finish assigns the labels to the fields, removes disabled fields, and adds a field for the
// buttons.
func (f *form) finish() {
	f.settleLabel()
	kept := f.Fields[:0]
	for i, field := range f.Fields {
		if label := f.labels[f.more[i].id]; label != "" && field.Input != protocols.InputChoice {
			field.Label = label
		}
		if n := len(field.Choices); n > 0 {
			for k, id := range f.more[i].ids {
				field.Choices[k] = cmp.Or(f.labels[id], field.Choices[k])
			}
			makeDistinct(field.Choices)
			field.Value = field.Choices[f.more[i].preselectedIndex()]
		}
		field.Label = cmp.Or(field.Label, field.Name)
		if field.Input != protocols.InputNote && (field.Name != "" || field.Input == protocols.InputFile) {
			kept = append(kept, field)
		}
	}
	f.Fields = kept
	var named []protocols.FormField
	for _, b := range f.buttons {
		f.Title = cmp.Or(f.Title, b.Label)
		if b.Name != "" {
			named = append(named, b)
		}
	}
	f.Title = cmp.Or(f.Title, "Send")
	switch {
	case len(named) == 1 && len(f.buttons) == 1:
		f.Fields = append(f.Fields, protocols.FormField{Name: named[0].Name, Value: named[0].Value, Hidden: true})
	case len(named) > 0:
		choice := protocols.FormField{Label: "Button", Input: protocols.InputChoice}
		for _, b := range f.buttons {
			choice.Choices = append(choice.Choices, b.Label)
			choice.Values = append(choice.Values, url.Values{b.Name: {b.Value}}.Encode())
		}
		choice.Value = choice.Choices[0]
		f.Fields = append(f.Fields, choice)
	}
}
