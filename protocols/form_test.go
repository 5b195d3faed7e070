package protocols_test

import (
	"reflect"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestFormURL(t *testing.T) {
	action := fetchtest.Must(urlcore.Parse("https://h.example:8080/a%3Fb?c=d%25&e"))(t)
	f := &protocols.Form{
		Title: "Ä \"title\" 100%", Action: action, Post: true,
		Fields: []protocols.FormField{{
			Name: "a", Label: "A <b>\n", Input: protocols.InputChoice, Choices: []string{"x\x00", "ÿ"},
			Values: []string{"1", "?#&"},
		}},
	}
	u := f.URL()
	fetchtest.CheckCanonical(t, u)
	got, err := protocols.ParseForm(u)
	if err != nil || !reflect.DeepEqual(got, f) {
		t.Errorf("ParseForm(%s) = %+v, %v; want %+v", u, got, err, f)
	}
	f.Title = strings.Repeat("x", 1<<20)
	if u := f.URL(); u != nil {
		t.Errorf("URL of a form of 1 MB has %d octets; want nil", len(u.String()))
	}
}

func FuzzParseForm(f *testing.F) {
	f.Add("http://h/?{}")
	f.Add("sent/1/http://h/")
	f.Add("http://h/%3Fx?%7B%22f%22:[%7B%22n%22:%22a%22%7D]%7D")
	f.Fuzz(func(t *testing.T, rest string) {
		u, err := urlcore.Canon(urlcore.Generic{Name: "form", Rest: rest})
		if err != nil {
			return
		}
		form, err := protocols.ParseForm(u)
		if err != nil {
			return
		}
		if again := form.URL(); again != nil {
			if _, err := protocols.ParseForm(again); err != nil {
				t.Errorf("ParseForm(%s), a URL made by Form.URL: %v", again, err)
			}
		}
	})
}

// TestFormWithUnknownInput checks that a form with an unknown kind of input is refused.
func TestFormWithUnknownInput(t *testing.T) {
	for input, ok := range map[string]bool{"6": true, "7": false, "255": false, "-1": false, "256": false} {
		u := fetchtest.Must(urlcore.Parse(`form:http://h.example/?{%22f%22:[{%22n%22:%22a%22,%22i%22:` + input + `}]}`))(t)
		if _, err := protocols.ParseForm(u); (err == nil) != ok {
			t.Errorf("ParseForm of a field with input %s: got error %v; want success: %v", input, err, ok)
		}
	}
}
