package prospero

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

var here = askedServer{urlcore.HostPort{Host: "pros.example"}}

// checkURLs checks that the URLs of a link are canonical.
func checkURLs(t *testing.T, l *link) {
	t.Helper()
	line := l.makeLine(here)
	_ = line.Note.Memory()
	urls, _ := here.urlsOf(l)
	for _, u := range urls {
		fetchtest.CheckCanonical(t, u)
	}
}

// linkOf parses a LINK and its attributes.
func linkOf(t *testing.T, text string) *link {
	t.Helper()
	var l *link
	for r := newReader(strings.NewReader(text)); ; {
		s, _, err := r.next(acceptAll)
		switch {
		case err != nil && l != nil:
			return l
		case err != nil:
			t.Fatalf("%q: %v", text, err)
		case isAttribute(s):
			l.add(s)
		default:
			l, _ = parseLink(s)
		}
	}
}

func TestLinks(t *testing.T) {
	const external = "LINK  L EXTERNAL name INTERNET-D h.example ASCII /a/b 0\nATTRIBUTE CACHED FIELD ACCESS-METHOD "
	for _, tt := range []struct{ text, want string }{
		{"LINK L DIRECTORY name INTERNET-D H.EXAMPLE(1600) ASCII '/a b' 0", "directory prospero://h.example:1600//a%20b"},
		{"LINK L DIRECTORY name INTERNET-D H.EXAMPLE(1525) ASCII 'a;b' 12", "directory prospero://h.example/a%3Bb;OBJECT-VERSION=12"},
		{"LINK L DIRECTORY+FILE name INTERNET-D pros.example ASCII a 0", "directory prospero://pros.example/a"},
		{"LINK L DIRECTORY name INTERNET-D LOCALHOST ASCII a 0", "directory prospero://pros.example/a"},
		{"LINK L DIRECTORY gw INTERNET-D pros.example ASCII GOPHER-GW/'h(70)/1/x' 0", "directory prospero://pros.example/GOPHER-GW/h(70)/1/x"},
		{"LINK L DIRECTORY name X-500 h ASCII a 0", "directory - [no address: h]"},
		{"LINK L DIRECTORY name INTERNET-D h(0) ASCII a 0", "directory - [no address: h(0)]"},
		{"LINK L FILE a.txt INTERNET-D h ASCII a 0 DEST-EXP 20270101000000Z", "text prospero://h/a [expires 20270101000000Z]"},
		{"LINK U DIRECTORY name INTERNET-D h ASCII a 0", "directory prospero://h/a [union link]"},
		{"LINK L NULL name INTERNET-D h ASCII a 0", "other - [not readable]"},
		{"LINK L SYMBOLIC name INTERNET-D system ASCII /a 0", "other - [link to /a in the virtual system system]"},
		{"LINK L EXTERNAL name INTERNET-D h ASCII a 0", "other - [no access method]"},
		{"LINK L FILE name X-500 h ASCII a 0", "other - [no access method]"},
		{"LINK L FILE name '' h ASCII a ''", "binary prospero://h/a"},
		{"LINK L DIRECTORY name INTERNET-D 127.0.0.1 ASCII a 0", "directory prospero://pros.example/a"},
		{"LINK L DIRECTORY name INTERNET-D ::1 ASCII a 0", "directory prospero://pros.example/a"},
		{"LINK L DIRECTORY name INTERNET-D 'h(70' ASCII a 0", "directory - [no address: h(70]"},
		{"LINK L DIRECTORY name INTERNET-D 'h(65536)' ASCII a 0", "directory - [no address: h(65536)]"},
		{
			"LINK L DIRECTORY name INTERNET-D h ASCII a 0\nATTRIBUTE CACHED FIELD ACCESS-METHOD PROSPERO-CONTENTS '' x '' ''",
			"directory prospero://h/a",
		},
		{
			"LINK L DIRECTORY name INTERNET-D h ASCII a 0\nATTRIBUTE CACHED FIELD ACCESS-METHOD AFTP '' '' '' /x/",
			"directory prospero://h/a [also ftp://h/x/;type=d]",
		},

		{external + "AFTP '' '' '' '' BINARY", "binary ftp://h.example/a/b;type=i"},
		{external + "AFTP INTERNET-D ftp.example(2121) ASCII /pub/a.txt TEXT", "text ftp://ftp.example:2121/pub/a.txt;type=a"},
		{external + "AFTP INTERNET-D ftp.example ASCII pub/100% BINARY", "binary ftp://ftp.example/pub/100%25;type=i"},
		{external + "FTP '' '' '' ''", "binary ftp://h.example/%2Fa/b"},
		{external + "FTP '' '' '' /", "directory ftp://h.example/%2F/;type=d"},
		{external + "FTP '' '' '' /pub/", "directory ftp://h.example/%2Fpub/;type=d"},
		{external + "AFTP '' '' '' /", "directory ftp://h.example/;type=d"},
		{external + "AFTP '' '' '' /pub/ BINARY", "directory ftp://h.example/pub/;type=d"},
		{external + "GOPHER '' '' '' 1/menu 1", "menu gopher://h.example/11/menu"},
		{external + "GOPHER '' '' '' 0/text TEXT", "text gopher://h.example/00/text"},
		{external + "GOPHER '' '' '' I/x BINARY", "binary gopher://h.example/9I/x"},
		{external + "GOPHER '' '' '' 7/x", "search gopher://h.example/77/x"},
		{
			external + "GOPHER '' '' '' /x BINARY\nATTRIBUTE OBJECT APPLICATION GOPHER-MENU-ITEM SEQUENCE 'gCat\t/x\th.example\t70'",
			"image gopher://h.example/g/x",
		},
		{external + "GOPHER '' h.example(23) '' '' 8", "session telnet://%2Fa%2Fb@h.example/"},
		{external + "GOPHER '' '' '' 'a\nb' 1", "other - [only by GOPHER at h.example]"},
		{external + "TELNET '' h.example(3000) '' '' 'log in as guest'", "session telnet://h.example:3000/ [log in as guest]"},
		{external + "WAIS '' h.example(210) '' db/TEXT/3=doc%00", "* wais://h.example/db/TEXT/3%3Ddoc%00"},
		{external + "WAIS '' h.example(210) '' db", "other - [only by WAIS at h.example(210)]"},
		{external + "HTTP '' h.example(8080) '' /a?b", "* http://h.example:8080/a?b"},
		{external + "NEWS '' '' '' comp.lang.go", "group news:comp.lang.go"},
		{external + "NNTP '' '' '' comp.lang.go/12", "article nntp://h.example/comp.lang.go/12"},
		{external + "HTTP '' 2001:db8::1 '' a", "* http://[2001:db8::1]/a"},
		{external + "GOPHER '' '' '' '' ''", "other gopher://h.example///a/b"},
		{external + "LOCAL '' '' '' /etc/passwd", "other - [only by LOCAL at h.example]"},
		{external + "NFS '' '' '' ''\nATTRIBUTE CACHED FIELD ACCESS-METHOD AFTP '' '' '' ''", "binary ftp://h.example/a/b"},
		{
			external + "AFTP '' '' '' ''\nATTRIBUTE CACHED FIELD ACCESS-METHOD GOPHER '' '' '' 0x",
			"binary ftp://h.example/a/b [also gopher://h.example/00x]",
		},
		{external + "PROSPERO-CONTENTS '' '' '' ''", "binary prospero://h.example//a/b"},
		{external + "AFTP '' LOCALHOST '' x", "binary ftp://pros.example/x"},
		{
			"LINK L FILE f INTERNET-D h ASCII a 0\nATTRIBUTE LINK FIELD FILTER FILTER OBJECT PRE CLIENT PREDEFINED sort ARGS up",
			"binary prospero://h/a [filter: OBJECT PRE CLIENT PREDEFINED sort ARGS up]",
		},
		{
			"LINK L FILE f INTERNET-D h ASCII a 0\nATTRIBUTE OBJECT APPLICATION MENU-ITEM-DESCRIPTION SEQUENCE 'A file'",
			"binary prospero://h/a [A file]",
		},
		{"LINK L FILE f INTERNET-D h ASCII a 0\nATTRIBUTE OBJECT APPLICATION MENU-ITEM-DESCRIPTION SEQUENCE f", "binary prospero://h/a"},
		{
			"LINK L FILE f INTERNET-D h ASCII a 0\nATTRIBUTE LINK FIELD FILTER FILTER A\n" +
				"ATTRIBUTE LINK FIELD FILTER\nATTRIBUTE LINK FIELD FILTER SEQUENCE\nATTRIBUTE LINK FIELD FILTER B C",
			"binary prospero://h/a [filter: A; B C]",
		},
	} {
		l := linkOf(t, tt.text)
		line := l.makeLine(here)
		got := line.Kind.String() + " -"
		if line.Link != nil {
			got = line.Kind.String() + " " + line.Link.String()
		}
		if d := line.Note.Row().Description; d != "" {
			got += " [" + d + "]"
		}
		if _, rest, _ := strings.Cut(got, " "); got != tt.want && "* "+rest != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
		checkURLs(t, l)
	}
}

func TestAttributes(t *testing.T) {
	l := linkOf(t, "LINK L FILE f INTERNET-D h ASCII a 0\n"+
		"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 20' bytes'\nATTRIBUTE OBJECT INTRINSIC LAST-MODIFIED SEQUENCE 20261121052759Z\n"+
		"ATTRIBUTE>x OBJECT INTRINSIC UNIX-MODES SEQUENCE -rw-r--r--\nATTRIBUTE OBJECT FIELD NATIVE-OWNER root\n")
	n := l.makeNote(nil, "")
	if n.Size != 20 || n.Modified.Format("2006-01-02 15:04:05") != "2026-11-21 05:27:59" {
		t.Errorf("makeNote returns the size %d and the time %v, want 20 and 2026-11-21 05:27:59", n.Size, n.Modified)
	}
	got := map[string]any{}
	for _, a := range n.Attributes() {
		got[a.Name] = a.Value
	}
	if got["permissions"] != "-rw-r--r--" || got["owner"] != "root" || got["target_type"] != "file" {
		t.Errorf("Attributes() = %v, want the permissions -rw-r--r--, the owner root and the target type file", got)
	}
	for text, size := range map[string]int64{"0": 0, "20": 20, "20 BYTES": 20, "20 byte": 20} {
		fetchtest.Equal(t, (attributes{{"SIZE", []string{text}}}).size(), size, "size %q", text)
	}
	for _, size := range []string{"x", "-1", "20 blocks", "99999999999999999999"} {
		fetchtest.Equal(t, (attributes{{"SIZE", []string{size}}}).size(), -1, "size %q", size)
	}
}

// TestManyAttributes checks that a link has a limited number of attributes.
func TestManyAttributes(t *testing.T) {
	for value, want := range map[string]int{
		"a": maxAttributes, strings.Repeat("a", maxAttributeOctets/4-1): 4, strings.Repeat("a", maxAttributeOctets): 0,
	} {
		var list attributes
		for range 2 * maxAttributes {
			list.add(statement{tokens: []string{"ATTRIBUTE", "LINK", "FIELD", "X", value}})
		}
		fetchtest.Equal(t, len(list), want, "%d octets: attributes that are kept", len(value))
	}
}

// TestOwnPort checks that the URL of a server that names itself without a port has the port of the
// request.
func TestOwnPort(t *testing.T) {
	for _, tt := range []struct{ asked, host, want string }{
		{"h", "h", "h:1600"},
		{"h", "LOCALHOST", "h:1600"},
		{"h", "h(1525)", "h:1525"},
		{"h", "other", "other:1525"},
		{"127.0.0.1", "localhost", "127.0.0.1:1600"},
		{"localhost", "127.0.0.2", "localhost:1600"},
		{"127.0.0.1", "other", "other:1525"},
	} {
		u, err := askedServer{urlcore.HostPort{Host: tt.asked, Port: 1600}}.urlOf(place{host: tt.host, object: "a"}, "")
		if u.Addr() != tt.want || err != nil {
			t.Errorf("the address of %s in an answer of %s:1600 is %s, %v, want %s", tt.host, tt.asked, u.Addr(), err, tt.want)
		}
	}
}
