package restrict

import (
	"context"
	"errors"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestServers(t *testing.T) {
	for text, tests := range map[string]map[string]bool{
		"h.example.org": {"h.example.org:70": true, "H.Example.ORG.:7070": true, "x.h.example.org:70": false, "example.org:70": false},
		"h:70":          {"h:70": true, "h:7070": false, "h:0": false},
		"*.example.org": {
			"a.example.org:1": true, "a.b.example.org:1": true, "example.org:1": false, "badexample.org:1": false,
			"127.0.0.1:1": false,
		},
		"*.example.org:70":  {"a.example.org:70": true, "a.example.org:71": false},
		"*:70":              {"h:70": true, "[::1]:70": true, "h:71": false},
		"*":                 {"h:1": true, "h": false},
		"[::1]:70":          {"[::1]:70": true, "[0:0::1]:70": true, "[::2]:70": false},
		"::1":               {"[::1]:70": true},
		"127.0.0.1":         {"127.0.0.1:70": true, "127.0.0.10:70": false, "0127.0.0.1:70": false},
		"sub.Example.Org.":  {"sub.example.org:70": true},
		"*.co":              {"h.co:1": true, "co:1": false},
		"xn--bcher-kva.org": {"xn--bcher-kva.org:70": true},
	} {
		var s ServerPattern
		if err := s.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("UnmarshalText(%q) = %v", text, err)
		}
		written, _ := s.MarshalText()
		var again ServerPattern
		if err := again.UnmarshalText(written); err != nil || again != s {
			t.Errorf("MarshalText of %q = %q, which is read as %v, %v; want %v", text, written, again, err, s)
		}
		for addr, want := range tests {
			fetchtest.Equal(t, s.matches(addr), want, "%q matches %q", text, addr)
		}
	}
	for _, text := range []string{"", ":70", "h:", "h:0", "h:x", "h:70:70", "*x.org", "a.*.org", "*.", "**", "gopher://h/", "h o"} {
		if err := new(ServerPattern).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("UnmarshalText(%q) returned no error", text)
		}
	}
	if (ServerPattern{}).matches("h:70") || DenyAllRules().Allow[0].matches(":0") {
		t.Error("the zero ServerPattern, or the pattern of DenyAllRules, matches a server")
	}
}

type fetcher func(urlcore.URL) error

func (f fetcher) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	return nil, f(req.URL)
}

// TestRefusals checks which URLs and questions a Guard and a RestrictedFetcher refuse together.
func TestRefusals(t *testing.T) {
	gopher := urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h"}, Type: '1', Selector: "/a"}
	filled, form := gopher, gopher
	filled.Plus, filled.HasPlus = "+\t1\r\n+-1\r\na\r\n.\r\n", true
	form.Plus, form.HasPlus = "?", true
	search := gopher
	search.Type = '7'
	parse := func(s string) urlcore.URL {
		return fetchtest.Must(urlcore.Parse(s))(t)
	}
	webForm := func(f protocols.Form) urlcore.URL {
		f.Action = parse("http://h/")
		return f.URL()
	}
	file := []protocols.Field{{Label: "a"}, {Label: "b", Input: protocols.InputFile}}
	rules := Rules{Enabled: true, Allow: []ServerPattern{{host: "h"}}}
	for _, tt := range []struct {
		name string
		u    urlcore.URL
		err  error
		deny bool
	}{
		{"a menu", gopher, nil, false},
		{"a search", search, &protocols.Ask{URL: search, Fields: file[:1]}, false},
		{"an upload", gopher, &protocols.Ask{URL: gopher, Fields: file}, true},
		{"a form", form, &protocols.Ask{URL: form, Fields: file[:1]}, true},
		{"a filled-in form", filled, nil, true},
		{"a program", gopher, &protocols.Handoff{URL: gopher, Argv: []string{"sh"}}, true},
		{"a program, wrapped", gopher, errors.Join(errors.New("a"), &protocols.Handoff{URL: gopher}), true},
		{"another server", parse("gopher://i/"), nil, true},
		{"another server of another scheme", parse("x-other://i:7070/"), nil, true},
		{"a web page", parse("http://h/?q=a"), nil, false},
		{"spartan", parse("spartan://h/?a"), nil, true},
		{"titan", parse("titan://h/a"), nil, true},
		{"spartan's question", parse("spartan://h/?"), &protocols.Ask{URL: parse("spartan://h/?"), Fields: file[:1]}, true},
		{"a form to search with", webForm(protocols.Form{Fields: []protocols.FormField{{Name: "q"}}}), nil, false},
		{"a form to send", webForm(protocols.Form{Post: true, Fields: []protocols.FormField{{Name: "q"}}}), nil, true},
		{"a form with a file", webForm(protocols.Form{Fields: []protocols.FormField{{Name: "q", Input: protocols.InputFile}}}), nil, true},
		{"no form", urlcore.Generic{Name: "form", Rest: "http://h/?x"}, nil, true},
		{"one of gofer's own", parse("about:home"), nil, false},
	} {
		r := &protocols.Guarded{
			Registry: protocols.Registry{tt.u.Scheme(): RestrictedFetcher{fetcher(func(urlcore.URL) error { return tt.err })}},
			Guard:    Guard{rules, fetchtest.GuardFunc(func(urlcore.URL) error { return nil })},
		}
		_, err := r.Fetch(t.Context(), protocols.Request{URL: tt.u})
		fetchtest.Equal(t, protocols.ReasonOf(err) == protocols.Denied, tt.deny, "%s: refused (%v)", tt.name, err)
		if err := r.Put(t.Context(), tt.u, &protocols.Upload{}); err == nil {
			t.Errorf("%s: Put succeeded", tt.name)
		}
		if _, err := r.Resume(t.Context(), protocols.Request{URL: tt.u, Offset: 1}); err == nil {
			t.Errorf("%s: Resume succeeded", tt.name)
		}
	}
	// A Guard returns the questions of Next.
	ask := &protocols.Confirm{Question: "a"}
	fetchtest.ErrorIs(t, (Guard{
		rules, fetchtest.GuardFunc(func(urlcore.URL) error { return ask }),
	}).Allow(t.Context(), protocols.Request{URL: gopher}, false), error(ask), "the question of Next")
	fetchtest.NoError(t, (&Rules{Allow: rules.Allow}).CheckServer("i:70"), "not enabled")
}
