package gemini_test

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/protocols/gemini"
)

// TestUnmarkedEnd cuts a Gemini answer without close_notify after each octet. No answer is complete.
func TestUnmarkedEnd(t *testing.T) {
	config, _ := fetchtest.NewSelfSigned(t)
	head, body := "20 text/plain\r\n", "one\r\ntwo\r\n"
	for cut := range len(head+body) + 1 {
		addr := fetchtest.ServeUnmarked(t, config, (head + body)[:cut])
		c := &gemini.Client{}
		c.Dialer.TLS.Pins = pins{}
		_, _, got, err := fetchtest.Collect(t.Context(), c, parse(t, "gemini://"+addr+"/a"))
		want := protocols.EndUnmarked
		if cut < len(head) {
			want = protocols.Broken
		}
		fetchtest.Reason(t, err, want, "cut after %d octets", cut)
		fetchtest.Equal(t, got, body[:max(cut-len(head), 0)], "octets before the end")
		c.Dialer.TLS.Ends = fetchtest.TrustEnds(func(string) bool { return true })
		if _, _, _, err := fetchtest.Collect(t.Context(), c, parse(t, "gemini://"+addr+"/a")); cut >= len(head) && err != nil {
			t.Errorf("from a trusted server, cut after %d octets: %v", cut, err)
		}
	}
	for _, answer := range []string{"51 none\r\n", "30 /b\r\n", "10 words\r\n"} { // answers without a body
		c := &gemini.Client{}
		c.Dialer.TLS.Pins = pins{}
		_, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, "gemini://"+fetchtest.ServeUnmarked(t, config, answer)+"/a")})
		if err == nil || strings.Contains(err.Error(), protocols.EndUnmarked.String()) {
			t.Errorf("the answer %q: got the error %v", answer, err)
		}
	}
}

// TestReset checks that a Spartan answer that ends with a reset is not complete.
func TestReset(t *testing.T) {
	addr := fetchtest.ServeUnmarked(t, nil, "2 text/plain\r\none\r\n")
	_, _, _, err := fetchtest.Collect(t.Context(), new(gemini.Client), parse(t, "spartan://"+addr+"/a"))
	fetchtest.Reason(t, err, protocols.Broken)
}
