package clean

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"gofer/internal/testbed/memorygrowth"
)

func TestStripped(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                             "plain",
		"a\x1b[31mred\x1b[0m b":             "ared b[31@1][@4]",
		"\x1b[1;4;31;42mx\x1b[22;24;39my":   "xy[1;4;31;42@0][42@1]",
		"\x1b[38;5;9mx\x1b[48;2;1;2;3my":    "xy[38;5;9@0][38;5;9;48;2;1;2;3@1]",
		"\x1b[38:5:9mx":                     "x[38;5;9@0]",
		"\x1b[38;5;900mx\x1b[38mz\x1b[95my": "xzy[95@2]",
		"\x1b[30;40ma\x1b[37;47mb\x1b[90;100mc\x1b[97;107md\x1b[89;98;99;108me": "abcde[30;40@0][37;47@1][90;100@2][97;107@3]",
		"\x1b[m" + strings.Repeat("\t", 9000):                                   strings.Repeat(" ", 4096+9000-4096/8),
		"\x1b]\aa\x1b[?25lb\x1b[1\x7f@c":                                        "ab␛[1␡@c",
		"\x1b/Aa\x1b Fb\x1b$(Dc\x1b0d\x1b~e":                                    "abcde",
		"\x1b[31ma\x1b]0;t\ab\x1b]0;t\x1b\\c\x1b=d\x1b(Be\x1b[2Jf\x1b[?mg":      "abcdefg[31@0]",
		"\x1b[1@a\x1b[5~b\x1b(0c\x1b(~d\x1b( Be\x1b(/Bf\x1b]\x1b\\g":            "abcdefg",
		"\x1b(\x01Ba\x1b(\x7fBb":                                                "␛(␁Ba␛(␡Bb",
		"\x1b[38;5ma\x1b[38;5;255mb\x1b[48;5;0mc\x1b[38;5;256md":                "abcd[38;5;255@1][38;5;255;48;5;0@2][48;5;0@3]",
		"\x1b[5;8mhidden": "hidden",
		"\x1b[mx":         "x",
		"\u009b31mred":    "red[31@0]",
		"\x1b[2J\x1b[H\x1b]0;pwned\ax\x1b]8;;http://h/\x1b\\y\x1b(Bz\x1b=": "xyz",
		"\x1bP1;2q#0\x1b\\x\x1b^a\x1b_b\x1b\\":                             "x␛^a",
		"\x1b[31":                                                          "␛[31",
		"\x1b]0;no end":                                                    "␛]0;no end",
		"\x1b":                                                             "␛",
		"\x1b\x1b[31mx":                                                    "␛x[31@3]",
		"a\tb\x1b[31m\tc\x07":                                              "a       b       c␇[31@9]",
		"\x1b[>1mx\x1b[1 mx":                                               "xx",
		"wide 日\x1b[7m本\te\u0301":                                          "wide 日本       e\u0301[7@8]",
	} {
		r := Reading{Stripped: true}
		got := r.Line(in)
		spans, _ := r.SGRSpans(in, SGR{})
		for _, l := range spans {
			got += fmt.Sprintf("[%s@%d]", strings.Trim(l.String(), "\x1b[m"), l.At)
		}
		if got != want {
			t.Errorf("Line and SGRSpans of %q: got %q, want %q", in, got, want)
		}
	}
	if spans, _ := (Reading{}).SGRSpans(strings.Repeat("\x1b[31ma\x1b[32mb", maxSpans), SGR{}); len(spans) != maxSpans {
		t.Errorf("SGRSpans of a long line: got %d spans, want %d", len(spans), maxSpans)
	}
	spans, end := (Reading{}).SGRSpans("a", SGR{foreground: "31"})
	if len(spans) != 1 || spans[0].At != 0 || end.String() != "\x1b[31m" {
		t.Errorf("SGRSpans of a line that begins in red: got %v, %v, want one span at 0 and red at the end", spans, end)
	}
	if got, want := (Reading{}).Line("\x1b[31mx"), "␛[31mx"; got != want {
		t.Errorf("Line without Stripped: got %q, want %q", got, want)
	}
}

// TestStrippedGrowth checks that the memory grows at most linearly with the line, even if the line
// has sequences without an end.
func TestStrippedGrowth(t *testing.T) {
	for _, unit := range []string{
		"\x1b", "\x1b]", "\x1b[", "\x1b[1;", "\x1b]x\x1b\x1b", "\x1b[31m", "\u009b", "\t", "\x1b (",
		"\x1b]" + strings.Repeat("x", 5000),
	} {
		memorygrowth.Check(t, memorygrowth.Input{Name: unit[:min(len(unit), 8)], Unit: unit}, 64, func(text string) {
			_, _ = Reading{Stripped: true}.SGRSpans(text, SGR{})
		})
	}
}

func FuzzStripped(f *testing.F) {
	f.Add("a\x1b[31mb\x1b]0;x\a\tc\u009b1;38;5;3m")
	f.Add("\x1b[38;2;;;mx\x1bPq\x1b[0m")
	f.Fuzz(func(t *testing.T, in string) {
		r := Reading{Stripped: true}
		out := r.Line(in)
		for _, c := range out {
			if !IsPrintable(c) {
				t.Fatalf("Line(%q) = %q, which has the unsafe character %U", in, out, c)
			}
		}
		if again := r.Line(out); again != out {
			t.Fatalf("Line(Line(%q)) = %q, want %q", in, again, out)
		}
		spans, _ := r.SGRSpans(in, SGR{})
		for i, l := range spans {
			if l.At > len(out) || l.At < len(out) && !utf8.RuneStart(out[l.At]) || i > 0 && l.At < spans[i-1].At {
				t.Fatalf("SGRSpans(%q): span %d begins at %d, which is outside %q, inside a character or before the previous span", in, i, l.At, out)
			}
			s := l.String()
			if s != "" && (!strings.HasPrefix(s, "\x1b[") || strings.Trim(s[2:], "0123456789;m") != "" || len(s) > 80) {
				t.Fatalf("SGRSpans(%q): span %d is %q, want a short SGR sequence", in, i, s)
			}
		}
	})
}
