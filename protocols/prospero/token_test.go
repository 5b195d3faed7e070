package prospero

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/protocols"
)

// acceptAll never stops [reader.next].
func acceptAll([]string) bool { return false }

// readTokens reads all statements of an answer.
func readTokens(r io.Reader) (list [][]string, err error) {
	for l := newReader(r); ; {
		s, _, err := l.next(acceptAll)
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, s.tokens)
	}
}

func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want [][]string
	}{
		{"", nil},
		{"\n\r\n \t\n", nil},
		{"SUCCESS", [][]string{{"SUCCESS"}}},
		{"SUCCESS\r\nA\n", [][]string{{"SUCCESS"}, {"A"}}},
		{"LINK  L FILE\ta\n", [][]string{{"LINK", "L", "FILE", "a"}}},
		{"20' bytes' AFTP'/pub' 1'/'\n", [][]string{{"20 bytes", "AFTP/pub", "1/"}}},
		{"a'b'c'd''e'f\n", [][]string{{"abcd'ef"}}},
		{"'' a '' \n", [][]string{{"", "a", ""}}},
		{"'''' ''''''\n", [][]string{{"'", "''"}}},
		{"'it''s'\n", [][]string{{"it's"}}},
		{"'a\nb' c\nd", [][]string{{"a\nb", "c"}, {"d"}}},
		{"'a\r\nb'\r\nc", [][]string{{"a\r\nb"}, {"c"}}},
		{"a\rb \rc\r\n", [][]string{{"a\rb", "\rc"}}},
		{"'\x00\xff'\n", [][]string{{"\x00\xff"}}},
		{"a''\n", [][]string{{"a"}}},
	} {
		for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
			got, err := readTokens(r)
			if !slices.EqualFunc(got, tt.want, slices.Equal) || err != nil {
				t.Errorf("%q: got %q, %v; want %q", tt.in, got, err, tt.want)
			}
		}
	}
	for _, in := range []string{"'", "a 'b\nc", "'a''"} {
		if got, err := readTokens(strings.NewReader(in)); protocols.ReasonOf(err) != protocols.Broken {
			t.Errorf("%q: got %q, %v; want the reason Broken", in, got, err)
		}
	}
}

func TestLongStatements(t *testing.T) {
	for name, in := range map[string]string{
		"token":  "LINK '" + strings.Repeat("a", 1<<18) + "'\nSUCCESS\n",
		"tokens": "LINK" + strings.Repeat(" a", 1<<18) + "\nSUCCESS\n",
		"empty":  "LINK" + strings.Repeat(" ''", 1<<18) + "\nSUCCESS\n",
	} {
		l := newReader(strings.NewReader(in))
		s, _, err := l.next(acceptAll)
		size := 0
		for _, tok := range s.tokens {
			size += len(tok) + 1
		}
		if !s.truncated || size > maxStatement || err != nil {
			t.Errorf("%s: got %d octets, truncated %v, error %v; want at most %d octets, truncated", name, size, s.truncated, err, maxStatement)
		}
		if s, _, err := l.next(acceptAll); s.keyword() != "SUCCESS" || err != nil {
			t.Errorf("%s: got the next tokens %q, error %v; want SUCCESS", name, s.tokens, err)
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"": "''", "abc": "abc", "a b": "'a b'", "a'b": "'a''b'", "a/b": "'a/b'", "a\nb": "'a\nb'", "'": "''''", "\xff": "'\xff'",
	} {
		got := quote(in)
		if list, err := readTokens(strings.NewReader(got)); got != want || err != nil || len(list) != 1 || list[0][0] != in {
			t.Errorf("quote(%q) = %q, which is read as %q, %v; want %q", in, got, list, err, want)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{
		archive, "'a''b' c\r\n'", "FAILURE NOT-FOUND 'x\ny'\n",
		"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'a'\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		whole, err := readTokens(bytes.NewReader(b))
		parts, err2 := readTokens(iotest.OneByteReader(bytes.NewReader(b)))
		if !slices.EqualFunc(whole, parts, slices.Equal) || (err == nil) != (err2 == nil) {
			t.Fatalf("whole %q, %v; octet by octet %q, %v", whole, err, parts, err2)
		}
		if len(b) > maxStatement {
			return
		}
		var text strings.Builder // the tokens in quotes, which must be parsed as the same tokens
		for _, s := range whole {
			for _, tok := range s {
				text.WriteString(quote(tok) + " ")
			}
			text.WriteString("\n")
		}
		if again, err := readTokens(strings.NewReader(text.String())); !slices.EqualFunc(whole, again, slices.Equal) || err != nil {
			t.Fatalf("%q was written as %q, which is read as %q, %v", whole, text.String(), again, err)
		}
	})
}

// FuzzListing converts arbitrary answers to URLs.
func FuzzListing(f *testing.F) {
	f.Add(archive)
	f.Add("LINK U DIRECTORY a INTERNET-D h(70) ASCII /b 3 DEST-EXP 1\nATTRIBUTE LINK FIELD ACCESS-METHOD " +
		"TELNET '' '' '' '' 'log in'\nATTRIBUTE LINK FIELD FILTER FILTER x\n")
	f.Add("LINK L EXTERNAL a INTERNET-D h ASCII '' 0\nATTRIBUTE LINK FIELD ACCESS-METHOD " +
		"WAIS '' '' '' d/TEXT/1%3D2 x\nATTRIBUTE > OBJECT INTRINSIC GOPHER-MENU-ITEM SEQUENCE '7a\tb'\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := newReader(strings.NewReader(text))
		var l *link
		for {
			s, _, err := r.next(isContents)
			if err != nil {
				return
			}
			switch next, ok := parseLink(s); {
			case isAttribute(s) && l != nil:
				l.add(s)
				checkURLs(t, l)
			case s.keyword() == "LINK" && ok:
				l = next
				checkURLs(t, l)
			}
		}
	})
}

func FuzzPacket(f *testing.F) {
	f.Add([]byte("\x03BBLINK"))
	f.Add([]byte("\x15BB\x00\x00\x00\x00\x00\x00\x00\x02\x05\x04\x00\x07\xc0\x00\x02\x01\x05\xf5"))
	f.Fuzz(func(t *testing.T, b []byte) {
		k, ok := parsePacket(b)
		if !ok {
			return
		}
		if k.number < 0 || k.number > maxNumber || k.total < 0 || k.total > maxNumber || k.receivedThrough > maxNumber || len(k.data) > len(b) {
			t.Fatalf("%x is read as %+v", b, k)
		}
		_, _ = k.redirectTarget()
		again, ok := parsePacket(append(newHeader(k.id, k.number, k.total, k.receivedThrough), k.data...))
		if !ok || again.id != k.id || again.number != k.number || again.total != k.total ||
			again.receivedThrough != k.receivedThrough || !bytes.Equal(again.data, k.data) {
			t.Fatalf("%+v is written and read as %+v", k, again)
		}
	})
}
