package marc

import (
	"fmt"
	"strings"
	"testing"
)

// build returns a record with the fields, which are a tag and a value each. The charset is the position 9 of the leader.
func build(charset string, fields ...[2]string) []byte {
	directory, data := "", ""
	for _, f := range fields {
		directory += fmt.Sprintf("%s%04d%05d", f[0], len(f[1])+1, len(data))
		data += f[1] + fieldEnd
	}
	base := leaderLength + len(directory) + 1
	return []byte(fmt.Sprintf("%05dnam %s22%05d a 4500", base+len(data)+1, charset, base) + directory + fieldEnd + data + recordEnd)
}

func textOf(r Record, named bool) string {
	var b strings.Builder
	for _, l := range r.Lines(named) {
		b.WriteString(strings.Join(strings.Fields(l.Text), " "))
		if l.Link != nil {
			b.WriteString(" -> " + l.Link.String())
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestRecord(t *testing.T) {
	b := build(
		"a",
		[2]string{"001", "c1"}, [2]string{"100", "1 \x1faMelville, Herman,\x1fd1819-1891."},
		[2]string{"245", "10\x1faMoby-Dick, or,\x1fbThe whale /\x1fcHerman Melville."}, [2]string{"260", "  \x1faNew York,\x1fc[c1851]"},
		[2]string{"650", " 0\x1faWhaling\x1fxHistory\x1fzNantucket\x1f0(id)1"}, [2]string{"856", "40\x1fugopher://h.example/1\x1fzText"},
		[2]string{"856", "40\x1fuftp://h.example/a"}, [2]string{"999", "  \x1faown"},
	)
	r, err := Parse(b)
	if err != nil || r.Damaged || !IsRecord(b) {
		t.Fatalf("Parse: got %v, damaged %v, IsRecord %v", err, r.Damaged, IsRecord(b))
	}
	got := strings.Join([]string{r.ID(), r.Title(), r.Author(), r.Date()}, "|")
	if want := "c1|Moby-Dick, or, The whale|Melville, Herman|1851"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want := "Control number c1\nAuthor Melville, Herman, 1819-1891.\nTitle Moby-Dick, or, The whale / Herman Melville.\nPublished New York, [c1851]\n" +
		"Subject Whaling -- History -- Nantucket\nLink Text\ngopher://h.example/1 -> gopher://h.example/1\n" +
		"Link ftp://h.example/a -> ftp://h.example/a\nField 999 own\n"
	if got := textOf(r, true); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := textOf(r, false); !strings.Contains(got, "Field 245 Moby-Dick") {
		t.Errorf("without names: got %q", got)
	}
}

func TestDamaged(t *testing.T) {
	whole := build(" ", [2]string{"001", "c1"}, [2]string{"245", "10\x1faTitle"})
	entries := leaderLength + 2*entryLength
	for name, tt := range map[string]struct {
		b       string
		title   string
		damaged bool
	}{
		"lengths of characters": {strings.Replace(string(whole), "0009", "0004", 1), "Title", false},
		"no end":                {string(whole[:len(whole)-2]), "Title", false},
		"a field is missing":    {string(whole[:len(whole)-11]), "", true},
		"odd directory":         {string(whole[:entries]) + "xx" + string(whole[entries:]), "Title", true},
		"huge numbers":          {strings.NewReplacer("24500090", "24599999").Replace(string(whole)), "Title", false},
	} {
		r, err := Parse([]byte(tt.b))
		if err != nil || r.Title() != tt.title || r.Damaged != tt.damaged {
			t.Errorf("%s: got %q, damaged %v, %v; want %q, %v", name, r.Title(), r.Damaged, err, tt.title, tt.damaged)
		}
	}
	for _, b := range []string{"", "00024", strings.Repeat("x", 60)} {
		if _, err := Parse([]byte(b)); err == nil {
			t.Errorf("Parse(%q): got no error", b)
		}
	}
}

// TestSharedField checks that the fields of a record have no more text than it, though all entries of its directory name the same octets.
func TestSharedField(t *testing.T) {
	long, n := strings.Repeat("a", 9000), 1000
	b := strings.Repeat(" ", leaderLength) + strings.Repeat(fmt.Sprintf("001%04d00000", len(long)+1), n) + fieldEnd + long + strings.Repeat(fieldEnd, n)
	r, err := Parse([]byte(b))
	size := 0
	for _, f := range r.Fields {
		size += len(f.text(""))
	}
	if err != nil || len(r.Fields) != n || size > 2*len(b) {
		t.Errorf("a record of %d octets: got %d fields with %d octets, %v; want %d fields", len(b), len(r.Fields), size, err, n)
	}
}

func TestDecodeMARC8(t *testing.T) {
	for s, want := range map[string]string{
		"Les mis\xe2erables":               "Les misérables",
		"\xf0\xe3c \xe6\xf2a":              "ç̂ ặ", // several diacritics come before their letter
		"end\xe8":                          "end ̈",
		"\xa2re \xb2st \xb5ble \xc7":       "Øre øst æble ß",
		"H\x1bb2\x1bsO x\x1bp2\x1bs":       "H₂O x²",
		"\x1bga\x1bs-ray":                  "α-ray",
		"\x1b(NwOJNA I MIR\x1b(Bc":         "Война и мирc",
		"\x1b(QDE\x1b(B \x1b(SP\"b\x1b(Bp": "ёѕ Νβ\u0301p",
		"\x1b(2`R\x1b(3NtA\x1b(B":          "\u05d0\ufffd\u062e\u0670\u0621", // a diacritic of Arabic that comes after its letter
		"\x88Der \x89Berg":                 "Der Berg",
		"\x8d\x8e":                         "\u200d\u200c",
		// The last characters show that no set has too few or too many before them.
		"\x1b(N_~\x1b(Q_s\x1b(2z\x1b(3sz\x1b(4x~a\x1b(Sz~\x1b(B": "ъЧ_Ѫ\u05ea\u0671“\u06d3\u06b2\u030cφϡ",
		"\x1b$1abcdef\x1b(Bg":             "\ufffd\ufffdg", // three octets of the East Asian set
		"\x1b)Na\xe1b\x1b)!E\xe1a":        "aАbà",          // the upper half has another set
		"\x1b":                            "",
		"\x1b$":                           "",
		"\xeba\xec":                       "a͡",
		"\x07 \x7f":                       "\x07 \x7f",
		strings.Repeat("\xe2", 100) + "a": "á" + strings.Repeat("\u0301", 7),
	} {
		r := Record{Leader: "00000nam  22"}
		if got := r.decode(s); got != want {
			t.Errorf("decode(%q): got %+q, want %+q", s, got, want)
		}
	}
	utf8 := Record{Leader: "00000nam a22"}
	if got := utf8.decode("e\u0301\xe2"); got != "é\ufffd" {
		t.Errorf("UTF-8: got %+q", got)
	}
	for title, want := range map[string]bool{"Les mis\xe2erables": false, "\x1b$1abc": true} {
		r, _ := Parse(build(" ", [2]string{"245", "10\x1fa" + title}, [2]string{"500", "  \x1faNote"}))
		if got := strings.Contains(textOf(r, true), "a set that gofer does not know"); got != want {
			t.Errorf("the lines of %q say that it is not decoded: got %v, want %v", title, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(build(" ", [2]string{"001", "c1"}, [2]string{"245", "10\x1faT\xe2e\x1b$1abc"}))
	f.Add(build("a", [2]string{"856", "\x1fuhttp://h/"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		one, rest := Cut(b)
		if len(one)+len(rest) > len(b) {
			t.Errorf("Cut(%q): got %q and %q", b, one, rest)
		}
		r, err := Parse(one)
		if err == nil {
			_ = r.Lines(true)
			_, _, _, _ = r.Title(), r.Author(), r.Date(), r.ID()
		}
	})
}
