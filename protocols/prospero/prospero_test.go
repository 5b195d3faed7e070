package prospero

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

func startServer(t *testing.T) *demo.ProsperoServer {
	t.Helper()
	return fetchtest.CloseAtEnd(demo.StartProspero())(t)
}

// showURL fetches s and formats the result.
func showURL(t *testing.T, c *Client, s string) (string, error) {
	t.Helper()
	u := fetchtest.Parse(t, s)
	res, err := c.Fetch(t.Context(), protocols.Request{URL: u})
	if err != nil {
		return "", err
	}
	defer res.Close()
	if res.Body != nil {
		b, err := io.ReadAll(res.Body)
		return string(b), err
	}
	var b strings.Builder
	for l, err := range res.Lines {
		if err != nil {
			return b.String(), err
		}
		fmt.Fprintf(&b, "%s %q", l.Kind, l.Text)
		if l.Link != nil {
			fmt.Fprintf(&b, " %s", l.Link)
		}
		if n, ok := l.Note.(*note); ok && n.description != "" {
			fmt.Fprintf(&b, " [%s]", n.description)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// archive is a listing of an original server.
const archive = "LINK  L FILE hello.txt INTERNET-D LOCALHOST ASCII AFTP'/pub/hello.txt' 0\n" +
	"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 12' bytes'\n" +
	"ATTRIBUTE OBJECT INTRINSIC LAST-MODIFIED SEQUENCE 20261121052759Z\n" +
	"ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\n" +
	"ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE AFTP INTERNET-D LOCALHOST ASCII '/pub/hello.txt' BINARY\n" +
	"LINK  L EXTERNAL gopherlink INTERNET-D localhost(7070) ASCII 1'/' 0\n" +
	"ATTRIBUTE CACHED FIELD ACCESS-METHOD GOPHER INTERNET-D localhost(7070) ASCII 1'/' 1\n"
