package gemini_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/protocols/gemini"
	"gofer/urlcore"
)

// guard is a [protocols.Guard]. It asks the user before a request to a port. The type of
// gemini: URLs is [urlcore.HTTP].
type guard uint16

func (g guard) Allow(_ context.Context, req protocols.Request, _ bool) error {
	if h, ok := req.URL.(urlcore.HTTP); !ok || h.Port != uint16(g) {
		return nil
	}
	return &protocols.Confirm{URL: req.URL, Consent: protocols.ConsentPort}
}

func TestGuard(t *testing.T) {
	addr := serveTLS(t, func(string) string { return "31 gemini://127.0.0.1:25/" })
	r := &protocols.Guarded{Registry: protocols.Registry{"gemini": new(gemini.Client)}, Guard: guard(25)}
	_, err := r.Fetch(t.Context(), protocols.Request{URL: parse(t, "gemini://"+addr+"/")})
	if confirm, ok := errors.AsType[*protocols.Confirm](err); !ok || confirm.Consent != protocols.ConsentPort {
		t.Errorf("redirect to port 25: got %v; want a Confirm about the port", err)
	}
}

// TestUploadOfLines checks that several lines of text are sent if the user typed the lines. A link must not
// send several lines.
func TestUploadOfLines(t *testing.T) {
	received := make(chan string, 10)
	at := "spartan://" + fetchtest.Serve(t, func(c net.Conn) {
		line, _ := bufio.NewReader(c).ReadString('\n')
		received <- line
		answer := "2 text/plain\r\n"
		if strings.Contains(line, "/lead") {
			answer = "3 /x?a%0AQUIT\r\n"
		}
		_, _ = io.WriteString(c, answer)
	})
	c := new(gemini.Client)
	var confirm *protocols.Confirm
	for url, requests := range map[string]int{at + "/x?a%0D%0AQUIT": 0, at + "/lead": 1} {
		if _, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, url)}); !errors.As(err, &confirm) || len(received) != requests {
			t.Errorf("Fetch(%s): got %v after %d requests; want a Confirm after %d", url, err, len(received), requests)
		}
		for range requests {
			<-received
		}
	}
	confirm.GiveConsent()
	var ask *protocols.Ask
	if _, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, at+"/x?")}); !errors.As(err, &ask) {
		t.Fatalf("Fetch with an empty query: got %v; want an Ask", err)
	}
	typed := fetchtest.Must(ask.With([]string{"a\nb"}))(t)
	for _, u := range []urlcore.URL{confirm.URL, typed, parse(t, at+"/x?a%20b")} {
		res, err := c.Fetch(t.Context(), protocols.Request{URL: u})
		fetchtest.NoError(t, err, "%s", u)
		_ = res.Close()
	}
}
