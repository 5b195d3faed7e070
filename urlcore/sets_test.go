package urlcore

import (
	"strings"
	"testing"
)

// TestSets compares the sets in the variable octets with RFC 1738, sections 2.2 and 5, and with the
// BNF of the drafts.
func TestSets(t *testing.T) {
	const (
		small   = "abcdefghijklmnopqrstuvwxyz"
		digits  = "0123456789"
		alnum   = small + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits
		plain   = alnum + "$-_.+!*'(),"
		draft   = alnum + "$-_@.&" + `!*"'():;,` + "/+?"
		visible = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" + alnum
	)
	for _, tt := range []struct {
		name string
		set  uint32
		want string
	}{
		{"inText", inText, plain},
		{"inUser", inUser, plain + ";&="},
		{"inSegment", inSegment, plain + ":@&="},
		{"inSelector", inSelector, plain + "/:;@&="},
		{"inSearch", inSearch, plain + ":;@&="},
		{"inMessageID", inMessageID, plain + ";/:&="},
		{"inWords", inWords, strings.ReplaceAll(plain, "+", "") + ";:@&="},
		{"inObject", inObject, plain + "/:@&="},
		{"inField", inField, plain + ":@&"},
		{"legal1738", legal1738, plain + ";/?:@&="},
		{"legal199307", legal199307, draft},
		{"legal199310", legal199310, draft + " "},
		{"legal199403", legal199403, alnum + "$-_@.&+" + `!*"'(),` + "=;/?:"},
		{"inGroup", inGroup, alnum + "-.+_"},
		{"inScheme", inScheme, alnum + "+-."},
		{"percentSet", percentSet, "%"},
		{"unreserved3986", unreserved3986, alnum + "-._~"},
		{"legal3986", legal3986, alnum + "-._~" + "!$&'()*+,;=" + ":@/?"},
		{"inAtom", inAtom, strings.Map(func(r rune) rune {
			if strings.ContainsRune(`()<>@,;:\".[]`, r) {
				return -1
			}
			return r
		}, visible)},
	} {
		for c := range 256 {
			got := octets[c]&tt.set != 0
			if want := strings.IndexByte(tt.want, byte(c)) >= 0; got != want {
				t.Errorf("%s contains %q: %v, want %v", tt.name, rune(c), got, want)
			}
		}
	}
}

func TestMarks(t *testing.T) {
	for c := range 256 {
		var want uint8
		switch {
		case c < ' ' || c == 0x7F:
			want = markControl
		case c >= 0x80:
			want = markUnsafe | markEight
		case strings.IndexByte(" \"<>{}|\\^[]`~", byte(c)) >= 0:
			want = markUnsafe
		}
		switch c {
		case '%':
			want = markPercent
		case '#':
			want = markHash
		case ';':
			want = markSemicolon
		case '?':
			want = markQuestion
		case '@':
			want = markAt
		}
		if marks[c] != want {
			t.Errorf("marks[%q] = %b, want %b", rune(c), marks[c], want)
		}
	}
}

func TestHexValue(t *testing.T) {
	for c := range 256 {
		want := strings.IndexByte("0123456789abcdef", byte(c)|0x20)
		if c < '0' || c > '9' && c < 'A' || c > 'F' && c < 'a' {
			want = -1
		}
		if got := hexValue(byte(c)); got != byte(want) {
			t.Errorf("hexValue(%q) = %d, want %d", rune(c), got, byte(want))
		}
	}
}

func TestHostClasses(t *testing.T) {
	for c := range 256 {
		want := uint8(hostNone)
		switch {
		case 'a' <= c && c <= 'z':
			want = hostLower
		case 'A' <= c && c <= 'Z':
			want = hostUpper
		case '0' <= c && c <= '9':
			want = hostDigit
		case c == '-':
			want = hostHyphen | hostDot<<4
		case c == '.':
			want = hostDot | (hostDot|hostHyphen|hostDigit)<<4
		}
		if hostClasses[c] != want {
			t.Errorf("hostClasses[%q] = %#x, want %#x", rune(c), hostClasses[c], want)
		}
	}
}
