package urlcore

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Instead is what opens a URL today that gofer only explains. Missing has the words in capitals that stand in Text for what the
// URL lacks.
type Instead struct {
	Text    string // a URL or a command of a shell, without a password; "" if nothing opens the URL
	Command bool   // Text is a command
	URL     URL    // the parsed text; nil if something is missing, and for files, because no page of a server may lead to them
	Missing []string
}

// InsteadOf returns what opens u today.
func InsteadOf(u URL) Instead {
	g, _ := Redact(u).(Generic)
	k := schemeOf(g.Name)
	if k == nil || k.Instead == "" {
		return Instead{}
	}
	x := Instead{Command: strings.Contains(k.Instead, " ")}
	var values []string
	for _, v := range g.placeholders(k.Port) {
		if v[1] != "" {
			values = append(values, v[:]...)
		} else if strings.Contains(k.Instead, v[0]) {
			x.Missing = append(x.Missing, v[0])
		}
	}
	fill := strings.NewReplacer(values...).Replace
	if x.Command {
		words := strings.Split(k.Instead, " ")
		for i, w := range words {
			words[i] = quoteForShell(fill(w))
		}
		x.Text = strings.Join(words, " ")
		return x
	}
	x.Text = fill(k.Instead)
	other, err := Parse(x.Text)
	if _, generic := other.(Generic); generic || err != nil {
		return Instead{}
	}
	if x.Missing != nil {
		return x
	}
	if x.Text = other.String(); ClassOf(other.Scheme()) != OtherScheme {
		x.URL = other
	}
	return x
}

// placeholders returns the words that stand in [Scheme.Instead] for parts of a URL, and these parts of u. SERVER is the host with
// the user and the port.
func (u Generic) placeholders(port uint16) [][2]string {
	s, path, ok := u.Server()
	if !ok {
		path = "/" + strings.TrimLeft(u.Rest, "/")
	}
	words := strings.TrimPrefix(path, "/")
	names := strings.Split(words, "/") // those of X.500 have the nearest last, one of LDAP has it first
	slices.Reverse(names)
	if slices.ContainsFunc(names, func(s string) bool { return !strings.Contains(s, "=") }) {
		names = nil
	}
	server := ""
	if s.Host != "" {
		server = string(s.append(nil))
	}
	return [][2]string{
		{"SERVER", server},
		{"HOST", string(s.appendHost(nil))},
		{"PORT", strconv.Itoa(int(cmp.Or(s.Port, port)))},
		{"PATH", path},
		{"DN", strings.Join(names, ",")},
		{"WORDS", escape(unescape(words), inUser)},
		{"ADDRESS", strings.Trim(u.Rest, "/")},
		{"REST", u.Rest},
		{"URL", u.String()},
	}
}

// quoteForShell quotes a word of a command if a shell would change it.
func quoteForShell(word string) string {
	for i := range len(word) {
		if c := word[i]; !isLetter(c) && !isDigit(c) && strings.IndexByte("-._/:@%+,=", c) < 0 {
			return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return word
}
