package charset

import "testing"

func TestCharset(t *testing.T) {
	in := "\xf0\xd2\xc9"
	tests := []struct {
		c    Charset
		name string
		want string
	}{
		{Auto, "auto", "ðÒÉ"},
		{UTF8, "UTF-8", "\ufffd"},
		{Windows1252, "windows-1252", "ðÒÉ"},
		{CP437, "IBM437", "≡╥╔"},
		{KOI8R, "KOI8-R", "При"},
	}
	for _, tt := range tests {
		if got := tt.c.Decode(in); got != tt.want {
			t.Errorf("%v.Decode(%q) = %q, want %q", tt.c, in, got, tt.want)
		}
		if got := tt.c.String(); got != tt.name {
			t.Errorf("String() = %q, want %q", got, tt.name)
		}
	}
}

func TestParseCharset(t *testing.T) {
	for _, c := range All() {
		if got, ok := Parse(c.String()); !ok || got != c {
			t.Errorf("Parse(%q) = %v, %v, want the same charset", c, got, ok)
		}
	}
	for name, want := range map[string]Charset{
		"latin1": Windows1252, "ISO-8859-1": Windows1252, "cp437": CP437, "koi8-r": KOI8R, "gb2312": GB18030, "gbk": GB18030,
		"sjis": ShiftJIS, "cp866": CP866, "UTF8": UTF8, "auto": Auto,
	} {
		if got, ok := Parse(name); !ok || got != want {
			t.Errorf("Parse(%q) = %v, %v, want %v, true", name, got, ok, want)
		}
	}
	for _, name := range []string{"", "us-ascii", "nonsense", "utf-16"} {
		if got, ok := Parse(name); ok {
			t.Errorf("Parse(%q) = %v, true, want false", name, got)
		}
	}
}
