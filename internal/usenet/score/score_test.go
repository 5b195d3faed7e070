package score

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

var today = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// files holds score files in memory by path.
type files map[string]string

func (f files) read(path string) ([]byte, error) {
	s, ok := f[path]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return []byte(s), nil
}

func note() *protocols.ArticleNote {
	return &protocols.ArticleNote{
		Number: 1, Subject: "Re: Earn $ with slrn", From: "Joe Doe <joe@who.example>", Date: today.AddDate(0, 0, -3),
		MessageID: "c@x", References: []string{"a@x", "b@x"}, Xref: "news.example comp.os.linux.misc:1 alt.advocacy:2", Lines: 40, Bytes: 2000,
	}
}

func TestScore(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		want       int
	}{
		{"a word", "Score: 10\nSubject: SLRN", 10},
		{"another word", "Score: 10\nSubject: tin", 0},
		{"a name after the score", "Score: 10 % about slrn\nSubject: slrn", 10},
		{"all tests", "Score: 5\nSubject: slrn\nFrom: nobody", 0},
		{"any test", "Score:: 5\nSubject: nothing\nFrom: joe", 5},
		{"not", "Score: 5\n~Subject: nothing", 5},
		{"not, of a header that is not there", "Score: 5\n~Newsgroup: nothing\n~References: x@y", 5},
		{"they add up", "Score: 5\nSubject: slrn\nScore: -7\nFrom: joe", -2},
		{"a final one", "Score: 5\nSubject: slrn\nScore: =3\nFrom: joe\nScore: 100\nFrom: joe", 3},
		{"spaces", "  Score:   -9999  \r\n\t From:  joe@who\\.example \r\n", -9999},
		{"regular expression", "Score: 1\nFrom: ^joe.*@who\\.example>$", 1},
		{"case", "Score: 1\nFrom: \\cJOE", 0},
		{"case of a part", "Score: 1\nFrom: \\cJ\\CoE", 1},
		{"words", "Score: 1\nFrom: \\<doe\\>", 1},
		{"no word", "Score: 1\nFrom: \\<oe\\>", 0},
		{"a class", "Score: 1\nSubject: [^]a-z ]", 1},
		{"a class with brackets", "Score: 1\nSubject: ^[]R\\]e\nScore: 2\nSubject: ^[^][]e\nScore: 4\nSubject: ^[^]]e", 7},
		{"after a class", "Score: 1\nSubject: ^[R]f", 0},
		{"a regular expression as long as can be", "Score: 1\n~Subject: " + strings.Repeat("x", maxPattern), 1},
		{"repeated", "Score: 1\nSubject: e\\{2\\}", 0},
		{"grouped", "Score: 1\nSubject: \\(Re: \\)?Earn", 1},
		{"brackets are themselves", "Score: 1\nSubject: (x|y){2}\nScore: 2\nSubject: ^(x|y){2}", 0},
		{"quoted", "Score: 1\nSubject: Earn \\$", 1},
		{"Lines", "Score: 1\nLines: 40\nScore: 2\n~Lines: 41\nScore: 4\nLines: 41", 3},
		{"Bytes", "Score: 1\nBytes: 2000\nScore: 2\nBytes: 3000", 1},
		{"an age of millennia", "Score: 1\nAge: 200000\nScore: 2\nAge: -2000000000", 1},
		{"Age", "Score: 1\nAge: 3\nScore: 2\nAge: 2\nScore: 4\n~Age: 2", 5},
		{"Has-Body", "Score: 1\nHas-Body: 1\nScore: 2\nHas-Body: 0\nScore: 4\n~Has-Body: 0", 5},
		{"Xref", "Score: 1\nXref: advocacy\n~From: Linus", 1},
		{"Message-ID of an ancestor", "Score:: 1\nReferences: <a@x>\nMessage-ID: <a@x>", 1},
		{"Message-ID", "Score: 1\nMessage-ID: ^<c@", 1},
		{"Date", "Score: 1\nDate: Mar 2026", 1},
		{"Newsgroup", "Score: 1\nNewsgroup: \\.misc$", 1},
		{"groups of tests", "Score: 1\nFrom: joe\n{::\nSubject: nothing\nSubject: slrn\n}", 1},
		{"all of a group", "Score:: 1\nSubject: nothing\n{:\nSubject: slrn\n~Subject: ^Re:\n}", 0},
		{"not a group", "Score: 1\n~{::\nSubject: nothing\nFrom: nobody\n}", 1},
		{"as many groups as can be", "Score: 1\n" + strings.Repeat("{:\n", maxDepth) + "From: joe\n" + strings.Repeat("}\n", maxDepth), 1},
		{"expired", "Score: 1\nExpires: 3/10/2026\nSubject: slrn", 0},
		{"not expired yet", "Score: 1\nExpires: 11-3-2026\nSubject: slrn", 1},
		{
			"other groups",
			"Score: 1\nSubject: slrn\n[alt.*]\nScore: 2\nSubject: slrn\n[~alt.*, comp.text]\nScore: 4\n" +
				"Subject: slrn\n[alt.x, COMP.*.misc]\nScore: 8\nSubject: slrn\n[comp.*.bsd.*misc]\nScore: 16\nSubject: slrn",
			13,
		},
		{"included", "include more\nScore: 1\nSubject: slrn", 3},
		{"no tests", "Score: 1", 0},
	} {
		read := files{"/d/score": "[comp.os.linux.misc]\n" + tt.file, "/d/more": "[*]\nScore: 2\nFrom: joe"}.read
		rules, err := Parse("/d/score", "comp.os.linux.misc", today, read)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		fetchtest.Equal(t, rules.Score(note()), tt.want, "%s", tt.name)
	}
}

// TestMistakes checks that a mistake is reported with its line, and that only its rule is ignored.
func TestMistakes(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"no section", "Score: 1", `f:1:1: no section [group] begins before this line`},
		{"a section", "[a]\n[a\nScore: 1\nFrom: joe", `f:2:1: [ without ]`},
		{"no rule", "[a]\n  Subject: x", `f:2:3: no Score: begins before this line`},
		{"no number", "[a]\nScore: many\nFrom: joe", `f:2:8: "many" is not a score: write a number, or = and a number`},
		{"no colon", "[a]\nScore: 1\nSubject x\nFrom: joe", `f:3:1: expected a keyword, a colon and a value`},
		{"Lines", "[a]\nScore:: 1\n  ~Lines:  x\nFrom: joe", `f:3:12: "x" is not a number`},
		{"a header", "[a]\nScore:: 1\n  X-Face: x\nFrom: joe", `f:3:3: X-Face is not a field of overviews: the rule is not used`},
		{"a date", "[a]\nScore: 1\nExpires: soon\nFrom: joe", `f:3:10: "soon" is not a date: write MM/DD/YYYY or DD-MM-YYYY`},
		{"a class", "[a]\nScore:: 1\nSubject: ab[c\nFrom: joe", `f:3:12: [ without ]`},
		{
			"a regular expression", "[a]\nScore:: 1\nSubject: \\(a\nFrom: joe",
			`f:3:10: "\\(a" is not a regular expression: missing closing ): ` + "`(?i)(a`",
		},
		{"a reference", "[a]\nScore: 1\nSubject: \\(a\\)\\1", `f:3:15: \1 to \9 cannot be used here`},
		{"an end", "[a]\nScore: 1\nSubject: a\\", `f:3:11: \ at the end`},
		{
			"a long regular expression", "[a]\nScore: 1\nSubject: " + strings.Repeat("x", maxPattern+1),
			`f:3:1034: the regular expression is longer than 1024 octets`,
		},
		{"a group's end", "[a]\nScore: 1\nFrom: joe\n}", `f:4:1: } without {:`},
		{"a group's beginning", "[a]\nScore:: 1\nFrom: joe\n{:\nSubject: x\n[b]", `f:6:1: {: without } before this line`},
		{
			"groups in groups",
			"[a]\nScore:: 1\nFrom: joe" + strings.Repeat("\n{:", maxDepth+1) + strings.Repeat("\n}", maxDepth),
			`f:20:1: more than 16 groups within each other`,
		},
		{"a file without a name", "[a]\ninclude \t", `f:2:1: expected a keyword, a colon and a value`},
		{"a file that is not there", "[a]\ninclude x", `f:2:1: include: open x: file does not exist`},
		{"a file in itself", "include f", `f:1:1: include: more than 32 files are included`},
	} {
		file, want := tt.file+"\n[*]\nScore: 7\nFrom: joe\n", 7
		if strings.Contains(tt.want, "files are included") {
			want *= maxFiles
		}
		rules, err := Parse("f", "a", today, files{"f": file}.read)
		if _, ok := errors.AsType[*Problem](err); !ok || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
		if got := rules.Score(note()); got != want {
			t.Errorf("%s: Score() = %d; want %d from the rule after the mistake", tt.name, got, want)
		}
	}
	_, err := Parse("f", "a", today, files{"f": strings.Repeat("[\n", maxProblems+1)}.read)
	fetchtest.Equal(t, strings.Count(err.Error(), "[ without ]"), maxProblems, "reported mistakes")
	fetchtest.FailsWith(t, fs.ErrNotExist, "no file")(Parse("none", "a", today, files{}.read))
}

// TestNewRule checks that a rule made from an article matches this article and can be removed.
func TestNewRule(t *testing.T) {
	for _, tt := range []struct {
		rule NewRule
		want string
	}{
		{
			NewRule{By: ByAuthor, Groups: "comp.*", Score: -9999, Days: 30, Now: today},
			"[comp.*]\n  Score: -9999\n  Expires: 9-4-2026\n  From: joe@who\\.example\n",
		},
		{NewRule{By: BySubject, Groups: "*", Score: 100, Now: today}, "[*]\n  Score: 100\n  Subject: Earn \\$ with slrn\n"},
		{
			NewRule{By: ByThread, Groups: "a.b", Score: -1, Now: today},
			"[a.b]\n  Score:: -1\n  % Re: Earn $ with slrn\n  Message-ID: <a@x>\n  References: <a@x>\n",
		},
		{
			NewRule{By: ByThread, Groups: "a.b", Score: -1, Now: today, Thread: []*protocols.ArticleNote{
				{MessageID: "z@x"}, note(), {MessageID: "c@x", References: []string{"z@x", "y@x"}}, {MessageID: "bad\n"},
			}},
			"[a.b]\n  Score:: -1\n  % Re: Earn $ with slrn\n  Message-ID: <a@x>\n  References: <a@x>\n  Message-ID: <z@x>\n  References: <z@x>\n",
		},
	} {
		a := note()
		got, err := tt.rule.Lines(a, a.Subject, a.From)
		if got != tt.want || err != nil {
			t.Errorf("%+v: got\n%s, want\n%s", tt.rule, got, tt.want)
		}
		for _, old := range []string{"", "% mine", "% mine\n", "[x]\nScore: 1\n\n% no end"} {
			file := Add([]byte(old), got)
			group := strings.ReplaceAll(tt.rule.Groups, "*", "x")
			rules, err := Parse("f", group, today, files{"f": string(file)}.read)
			if err != nil || rules.Score(a) != tt.rule.Score {
				t.Errorf("%q: Score() = %d, %v; want %d", file, rules.Score(a), err, tt.rule.Score)
			}
			if old != "" && !strings.HasSuffix(old, "\n") {
				old += "\n"
			}
			fetchtest.Equal(t, string(Remove(file, got)), old, "%q without %q", file, got)
		}
	}
	for _, by := range []string{ByAuthor, BySubject, ByThread} {
		long := strings.Repeat("x.", maxPattern/3) // too long in quoted form
		if got, err := (NewRule{By: by}).Lines(&protocols.ArticleNote{MessageID: long}, long, long); err == nil {
			t.Errorf("by a long %s: got %.40q, want an error", by, got)
		}
		for _, author := range []string{"", " "} {
			if got, err := (NewRule{By: by}).Lines(&protocols.ArticleNote{}, "Re: ", author); err == nil {
				t.Errorf("by an empty %s: got %q, want an error", by, got)
			}
		}
		long = strings.Repeat("x", maxPattern-len("<>"))
		if _, err := (NewRule{By: by}).Lines(&protocols.ArticleNote{MessageID: long}, long, long); err != nil {
			t.Errorf("by a %s that is as long as can be: %v", by, err)
		}
	}
	fetchtest.Equal(t, string(Remove([]byte("% x\n"), "[a]\n")), "% x\n", "nothing to remove")
}

// TestDecodedFields checks that subjects and authors are compared after decoding.
func TestDecodedFields(t *testing.T) {
	rules, err := Parse("f", "a", today, files{"f": "[a]\nScore: 1\nSubject: GRÜSSE\nScore: 2\nFrom: GRÜSSE"}.read)
	if got := rules.Score(&protocols.ArticleNote{Subject: "=?utf-8?q?Gr=C3=BCsse?=", From: "=?utf-8?q?Gr=C3=BCsse?= <a@b>"}); got != 3 ||
		err != nil {
		t.Errorf("Score() = %d, %v; want 3", got, err)
	}
}

func TestEmpty(t *testing.T) {
	var none *Rules
	few, _ := Parse("f", "a", today, files{"f": "[a]\nScore: 1\n"}.read)
	some, _ := Parse("f", "a", today, files{"f": "[a]\nScore: 1\nFrom: joe\n"}.read)
	if !none.IsEmpty() || none.Score(note()) != 0 || !few.IsEmpty() || some.IsEmpty() {
		t.Errorf("IsEmpty() = %v, %v, %v; want true, true, false", none.IsEmpty(), few.IsEmpty(), some.IsEmpty())
	}
}

func FuzzParse(f *testing.F) {
	f.Add("[a, ~b*]\nScore:: =-9999 % x\nExpires: 1/1/2030\n~From: \\c[^]a]\\{1,2\\}\n{::\nSubject: \\<x\\>\n}\nLines: 3\n", "Subject")
	f.Add("[~ a]\nScore: 1\n~{:\n}\n}\ninclude f\ninclude /f\n", "Re: \\")
	f.Fuzz(func(t *testing.T, file, text string) {
		a := &protocols.ArticleNote{Subject: text, From: text, MessageID: text, References: []string{text}}
		rules, err := Parse("f", "a.b", today, files{"f": file}.read)
		if err == nil && rules == nil {
			t.Fatal("no rules and no error")
		}
		if n := rules.Score(a); n > maxScore || n < -maxScore {
			t.Errorf("Score() = %d; want at most %d, and at least its negative", n, maxScore)
		}
		text = strings.Map(func(r rune) rune {
			if r < ' ' {
				return ' '
			}
			return r
		}, text)
		if text = strings.ToValidUTF8(strings.TrimSpace(text), ""); text == "" {
			return
		}
		if m, _, err := compile(Quote(text)); len(text) < maxPattern/2 && (err != nil || !m.matches(text, strings.ToLower(text))) {
			t.Errorf("the expression for %q is %q, which does not match it: %v", text, Quote(text), err)
		}
	})
}

// TestCheckGroup checks that the section of a rule for a group applies to this group only.
func TestCheckGroup(t *testing.T) {
	for group, ok := range map[string]bool{
		"comp.lang.c++": true, "de.test_a-b": true, "caf\xe9.x": true,
		"a,*": false, "a*": false, "a]b": false, "~a": false, "a b": false, "a\nb": false, "a%b": false, "": true,
	} {
		if err := CheckGroup(group); (err == nil) != ok {
			t.Errorf("CheckGroup(%q) = %v; want success %v", group, err, ok)
		}
	}
}
