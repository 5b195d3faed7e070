package ui

import (
	"strings"
	"testing"

	"gofer/protocols"
)

// TestQuestionNotInBar checks that the URL bar does not repeat the question of a page.
func TestQuestionNotInBar(t *testing.T) {
	for _, consent := range []protocols.Consent{0, protocols.ConsentPort} {
		w, u := library(), item('0', "/asks")
		w.addFailure(u, &protocols.Confirm{Question: "Open a session with h.example:23", Consent: consent, GiveConsent: func() {}})
		d := drive(t, w, Options{Start: u.String()}, 132, 43)
		if bar, _, _ := strings.Cut(d.screen(), "\n"); strings.TrimSpace(bar) != u.String() {
			t.Errorf("the bar is %q, want the URL only", bar)
		}
		d.wantShown("Open a session with h.example:23? (y/N)")
	}
}
