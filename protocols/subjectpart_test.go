package protocols

import (
	"strings"
	"testing"
)

func TestPartOfSubject(t *testing.T) {
	tests := []struct {
		in          string
		part, parts int
		rest, name  string
	}{
		{`"a b.jpg" yEnc (2/5)`, 2, 5, `"a b.jpg" yEnc (/5)`, "a b.jpg"},
		{"[03/12] - x.rar (02/05) 3 kB", 2, 5, "[03/12] - x.rar (/5) 3 kB", "x.rar"},
		{"pic.gif [1/2]", 1, 2, "pic.gif [/2]", "pic.gif"},
		{`"" pic.gif (1/2)`, 1, 2, `"" pic.gif (/2)`, "pic.gif"},
		{"(1/2) pic.gif", 1, 2, "(/2) pic.gif", "pic.gif"},
		{"Look at this. (1/2)", 1, 2, "Look at this. (/2)", ""},
		{"part ( 1 / 2 ) of it", 1, 2, "part (/2) of it", ""},
		{"nothing (a/b) (0/5) (6/5) (1/99999999999999999999) (1/10001)", 0, 0, "", ""},
		{"(1/2", 0, 0, "", ""},
		{"(1/2" + strings.Repeat(" ", maxPartNumberLen) + ")", 0, 0, "", ""},
		{"Audio mail (part 1 of 2)", 1, 2, "Audio mail (/2)", ""},
		{"pic.gif 1 of 2", 1, 2, "pic.gif /2", "pic.gif"},
		{"pic.gif - part 1 of 2.", 1, 2, "pic.gif - part /2", "pic.gif"},
		{"pic.gif Part 02/10", 2, 10, "pic.gif Part /10", "pic.gif"},
		{"2 OF 3: pic.gif", 2, 3, "/3 pic.gif", "pic.gif"},
		{"[Part 1/2] pic.gif", 1, 2, "[/2] pic.gif", "pic.gif"},
		{"pic.gif (1 Of 2)", 1, 2, "pic.gif (/2)", "pic.gif"},
		{"pic.gif {1/2}", 1, 2, "pic.gif {/2}", "pic.gif"},
		{"pic.gif <1/2>", 1, 2, "pic.gif </2>", "pic.gif"},
		{"File 1 of 5 - x.rar (02/10)", 2, 10, "File 1 of 5 - x.rar (/10)", "x.rar"},
		{`File 1 of 5 - "x y.rar" yEnc [02/10]`, 2, 10, `File 1 of 5 - "x y.rar" yEnc [/10]`, "x y.rar"},
		{"File 1 of 5 - x.rar", 0, 0, "", ""},
		{"5 of us; 9 of 8; 1/2 cup of 3; on 10/12 of", 0, 0, "", ""},
		{"", 0, 0, "", ""},
	}
	for _, tt := range tests {
		got := PartOfSubject(tt.in)
		if want := (SubjectPart{tt.part, tt.parts, tt.rest}); got != want || got.FileName() != tt.name {
			t.Errorf("PartOfSubject(%q) = %+v, file name %q; want %+v, file name %q", tt.in, got, got.FileName(), want, tt.name)
		}
	}
}
