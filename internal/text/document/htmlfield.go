package document

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"gofer/protocols"
)

// add adds a field, whose label may follow. A disabled field becomes a hidden field of the kind
// InputNote, because its label and choices are still read. A field beyond maxFields becomes one too,
// and replaces the field that was beyond maxFields before.
func (f *form) add(attr attributes, field protocols.FormField) {
	_, off := attr.find(atom.Disabled)
	if len(f.Fields) >= maxFields {
		if !off {
			f.leaveOut(maxFields, "fields")
		}
		f.Fields, f.more, off = f.Fields[:maxFields], f.more[:maxFields], true
	}
	if off {
		field.Input, field.Hidden = protocols.InputNote, true
	}
	field.Name = attr.get(atom.Name)
	_, field.Required = attr.find(atom.Required)
	for _, a := range []atom.Atom{atom.Placeholder, atom.Title} {
		if field.Label == "" && !field.Hidden {
			field.Label = attr.get(a)
		}
	}
	if text := strings.TrimSpace(string(f.preceding)); text != "" && field.Input != protocols.InputCheck {
		field.Label = text
	}
	f.preceding, f.options, f.text = nil, false, nil
	f.Fields = append(f.Fields, field)
	f.more = append(f.more, fieldState{id: attr.get(atom.Id)})
}

// addInput adds an input element to the form and shows its sign.
func (h *htmlReader) addInput(attr attributes) {
	f := h.form
	field := protocols.FormField{Value: attr.get(atom.Value)}
	_, field.Checked = attr.find(atom.Checked)
	sign, kind := "[____]", strings.ToLower(attr.get(atom.Type))
	if kind != "hidden" {
		f.settleLabel()
	}
	before := strings.TrimSpace(string(f.preceding))
	switch kind {
	case "hidden":
		field.Hidden = true
		preceding := f.preceding
		f.preceding = nil
		f.add(attr, field)
		f.preceding = preceding
		return
	case "password":
		field.Input, field.Value = protocols.InputSecret, ""
	case "file":
		field.Input, field.Value = protocols.InputFile, ""
	case "submit", "image":
		if field.Value == "" {
			field.Value = attr.get(atom.Alt)
		}
		label := cmp.Or(field.Value, "Send")
		f.addButton(protocols.FormField{Name: attr.get(atom.Name), Value: attr.get(atom.Value), Label: label})
		h.addText([]byte("[" + label + "]"))
		f.preceding = nil
		return
	case "button", "reset":
		return
	case "checkbox":
		field.Input, sign = protocols.InputCheck, "[ ]"
		if field.Checked {
			sign = "[x]"
		}
		if _, hasValue := attr.find(atom.Value); !hasValue {
			field.Value = "on"
		}
	case "radio":
		h.addRadio(attr, &field)
		return
	}
	f.add(attr, field)
	if field.Input == protocols.InputLine {
		sign = signOf(field.Value)
	}
	h.showSign(sign)
	if field.Input == protocols.InputCheck {
		f.pending, f.pendingAt, f.before = true, len(f.Fields)-1, before
	}
}

// signOf returns the sign of a field with a value that the page sets.
func signOf(value string) string {
	if value = strings.Join(strings.Fields(value), " "); value == "" {
		return "[____]"
	}
	if len(value) > maxSign {
		value = value[:cut([]byte(value), maxSign)] + "..."
	}
	return "[" + value + "]"
}

// endTextarea ends a textarea after its text, which is the value of the field.
func (h *htmlReader) endTextarea() {
	f := h.form
	if n := len(f.Fields); f.text != nil && !f.options && n > 0 {
		f.text = nil
		if value := strings.TrimPrefix(strings.ReplaceAll(string(f.read), "\r\n", "\n"), "\n"); f.reserve(len(value)) {
			f.Fields[n-1].Value = value
			h.showSign(signOf(value))
		}
	}
}

// showSign adds the sign of a field, such as "[____]", to the line.
func (h *htmlReader) showSign(sign string) {
	h.form.signs++
	preceding, label := h.form.preceding, h.form.label
	h.blank = h.blank || len(h.text) > 0
	h.addWord([]byte(sign))
	h.form.preceding, h.form.label = preceding, label
	h.blank = true
}

// addRadio adds a radio button to the form. All radio buttons with the same name are one field.
func (h *htmlReader) addRadio(attr attributes, button *protocols.FormField) {
	f := h.form
	sign := "( )"
	if button.Checked {
		sign = "(*)"
	}
	at := -1
	for i := range f.Fields {
		if f.Fields[i].Input == protocols.InputChoice && f.Fields[i].Name == attr.get(atom.Name) {
			at = i
		}
	}
	id := attr.get(atom.Id)
	if at < 0 {
		own := []byte(f.labels[id])
		if f.inLabel {
			own = f.label
		}
		f.preceding = bytes.TrimSuffix(f.preceding, own)
		f.add(attr, protocols.FormField{Input: protocols.InputChoice})
		at = len(f.Fields) - 1
		f.more[at].id = ""
	}
	field := &f.Fields[at]
	if len(field.Choices) < maxOptions {
		field.Choices, field.Values = append(field.Choices, ""), append(field.Values, button.Value)
		f.more[at].ids = append(f.more[at].ids, id)
		if button.Checked {
			f.more[at].selected = append(f.more[at].selected, len(field.Choices)-1)
		}
	} else {
		f.leaveOut(maxOptions, "choices")
	}
	f.preceding = nil
	h.showSign(sign)
	f.pending, f.pendingAt, f.before = true, at, ""
}

// endOption ends an option after its text.
func (h *htmlReader) endOption() {
	f := h.form
	n := len(f.Fields)
	if f.text == nil || !f.options || n == 0 {
		return
	}
	f.text = nil
	if !f.reserve(len(f.read)) {
		return
	}
	field := &f.Fields[n-1]
	k := len(field.Choices) - 1
	field.Choices[k] = strings.Join(strings.Fields(string(f.read)), " ")
	if f.noValue {
		field.Values[k] = field.Choices[k]
	}
}

// endSelect ends a select. If the select allows several choices, each option becomes a check
// box.
func (h *htmlReader) endSelect() {
	h.endOption()
	f := h.form
	n := len(f.Fields)
	if !f.options || n == 0 {
		return
	}
	f.options = false
	field := f.Fields[n-1]
	if len(field.Choices) == 0 {
		f.Fields, f.more = f.Fields[:n-1], f.more[:n-1]
		return
	}
	if f.unsent != "" && f.several { // no form shows the selected choices
		var selected []string
		for _, i := range f.more[n-1].selected {
			selected = append(selected, field.Choices[i])
		}
		h.showSign(signOf(strings.Join(selected, ", ")))
		return
	}
	if !f.several {
		h.showSign("[" + field.Choices[f.more[n-1].preselectedIndex()] + "]")
		return
	}
	selected := f.more[n-1].selected
	f.Fields, f.more = f.Fields[:n-1], f.more[:n-1]
	for i, label := range field.Choices {
		if len(f.Fields) >= maxFields {
			f.leaveOut(maxFields, "fields")
			break
		}
		_, checked := slices.BinarySearch(selected, i)
		f.Fields = append(f.Fields, protocols.FormField{Name: field.Name, Label: label, Value: field.Values[i], Input: protocols.InputCheck, Checked: checked})
		f.more = append(f.more, fieldState{})
	}
	h.showSign("[" + strings.Join(field.Choices[:min(len(field.Choices), 5)], ", ") + "]")
}

// makeDistinct changes empty and equal choices, so that all choices differ.
func makeDistinct(choices []string) {
	seen := make(map[string]int, len(choices)) // number of equal choices so far
	for i, c := range choices {
		c = cmp.Or(c, "-")
		text := c
		for n := seen[text]; seen[c] > 0; n++ {
			c = text + " (" + strconv.Itoa(n+1) + ")"
			seen[text] = n + 1
		}
		seen[c], choices[i] = max(seen[c], 1), c
	}
}
