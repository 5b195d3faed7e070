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

func TestReplayListing(t *testing.T) {
	s := startServer(t)
	s.SetDirectory("AFTP/pub", archive)
	got, err := showURL(t, new(Client), s.URL("AFTP/pub"))
	want := `text "hello.txt" ftp://localhost/pub/hello.txt;type=i` + "\n" +
		`menu "gopherlink" gopher://localhost:7070/11/` + "\n"
	if got != want || err != nil {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	got, err = showURL(t, new(Client), s.URL("AFTP/pub/hello.txt"))
	want = `info "The Prospero server does not send this object itself. It is available at:"` + "\n" +
		`text "ftp://localhost/pub/hello.txt;type=i" ftp://localhost/pub/hello.txt;type=i` + "\ninfo \"\"\n" +
		`header "Size: 12 bytes"` + "\n" + `header "Last-modified: 20261121052759Z"` + "\n"
	if got != want || err != nil {
		t.Errorf("the file by its directory: got %s, %v\nwant %s", got, err, want)
	}
	if _, err = showURL(t, new(Client), s.URL("AFTP/pub/none")); protocols.ReasonOf(err) != protocols.NotFound {
		t.Errorf("got %v, want the reason NotFound", err)
	}
}
