package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gofer/protocols"
)

func TestCredentialsDoNotPrintThePassword(t *testing.T) {
	c := NewCredentials("joe", "sesame")
	var l Logins
	l.Keep(Account{Addr: "h:21"}, c)
	for _, v := range []any{c, &c, []Credentials{c}, struct{ c Credentials }{c}, map[Credentials]bool{c: true}, &l, l.kept} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			got := fmt.Sprintf(verb, v)
			if strings.Contains(got, "sesame") || strings.Contains(got, fmt.Sprintf("%x", "sesame")) {
				t.Errorf("%s formats %T with its password: %s", verb, v, got)
			}
		}
	}
	if b, err := json.Marshal(c); err != nil || strings.Contains(string(b), "sesame") {
		t.Errorf("as JSON: %s, %v", b, err)
	}
	if got := c.String(); got != "joe:****" {
		t.Errorf("String() = %q, want joe:****", got)
	}
	if got := (Credentials{User: "joe"}).String(); got != "joe" {
		t.Errorf("without a password: String() = %q, want joe", got)
	}
}

func TestLogins(t *testing.T) {
	var l Logins
	who := Account{Scheme: "ftp", Addr: "h:21", User: "joe", HasUser: true}
	others := []Account{
		{},
		{"ftps", "h:21", "joe", true},
		{"ftp", "i:21", "joe", true},
		{"ftp", "h:21", "", true},
		{"ftp", "h:21", "joe", false},
	}
	login := protocols.Login{With: l.KeepFunc(who)}
	login.With("joe", "")
	got, ok := l.Get(who)
	if password, known := got.Password(); !ok || got != NewCredentials("joe", "") || !known || password != "" {
		t.Errorf("got %v, %v, want an empty password", got, ok)
	}
	for _, other := range others {
		if got, ok := l.Get(other); ok {
			t.Errorf("Get(%+v) = %v, want no credentials", other, got)
		}
	}
	old := got
	l.Keep(who, NewCredentials("joe", "new"))
	l.RecordRefusal(who, old)
	if got, _ := l.Get(who); got != NewCredentials("joe", "new") {
		t.Errorf("got %v, want the credentials that replaced the refused ones", got)
	}
	l.RecordRefusal(who, NewCredentials("joe", "new"))
	if got, ok := l.Get(who); ok {
		t.Errorf("got %v, want no refused credentials", got)
	}
	if got := l.LastRefused(who); got != NewCredentials("joe", "new") {
		t.Errorf("LastRefused() = %v, want the last refused credentials", got)
	}
	if _, known := l.LastRefused(others[0]).Password(); known {
		t.Error("got a refused password, want none")
	}
}

// TestKnowsUser checks which servers may know the user.
func TestKnowsUser(t *testing.T) {
	var l Logins
	l.HandOver("early:443", "later:443")
	l.Keep(Account{Scheme: "ftp", Addr: "kept:21"}, NewCredentials("joe", ""))
	l.Keep(Account{Scheme: "ftp", Addr: "anonymous:21"}, NewAnonymous("anonymous", ""))
	l.Try("form:443", NewCredentials("", "pw"))
	l.HandOver("form:443", "form2:443")
	l.HandOver("form2:443", "form3:443")
	l.RecordRefusal(Account{Addr: "refused:119"}, NewCredentials("joe", "pw"))
	l.Try("early:443", NewCredentials("", "pw"))
	for addr, want := range map[string]bool{
		"kept:21": true, "form:443": true, "form2:443": true, "form3:443": true, "refused:119": true, "early:443": true,
		"anonymous:21": false, "later:443": false, "other:21": false, "form:80": false, "": false,
	} {
		if got := l.KnowsUser(addr); got != want {
			t.Errorf("KnowsUser(%q) = %v, want %v", addr, got, want)
		}
	}
}
