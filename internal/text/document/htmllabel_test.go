package document

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestHTMLFormLabels checks the names of fields. A name is the text before a field, the text after
// a check box or radio button, or the text of the label element. Without a text, it is the placeholder,
// the title or the name attribute.
func TestHTMLFormLabels(t *testing.T) {
	for _, test := range []struct{ name, form, want string }{
		{"text", `Name <input name=a> Mail: <input name=b>`, "Name | Mail:"},
		{"label around", `<label>Name <input name=a></label> Mail <input name=b>`, "Name | Mail"},
		{"label around, behind", `<label><input name=a> Name</label> Mail <input name=b>`, "Name | Mail"},
		{
			"radio, then a button",
			`Color <input type=radio name=c value=r>red <input type=radio name=c value=g checked>green <input type=submit>`,
			"Color {red green=green}",
		},
		{
			"radio, then a check",
			`Color <input type=radio name=c value=r>red <input type=radio name=c value=g checked>green <input type=checkbox name=n> News`,
			"Color {red green=green} | [ ] News",
		},
		{
			"radio, then a line", `<input type=radio name=c value=r>red<br>City <select name=s><option>Bonn</select>`,
			"c {red=red} | City {Bonn=Bonn}",
		},
		{
			"radio in labels",
			`<p>Color</p><label>red <input type=radio name=c value=r></label> <label>green <input type=radio name=c value=g></label>`,
			"Color {red green=red}",
		},
		{
			"radio with labels before",
			`Color <label for=r>red</label> <input type=radio name=c id=r> <label for=g>green</label> <input type=radio name=c id=g>`,
			"Color {red green=red}",
		},
		{
			"radio with labels behind",
			`Color <input type=radio name=c id=r> <label for=r>red</label> <input type=radio name=c id=g> <label for=g>green</label> Name <input name=a>`,
			"Color {red green=red} | Name",
		},
		{"radio without words", `<input type=radio name=c value=r><input type=radio name=c value=g><button>Go</button>`, "c {r g=r}"},
		{"check, then text", `<input type=checkbox name=n checked> News <br> Name <input name=a>`, "[x] News | Name"},
		{"check behind its words", `News: <input type=checkbox name=n><br> Name <input name=a>`, "[ ] News: | Name"},
		{"check in a label", `<label><input type=checkbox name=n> News</label> Name <input name=a>`, "[ ] News | Name"},
		{"check with a label", `<input type=checkbox name=n id=n> <label for=n>News</label> Name <input name=a>`, "[ ] News | Name"},
		{"checks in cells", `<table><tr><td><input type=checkbox name=n><td>News<tr><td>Name<td><input name=a></table>`, "[ ] News | Name"},
		{"check beside a hidden field", `<input type=checkbox name=n><input type=hidden name=h value=1> News <input type=submit>`, "[ ] News"},
		{
			"required fields",
			`Name <input name=a required> Mail <input name=b><select name=s required><option>a</select><textarea name=t required></textarea><input type=checkbox name=n required> News`,
			"Name * | Mail | s {a=a} * | t * | [ ] News *",
		},
		{"placeholder before title", `<input name=a placeholder=P title=T> <input name=b title=T>`, "P | T"},
		{"too many fields", strings.Repeat(`<input name=a>`, maxFields+1), strings.TrimSuffix(strings.Repeat("a | ", maxFields), " | ")},
		{"a field without a name", `Other <input> Name <input name=a>`, "Name"},
		{"an option without a list", `<option></option>Name <input name=a>`, "Name"},
		{"an end without a textarea", `</textarea>Name <input name=a>`, "Name"},
		{"several of a list", `<select name=s multiple><option>a<option selected>b<option selected>c</select>`, "[ ] a | [x] b | [x] c"},
		{"the last of a list", `<select name=s><option selected>a<option selected>b<option>c</select>`, "s {a b c=b}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			h := newHTMLReader(fetchtest.Parse(t, "http://example.org/"), func(l protocols.Line) bool {
				note, ok := l.Note.(*protocols.Hypertext)
				for i := 0; ok && i < len(note.Links); i++ {
					link := note.Links[i]
					form := fetchtest.Must(protocols.ParseForm(link.URL))(t)
					got = append(got, fieldsOf(form)...)
				}
				return true
			})
			fetchtest.NoError(t, h.read(strings.NewReader("<form>"+test.form+"</form>")))
			fetchtest.Equal(t, strings.Join(got, " | "), test.want)
		})
	}
}

// fieldsOf describes the visible fields of a form.
func fieldsOf(form *protocols.Form) (fields []string) {
	for _, f := range form.Fields {
		text := f.Label
		switch {
		case f.Hidden:
			continue
		case f.Input == protocols.InputCheck && f.Checked:
			text = "[x] " + text
		case f.Input == protocols.InputCheck:
			text = "[ ] " + text
		case f.Input == protocols.InputChoice:
			text += fmt.Sprintf(" {%s=%s}", strings.Join(f.Choices, " "), f.Value)
		}
		if f.Required {
			text += " *"
		}
		fields = append(fields, text)
	}
	return fields
}

// TestHTMLFormValues checks that the page shows the default values of its fields, except for
// passwords.
func TestHTMLFormValues(t *testing.T) {
	for form, want := range map[string]string{
		`A <input name=a> B`:                                            "A [____] B",
		`A <input name=a value=" two&#10; words "> B`:                   "A [two words] B",
		`<input name=a value="` + strings.Repeat("x", maxSign) + `"> B`: "[" + strings.Repeat("x", maxSign) + "] B",
		`A <input type=password name=a value=secret> B`:                 "A [____] B",
		`<input name=a value="` + strings.Repeat("ü", 30) + `"> B`:      "[" + strings.Repeat("ü", 20) + "...] B",
	} {
		got := ""
		h := newHTMLReader(fetchtest.Parse(t, "http://example.org/"), func(l protocols.Line) bool {
			got = cmp.Or(got, l.Text)
			return true
		})
		if err := h.read(strings.NewReader("<form>" + form + "</form>")); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", form, got, err, want)
		}
	}
}
