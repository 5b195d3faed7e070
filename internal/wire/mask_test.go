package wire

import "testing"

func TestMask(t *testing.T) {
	tests := []struct{ text, secret, want string }{
		{"no sesame here, sesame", "sesame", "no **** here, ****"},
		{"opensesame!", "sesame", "open****!"},
		{"nothing", "sesame", "nothing"},
		{"in", "", "in"},
		{"a b  c", " ", "a b  c"},
		{"login with 230 failed", "230 ", "login with **** failed"},
		{"was it ' sesame'?", " sesame", "was it ' ****'?"},
		{"2 of 12 users, 2026-02-22; password '2', 2", "2", "**** of 12 users, 2026-02-22; password '****', ****"},
		{"2", "2", "****"},
		{"2 2 22", "2", "**** **** 22"},
		{"230-230 bytes in 2300", "230", "****-**** bytes in 2300"},
		{"the pw pwned", "pw", "the **** pwned"},
		{"%s 100%s", "%s", "**** 100%s"},
		{"\xff\xfe\xff \xff.", "\xff", "\xff\xfe\xff ****."},
		{"é e", "e", "é ****"},
		{"aaaa a", "aa", "aaaa a"},
		{"no * here", "*", "no * here"},
		{"no ***** here", "*****", "no ***** here"},
	}
	for _, tt := range tests {
		if got := Mask(tt.text, tt.secret); got != tt.want {
			t.Errorf("Mask(%q, %q) = %q, want %q", tt.text, tt.secret, got, tt.want)
		}
	}
}
