package mimeheader

import (
	"strings"
	"testing"
	"unicode/utf8"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/charset"
)

// TestFileName has the shapes of file names that real mailers, newsreaders and web servers send. Each
// field begins with "attachment" unless the row has a value of its own.
func TestFileName(t *testing.T) {
	long := strings.Repeat("long name ", 30)
	for _, tt := range []struct{ in, want string }{
		// RFC 2045, RFC 2183
		{`filename="a.txt"`, "a.txt"},
		{`filename=a.txt`, "a.txt"},
		{`FileName="a.txt"`, "a.txt"},
		{`filename = "a.txt"`, "a.txt"},
		{"filename=\r\n\t\"a.txt\"", "a.txt"},
		{"filename=\"a\r\n b.txt\"", "a b.txt"},
		{`filename="a;b.txt"; size=5`, "a;b.txt"},
		{`filename="50%.txt"`, "50%.txt"},
		{`filename="%41.txt"`, "%41.txt"},
		{`size=5; filename="a.txt"`, "a.txt"},
		{`xfilename="b.txt"; filename="a.txt"`, "a.txt"},
		{`example="filename=b.txt"; filename="a.txt"`, "a.txt"},
		{`filename="a.txt";`, "a.txt"},
		{`filename="a.txt" (a comment; with more)`, "a.txt"},
		{`; filename=a.txt`, "a.txt"},
		// escapes and paths
		{`filename="\"a\" b.txt"`, `"a" b.txt`},
		{`filename="a\\b.txt"`, "b.txt"},
		{`filename="f\oo.txt"`, "foo.txt"},
		{`filename="C:\Documents\new report.txt"`, "new report.txt"},
		{`filename="C:\\Documents\\new.txt"`, "new.txt"},
		{`filename=C:\Temp\new.txt`, "new.txt"},
		{`filename="\\server\share\new.txt"`, "new.txt"},
		{`filename="/etc/passwd.txt"`, "passwd.txt"},
		{`filename="../../a.txt"`, "a.txt"},
		// wrong, but frequent
		{`filename=a b.txt`, "a b.txt"},
		{`filename=report (1).pdf`, "report (1).pdf"},
		{`filename=a[1](2).html`, "a[1](2).html"},
		{`filename=a,b.txt`, "a,b.txt"},
		{`filename=a b.txt; size=5`, "a b.txt"},
		{`filename=a b.txt size=5`, "a b.txt"},
		{`filename="a b.txt" size=5`, "a b.txt"},
		{`filename=Tom;Jerry.jpg; size=5`, "Tom;Jerry.jpg"},
		{`filename=a&amp;b.txt`, "a&amp;b.txt"},
		{`filename=a.txt; attachment`, "a.txt"},
		{`filename=a=b.txt`, "a=b.txt"},
		{`filename="a.txt`, "a.txt"},
		{`filename="a b.txt; size=5`, "a b.txt"},
		{`filename="a"b".txt"; size=5`, `a"b".txt`},
		{`filename="a.txt".old`, "a.txt"},
		{`filename=a.txt"`, "a.txt"},
		{`filename="a.txt"; filename="b.txt"`, "a.txt"},
		{`filename=""; filename="b.txt"`, "b.txt"},
		{`filename=a.txt, attachment; filename=b.txt`, "b.txt"},
		{`filename=x; filename=a.txt`, "a.txt"},
		// RFC 2231, RFC 8187
		{`filename*=UTF-8''a%20%E2%82%AC.txt`, "a €.txt"},
		{`filename*=utf-8'en'a%20b.txt`, "a b.txt"},
		{`filename*=iso-8859-1''Gr%FC%DFe.txt`, "Grüße.txt"},
		{`filename*=windows-1251''%CF%F0%E8%E2%E5%F2.txt`, "Привет.txt"},
		{`filename*=KOI8-R''%F0%D2%C9%D7%C5%D4.txt`, "Привет.txt"},
		{`filename*=Shift_JIS''%93%FA%96%7B%8C%EA.txt`, "日本語.txt"},
		{`filename*=iso-2022-jp''%1B%24B%46%7C%4B%5C%38%6C%1B%28B.txt`, "日本語.txt"},
		{`filename*=gb2312''%D6%D0%CE%C4.txt`, "中文.txt"},
		{`filename*=big5''%A4%A4%A4%E5.txt`, "中文.txt"},
		{`filename*=euc-kr''%C7%D1%B1%DB.txt`, "한글.txt"},
		{`filename*=''a%20%c3%a4.txt`, "a ä.txt"},
		{`filename*=UTF-8''Gr%FC%DFe.txt`, "Grüße.txt"},
		{`filename*=x-unknown''Gr%C3%BC%C3%9Fe.txt`, "Grüße.txt"},
		{`filename*="UTF-8''a%20b.txt"`, "a b.txt"},
		{`filename*=UTF-8'a%20b.txt`, "a b.txt"},
		{`filename*=a%20b.txt`, "a b.txt"},
		{`filename*=it's%20mine.txt`, "it's mine.txt"},
		{`filename*=UTF-8''it's%20mine.txt`, "it's mine.txt"},
		{`filename*=UTF-8''a%.txt`, "a%.txt"},
		{`filename*=UTF-8''%zz%41.txt`, "%zzA.txt"},
		{`filename*=UTF-8''A-%2541.txt`, "A-%41.txt"},
		{`filename*=UTF-8''%5cetc%2fa.txt`, "a.txt"},
		{`filename *= UTF-8''a%20b.txt`, "a b.txt"},
		{`filename*=utf-8''Gr%c3%bc%c3%9fe mit Blank.txt; size=5`, "Grüße mit Blank.txt"},
		// beside each other
		{`filename="EURO.txt"; filename*=UTF-8''%E2%82%AC.txt`, "€.txt"},
		{`filename*=UTF-8''%E2%82%AC.txt; filename="EURO.txt"`, "€.txt"},
		{`filename*0="b"; filename*1=".txt"; filename*=UTF-8''a.txt`, "a.txt"},
		{`filename*=UTF-8''; filename="a.txt"`, "a.txt"},
		{`filename*1="part"; filename="a.txt"`, "a.txt"},
		// split
		{`filename*0="a b"; filename*1=".txt"`, "a b.txt"},
		{`filename*0=a; filename*1=.txt`, "a.txt"},
		{`filename*1=".txt"; filename*0="a"`, "a.txt"},
		{`filename*0*=UTF-8''%E2%82; filename*1*=%AC; filename*2=".txt"`, "€.txt"},
		{`filename*0*=windows-1251''%CF%F0; filename*1*=%E8%E2%E5%F2.txt`, "Привет.txt"},
		{`filename*0*=UTF-8''a%20; filename*1="b%20.txt"`, "a b%20.txt"},
		{`filename*0="a"; filename*1*=%20b.txt`, "a b.txt"},
		{`filename*0="a"; filename*2=".txt"`, "a.txt"},
		{`filename*1="a"; filename*2=".txt"`, "a.txt"},
		{`filename*00="a"; filename*01=".txt"`, "a.txt"},
		{`filename*0="a"; filename*0="b"; filename*1=".txt"`, "a.txt"},
		{`filename*10="x.txt"; filename*9="9"; filename*0="0"`, "09x.txt"},
		{`filename*0="=?utf-8?B?4oKs"; filename*1="?=.txt"`, "€.txt"},
		// raw octets
		{"filename=\"Grüße.txt\"", "Grüße.txt"},
		{"filename=Grüße aus Köln.txt", "Grüße aus Köln.txt"},
		{"filename=\"Gr\xfc\xdfe.txt\"", "Grüße.txt"},
		{"filename=Gr\xfc\xdfe aus K\xf6ln.txt", "Grüße aus Köln.txt"},
		{"filename=\xcf\xf0\xe8\xe2\xe5\xf2.txt", "Привет.txt"},
		{"filename=\"\xef\xd4\xd7\xc5\xd4.txt\"", "Ответ.txt"},
		{"filename=\x93\xfa\x96\x7b\x8c\xea.txt", "日本語.txt"},
		{"filename=\"\x97\x5c\x92\xe8\x95\x5c\x82\xcc\x8e\x91\x97\xbf.txt\"", "予定表の資料.txt"},
		{"filename=\"\x1b$BF|K\\8l\x1b(B.txt\"", "日本語.txt"},
		{"filename=\"\x1b$B;qNA\x1b(B.pdf\"", "資料.pdf"},
		// encoded words (RFC 2047, section 5, forbids them here)
		{`filename="=?UTF-8?B?R3LDvMOfZS50eHQ=?="`, "Grüße.txt"},
		{`filename==?UTF-8?Q?Gr=C3=BC=C3=9Fe_a;b.txt?=`, "Grüße a;b.txt"},
		{`filename="=?utf-8?Q?Gr=C3=BC?= =?utf-8?Q?=C3=9Fe.txt?="`, "Grüße.txt"},
		{"filename=\"=?utf-8?Q?Gr=C3?=\r\n =?utf-8?Q?=BC=C3=9Fe.txt?=\"", "Grüße.txt"},
		{"filename= =?utf-8?Q?Gr=C3=BC?=\r\n\t=?utf-8?Q?=C3=9Fe.txt?=; size=5", "Grüße.txt"},
		{`filename="=?koi8-r?B?8NLJ18XU?=.txt"`, "Привет.txt"},
		{`filename="=?utf-8?Q?=22a.txt=22?="`, "a.txt"},
		{`filename="=?utf-8?Q?..=2F..=2Fa.txt?="`, "a.txt"},
		{`filename*=UTF-8''%3D%3Futf-8%3FQ%3Fa=5Fb.txt%3F%3D`, "a_b.txt"},
		// long, empty and hostile
		{`filename="` + long + `.tar.gz"`, long[:MaxName-7] + ".tar.gz"},
		{`filename="` + long + `.txt"`, long[:MaxName-4] + ".txt"},
		{`filename="` + strings.Repeat("ü", 100) + `.txt"`, strings.Repeat("ü", 93) + ".txt"},
		{`filename="a.` + strings.Repeat("x", 200) + `"`, "a." + strings.Repeat("x", MaxName-2)},
		{`filename=""`, ""},
		{`filename=`, ""},
		{`filename`, ""},
		{`filename="..."`, ""},
		{`filename=" . "`, ""},
		{`filename="///"`, ""},
		{`filename="a\\"`, "a"},
		{"filename=\"a\x00\x1b[31m.txt\"", "a␀␛[31m.txt"},
	} {
		field := strings.ReplaceAll(tt.in, "\r\n", "") // unfolded
		_, p := ParseParameters("attachment; " + field)
		fetchtest.Equal(t, FileName(charset.Auto, p["filename"]), tt.want, "the name in %q", tt.in)
		_, p = ParseParameters("a/b; " + strings.NewReplacer("filename", "name", "FileName", "Name").Replace(field))
		fetchtest.Equal(t, FileName(charset.Auto, p["name"]), tt.want, "the name in %q as Content-Type", tt.in)
	}
}

func TestFileNameOfSeveral(t *testing.T) {
	for _, tt := range []struct{ first, second, want string }{
		{"a.txt", "b.txt", "a.txt"},
		{"", "b.txt", "b.txt"},
		{"...", "b.txt", "b.txt"},
		{"a", "b.txt", "b.txt"},
		{"a", "b", "a"},
		{"", "", ""},
	} {
		fetchtest.Equal(t, FileName(charset.Auto, tt.first, tt.second), tt.want, "FileName(%q, %q)", tt.first, tt.second)
	}
	fetchtest.Equal(t, FileName(charset.Windows1251, "\xe4.txt"), "д.txt", "a name in a declared charset")
}

func TestParseParameters(t *testing.T) {
	for _, tt := range []struct{ in, value, attribute, want string }{
		{"text/plain; charset=utf-8", "text/plain", "charset", "utf-8"},
		{"Text/Plain", "text/plain", "charset", ""},
		{"text/plain; charset=us-ascii (Plain text)", "text/plain", "charset", "us-ascii"},
		{`text/plain (text); charset="utf-8"; format=flowed`, "text/plain", "format", "flowed"},
		{"text/plain charset=utf-8", "text/plain", "charset", "utf-8"},
		{"text/plain;charset=utf-8 format=flowed", "text/plain", "format", "flowed"},
		{"text/plain; charset*=us-ascii'en'utf-8", "text/plain", "charset", "utf-8"},
		{"multipart/mixed; boundary=----=_Next(Part)_1.?:", "multipart/mixed", "boundary", "----=_Next(Part)_1.?:"},
		{"multipart/mixed; boundary=a b; type=c", "multipart/mixed", "boundary", "a b"},
		{"multipart/mixed; boundary=a (comment)", "multipart/mixed", "boundary", "a"},
		{"multipart/mixed; boundary=\"\xfc\"", "multipart/mixed", "boundary", "\xfc"},
		{`"image/png"; name=a.png`, "image/png", "name", "a.png"},
		{"filename=a.txt", "", "filename", "a.txt"},
		{": inline; filename=a.txt", "inline", "filename", "a.txt"},
		{"", "", "name", ""},
	} {
		value, p := ParseParameters(tt.in)
		if value != tt.value || p[tt.attribute] != tt.want {
			t.Errorf("ParseParameters(%q) = %q, %v; want %q and the %s %q", tt.in, value, p, tt.value, tt.attribute, tt.want)
		}
	}
}

func FuzzFileName(f *testing.F) {
	f.Add("attachment; filename*0*=utf-8'en'a%20; filename*1=\"b;\\\"c\"; filename==?utf-8?Q?a;b=3D?=")
	f.Add("a/b; name=\"a\"b;\"; size=5 name*=x'y; name=\x1b$B;\"\x1b(B.txt (1).tar.gz;;")
	f.Add("; filename=C:\\a\\..\\..; filename=\"\xff\xfe/.\"")
	f.Fuzz(func(t *testing.T, field string) {
		_, p := ParseParameters(field)
		name := FileName(charset.Auto, p["filename"], p["name"])
		if len(name) > MaxName || !utf8.ValidString(name) || strings.ContainsAny(name, "/\\\x00\x1b\r\n") || name == ".." {
			t.Errorf("%q has the unsafe name %q", field, name)
		}
	})
}
