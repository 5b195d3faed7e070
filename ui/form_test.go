package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// survey is a form with fields of all types, and the answers that were sent.
type survey struct {
	fields  []protocols.Field // if nil, one of each type
	charset string
	isForm  bool
	isAnew  bool
	got     []string
	err     error
}

func surveyFields() []protocols.Field {
	return []protocols.Field{
		{Label: "A survey of \x1b[31mgophers", Input: protocols.InputNote},
		{Label: "Name", Value: "ann\r\nb"},
		{Label: "Password", Input: protocols.InputSecret},
		{
			Label: "What do you think of gophers, of their holes and of all that they have dug?",
			Input: protocols.InputText, Value: "first\nsecond",
		},
		{Label: "Write to me", Input: protocols.InputCheck, Value: "1"},
		{Label: "Color", Input: protocols.InputChoice, Choices: []string{"red", "green", "gr\xfcn"}, Value: "green"},
		{Label: "File", Input: protocols.InputFile, Value: "/etc/passwd"},
	}
}

// addForm adds a form at u. Sending the form opens a text.
func (w web) addForm(u urlcore.URL, s *survey) {
	if s.fields == nil {
		s.fields = surveyFields()
	}
	result := item('0', "/result")
	w.addText(result, "Result", "thank you")
	w[u] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return nil, &protocols.Ask{
			URL: u, Title: "Survey", Fields: s.fields, IsForm: s.isForm, IsAnew: s.isAnew, Charset: s.charset,
			With: func(answers []string) (urlcore.URL, error) {
				s.got = slices.Clone(answers)
				return result, s.err
			},
		}
	}
}

func openSurvey(t *testing.T, s *survey, width, height int) *driver {
	w := library()
	w.addForm(item('0', "/survey"), s)
	d := drive(t, w, Options{}, width, height)
	d.run(d.visit(item('0', "/survey")))
	d.drawn = false
	return d
}

func (s *survey) check(t *testing.T, want ...string) {
	t.Helper()
	fetchtest.EqualSlices(t, s.got, want, "answers")
}

func TestForm(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a file.txt")
	fetchtest.NoError(t, os.WriteFile(file, make([]byte, 1234), 0o600))
	for _, tt := range []struct {
		name string
		keys func(d *driver)
		want []string // nil if nothing is sent
		text string   // text on the screen
	}{
		{"as proposed", func(d *driver) { d.press("ctrl+s") }, []string{"", "annb", "", "first\nsecond", "1", "green", ""}, "thank you"},
		{
			"by the button",
			func(d *driver) { d.press("shift+tab", "enter", "tab", "tab", "tab", "tab", "tab", "tab", "enter") },
			[]string{"", "annb", "", "first\nsecond", "1", "green", ""},
			"thank you",
		},
		{"every field", func(d *driver) {
			d.press("ctrl+u").typeText("bob").press("enter").typeText("sesame").press("tab", "ctrl+u").typeText("a").press("enter", "space").typeText("b")
			d.press("up", "end").typeText("!").press("tab", "space", "down", "right", "enter").typeText(file).wantShown("1.2 kB")
			d.press("alt+enter").wantShown("(1.2 kB) to gopher.example.org:70? (y/N)")
			d.press("y")
		}, []string{"", "bob", "sesame", "first\na!\n b", "0", "gr\xfcn", file}, "thank you"},
		{"no to the file", func(d *driver) {
			d.press("up", "up", "down", "down", "down", "down", "down")
			d.send(tea.PasteMsg{Content: file}).press("ctrl+s", "n").wantShown("a file.txt")
		}, nil, "1.2 kB"},
		{"no such file", func(d *driver) {
			d.press("tab", "tab", "tab", "tab", "tab").typeText("/nonesuch").press("ctrl+s")
		}, nil, "not sent: no such file"},
		{"the list of choices", func(d *driver) {
			d.press("tab", "tab", "tab", "tab", "space").typeText("re").press("up", "enter", "ctrl+s")
		}, []string{"", "annb", "", "first\nsecond", "1", "green", ""}, "thank you"},
		{
			"a list that is left",
			func(d *driver) { d.press("tab", "tab", "tab", "tab", "ctrl+o"); d.typeText("red"); d.press("esc") }, nil,
			"‹ green ›",
		},
		{
			"a letter", func(d *driver) { d.press("tab", "tab", "tab", "tab"); d.typeText("r"); d.press("ctrl+s") },
			[]string{"", "annb", "", "first\nsecond", "1", "red", ""},
			"thank you",
		},
		{"the files of a folder", func(d *driver) {
			d.press("tab", "tab", "tab", "tab", "tab")
			d.send(tea.PasteMsg{Content: filepath.Dir(file)}).submit("enter", "file").press("ctrl+s", "y")
		}, []string{"", "annb", "", "first\nsecond", "1", "green", file}, "thank you"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &survey{}
			d := openSurvey(t, s, wideWidth, 30)
			tt.keys(d)
			s.check(t, tt.want...)
			d.wantShown(tt.text)
		})
	}
}

// TestFormKeepsAnswers checks that leaving a form keeps all typed answers except secrets. If the form
// cannot be sent, secrets are kept too.
func TestFormKeepsAnswers(t *testing.T) {
	s := &survey{err: errors.New("the name is too short")}
	d := openSurvey(t, s, 80, 24)
	d.press("ctrl+u").typeText("bob").press("tab").typeText("sesame").press("tab", "tab", "space", "esc").wantNotShown("Survey")
	d.run(d.visit(item('0', "/survey"))).wantShown("[bob", "[ ] Write")
	d.wantNotShown("***")
	d.press("tab").typeText("sesame").press("ctrl+s").wantShown("the name is too short")
	d.wantShown("[******")
}

// TestFormAnew checks that a form whose proposals say what holds now does not propose earlier answers.
func TestFormAnew(t *testing.T) {
	d := openSurvey(t, &survey{isAnew: true}, 80, 24)
	d.press("ctrl+u").typeText("bob").press("esc")
	d.run(d.visit(item('0', "/survey"))).wantShown("Survey").wantNotShown("bob")
}

// TestLongForm checks that a form scrolls to the current field, and that keys scroll it by screens.
func TestLongForm(t *testing.T) {
	s := &survey{}
	for i := range 100 {
		s.fields = append(s.fields, protocols.Field{Label: fmt.Sprint("Note ", i), Input: protocols.InputNote}, protocols.Field{
			Label: fmt.Sprint("Field ", i), Input: protocols.InputCheck,
		})
	}
	d := openSurvey(t, s, 80, 24)
	d.wantShown("Note 0\n")
	for range 49 {
		d.press("down")
	}
	d.wantShown("field 50 of 100", "[ ] Field 49")
	d.press("pgdown", "pgdown", "space")
	if label := d.tab.Form().Label(); label == "Field 49" {
		t.Errorf("PgDn did not leave the field %s", label)
	} else {
		d.wantShown("[x] " + label)
	}
	d.press("pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown").wantShown("[ Send ]")
	d.press("pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup")
	d.wantShown("Survey\n")
}

func TestFormByMouse(t *testing.T) {
	s := &survey{}
	d := openSurvey(t, s, 80, 24)
	rows := strings.Split(d.screen(), "\n")
	click := func(text string) {
		y := slices.IndexFunc(rows, func(r string) bool { return strings.Contains(r, text) })
		d.send(tea.MouseClickMsg{X: 5, Y: y, Button: tea.MouseLeft})
	}
	click("[x] Write")
	d.wantShown("[ ] Write")
	click("Send ]")
	s.check(t, "", "annb", "", "first\nsecond", "0", "green", "")
}

// TestChangedForm checks that typed answers are not proposed if the fields of the form have
// changed.
func TestChangedForm(t *testing.T) {
	s := &survey{}
	d := openSurvey(t, s, 80, 24)
	d.typeText("my secret").press("esc")
	s.fields = slices.Clone(s.fields)
	s.fields[1].Label = "File"
	s.fields[1].Input = protocols.InputFile
	d.run(d.visit(item('0', "/survey"))).wantNotShown("my secret")
}
