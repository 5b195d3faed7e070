package ui

import (
	"context"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// described is a Note with a description and without columns.
type described string

func (n described) Row() protocols.Row              { return protocols.Row{Description: string(n)} }
func (described) Columns() []protocols.Column       { return nil }
func (described) Attributes() []protocols.Attribute { return nil }
func (described) Memory() int                       { return 0 }

// TestNarrowDescriptions checks that descriptions follow the texts on a narrow screen, unless there are columns.
func TestNarrowDescriptions(t *testing.T) {
	w, u := web{}, fetchtest.Parse(t, "gopher://h.example/1")
	w[u] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return protocols.NewPage(protocols.Head{URL: u, Layout: protocols.LayoutMenu},
			protocols.Line{Kind: protocols.Menu, Text: "labuser", Link: u, Note: described("Laura Labuser")},
			protocols.Line{Kind: protocols.Menu, Text: "columns", Link: u, Note: &fetchtest.Note{Place: "nowhere"}}), nil
	}
	drive(t, w, Options{Home: u}, 40, 12).wantShown("labuser  Laura Labuser").wantNotShown("nowhere")
	drive(t, w, Options{Home: u}, 80, 24).wantShown("labuser        ", "   Laura Labuser", "nowhere")
}

// TestNarrowLogin checks that a question for a login says on a narrow screen what it is about, with its note whole.
func TestNarrowLogin(t *testing.T) {
	w, u := web{}, fetchtest.Parse(t, "gopher://h.example/1")
	login := &protocols.Login{
		URL: u, Server: "directory.example:389", User: "uid=labuser,ou=people,dc=lab,dc=example", Note: "the user is an entry (uid=...,o=...) or user@domain", Failed: true,
		Text: "no such user", With: func(string, string) {},
	}
	w[u] = func(context.Context, protocols.Request) (*protocols.Resource, error) { return nil, login }
	drive(t, w, Options{Home: u}, 40, 12).wantShown(`directory.example:389: login failed`, `"uid=labuser`, "the user is an entry", "user@domain", `says: "no`, "Password:")
	drive(t, w, Options{Home: u}, 80, 24).wantShown(`directory.example:389: login failed `, `dc=example"; the user is an`)
}
