package cli

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestErrorHint checks the advice for questions of servers. No advice asks for a password in a URL.
func TestErrorHint(t *testing.T) {
	with := func(answers []string) (urlcore.URL, error) {
		return urlcore.Generic{Name: "memo", Rest: "//h/?" + answers[0]}, nil
	}
	words, secret := protocols.Field{Label: "Words"}, protocols.Field{Label: "Key", Input: protocols.InputSecret}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&protocols.Login{Server: "h:21"}, "gofer: h:21 requires a login; use gofer URL to answer on the screen\n"},
		{
			&protocols.Login{Server: "h:21", Failed: true, Text: "530 no\x1b"},
			"gofer: login failed at h:21: h says: \"530 no␛\"; use gofer URL to answer on the screen\n",
		},
		{
			&protocols.Ask{Title: "Form", Fields: []protocols.Field{words}, IsForm: true, With: with},
			"gofer: input needed: Form" + answerAdvice + "\n",
		},
		{
			&protocols.Ask{Title: "Find", Fields: []protocols.Field{words}, With: with},
			"gofer: input needed: Find; add the words to the URL (memo://h/?words), or use gofer URL to answer on the screen\n",
		},
		{
			&protocols.Ask{Title: "Database", Fields: []protocols.Field{{Label: "Database", Value: "Default"}}, With: with},
			"gofer: input needed: Database; add the answer to the URL (memo://h/?Default), or use gofer URL to answer on the screen\n",
		},
		{
			&protocols.Ask{Title: "Find", Server: "h:1", Fields: []protocols.Field{{Label: "Words", ServerLabel: "Your\x1b name"}}, With: with},
			"gofer: input needed: Find: h says: \"Your␛ name\"; add the words to the URL " +
				"(memo://h/?words), or use gofer URL to answer on the screen\n",
		},
		{
			&protocols.Ask{
				Title: "Enter", Server: "h:1",
				Fields: []protocols.Field{{Label: "Key", ServerLabel: "The PIN", Input: protocols.InputSecret}},
				With:   with,
			},
			"gofer: input needed: Enter: h says: \"The PIN\"; use gofer URL to answer on the screen\n",
		},
		{
			&protocols.Ask{Title: "Find", Fields: []protocols.Field{words, words}, With: with},
			"gofer: input needed: Find; use gofer URL to answer on the screen\n",
		},
		{
			&protocols.Ask{Title: "Enter", Fields: []protocols.Field{secret}, With: with},
			"gofer: input needed: Enter; use gofer URL to answer on the screen\n",
		},
	} {
		fetchtest.Equal(t, errorText(tt.err), tt.want)
	}
}

// TestErrorTextExplainsScheme checks that only the error for an unknown scheme is followed by an
// explanation of the scheme.
func TestErrorTextExplainsScheme(t *testing.T) {
	err := &protocols.Error{
		Reason: protocols.Unsupported, Op: "open afs://h/a",
		Lines: []protocols.Line{{}, {Text: "It names\ta file."}, {Text: "Opened by mount."}},
	}
	fetchtest.Equal(t, errorText(err), "gofer: could not open afs://h/a: not supported\nIt names a file.\nOpened by mount.\n")
	err.Reason = protocols.NotFound
	fetchtest.NotContains(t, errorText(err), "It names")
}

// TestErrorTextLeftOut checks that no caret is drawn for the URL error of an item that was left out.
func TestErrorTextLeftOut(t *testing.T) {
	err := &mirror.PartialError{
		LeftOut: []mirror.LeftOut{{Path: "a\nb", Err: &urlcore.Error{Input: "a\nb", Offset: 1}}}, Total: 2,
		Verb: "stored",
	}
	fetchtest.Equal(t, errorText(err), "gofer: 1 of 2 items were not stored\n")
}

// TestSuggestScheme checks that a misspelled scheme is corrected, if gofer cannot open the URL.
func TestSuggestScheme(t *testing.T) {
	unsupported := &protocols.Error{Reason: protocols.Unsupported, Op: "open URL"}
	for _, tt := range []struct {
		err       error
		arg, want string
	}{
		{unsupported, "htp://h/a", "did you mean http://h/a?"},
		{unsupported, "fpt://joe:secret@h/a", "did you mean ftp://joe@h/a?"},
		{unsupported, "afs://h/a", ""},
		{&protocols.Error{Reason: protocols.NotFound, Op: "open URL"}, "htp://h/a", ""},
	} {
		if got := errorText(tt.err, "dump", tt.arg); strings.Contains(got, "did you mean") != (tt.want != "") || !strings.Contains(got, tt.want) {
			t.Errorf("errorText for %s = %q, want %q", tt.arg, got, tt.want)
		}
	}
}

// TestErrorTextPassword checks that a password in a quoted URL is masked, and that URLs without a
// password are unchanged.
func TestErrorTextPassword(t *testing.T) {
	for _, tt := range []struct{ arg, want string }{
		{"gopher://127.0.0.1:7070/00ftp:127.0.0.1@/pub/nosuch.txt", "gopher://127.0.0.1:7070/00ftp:127.0.0.1@/pub/nosuch.txt"},
		{"127.0.0.1:7070/00ftp:127.0.0.1@/pub/nosuch.txt", "127.0.0.1:7070/00ftp:127.0.0.1@/pub/nosuch.txt"},
		{"ftp://joe:sesame@h/a:b@c", "ftp://joe:******@h/a:b@c"},
		{"ftp://joe:ses ame@h/x", "ftp://joe:*******@h/x"},
		{"joe:sesame@h/x", "joe:******@h/x"},
		{"ftp://joe:ses\x1bame@h/x", "ftp://joe:*******@h/x"},
	} {
		err := &protocols.Error{Reason: protocols.NotFound, Op: "open " + tt.arg}
		fetchtest.Equal(t, errorText(err, "dump", tt.arg), "gofer: could not open "+tt.want+": not found\n", "%s", tt.arg)
	}
}
