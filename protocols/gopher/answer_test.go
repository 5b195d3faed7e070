package gopher

import (
	"testing"
)

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
		"": {true, false}, "Err": {true, false}, textNotFound: {true, true}, textDenied + " more": {true, true},
		"Errors": {}, "Error: Access": {true, false},
	} {
		for i, whole := range []bool{false, true} {
			if possible, _ := beginsFailure([]byte(in), whole); possible != want[i] {
				t.Errorf("beginsFailure(%q, %v) = %v; want %v", in, whole, possible, want[i])
			}
		}
	}
}
