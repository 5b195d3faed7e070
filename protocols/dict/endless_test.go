package dict

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestEndlessSuggestions checks that the reading of an endless list without a valid word stops.
func TestEndlessSuggestions(t *testing.T) {
	addr := fetchtest.Serve(t, func(conn net.Conn) {
		_, err := io.WriteString(conn, "220 hi <1@x>\r\n250 ok\r\n552 no match\r\n152 1 matches\r\n")
		for err == nil {
			_, err = io.WriteString(conn, strings.Repeat("\r\n", 1000))
		}
	})
	_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "dict://"+addr+"/d:word")})
	if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Reason != protocols.NotFound || len(e.Lines) > 0 {
		t.Errorf("got %v, %+v; want reason NotFound and no lines", err, e)
	}
}
