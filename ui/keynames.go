package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// notAKey returns the text of the error for a label that parseKey does not know.
func notAKey(label string) string {
	return fmt.Sprintf("%q is not a key: use a character, \"PgDn\", \"F5\" or \"Ctrl-X\"", label)
}

// expandDigits returns the key k, or nine keys if k ends in "1..9".
func expandDigits(k string) []string {
	prefix, ok := strings.CutSuffix(k, "1..9")
	if !ok {
		return []string{k}
	}
	return strings.Split(prefix+strings.Join(strings.Split("123456789", ""), " "+prefix), " ")
}

// parseKey parses a key that is written as a label ([keyLabel]) or as a key name of Bubble Tea.
func parseKey(label string) (key string, ok bool) {
	if len(label) == 2 && label[0] == label[1] && unicode.IsLetter(rune(label[0])) {
		return label, true // a key pressed twice
	}
	mods := ""
	for _, m := range []string{"ctrl", "alt", "shift"} {
		if len(label) > len(m)+1 && strings.EqualFold(label[:len(m)], m) && strings.ContainsRune("+-", rune(label[len(m)])) {
			mods, label = mods+m+"+", label[len(m)+1:]
		}
	}
	first, _ := utf8.DecodeRuneInString(label)
	if cluster, _ := ansi.FirstGraphemeCluster(label, ansi.GraphemeWidth); label != "" && cluster == label && first != ' ' && unicode.IsPrint(first) {
		return canonicalKey(mods + label), mods != "shift+"
	}
	for _, name := range keyNames() {
		if strings.EqualFold(label, name) || strings.EqualFold(label, keyLabel(name)) {
			return mods + name, true
		}
	}
	if n, err := strconv.Atoi(label[min(len(label), 1):]); err == nil && n >= 1 && n <= 20 && label[0]|0x20 == 'f' {
		return mods + "f" + strconv.Itoa(n), true
	}
	return "", false
}

// keyName returns the name of a pressed key in the tables of a keymap.
func keyName(k tea.KeyPressMsg) string {
	if k.Text != "" {
		return k.String()
	}
	return canonicalKey(k.String())
}

// canonicalKey returns the one name of a key with modifiers. Terminals report Alt and a capital letter as "alt+U" or as
// "alt+shift+u", which is the name. With Ctrl a letter has no case.
func canonicalKey(k string) string {
	i := strings.LastIndexByte(strings.TrimSuffix(k, "+"), '+') + 1
	mods, letter := k[:i], k[i:]
	lower := strings.ToLower(letter)
	if mods == "" || lower == letter {
		return k
	}
	if strings.Contains(mods, "ctrl+") || strings.HasSuffix(mods, "shift+") {
		return mods + lower
	}
	return mods + "shift+" + lower
}

// keyLabel returns the label of a key, as on keyboards and in manuals. With Alt a letter is a capital if Shift is pressed
// too.
func keyLabel(k string) string {
	var mods string
	for _, m := range []struct{ name, label string }{{"ctrl+", "Ctrl-"}, {"alt+", "Alt-"}, {"shift+", "Shift-"}} {
		if rest, ok := strings.CutPrefix(k, m.name); ok {
			mods += m.label
			k = rest
		}
	}
	if upper := strings.ToUpper(k); mods != "" && utf8.RuneCountInString(k) == 1 && upper != k {
		if mods == "Alt-" {
			return mods + k
		}
		return strings.Replace(mods, "Alt-Shift-", "Alt-", 1) + upper
	}
	switch {
	case k == "pgdown":
		k = "PgDn"
	case k == "pgup":
		k = "PgUp"
	case slices.Contains(keyNames(), k), len(k) > 1 && k[0] == 'f' && k[1] <= '9':
		k = strings.ToUpper(k[:1]) + k[1:]
	}
	return mods + k
}

// keyNames returns the names of Bubble Tea for keys such as the arrow keys and Enter.
func keyNames() []string {
	return strings.Fields("down up left right pgdown pgup home end tab enter esc space backspace delete insert")
}
