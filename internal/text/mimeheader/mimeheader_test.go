package mimeheader

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/protocols"
)

func TestDecodeWords(t *testing.T) {
	tests := []struct{ in, want string }{
		{"plain", "plain"},
		{"=?ISO-8859-1?Q?Gr=FC=DFe_aus_K=F6ln?=", "Grüße aus Köln"},
		{"=?KOI8-R?B?68/GxSDJIN7Byg==?=", "Кофе и чай"},
		{"=?UTF-8?Q?a?= =?UTF-8?Q?b?=  =?utf-8?b?Yw==?= d", "abc d"},
		{"=?UTF-8?Q?=C3?= =?UTF-8?Q?=BC?=", "ü"},
		{"=?UTF-8?Q?a?= =?ISO-8859-1?Q?=FC?=", "aü"},
		{"x =?UTF-8?Q?a?= y =?UTF-8?Q?b?=z", "x a y bz"},
		{"=?iso-8859-1*de?Q?Gr=FC=DFe?=", "Grüße"},
		{"=?windows-1252?Q?=93q=94?=", "“q”"},
		{"=?x-no-such?Q?=FC?=", "ü"},
		{"=?utf-8?B?YQ?=", "a"},
		{"=?utf-8?Q?with blanks?=", "with blanks"},
		{"=?utf-8?Q?open and =?no?B?###?= =?utf-8?X?what?=", "=?utf-8?Q?open and =?no?B?###?= =?utf-8?X?what?="},
		{"=?", "=?"},
		{"=?a?Q?", "=?a?Q?"},
		{"raw Gr\xc3\xbc\xc3\x9fe", "raw Grüße"},
		{"raw Gr\xfc\xdfe =?UTF-8?Q?=C3=BC?=", "raw Grüße ü"},
	}
	for _, tt := range tests {
		fetchtest.Equal(t, Decode(tt.in), tt.want, "Decode(%q)", tt.in)
	}
}

func TestNameFirst(t *testing.T) {
	for in, want := range map[string]string{
		"a@b (Joe Doe)":     "Joe Doe <a@b>",
		`a@b ("Joe Doe")`:   "Joe Doe <a@b>",
		"a@b (Joe (J.) D)":  "Joe (J.) D <a@b>",
		"Joe <a@b>":         "Joe <a@b>",
		"Joe (x) <a@b>":     "Joe (x) <a@b>",
		"a@b (x) <c@d>":     "a@b (x) <c@d>",
		`a@b ("")`:          `a@b ("")`,
		"a@b":               "a@b",
		"a@b ()":            "a@b ()",
		"Joe (not a@b)":     "Joe (not a@b)",
		`"(a@b)" <c@d> (x)`: `"(a@b)" <c@d> (x)`,
	} {
		fetchtest.Equal(t, NameFirst(in), want, "NameFirst(%q)", in)
	}
}

func TestAddresses(t *testing.T) {
	for _, tt := range []struct{ field, name, address string }{
		{"Me <a@b>", "Me", "a@b"},
		{"a@b (Old Name)", "Old Name", "a@b"},
		{"a@b", "", "a@b"},
		{"=?koi8-r?B?68/GxQ==?= <a@b>", "Кофе", "a@b"},
		{"\"Q, R\" <a@b>", "Q, R", "a@b"},
		{`"=?utf-8?q?J=C3=B6rg?=" <a@b>`, "Jörg", "a@b"},
		{`"=?utf-8?B?5pel?= =?utf-8?B?5pys?= x" <a@b>`, "日本 x", "a@b"},
		{"=?x-unknown?q?J=F6rg?= <a@b>", "Jörg", "a@b"},
		{"=?utf-7?q?J+APY-rg?= <a@b>", "Jörg", "a@b"},
		{"=?iso-2022-kr?B?GyQpQw5HUQ8=?= <a@b>", "한", "a@b"},
		{"Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>", "Pete", "pete@silly.test"},
		{"John Doe <jdoe@machine(comment).  example>", "John Doe", "jdoe@machine.example"},
		{"John Q. Doe <jdoe@x . example> (a (nested) remark)", "John Q. Doe", "jdoe@x.example"},
		{"Wilt . (the  Stilt) Chamberlain@NBA.US", "the  Stilt", "Wilt.Chamberlain@NBA.US"},
		{"\"a (b) c\" <a(x)@b>", "a (b) c", "a@b"},
		{"a@b (Gr\xfc\xdfe)", "Grüße", "a@b"},
		{"a(x)@b (open", "x", "a@b"},
		{"Broken, Name. <a@b>", "Broken, Name.", "a@b"},
		{"nobody at all", "", "nobody at all"},
		{"Gr\xfc\xdfe <a@b>", "Grüße", "a@b"},
		{">a@b<", ">a@b", ">a@b<"},
	} {
		got := Addresses(tt.field)
		if len(got) != 1 || got[0] != (protocols.Address{Name: tt.name, Address: tt.address}) {
			t.Errorf("Addresses(%q) = %+v, want one address %q with the name %q", tt.field, got, tt.address, tt.name)
		}
	}
	if got := Addresses(""); got != nil {
		t.Errorf("Addresses of an empty field = %v, want nil", got)
	}
}

// TestDecodeInCharsetOfPage checks that text between encoded words, and words in an unknown charset, are in the
// charset of the page, also if the user has chosen it for all lines.
func TestDecodeInCharsetOfPage(t *testing.T) {
	for _, tt := range []struct {
		charset  charset.Charset
		in, want string
	}{
		{charset.Windows1251, "\xcf\xf0\xe8 =?utf-8?Q?=C3=BC?= \xe8", "При ü и"},
		{charset.Windows1251, "=?utf-8?Q?=C3=BC?= =?utf-8?Q?=D0=B6?=", "üж"},
		{charset.Windows1251, "=?x-unknown?Q?=CF=F0=E8?=", "При"},
		{charset.Windows1251, "=?unknown-8bit?B?z/Do?= =?UNKNOWN-8bit?B?z/Do?= x", "ПриПри x"},
		{charset.Windows1251, "=?us-ascii?Q?=CF=F0=E8?=", "При"},
		{charset.Windows1251, "=?utf-8?Q?=CF=F0=E8?=", "При"},
		{charset.Windows1251, "=?iso-8859-1?Q?=FC?= \xe8", "ü и"},
		{charset.ShiftJIS, "=?default?Q?=93=FA=96=7B?=", "日本"},
		{charset.ISO2022JP, "=?x-unknown?B?GyRCRnxLXBsoQg==?= \x1b$BF|\x1b(B", "日本 日"},
		{charset.Windows1251, "\xd0\x9f =?x-unknown?Q?=D0=9F?=", "П П"}, // UTF-8 unless the user has chosen
		{charset.Auto, "=?x-unknown?Q?=FC?= \xfc", "ü ü"},
		{charset.KOI8R, "=?utf-8?Q?a?= =?broken \xeb", "a =?broken К"},
	} {
		for _, all := range []bool{false, true} {
			r := clean.Reading{Charset: tt.charset, AllLines: all && tt.charset != charset.Auto}
			want := tt.want
			if r.AllLines && want == "П П" {
				want = "Рџ Рџ"
			}
			fetchtest.Equal(t, DecodeAs(r, tt.in), want, "DecodeAs(%v, %q)", r.Charset, tt.in)
			fetchtest.Equal(t, Text(r, tt.in), want, "Text(%v, %q)", r.Charset, tt.in)
		}
	}
}
