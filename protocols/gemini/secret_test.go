package gemini_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"gofer/internal/fetchtest"
	"gofer/protocols"
	"gofer/protocols/gemini"
)

// TestSecretRepeated starts a server that repeats sensitive input, raw and escaped, in
// refusals and questions: neither shows the input.
func TestSecretRepeated(t *testing.T) {
	web := httptest.NewTLSServer(nil)
	defer web.Close()
	config := &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}
	for _, code := range []string{"59", "10", "11"} {
		addr := fetchtest.Serve(t, func(conn net.Conn) {
			c := tls.Server(conn, config)
			line, _ := bufio.NewReader(c).ReadString('\n')
			_, query, ok := strings.Cut(strings.TrimSpace(line), "?")
			answer := "11 Password"
			if ok {
				answer = code + " not open sesame, " + query
			}
			_, _ = io.WriteString(c, answer+"\r\n")
			_ = c.Close()
		})
		c := new(gemini.Client)
		_, err := c.Fetch(t.Context(), parse(t, "gemini://"+addr+"/"))
		ask, ok := errors.AsType[*protocols.Ask](err)
		if !ok {
			t.Fatalf("got %v, want a question", err)
		}
		_, err = c.Fetch(t.Context(), fetchtest.Must(ask.With([]string{"open sesame"}))(t))
		text := ""
		if ask, ok := errors.AsType[*protocols.Ask](err); ok {
			text = ask.Fields[0].Said
		} else if e, ok := errors.AsType[*protocols.Error](err); ok {
			text = e.Text
		}
		if text != "not ****, ****" {
			t.Errorf("%s: got %q, %v", code, text, err)
		}
	}
}
