package gemini_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/protocols/gemini"
)

// TestSecretRepeated checks that errors and questions do not show sensitive input that the server repeats,
// unchanged or escaped.
func TestSecretRepeated(t *testing.T) {
	for _, code := range []string{"59", "10", "11", "5x", "5x" + strings.Repeat("x", 76)} { // the last one is cut in the input
		addr := serveTLS(t, func(request string) string {
			if _, query, ok := strings.Cut(request, "?"); ok {
				return code + " not open sesame, " + query
			}
			return "11 Password"
		})
		c := new(gemini.Client)
		_, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, "gemini://"+addr+"/")})
		ask, ok := errors.AsType[*protocols.Ask](err)
		if !ok {
			t.Fatalf("Fetch: got %v; want an Ask", err)
		}
		u := fetchtest.Must(ask.With([]string{"open sesame"}))(t)
		transcript := new(protocols.Transcript)
		_, err = c.Fetch(protocols.WithTranscript(t.Context(), transcript), protocols.Request{URL: u})
		text := ""
		if ask, ok := errors.AsType[*protocols.Ask](err); ok {
			text = ask.Fields[0].ServerLabel
		} else if e, ok := errors.AsType[*protocols.Error](err); ok {
			text = e.Text
		}
		if text = strings.TrimLeft(strings.TrimPrefix(text, "5x"), "x "); text != "not ****, ****" {
			t.Errorf("status %s: got the text %q, %v; want the input masked", code, text, err)
		}
		if first, _, _ := transcript.Lines(); len(first) == 0 || strings.Contains(fmt.Sprint(first), "sesame") {
			t.Errorf("status %s: got the transcript %v; want it without the input", code, first)
		}
		if _, err = c.Fetch(t.Context(), protocols.Request{URL: u}); code != "10" && code != "11" {
			continue
		}
		if ask, ok := errors.AsType[*protocols.Ask](err); !ok ||
			ask.Fields[0].ServerLabel != "Password" { // input that the server has refused is not sent again
			t.Errorf("status %s, next fetch: got %v, %+v; want an Ask for the password", code, err, ask)
		}
	}
}
