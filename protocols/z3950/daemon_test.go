package z3950_test

import (
	"errors"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/protocols"
	"gofer/protocols/z3950"
	"gofer/urlcore"
)

func TestZtest(t *testing.T) {
	s := "z39.50s://" + realserver.Ztest(t).Addr + "/"
	fetchtest.RunWithoutFaults(t, fetchtest.Target{
		New: newClient,
		Pages: []fetchtest.Page{
			{URL: s + "Default", Lines: 7, Contains: []string{"Server: GFS/YAZ"}},
			{URL: s + "Default;search=any=45", Lines: 48, Contains: []string{"45 records match.", "How to program a computer", ";record=45"}},
			{URL: s + "Default;search=any=300", Lines: 104, Contains: []string{"First 100 of 300: "}},
			{URL: s + "Default?1", Media: "application/marc", Contains: []string{"Jack Collins"}},
			{URL: s + "Default;rs=xml;search=any=9;record=2", Media: "text/xml", Contains: []string{"MARC21/slim"}},
			{URL: s + "Default?1;rs=sutrs", Media: "text/plain", Contains: []string{"dummy SUTRS record"}},
			{URL: s + "Default?1;rs=grs-1+sutrs", Media: "text/plain"},
			{URL: s + "Default;scan=title=g", Lines: 4, Contains: []string{"GOPHER", ";search=title=GOPHER"}},
		},
		Missing: []string{s + "nowhere;search=x", s + "Default;search=any=3;record=4"},
	})
}

func allBooks() (octets []byte) {
	for _, b := range demo.Books() {
		octets = append(octets, b.MARC()...)
	}
	return octets
}

func TestZebra(t *testing.T) {
	addr := realserver.ZebraWith(t, allBooks(), false).Addr
	s, record := "z39.50s://"+addr+"/books", "z39.50r://"+addr+"/books?"
	fetchtest.RunWithoutFaults(t, fetchtest.Target{
		New: newClient,
		Pages: []fetchtest.Page{
			{URL: s + ";search=verne", Lines: 5, Contains: []string{"2 records match.", "Vingt mille lieues", record + "b002"}},
			{URL: s + ";search=title=%22moby%20dick%22&author=melville", Lines: 4, Contains: []string{"1 record matches.", record + "b001"}},
			// Zebra has the octets of MARC-8 in its index, and takes them for Latin-1 in its answers.
			{URL: s + ";search=title=mis%C3%A9rables", Lines: 4, Contains: []string{"1 record matches.", record + "b003"}},
			{URL: s + ";search=title=mis%C3%A2erables", Lines: 4, Contains: []string{"1 record matches.", record + "b003"}},
			{URL: s + ";scan=author=darwin", Lines: 20, Contains: []string{"Darwin", ";search=author=defoe"}},
			{URL: record + "b003", Media: "application/marc", Contains: []string{"mis\xe2erables"}},
			{URL: record + "b003;rs=grs-1", Media: "text/plain", Contains: []string{"datafield:\n  subfield: Hugo, Victor"}},
			{URL: record + "b003;rs=xml", Media: "text/xml", Contains: []string{"Hugo, Victor"}},
		},
		Missing:  []string{s + "x;search=x", record + "b999"},
		WalkFrom: []string{s + ";search=verne", s + ";scan=author=darwin"},
		// The database has no ISBN.
		MayFail: func(u urlcore.URL) bool { return strings.Contains(u.String(), "isbn=") },
	})
}

// TestLogin checks that a session with the right login is opened, and that the question says whether a login was refused.
func TestLogin(t *testing.T) {
	loopback := startServer(t)
	loopback.RequireLogin("labuser", "secret words")
	for name, server := range map[string]func(*testing.T) (addr, user, password string){
		"loopback": func(*testing.T) (string, string, string) { return loopback.Addr(), "labuser", "secret words" },
		"zebra": func(t *testing.T) (string, string, string) {
			s := realserver.ZebraWith(t, allBooks(), true)
			return s.Addr, s.User, s.Password
		},
	} {
		t.Run(name, func(t *testing.T) {
			addr, user, password := server(t)
			client := &z3950.Client{PlainPasswords: true}
			defer client.Close()
			req := protocols.Request{URL: fetchtest.Parse(t, "z39.50r://"+addr+"/books?b001")}
			for _, password := range []string{"", "wrong words", password} {
				_, err := client.Fetch(t.Context(), req)
				login, ok := errors.AsType[*protocols.Login](err)
				if !ok {
					t.Fatalf("before the password %q: got %v, want the question for a login", password, err)
				}
				fetchtest.Equal(t, login.Failed, password != "", "the question before the password %q", password)
				if name == "loopback" {
					fetchtest.Equal(t, login.Text, "a login of the library is needed", "the words of the server")
				}
				login.With(user, password)
			}
			fetchtest.NoError(t, fetchtest.Drain(t.Context(), client, req))
			asking := new(z3950.Client)
			_, err := asking.Fetch(t.Context(), req)
			login, _ := errors.AsType[*protocols.Login](err)
			login.With(user, password)
			if _, err = asking.Fetch(t.Context(), req); protocols.QuestionOf(err) == nil {
				t.Errorf("a password in the clear without consent: got %v, want a question", err)
			}
		})
	}
}
