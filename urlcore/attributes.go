package urlcore

// Attributes returns the URL of the Gopher+ attributes of the item (RFC 1738, section 3.4.6).
func (u Gopher) Attributes() URL { return u.withPlus("!") }

// MenuAttributes returns the URL of the Gopher+ attributes of all items of a menu. It returns false
// for an item of another type.
func (u Gopher) MenuAttributes() (URL, bool) { return u.withPlus("$"), u.Type == '1' }

func (u Gopher) withPlus(plus string) URL {
	u.Search, u.HasSearch, u.Plus, u.HasPlus = "", true, plus, true
	return u
}
