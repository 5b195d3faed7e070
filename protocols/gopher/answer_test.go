package gopher

import (
	"bufio"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

func TestPeekHeader(t *testing.T) {
	for in, want := range map[string]struct {
		n      int
		length int64
		ok     bool
	}{
		"": {}, "+5\r\nx": {4, 5, true}, "+0\nx": {3, 0, true}, "-1\r\n": {4, 1, true}, "+-1\r\n": {5, -1, true}, "--2\r\n": {5, -2, true}, "+-3\r\n": {5, -3, false},
		"5\r\n": {1, 0, false}, "+a\r\n": {2, 0, false}, "+:\r\n": {2, 0, false}, "+9\n": {3, 9, true}, "+\n": {2, 0, false}, "+5": {1, 0, false}, "+": {0, 0, false},
		"+" + strings.Repeat("0", maxHeader-3) + "7\n": {maxHeader, 7, true}, "+" + strings.Repeat("0", maxHeader-2) + "7\n": {maxHeader + 1, 0, false},
	} {
		a := &answer{Reader: bufio.NewReader(strings.NewReader(in))}
		if n, length, ok := a.peekHeader(); ok != want.ok || ok && (n != want.n || length != want.length) || (n == 0) != (in == "") {
			t.Errorf("peekHeader of %q = %d, %d, %v; want %+v", in, n, length, ok, want)
		}
	}
}

// TestErrorMenu checks that an error is distinguished from menus and documents that begin in the
// same way.
func TestErrorMenu(t *testing.T) {
	const line = "3gone\t\terror.host\t1\r\n"
	for _, tt := range []struct {
		in                     string
		whole, possible, ended bool
	}{
		{"", false, true, false},
		{line, false, true, false},
		{line + ".\r\n", false, true, true},
		{line + ".\r\nx", false, false, false},
		{line + ".", true, true, true},
		{line + ".", false, true, false},
		{line + "\r\n", false, true, false},
		{line + "iwhy\t\tnull.host\t1\r\n", false, true, false},
		{line + "1menu\t\th\t70\r\n", false, false, false},
		{line + "words\r\n", false, false, false},
		{"3gone\r\n", false, false, false},
		{"3gone\t\th\tx\r\n", false, false, false},
		{"3gone\t\th\t70\t+\r\n", false, true, false},
		{"3gone", false, true, false},
		{"3gone", true, false, false},
		{"0gone\t\terror.host\t1\r\n", false, true, false},
		{"0gone\t\th\t1\r\n", false, false, false},
		{"0gone\tx\terror.host\t1\r\n", false, false, false},
	} {
		for _, step := range []int{len(tt.in) + 1, 1} { // the number of octets in one read: all, or one
			m, possible, ended := new(errorMenu), true, false
			for n := step; n < len(tt.in) && possible; n += step {
				possible, _ = m.scan([]byte(tt.in[:n]), false)
			}
			if possible {
				possible, ended = m.scan([]byte(tt.in), tt.whole)
			}
			if possible != tt.possible || possible && ended != tt.ended {
				t.Errorf("scan(%q, %v), %d octets at a time = %v, %v; want %v, %v", tt.in, tt.whole, step, possible, ended, tt.possible, tt.ended)
			}
		}
	}
	for in, want := range map[string][2]bool{ // the two values of a key are for incomplete and for complete input
		"": {true, false}, "Err": {true, false}, textNotFound: {true, true}, textDenied + " more": {true, true}, "Errors": {}, "Error: Access": {true, false},
	} {
		for i, whole := range []bool{false, true} {
			if possible, _ := beginsFailure([]byte(in), whole); possible != want[i] {
				t.Errorf("beginsFailure(%q, %v) = %v; want %v", in, whole, possible, want[i])
			}
		}
	}
}

func TestLooksLikeText(t *testing.T) {
	for in, want := range map[string]bool{"": false, "iabc\n": false, "3x\n": false, ".\n": false, "abc": false, "abc\n": true, "a\tb\n": false, "\n": true} {
		fetchtest.Equal(t, looksLikeText([]byte(in)), want, "%q", in)
	}
}

// TestIsMenu checks that the Gopher+ string, or else the type, decides whether the answer is a menu.
// For the type +, the first line decides.
func TestIsMenu(t *testing.T) {
	for _, tt := range []struct {
		typ        byte
		plus       string // "-" for no Gopher+ string
		begin      string
		menu, text bool
	}{
		{'1', "-", "", true, false},
		{'3', "-", "", true, false},
		{'7', "-", "", true, false},
		{'i', "-", "", true, false},
		{'0', "-", "", false, true},
		{'4', "-", "", false, true},
		{'h', "-", "", false, true},
		{'9', "-", "", false, false},
		{'+', "-", "1a\tb\th\t70\n", true, false},
		{'+', "-", "1a\tb\th\n", false, false},
		{'1', "+", "", true, false},
		{'0', "+", "", false, true},
		{'1', "!", "", false, false},
		{'0', "!", "", false, false},
		{'1', "", "", false, false},
		{'1', "+text/plain", "", false, false},
		{'0', "+text/plain De_DE", "", false, true},
		{'0', "+image/gif", "", false, false},
		{'0', "+application/gopher-menu", "", true, false},
		{'1', "+application/gopher+-menu De_DE", "", true, false},
		{'1', "$application/gopher-menu", "", false, false},
	} {
		g := urlcore.Gopher{Type: tt.typ}
		if tt.plus != "-" {
			g.Plus, g.HasPlus = tt.plus, true
		}
		r := bufio.NewReader(strings.NewReader(tt.begin))
		_, _ = r.Peek(1)
		if menu, text := isMenu(g, r), isText(g); menu != tt.menu || text != tt.text {
			t.Errorf("type %c, Gopher+ string %q, answer %q: isMenu = %v, isText = %v; want %v, %v", tt.typ, tt.plus, tt.begin, menu, text, tt.menu, tt.text)
		}
	}
}
