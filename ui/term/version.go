package term

import "github.com/charmbracelet/x/ansi"

// Version asks the terminal once for its name and version (XTVERSION), for all who need them.
type Version struct {
	Name  string // the answer, or ""
	asked bool
}

// Query returns the sequence that asks the terminal, or "" if it has been asked.
func (v *Version) Query() string {
	if v.asked {
		return ""
	}
	v.asked = true
	return ansi.RequestNameVersion
}
