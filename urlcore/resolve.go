package urlcore

import "strings"

// Resolve parses a full URL, or a partial form relative to a base (draft of October 1993, "Partial
// form"). RFC 1738, section 2.3, calls ftp, http and file hierarchical. If ref is a full URL, base
// may be nil.
//
// The rules are exactly the rules of the drafts. First ref replaces the text after the last slash
// of the base's path, or the whole path if ref begins with a slash. Then every "/xxx/.." and "/."
// is removed, so "/a/b/.." becomes "/a". A ".." without an element before it is not removed. For
// Gopher, WAIS, Prospero, NNTP, telnet and [Lookup], a ref without a leading slash is valid only in
// the drafts of 1993. An empty ref, or one that is only a fragment, means the base itself. The
// error is an *[Error] with an offset in ref.
func (p Parser) Resolve(base URL, ref string) (Parsed, error) {
	st := state{input: ref, dialect: p.Dialect, strict: p.Strict, newsHost: p.NewsHost, ownNNTP: p.OwnNNTP, inText: true}
	text, off, err := st.trimReference(ref)
	if err == nil && st.isFull(text) {
		return p.parse(ref, true)
	}
	var result Parsed
	if err == nil {
		err = st.checkFragment()
	}
	if err == nil {
		result, err = p.resolve(&st, base, text, off)
	}
	if err != nil {
		err.Input = ref
		return Parsed{}, err
	}
	result.Fragment, result.HasFragment = st.fragment, st.fragment != ""
	return result, nil
}

// trimReference removes surrounding blanks and cuts off the fragment of a partial form.
func (st *state) trimReference(ref string) (string, int, *Error) {
	st.marks = scan(ref)
	if st.marks&markControl != 0 {
		i := strings.IndexFunc(ref, func(r rune) bool { return r < ' ' || r == 0x7F })
		return "", 0, fail(IllegalChar, i, "a control character must be encoded")
	}
	s, off := ref, 0
	if !st.strict {
		s, off = trimBlanks(s, 0)
	}
	if st.marks&markHash == 0 {
		return s, off, nil
	}
	// The caller parses a full URL again from its beginning, and reports its first fault.
	if st.isFull(s) {
		return s, off, nil
	}
	s, err := st.cutFragment(s, off)
	return s, off, err
}

// isFull reports whether s has a colon before any slash. For the lenient parser the text before the
// colon must also be a possible scheme.
func (st *state) isFull(s string) bool {
	if i := strings.IndexByte(s, '#'); i >= 0 {
		s = s[:i]
	}
	i := strings.IndexAny(s, ":/")
	if i < 0 || s[i] == '/' {
		return false
	}
	if st.strict {
		return true
	}
	return i > 0 && hasOnly(s[:i], inScheme) && (st.dialect == RFC1738 || isLetter(s[0]))
}

// resolve parses a partial form.
func (p Parser) resolve(st *state, base URL, ref string, off int) (Parsed, *Error) {
	if base == nil {
		return Parsed{}, fail(NoBase, off, "a partial URL needs a full URL as its base")
	}
	if ref == "" {
		return Parsed{URL: base, Warnings: WarningsOf(base)}, nil
	}
	ref, err := st.checkCharacters(ref, 0, off)
	if err != nil {
		return Parsed{}, err
	}
	text, from, err := st.merge(base, canonReference(base, ref), off)
	if err != nil {
		return Parsed{}, err
	}
	whole := state{dialect: p.Dialect, strict: p.Strict, newsHost: p.NewsHost, ownNNTP: p.OwnNNTP, inText: true}
	err = whole.checkFull(text)
	if err != nil && p.Strict && err.Offset < from {
		// The canonical text of base need not follow the grammar of the dialect.
		whole.strict = false
		err = whole.checkFull(text)
	}
	if err != nil {
		err.Offset = off + max(0, min(err.Offset-from, len(ref)))
		return Parsed{}, err
	}
	return Parsed{URL: whole.url, Warnings: WarningsOf(whole.url) | whole.warnings}, nil
}

// canonReference makes a reference in a page with the URL base canonical, except in points that depend on the
// scheme. It does not change a reference that begins with "//".
func canonReference(base URL, ref string) string {
	if strings.HasPrefix(ref, "//") {
		return ref
	}
	if h, ok := base.(HTTP); ok && h.Name != "" {
		return recode3986(ref)
	}
	path, query, has := strings.Cut(ref, "?")
	path = recodeText(path, 0)
	if !has {
		return path
	}
	return path + "?" + recodeText(query, '+')
}

// merge resolves ref against base. The result text is a full URL, and from is the offset of ref in
// text. In RFC 1738 a "?" is data for ftp and file.
func (st *state) merge(base URL, ref string, off int) (text string, from int, err *Error) {
	full := base.String()
	colon := strings.IndexByte(full, ':') + 1
	rest := full[colon:]
	if n, ok := base.(News); ok {
		if n.Host != "" {
			colon += len("//") + len(authorityOf(rest)) + len("/")
		}
		if strings.HasPrefix(ref, "//") {
			return "", 0, fail(BadPath, off, "a news URL has no host; nntp: has one")
		}
		return full[:colon] + ref, colon, nil
	}
	if !strings.HasPrefix(rest, "//") {
		return "", 0, fail(NotHierarchical, off, base.Scheme()+": has no partial forms")
	}
	if strings.HasPrefix(ref, "//") {
		return full[:colon] + ref, colon, nil
	}
	levels := st.dialect.is1993()
	switch base.(type) {
	case HTTP, Generic:
		levels = true
	case FTP, File, NFS:
		levels = true
		if st.dialect == RFC1738 {
			ref = strings.ReplaceAll(ref, "?", "%3F")
		}
	}
	authority := colon + 2 + len(authorityOf(rest))
	path, _, _ := strings.Cut(full[authority:], "?")
	switch {
	case ref[0] == '/':
		path = ""
	case !levels:
		return "", 0, fail(NotHierarchical, off, base.Scheme()+": has no relative forms")
	default:
		path = path[:strings.LastIndexByte(path, '/')+1]
		if path == "" {
			path = "/"
		}
	}
	from = authority + len(path)
	path += ref
	if levels {
		path = removeDots(path)
	}
	return full[:authority] + path, min(from, authority+len(path)), nil
}

// removeDots removes "/xxx/.." and "/." from the path of s. The path ends before a "?". The dots
// must be whole path elements, and xxx must not be "..".
func removeDots(s string) string {
	path, query, has := strings.Cut(s, "?")
	if strings.Contains(path, "/.") {
		var kept []string
		for _, e := range strings.Split(path[1:], "/") {
			n := len(kept)
			switch {
			case e == ".":
			case e == ".." && n > 0 && kept[n-1] != "..":
				kept = kept[:n-1]
			default:
				kept = append(kept, e)
			}
		}
		path = "/" + strings.Join(kept, "/")
	}
	if has {
		path += "?" + query
	}
	return path
}
