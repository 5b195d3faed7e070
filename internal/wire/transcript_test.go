package wire

import (
	"encoding/base64"
	"encoding/hex"
	"io"
	"net"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"gofer/protocols"
)

// transcriptTexts returns the texts of t, with "> " before each sent text, or "+ " if it was sent with the text before.
func transcriptTexts(t *protocols.Transcript) (texts []string, omitted int) {
	first, last, omitted := t.Lines()
	for _, s := range append(first, last...) {
		if s.With {
			s.Text = "+ " + s.Text
		} else if s.Sent {
			s.Text = "> " + s.Text
		}
		texts = append(texts, s.Text)
	}
	return texts, omitted
}

func TestTranscript(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var first, second protocols.Transcript
	c, err := (Dialer{}).Dial(protocols.WithTranscript(t.Context(), &first), l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	peer, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	c.Hide("sesame")
	receive := func(parts ...string) {
		t.Helper()
		for _, part := range parts {
			if _, err := io.WriteString(peer, part); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(c, make([]byte, len(part))); err != nil {
				t.Fatal(err)
			}
		}
	}
	send := func(s string) {
		t.Helper()
		if _, err := io.WriteString(c, s); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(peer, make([]byte, len(s))); err != nil {
			t.Fatal(err)
		}
	}
	receive("200 hello\r\n")
	send("PASS ses")
	send("ame\r\n")
	receive("500 ses", "ame?\r\n500", " again\n")
	if !c.Rebind(protocols.WithTranscript(t.Context(), &second)) {
		t.Fatal("Rebind failed")
	}
	send("HELP\r\n")
	receive("100 sesame", " and")
	_ = peer.Close()
	if _, err := io.ReadAll(c); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		t    *protocols.Transcript
		want string
	}{
		{&first, "200 hello|> PASS ****|500 ****?|500 again"},
		{&second, "> HELP|100 **** and"},
	} {
		texts, omitted := transcriptTexts(tt.t)
		if got := strings.Join(texts, "|"); got != tt.want || omitted != 0 {
			t.Errorf("got %q, %d omitted, want %q", got, omitted, tt.want)
		}
		if lines, _, _ := tt.t.Lines(); lines[0].Peer != l.Addr().String() || lines[0].At.IsZero() {
			t.Errorf("got %+v, want a line with address and time", lines[0])
		}
	}
}

// TestTranscriptSkips checks that a bounded number of lines of a long answer is kept. No kept line
// may be incomplete.
func TestTranscriptSkips(t *testing.T) {
	var tr protocols.Transcript
	r := recorder{transcript: &tr}
	r.record([]byte("LIST\r\n"), true, false)
	body := strings.Repeat("a line\r\n", maxRun+50) + "half of ses"
	for len(body) > 0 {
		n := min(len(body), 777)
		r.record([]byte(body[:n]), false, false)
		body = body[n:]
	}
	r.record([]byte("QUIT\r\n"), true, false)
	r.record([]byte("ame\r\n205 bye\r\n"), false, false)
	first, last, omitted := tr.Lines()
	if len(first) != 1+maxRun+2 || len(last) != 0 || omitted != 0 {
		t.Fatalf("Lines() returns %d first and %d last lines, %d omitted; want %d first lines", len(first), len(last), omitted, 1+maxRun+2)
	}
	if more := first[maxRun].More; more != 50 {
		t.Errorf("%d lines skipped, want 50", more)
	}
	if got := first[maxRun+1:]; got[0].Text != "QUIT" || got[0].More != 1 || got[1].Text != "205 bye" {
		t.Errorf("after a skip: got %+v, want QUIT with one more line, then 205 bye", got)
	}
}

// TestTranscriptLongLines checks that passwords are masked where long lines are cut.
func TestTranscriptLongLines(t *testing.T) {
	for _, password := range []string{"sesame", strings.Repeat("0123456789", 200), strings.Repeat("long", MaxLine/4+1)} {
		for _, before := range []int{0, protocols.MaxTranscriptLine - 3, MaxLine - 3, MaxLine} {
			var tr protocols.Transcript
			r := recorder{transcript: &tr}
			r.hide(password)
			line := strings.Repeat("x", before) + strings.Repeat(password, min(40, 2+2*MaxLine/len(password))) + "\r\nnext\r\n"
			for len(line) > 0 {
				n := min(len(line), 1000)
				r.record([]byte(line[:n]), false, false)
				line = line[n:]
			}
			texts, _ := transcriptTexts(&tr)
			if len(texts) != 2 || texts[1] != "next" || len(texts[0]) > protocols.MaxTranscriptLine {
				t.Fatalf("password of %d octets after %d: got %.80q", len(password), before, texts)
			}
			if rest := strings.Trim(texts[0], "x*"); rest != "" {
				t.Errorf("password of %d octets after %d: got %q, want only x and *", len(password), before, rest)
			}
		}
	}
}

// TestReceivedOctets checks which octets a transcript has, and that a password is masked in octets that arrive in pieces.
func TestReceivedOctets(t *testing.T) {
	long := strings.Repeat("x", MaxLine)
	for _, tt := range []struct {
		name   string
		octets received
		hide   string
		parts  []string
		want   string
	}{
		{"lines and octets", linesAndOctets, "", []string{"a\x1b", "\r\nb"}, "a\x1b\r\nb"},
		{"a dialogue", onlyLines, "", []string{"200 ok\r\n"}, ""},
		{"a listing", onlyOctets, "", []string{"a\r", "\nb"}, "a\r\nb"},
		{"a password", linesAndOctets, "sesame", []string{"a\r\n.ses", "ame\r\n", "b ses", "ame"}, "a\r\n.****\r\nb ****"},
		{"a long line", linesAndOctets, "sesame", []string{long + "ses", "ame", long, "\n"}, long + "****" + long + "\n"},
	} {
		var tr protocols.Transcript
		var all strings.Builder
		tr.CopyReceived(&all)
		r := recorder{transcript: &tr, octets: tt.octets}
		if tt.hide != "" {
			r.hide(tt.hide)
		}
		for i, part := range tt.parts {
			r.record([]byte("sent\r\n"), true, false)
			r.record([]byte(part), false, i == len(tt.parts)-1)
		}
		octets, n := tr.Received()
		if got := string(octets); got != tt.want || all.String() != tt.want || n != int64(len(tt.want)) {
			t.Errorf("%s: got %.80q and a copy %.80q, want %.80q", tt.name, got, all.String(), tt.want)
		}
		if texts, _ := transcriptTexts(&tr); (len(texts) == 0) != (tt.octets == onlyOctets) {
			t.Errorf("%s: got %d lines", tt.name, len(texts))
		}
	}
}

// percentEncoded matches an octet in percent-encoding.
var percentEncoded = regexp.MustCompile("%..")

// latin1ToUTF8 converts s from Latin-1 to UTF-8.
func latin1ToUTF8(s string) string {
	var r []rune
	for _, c := range []byte(s) {
		r = append(r, rune(c))
	}
	return string(r)
}

// TestTranscriptSpellings checks that a password is masked in all of its encodings.
func TestTranscriptSpellings(t *testing.T) {
	for _, password := range []string{"sesame", "a b c/d%", "gr\xfcn", "grün", "\xff\xff\xff\xff", "x\xffyz?>", "p+w&=:@", "日本語", "geheimÿ"} {
		for name, text := range map[string]string{
			"plain":         password,
			"IAC doubled":   strings.ReplaceAll(password, "\xff", "\xff\xff"),
			"UTF-8":         latin1ToUTF8(password),
			"hex":           hex.EncodeToString([]byte(password)),
			"HEX":           strings.ToUpper(hex.EncodeToString([]byte(password))),
			"path":          url.PathEscape(password),
			"query":         url.QueryEscape(password),
			"lower":         percentEncoded.ReplaceAllStringFunc(url.PathEscape(password), strings.ToLower),
			"form":          url.Values{"p": {password}}.Encode(),
			"base64":        base64.StdEncoding.EncodeToString([]byte(password)),
			"base64url":     base64.URLEncoding.EncodeToString([]byte(password)),
			"SASL":          base64.StdEncoding.EncodeToString([]byte("\x00joe\x00" + password)),
			"SASL, other":   base64.StdEncoding.EncodeToString([]byte("\x00joel\x00" + password + "\r\n")),
			"SASL, another": base64.StdEncoding.EncodeToString([]byte("\x00jo\x00" + password + "and more")),
		} {
			var tr protocols.Transcript
			r := recorder{transcript: &tr}
			r.hide(password)
			r.record([]byte("x "+text+" y\r\n"), false, false)
			texts, _ := transcriptTexts(&tr)
			octets, _ := tr.Received()
			if got := string(octets); !strings.Contains(got, "****") || strings.Contains(got, strings.Trim(text, "=")) {
				t.Errorf("password %q, %s: got the octets %q, want them masked", password, name, got)
			}
			if len(texts) != 1 || !strings.Contains(texts[0], "****") || strings.Contains(texts[0], strings.Trim(text, "=")) {
				t.Errorf("password %q, %s: got %q, want one masked line", password, name, texts)
			}
		}
	}
}

// TestTranscriptTogether checks that the transcript of a dialogue shows which lines were sent in one write.
func TestTranscriptTogether(t *testing.T) {
	for octets, want := range map[received]string{
		onlyLines:      "> AUTH TLS|502 no|> USER a|+ PASS b|+ PWD|331 b?|230 in|> QUIT",
		linesAndOctets: "> AUTH TLS|502 no|> USER a|> PASS b|> PWD|331 b?|230 in|> QUIT",
	} {
		var tr protocols.Transcript
		r := recorder{transcript: &tr, octets: octets}
		r.record([]byte("AUTH TLS\r\n"), true, false)
		r.record([]byte("502 no\r\n"), false, false)
		r.record([]byte("USER a\r\nPASS b\r\nPWD\r\n"), true, false)
		r.record([]byte("331 b?\r\n230 in\r\n"), false, false)
		r.record([]byte("QUIT\r\n"), true, false)
		texts, _ := transcriptTexts(&tr)
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
