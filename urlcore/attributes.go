package urlcore

// Attributes is what a Gopher+ server tells of the item (RFC 1738, section 3.4.8).
func (u Gopher) Attributes() URL { return u.asked("!") }

// MenuAttributes is what a Gopher+ server tells of each item of a menu, false if
// the item is none.
func (u Gopher) MenuAttributes() (URL, bool) { return u.asked("$"), u.Type == '1' }

func (u Gopher) asked(plus string) URL {
	u.Search, u.HasSearch, u.Plus, u.HasPlus = "", true, plus, true
	return u
}
