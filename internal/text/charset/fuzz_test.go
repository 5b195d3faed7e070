package charset

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// FuzzToUTF8 converts octets from a charset of any name. It checks that the result is valid and bounded, that
// a reader, which gets the octets one by one, converts them in the same way, and that a charset that is guessed
// gives valid text.
func FuzzToUTF8(f *testing.F) {
	for _, name := range []string{
		"utf-8", "iso-2022-jp", "iso-2022-kr", "utf-7", "cp932", "viscii", "x-user-defined", "utf-16", "hz-gb-2312",
		"gb18030", "koi8-r", "none",
	} {
		f.Add("a\x1b$B46|\x1b(B +AGE- ~{<:~} \xe9\xff\x00", name)
	}
	f.Fuzz(func(t *testing.T, s, name string) {
		got := ToUTF8(s, name)
		if !utf8.ValidString(got) {
			t.Errorf("ToUTF8(%q, %q) = %q, which is not UTF-8", s, name, got)
		}
		if len(got) > 4*len(s)+4 {
			t.Errorf("ToUTF8(%q, %q) has %d octets", s, name, len(got))
		}
		if ByName(name) != nil {
			read, err := io.ReadAll(NewReader(iotest.OneByteReader(strings.NewReader(s)), name))
			if err == nil && string(read) != got {
				t.Errorf("%s: a reader converts %q to %q, ToUTF8 to %q", name, s, read, got)
			}
		}
		if guessed := Guess(s).Decode(s); !utf8.ValidString(guessed) {
			t.Errorf("%q, decoded from %v, is %q", s, Guess(s), guessed)
		}
	})
}
