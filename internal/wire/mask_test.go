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
		{"a---", "--", "a-****"},
		{"20 29 2a 2z 2A 2Z 2\x80 2", "2", "20 29 2a 2z 2A 2Z 2\x80 ****"},
		{"2/ 2: 2` 2{ 2@ 2[ 2\x7f", "2", "****/ ****: ****` ****{ ****@ ****[ ****\x7f"},
		{"no * here", "*", "no * here"},
		{"no ***** here", "*****", "no ***** here"},
	}
	for _, tt := range tests {
		if got := Mask(tt.text, tt.secret); got != tt.want {
			t.Errorf("Mask(%q, %q) = %q, want %q", tt.text, tt.secret, got, tt.want)
		}
	}
}

// TestLoginsMask checks that the passwords sent to a server are masked in its texts.
func TestLoginsMask(t *testing.T) {
	var l Logins
	who := Account{Scheme: "ftp", Addr: "h:21"}
	for _, password := range []string{"sesame1", "géhÉim\"nîs\\", "2"} {
		l.Keep(who, NewCredentials("joe", password))
	}
	for range maxTried { // the same password again, or none
		l.Try("h:21", NewCredentials("joe", "2"))
		l.Try("h:21", Credentials{User: "joe"})
	}
	const hidden = "(hidden: contains a password)"
	for _, tt := range []struct{ text, want string }{
		{"nothing of it", "nothing of it"},
		{"was it sesame1 before?", "was it **** before?"},
		{"login 2 failed in 2026", "login **** failed in 2026"},
		{"lat g\xe9h\xc9im\"n\xees\\", "lat ****"},
		{"cp437 g\x82h\x90im\"n\x8cs\\", hidden},
		{"zero width s\u200besa\u00admfe1 se\u2060same1", hidden},
		{"nfd ge\u0301hE\u0301im\"ni\u0302s\\", hidden},
		{`escaped géhÉim\"nîs\\`, hidden},
	} {
		if got := l.Mask("h:21", tt.text); got != tt.want {
			t.Errorf("Mask(%q) = %q, want %q", tt.text, got, tt.want)
		}
		if got := l.Mask("other:21", tt.text); got != tt.text {
			t.Errorf("another server: Mask(%q) = %q, want the same text", tt.text, got)
		}
	}
}
