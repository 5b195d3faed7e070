package mimeheader

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzHeader decodes a header field. It checks that the result is valid and bounded, that text without
// encoded words stays, and that addresses have no line breaks.
func FuzzHeader(f *testing.F) {
	f.Add("=?utf-8?B?w6k=?= =?iso-2022-jp?Q?=1B$B=46|=4B\\=1B(B?=")
	f.Add("\"=?utf-8?q?a=2C_b?=\" <a@b>, c@d (e)")
	f.Add("=?utf-7?q?+AGE-?= \"a\\\"b\" <\"x y\"@z>")
	f.Add("a\xe9\xff: b, <>;")
	f.Fuzz(func(t *testing.T, s string) {
		got := Decode(s)
		if !IsEncoded(s) && utf8.ValidString(s) && got != s {
			t.Errorf("Decode(%q) = %q; want no change without encoded words", s, got)
		}
		if len(got) > 4*len(s)+4 {
			t.Errorf("Decode of %d octets has %d", len(s), len(got))
		}
		for _, a := range Addresses(s) {
			if strings.ContainsAny(a.Address, "\r\n") && !strings.ContainsAny(s, "\r\n") {
				t.Errorf("Addresses(%q) has the address %q", s, a.Address)
			}
		}
		if name := MailboxName(s); len(name) > 4*len(s)+4 {
			t.Errorf("MailboxName of %d octets has %d", len(s), len(name))
		}
	})
}
