package compose

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestFlow checks that only wrapped running text is joined with the next line. Tables, programs
// and lines with a superfluous blank stay unchanged.
func TestFlow(t *testing.T) {
	const (
		first = "This line has a space at its end, because the word behind it has no "
		last  = "room: both are one paragraph.\n"
	)
	for _, tt := range []struct{ name, body, want string }{ // "" means unchanged
		{"not flowed", "One line,\nand another  \n", ""},
		{"flowed", first + "\n" + last, first + "\n" + last},
		{"blanks elsewhere", first + "\n" + last + "\nx  \n-- \nsig  \n", first + "\n" + last + "\nx\n-- \nsig\n"},
		{
			"stuffed", first + "\n" + last + "\n  indented\nFrom here on\n> quoted\n",
			first + "\n" + last + "\n   indented\n From here on\n> quoted\n",
		},
		{"a quote", "> " + first + "\n> " + last, "> " + first + "\n> " + last},
		{"a quote of a quote", "> > " + first + "\n> > " + last, ""},
		{"two depths", "> " + first + "\n>> " + last, ""},
		{"a blank too much", "A short line \n" + last, ""},
		{"an empty line", first + "\n\n" + last, ""},
		{"the signature", first + "\n-- \n" + last, ""},
		{"a table", "name   size   the date of the last change of the file, and its owner \nREADME 12345  today\n", ""},
		{"a table with lines", "| name and other things that are long | size | and the owner of it | \nand so on\n", ""},
		{"a program", "    if the_condition_of_it_is_true && the_other_one_is_not(false, 72) { \n        return\n", ""},
		{"before a program", first + "\n    " + last, ""},
		{
			"two blanks between sentences",
			"One sentence.  And another one that goes on to the end of the line, \nfurther.\n",
			"One sentence.  And another one that goes on to the end of the line, \nfurther.\n",
		},
		{
			"narrow", "There are fewer than fifty characters in this line, \nand more.\n",
			"There are fewer than fifty characters in this line, \nand more.\n",
		},
		{
			"a long word in a narrow text",
			"The address of it is a longer one: see the URL \nhttp://www.example.org/" + strings.Repeat("x", 80) + " \nfor the whole.\n",
			"The address of it is a longer one: see the URL \nhttp://www.example.org/" + strings.Repeat("x", 80) + " \nfor the whole.\n",
		},
	} {
		got, flowed := flow(tt.body)
		if flowed != (tt.want != "") {
			t.Errorf("%s: flow() = %q, %t; want %t", tt.name, got, flowed, !flowed)
		}
		if tt.want == "" {
			tt.want = tt.body
		}
		fetchtest.Equal(t, got, tt.want, "%s", tt.name)
	}
}
