package document

import (
	"cmp"
	"strings"
)

// fieldState contains properties of a field that are needed only while the form is read.
type fieldState struct {
	id       string
	ids      []string // ids of radio buttons
	selected []int    // indexes of the preselected choices
}

// preselectedIndex returns the index of the preselected choice, or 0 if there is none. If several
// are preselected, it is the last one, as in browsers.
func (s *fieldState) preselectedIndex() int {
	if n := len(s.selected); n > 0 {
		return s.selected[n-1]
	}
	return 0
}

// addWords adds text of the page that may be the label of a field.
func (f *form) addWords(b []byte) {
	if f == nil {
		return
	}
	add := func(to []byte) []byte {
		if len(to)+len(b) > maxLabel {
			return to
		}
		if len(to) > 0 {
			to = append(to, ' ')
		}
		return append(to, b...)
	}
	f.preceding = add(f.preceding)
	if f.inLabel {
		f.label = add(f.label)
	}
}

// settleLabel makes the words after a check box or radio button its label.
func (f *form) settleLabel() {
	if f == nil || !f.pending {
		return
	}
	field, text := &f.Fields[f.pendingAt], strings.TrimSpace(string(f.preceding))
	if n := len(field.Choices); n > 0 {
		field.Choices[n-1] = cmp.Or(text, field.Values[n-1])
	} else {
		field.Label = cmp.Or(text, f.before, field.Label)
	}
	f.pending, f.preceding = false, nil
}

// endLine ends the label of a check box or radio button at the end of a line, unless the label is
// still empty.
func (f *form) endLine() {
	if f != nil && (len(f.preceding) > 0 || f.before != "") {
		f.settleLabel()
	}
}
