package wire

import (
	"strings"
	"testing"
)

// TestHashGreeting checks which greetings count as the same.
func TestHashGreeting(t *testing.T) {
	pure := "--------- Welcome to Pure-FTPd [privsep] [TLS] ----------\nYou are user number %1 of 50 allowed.\nLocal time is now %2. Server port: 21.\n"
	at := func(n, clock string) string { return strings.NewReplacer("%1", n, "%2", clock).Replace(pure) }
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"(vsFTPd 3.0.5)", "(vsFTPd 3.0.5)", true},
		{"(vsFTPd 3.0.5)", "(vsFTPd 3.0.6)", false},
		{at("1", "09:59"), at("12", "10:00"), true},
		{"host FTP server ready, Mon Nov 30 10:00:01 2026", "host FTP server ready, Tue Dec 1 11:00:02 2026", true},
		{"", "hi", false},
	} {
		if same := HashGreeting(tt.a) == HashGreeting(tt.b); same != tt.same {
			t.Errorf("%q like %q: got %v, want %v", tt.a, tt.b, same, tt.same)
		}
	}
}
