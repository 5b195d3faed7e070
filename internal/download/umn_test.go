package download_test

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gofer/internal/download"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
	"gofer/protocols"
	"gofer/protocols/gopher"
)

// TestMirrorUMN mirrors a server with the selectors of UMN gopherd: they begin with
// the item type, "m", or the range of a message in a mail folder.
func TestMirrorUMN(t *testing.T) {
	s := fetchtest.Must(loopback.StartGopher(fstest.MapFS{}))(t)
	defer s.Close()
	host, port, _ := net.SplitHostPort(s.Addr())
	for selector, items := range map[string][]string{
		"1/":                 {"1Text\t1/text", "0Other\t0/other/x"},
		"1/text":             {"0A\t0/text/a", "9B\t9/text/b.bin", "1Below\t1/text/below", "1Mail\tm/text/mail", "0Other\t0/textual", "1Up\t1/", "1Here\t1/text"},
		"1/text/below":       {"0C\t0/text/below/c", "IPicture\tI/text/below/p.gif", "1Back\t1/text"},
		"m/text/mail":        {"0First\tR0-93-/text/mail", "0Second\tR93-200-/text/mail"},
		"0/text/a":           nil,
		"9/text/b.bin":       nil,
		"0/text/below/c":     nil,
		"I/text/below/p.gif": nil,
		"R0-93-/text/mail":   nil,
		"R93-200-/text/mail": nil,
	} {
		s.Handle(selector, func(conn net.Conn, _ string) {
			answer := "This is " + selector
			if items != nil {
				answer = strings.Join(items, "\t"+host+"\t"+port+"\r\n") + "\t" + host + "\t" + port + "\r\n.\r\n"
			}
			_, _ = conn.Write([]byte(answer))
		})
	}
	for _, tt := range []struct {
		url  string
		want map[string]string
	}{
		{"/11/text", map[string]string{
			"a": "0/text/a", "b.bin": "9/text/b.bin", "below/c": "0/text/below/c", "below/p.gif": "I/text/below/p.gif",
			"mail/0-93": "R0-93-/text/mail", "mail/93-200": "R93-200-/text/mail", "gophermap": "", "below/gophermap": "", "mail/gophermap": "",
		}},
		{"/1m/text/mail", map[string]string{"0-93": "R0-93-/text/mail", "93-200": "R93-200-/text/mail", "gophermap": ""}},
	} {
		t.Run(tt.url, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "saved")
			st := saveTree(t, &download.Manager{Fetcher: protocols.Registry{"gopher": &gopher.Client{}}, Delay: 1}, parse(t, "gopher://"+s.Addr()+tt.url), root)
			if st.Err != nil || len(st.Notes) > 0 {
				t.Errorf("%v, notes %q", st.Err, st.Notes)
			}
			var got []string
			_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				rel, _ := filepath.Rel(root, path)
				got = append(got, rel)
				b, err := os.ReadFile(path)
				if want := tt.want[rel]; want != "" && string(b) != "This is "+want {
					t.Errorf("%s holds %q (%v)", rel, b, err)
				}
				return nil
			})
			for rel := range tt.want {
				if !slices.Contains(got, rel) {
					t.Errorf("%s is not saved", rel)
				}
			}
			if len(got) != len(tt.want) {
				t.Errorf("saved %q", got)
			}
		})
	}
}
