package document

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// encodeYEnc returns file[from:to] in yEnc, as part n of three parts. If n is 0, file[from:to] is the
// whole file.
func encodeYEnc(name string, file []byte, n, from, to int) string {
	var b strings.Builder
	data := file[from:to]
	if n == 0 {
		fmt.Fprintf(&b, "=ybegin line=128 size=%d name=%s\n", len(file), name)
	} else {
		fmt.Fprintf(&b, "=ybegin part=%d total=3 line=128 size=%d name=%s\n=ypart begin=%d end=%d\n", n, len(file), name, from+1, to)
	}
	line := 0
	for _, c := range data {
		switch c += 42; c {
		case 0, '\n', '\r', '=':
			b.WriteByte('=')
			c += 64
		}
		b.WriteByte(c)
		if line++; line == 128 {
			line = 0
			b.WriteByte('\n')
		}
	}
	if n == 0 {
		fmt.Fprintf(&b, "\n=yend size=%d crc32=%08X\n", len(data), crc32.ChecksumIEEE(data))
	} else {
		fmt.Fprintf(&b, "\n=yend size=%d part=%d pcrc32=%08x\n", len(data), n, crc32.ChecksumIEEE(data))
	}
	return b.String()
}

func uuencode(name string, data []byte) string {
	var b strings.Builder
	b.WriteString("begin 644 " + name + "\n")
	for len(data) > 0 {
		n := min(len(data), 45)
		line := append(bytes.Clone(data[:n]), 0, 0)
		b.WriteByte(' ' + byte(n))
		for i := 0; i < n; i += 3 {
			x := int(line[i])<<16 | int(line[i+1])<<8 | int(line[i+2])
			for shift := 18; shift >= 0; shift -= 6 {
				c := byte(x>>shift) & 63
				if c == 0 {
					c = '`' - ' '
				}
				b.WriteByte(' ' + c)
			}
		}
		b.WriteByte('\n')
		data = data[n:]
	}
	return b.String() + "`\nend\n"
}

// octets returns n octets. Each sequence of 256 octets contains all values.
func octets(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7)
	}
	return b
}

func TestEncodedFiles(t *testing.T) {
	file := octets(700)
	whole := encodeYEnc("a b.jpg", file, 0, 0, len(file))
	noEnd, _, _ := strings.Cut(whole, "=yend")
	const link = "|about:attachment/1/a%20b.jpg?news%3Aa%40b"
	tests := []struct{ name, in, want string }{
		{
			"yEnc between texts", "Subject: s\n\nbefore\n" + whole + "after\n",
			"header|Subject: s\ninfo|\ninfo|before\nimage|[attachment image/jpeg, a b.jpg, 700 octets]" + link + "\ninfo|after",
		},
		{
			"CRC32 differs", "\n" + strings.Replace(whole, "crc32=", "crc32=f", 1),
			"info|\nimage|[attachment image/jpeg, a b.jpg, 700 octets]" + link,
		},
		{
			"another octet", "\n" + strings.Replace(whole, "\x31\x38", "\x31\x39", 1),
			"info|\nimage|[attachment image/jpeg, a b.jpg, 700 octets; damaged: its CRC32 differs]" + link,
		},
		{
			"octets are missing", "\n" + strings.Replace(whole, "\x31\x38", "", 1),
			"info|\nimage|[attachment image/jpeg, a b.jpg, 698 octets; damaged: 700 octets were sent, its CRC32 differs]" + link,
		},
		{
			"no end", "\n" + noEnd,
			"info|\nimage|[attachment image/jpeg, a b.jpg, 700 octets; damaged: its end is missing]" + link,
		},
		{
			"a part", "Subject: a b.jpg yEnc (2/3)\n\n" + encodeYEnc("a b.jpg", file, 2, 100, 400),
			"header|Subject: a b.jpg yEnc (2/3)\ninfo|\nimage|[attachment image/jpeg, a b.jpg, part 2 of 3, 300 octets]|about:attachment/1/a%20b.jpg.002?news%3Aa%40b" +
				"\nimage|[a b.jpg, part 2 of 3: join]|about:join/a%20b.jpg?news%3Aa%40b",
		},
		{
			"a part without the total",
			"Subject: a b.jpg yEnc [2/3]\n\n" + strings.Replace(encodeYEnc("a b.jpg", file, 2, 100, 400), " total=3", "", 1),
			"header|Subject: a b.jpg yEnc [2/3]\ninfo|\nimage|[attachment image/jpeg, a b.jpg, part 2 of 3, 300 octets]|about:attachment/1/a%20b.jpg.002?news%3Aa%40b" +
				"\nimage|[a b.jpg, part 2 of 3: join]|about:join/a%20b.jpg?news%3Aa%40b",
		},
		{
			"the only part", "\n" + strings.Replace(encodeYEnc("a b.jpg", file, 1, 0, 700), "total=3", "total=1", 1),
			"info|\nimage|[attachment image/jpeg, a b.jpg, part 1 of 1, 700 octets]" + link,
		},
		{
			"an empty line", "\n" + strings.Replace(whole, "a b.jpg\n", "a b.jpg\n\n", 1),
			"info|\nimage|[attachment image/jpeg, a b.jpg, 700 octets]" + link,
		},
		{
			"no end, and another file", "\n" + noEnd + whole,
			"info|\nimage|[attachment image/jpeg, a b.jpg, 700 octets; damaged: its end is missing]" + link +
				"\nimage|[attachment image/jpeg, a b.jpg, 700 octets]" + strings.Replace(link, "/1/", "/2/", 1),
		},
		{
			"the last part of as many as may be",
			"\n" + strings.Replace(encodeYEnc("a b.jpg", file, 2, 100, 400), "part=2 total=3", "part=10000 total=10000", 1),
			"info|\nimage|[attachment image/jpeg, a b.jpg, part 10000 of 10000, 300 octets]|about:attachment/1/a%20b.jpg.10000?news%3Aa%40b" +
				"\nimage|[a b.jpg, part 10000 of 10000: join]|about:join/a%20b.jpg?news%3Aa%40b",
		},
		{
			"a part of too many", "\n" + strings.Replace(encodeYEnc("a b.jpg", file, 2, 100, 400), "total=3", "total=10001", 1),
			"info|\nimage|[attachment image/jpeg, a b.jpg, part 2, 300 octets]|about:attachment/1/a%20b.jpg.002?news%3Aa%40b",
		},
		{
			"a part behind the last", "\n" + strings.Replace(encodeYEnc("a b.jpg", file, 2, 100, 400), "total=3", "total=1", 1),
			"info|\nimage|[attachment image/jpeg, a b.jpg, part 2, 300 octets]|about:attachment/1/a%20b.jpg.002?news%3Aa%40b",
		},
		{"words about yEnc", "\n=ybegin is how it begins\n=yend\n", "info|\ninfo|=ybegin is how it begins\ninfo|=yend"},
		{
			"hostile name", "\n" + strings.Replace(whole, "a b.jpg", "../../etc/\x1b[31m\u202epasswd", 1),
			"info|\nbinary|[attachment application/octet-stream, ␛[31mpasswd, 700 octets]|about:attachment/1/%E2%90%9B%5B31mpasswd?news%3Aa%40b",
		},
		{
			"hostile size", "\n" + strings.Replace(whole, "size=700 name", "size=99999999999999999999 name", 1) + "x\n", "",
		},
		{
			"uuencode", "\n> quoted\n" + uuencode("x.gif", file) + "-- \nme\n",
			"info|\nquote|> quoted\nimage|[attachment image/gif, x.gif, " +
				"700 octets]|about:attachment/1/x.gif?news%3Aa%40b\nsignature|-- \nsignature|me",
		},
		{
			"uuencode without end", "\n" + strings.TrimSuffix(uuencode("x.gif", octets(90)), "`\nend\n") + "Words.\n",
			"info|\nimage|[attachment image/gif, x.gif, 90 octets; damaged: its end is missing]|about:attachment/1/x.gif?news%3Aa%40b\ninfo|Words.",
		},
		{
			"words after uuencode without end", "\n" + strings.TrimSuffix(uuencode("x.gif", octets(90)), "`\nend\n") + "\n\nWords.\n",
			"info|\nimage|[attachment image/gif, x.gif, 90 octets; damaged: " +
				"its end is missing]|about:attachment/1/x.gif?news%3Aa%40b\ninfo|\ninfo|\ninfo|Words.",
		},
		{"words about uuencode", "\nbegin 644 words\nof mine\nbegin 644\n", "info|\ninfo|begin 644 words\ninfo|of mine\ninfo|begin 644"},
		{
			"first part of uuencode", "Subject: x.gif (1/2)\n\n" + strings.TrimSuffix(uuencode("x.gif", octets(90)), "`\nend\n"),
			"header|Subject: x.gif (1/2)\ninfo|\nimage|[attachment image/gif, x.gif, part 1 of 2, 90 octets]|about:attachment/1/x.gif.001?news%3Aa%40b" +
				"\nimage|[x.gif, part 1 of 2: join]|about:join/x.gif?news%3Aa%40b",
		},
		{
			"later part of uuencode",
			"Subject: x.gif (2/2)\n\nPart two.\n" + strings.TrimPrefix(uuencode("x.gif", octets(90)), "begin 644 x.gif\n") + "END\n",
			"header|Subject: x.gif (2/2)\ninfo|\ninfo|Part two.\nimage|[attachment image/gif, x.gif, part 2 of 2, 90 octets]|about:attachment/1/x.gif.002?news%3Aa%40b" +
				"\nimage|[x.gif, part 2 of 2: join]|about:join/x.gif?news%3Aa%40b\ninfo|END",
		},
		{
			"words in a later part", "Subject: x.gif (2/2)\n\nM" + strings.Repeat("A", 60) + "\nwords\n",
			"header|Subject: x.gif (2/2)\ninfo|\ninfo|M" + strings.Repeat("A", 60) + "\ninfo|words",
		},
		{
			"uuencode in base64", "\nbefore\nbegin-base64 644 x.gif\nAAAA\nAAA=\n====\nafter\n",
			"info|\ninfo|before\nimage|[attachment image/gif, x.gif, 5 octets]|about:attachment/1/x.gif?news%3Aa%40b\ninfo|after",
		},
		{
			"uuencode in base64 without end", "\nbegin-base64 644 x.gif\nAAAA\nMore words.\n",
			"info|\nimage|[attachment image/gif, x.gif, 3 octets; damaged: " +
				"its end is missing]|about:attachment/1/x.gif?news%3Aa%40b\ninfo|More words.",
		},
		{
			"words about base64", "\nbegin-base64 644 words\nof mine.\nbegin-base64 \n",
			"info|\ninfo|begin-base64 644 words\ninfo|of mine.\ninfo|begin-base64 ",
		},
		{
			"part of a message", "Content-Type: message/partial; id=\"x@h\"; number=2; total=3\n\nthe middle\n",
			"info|\ntext|[part 2 of 3 of a message: save all parts and join them to read it]|about:attachment/1/1.eml?news%3Aa%40b\ninfo|the middle",
		},
		{
			"part of a message that can be joined", "Subject: s (2/3)\nContent-Type: message/partial; id=\"x@h\"; number=2; total=3\n\nthe middle\n",
			"header|Subject: s (2/3)\ninfo|\ntext|[part 2 of 3 of a message]|about:attachment/1/1.eml?news%3Aa%40b" +
				"\ntext|[the whole message: join]|about:join/message.eml?news%3Aa%40b\ninfo|the middle",
		},
		{
			"part of a message, no numbers", "Content-Type: message/partial\n\nthe middle\n",
			"info|\ntext|[a part of a message: save all parts and join them to read it]|about:attachment/1/1.eml?news%3Aa%40b\ninfo|the middle",
		},
		{
			"two files", "\n" + uuencode("a", octets(3)) + uuencode("b", octets(4)),
			"info|\nbinary|[attachment application/octet-stream, a, 3 octets]|about:attachment/1/a?news%3Aa%40b" +
				"\nbinary|[attachment application/octet-stream, b, 4 octets]|about:attachment/2/b?news%3Aa%40b",
		},
	}
	for _, tt := range tests {
		got := strings.Join(article(t, tt.in), "\n")
		if tt.want != "" && got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestOpenEncodedFiles(t *testing.T) {
	file := octets(5000)
	for name, tt := range map[string]struct{ in, problem string }{
		"yEnc":                    {encodeYEnc("f", file, 0, 0, len(file)), ""},
		"uuencode":                {uuencode("f", file), ""},
		"base64":                  {"begin-base64 644 f\n" + base64.StdEncoding.EncodeToString(file) + "\n====\n", ""},
		"uuencode, blanks":        {strings.ReplaceAll(uuencode("f", file), "`", " "), ""},
		"uuencode, st_mode":       {strings.Replace(uuencode("f", file), "644", "100644", 1), ""},
		"uuencode, four digits":   {strings.Replace(uuencode("f", file), "644", "0644", 1), ""},
		"uuencode, double-spaced": {strings.ReplaceAll(uuencode("f", file), "\n", "\n\n"), ""},
		"uuencode, blank lines":   {strings.Replace(strings.ReplaceAll(uuencode("f", file), "\nM", "\n \n\n\nM"), "`\nend", "\n\nend", 1), ""},
		"base64, st_mode":         {"begin-base64 100644 f\n" + base64.StdEncoding.EncodeToString(file) + "\n====\n", ""},
		"base64, blank lines": {
			"begin-base64 644 f\n\n" + base64.StdEncoding.EncodeToString(file[:3000]) + "\n\n" +
				base64.StdEncoding.EncodeToString(file[3000:]) + "\n\n====\n",
			"",
		},
		"uuencode, no end": {strings.TrimSuffix(uuencode("f", file), "`\nend\n"), "its end is missing"},
	} {
		at, err := OpenAttachment(strings.NewReader("\r\n"+strings.ReplaceAll("text\n"+tt.in+"more\n", "\n", "\r\n")), 1)
		fetchtest.NoError(t, err, "%s", name)
		got, err := io.ReadAll(at)
		if !bytes.Equal(got, file) || err != nil || at.Name != "f" {
			t.Errorf("%s: got %d octets with the name %q, %v, want the %d octets of f", name, len(got), at.Name, err, len(file))
		}
		fetchtest.Equal(t, strings.Join(at.Problems(), "; "), tt.problem, "%s: the problems", name)
		_ = at.Close()
	}
}

func TestGroupsOfParts(t *testing.T) {
	header := "Newsgroups: alt.x, alt.y,alt.x\r\n\r\n"
	var many strings.Builder
	for i := range protocols.MaxCrossposts + 1 {
		fmt.Fprintf(&many, "alt.x%d,", i)
	}
	groups := PartsOf(strings.NewReader("Newsgroups: "+many.String()+"\r\n\r\n"), fetchtest.Parse(t, "news:a@b.example")).Groups
	fetchtest.Equal(t, len(groups), protocols.MaxCrossposts, "many groups")
	for page, want := range map[string]string{
		"nntp://h.example/alt.z/5": "nntp://h.example/alt.z nntp://h.example/alt.x nntp://h.example/alt.y",
		"news:a@b.example":         "news:alt.x news:alt.y",
	} {
		var got []string
		for _, u := range PartsOf(strings.NewReader(header), fetchtest.Parse(t, page)).Groups {
			got = append(got, u.String())
		}
		fetchtest.Equal(t, strings.Join(got, " "), want, "groups of %s", page)
	}
}

func FuzzEncodedFile(f *testing.F) {
	f.Add(encodeYEnc("a", octets(300), 0, 0, 300))
	f.Add(encodeYEnc("a", octets(300), 1, 0, 100) + encodeYEnc("a", octets(300), 2, 100, 200))
	f.Add(uuencode("a", octets(300)))
	f.Add("begin 644 a\nM\nend\nbegin 644 a\n#``\n")
	f.Add("begin-base64 644 a\nAA=A\nAAA\n====\nbegin-base64 644 a\n====\n")
	f.Add("=ybegin line=1 size=1 name=\n=ypart begin=9 end=1\n=\n=yend size=x crc32=\n")
	f.Fuzz(func(t *testing.T, body string) {
		for _, subject := range []string{"s", "a.jpg (2/3)"} {
			text := "Subject: " + subject + "\n\n" + body
			n := 0
			for _, s := range article(t, text) {
				if strings.Contains(s, "[attachment ") {
					n++
				}
			}
			for i := 1; i <= min(n, 3); i++ {
				at, err := OpenAttachment(strings.NewReader(text), i)
				if err != nil {
					continue // the part was text that looked like an encoded file
				}
				got, err := io.ReadAll(at)
				if err != nil || len(got) > 64*len(text) { // a line "M" decodes to 45 octets
					t.Errorf("attachment %d: got %d octets from an article of %d, %v", i, len(got), len(text), err)
				}
				if strings.ContainsAny(at.Name, "/\x00\n\x1b") || at.Name == ".." {
					t.Errorf("attachment %d has the unsafe name %q", i, at.Name)
				}
				_ = at.Close()
			}
		}
	})
}

// TestNumberOfPart checks that an article is no part of a file with another number of parts, even if the rest of the
// Subject is the same.
func TestNumberOfPart(t *testing.T) {
	p := PartsOf(strings.NewReader("From: me\r\nSubject: [1/2] x.gif (/9)\r\n\r\n"), nil)
	for subject, want := range map[string]int{"[2/2] x.gif (/9)": 2, "[/2] x.gif (1/9)": 0} {
		fetchtest.Equal(t, p.Number(&protocols.ArticleNote{Subject: subject, From: "me"}), want, "%s", subject)
	}
}
