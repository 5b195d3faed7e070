package clean

import "testing"

// TestJoiners checks where invisible characters stay: in the words of some scripts, and in files also soft hyphens
// and joined emoji. Names and URLs never keep them.
func TestJoiners(t *testing.T) {
	for _, tt := range []struct{ in, none, words, all string }{
		{"می\u200cخواهم", "میخواهم", "می\u200cخواهم", "می\u200cخواهم"},
		{"क्\u200dष", "क्ष", "क्\u200dष", "क्\u200dष"},
		{"می\u200c\u200c\u200dخ", "میخ", "می\u200dخ", "می\u200dخ"},
		{"go\u200cpher.example", "gopher.example", "gopher.example", "gopher.example"},
		{"soft\u00adhyphen \u00ad-", "softhyphen -", "softhyphen -", "soft\u00adhyphen -"},
		{"👩\u200d💻", "👩💻", "👩💻", "👩\u200d💻"},
		{"👩🏽\u200d💻❤\ufe0f", "👩💻❤", "👩💻❤", "👩🏽\u200d💻❤\ufe0f"},
		{"\u200da\u200d\u200b\u202e", "a", "a", "a"},
	} {
		for joiners, want := range map[Joiners]string{0: tt.none, JoinersInWords: tt.words, AllJoiners: tt.all} {
			r := Reading{Joiners: joiners}
			if got := r.Line(tt.in); got != want || r.Line(got) != want {
				t.Errorf("%+q, %d: got %+q, want %+q", tt.in, joiners, got, want)
			}
			if got := r.Text(tt.in); got != tt.none {
				t.Errorf("%+q as a name: got %+q, want %+q", tt.in, got, tt.none)
			}
		}
	}
}
