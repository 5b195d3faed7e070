package protocols

import "testing"

func TestBaseSubject(t *testing.T) {
	for _, tt := range []struct {
		in, base string
		reply    bool
	}{
		{"", "", false},
		{"Hello", "Hello", false},
		{"Re: Hello", "Hello", true},
		{"RE: re:Hello ", "Hello", true},
		{"Re[2]: Hello", "Hello", true},
		{"Re(12): Hello", "Hello", true},
		{"Re^3: Hello", "Hello", true},
		{"RE : Hello", "Hello", true},
		{"Aw: AW: Hello", "Hello", true},
		{"Sv: Vs: Hello", "Hello", true},
		{"Antw: Hello", "Hello", true},
		{"Odp: Hello", "Hello", true},
		{"Vá: Hello", "Hello", true},
		{"Re: New (was: Old)", "New", true},
		{"New (was: Old (really))", "New", false},
		{"A (was it B) C (D)", "A (was it B) C (D)", false},
		{"New (was Old)", "New", false},
		{"(was: Old)", "(was: Old)", false},
		{"New (washed)", "New (washed)", false},
		{"Report: Hello", "Report: Hello", false},
		{"Re Hello", "Re Hello", false},
		{"Re[x]: Hello", "Re[x]: Hello", false},
		{"Re:", "", true},
		{"Fwd: Hello", "Fwd: Hello", false},
	} {
		if base, reply := BaseSubject(tt.in); base != tt.base || reply != tt.reply {
			t.Errorf("BaseSubject(%q) = %q, %v, want %q, %v", tt.in, base, reply, tt.base, tt.reply)
		}
	}
}
