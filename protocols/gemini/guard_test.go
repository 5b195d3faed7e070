package gemini_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http/httptest"
	"testing"

	"gofer/protocols"
	"gofer/protocols/gemini"
	"gofer/urlcore"
)

// guard asks before anything is sent to a port.
type guard uint16

func (g guard) Fetch(_ context.Context, u urlcore.URL) (*protocols.Resource, error) {
	if h, ok := u.(urlcore.HTTP); !ok || h.Port != uint16(g) {
		return nil, nil
	}
	return nil, &protocols.Confirm{URL: u, Consent: protocols.ConsentPort}
}

func TestGuard(t *testing.T) {
	certificate := httptest.NewTLSServer(nil)
	t.Cleanup(certificate.Close)
	l, err := tls.Listen("tcp", "127.0.0.1:0", certificate.TLS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(c).ReadString('\n')
			_, _ = io.WriteString(c, "31 gemini://127.0.0.1:25/\r\n")
			_ = c.Close()
		}
	}()
	r := protocols.Registry{"gemini": new(gemini.Client), protocols.Guard: guard(25)}
	_, err = r.Fetch(t.Context(), parse(t, "gemini://"+l.Addr().String()+"/"))
	var confirm *protocols.Confirm
	if !errors.As(err, &confirm) || confirm.Consent != protocols.ConsentPort {
		t.Errorf("got %v, want a question", err)
	}
}
