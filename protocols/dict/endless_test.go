package dict

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"gofer/internal/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// A list of words like it that holds none and does not end is given up.
func TestEndlessSuggestions(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		text := "220 hi <1@x>\r\n250 ok\r\n552 no match\r\n152 1 matches\r\n"
		for err == nil {
			_, err = io.WriteString(conn, text)
			text = strings.Repeat("\r\n", 1000)
		}
	}()
	u := fetchtest.Must(urlcore.Parse("dict://" + l.Addr().String() + "/d:word"))(t)
	_, err = new(Client).Fetch(t.Context(), u)
	if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Reason != protocols.NotThere || len(e.Lines) > 0 {
		t.Errorf("got %v, %+v", err, e)
	}
}
