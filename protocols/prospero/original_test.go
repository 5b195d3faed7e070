package prospero

import (
	"slices"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

func startOriginal(t *testing.T) *demo.ProsperoServer {
	t.Helper()
	return fetchtest.CloseAtEnd(demo.StartOriginalProspero())(t)
}

// TestFilesOfFTP checks that a link to a file with access by FTP leads to this file. The original
// server would crash if it were asked for the contents.
func TestFilesOfFTP(t *testing.T) {
	s := startOriginal(t)
	fetchtest.Returns(t, "text \"hello.txt\" ftp://ftp.example/pub/hello.txt;type=i\n")(showURL(t, new(Client), s.URL("AFTP/pub")))
	got, err := showURL(t, new(Client), s.URL("AFTP/pub/hello.txt"))
	fetchtest.NoError(t, err)
	fetchtest.Contains(t, got, "text \"ftp://ftp.example/pub/hello.txt;type=i\"")
	if i := slices.IndexFunc(s.Requests(), func(r string) bool { return strings.Contains(r, "CONTENTS") }); i >= 0 {
		t.Errorf("Fetch sent %q, want no request for CONTENTS", s.Requests()[i])
	}
	for _, step := range fetchtest.Must(new(Client).Plan(parse(t, s.URL("AFTP/pub/hello.txt"))))(t) {
		if strings.Contains(step.Send, "CONTENTS") {
			t.Errorf("Plan returns %q, want no request for CONTENTS", step.Send)
		}
	}
}

func TestGopherGateway(t *testing.T) {
	want := "info \"Welcome\"\nsearch \"Search\" gopher://gopher.example/7/find\n"
	fetchtest.Returns(t, want)(showURL(t, new(Client), startOriginal(t).URL("GOPHER-GW/gopher.example(70)/1/")))
	for name, want := range map[string]string{
		"GOPHER-GW/h(7070)/7/": "gopher://h:7070/7", "GOPHER-GW/H/0/a/b": "gopher://h/0a/b",
		"GOPHER-GW/h(0)/7/x": "", "GOPHER-GW/h/77/x": "", "GOPHER-GW/h/7": "", "WAIS-GW/h/7/x": "", "": "",
	} {
		got := ""
		if u, ok := gatewayItem(name); ok {
			got = u.String()
		}
		fetchtest.Equal(t, got, want, "gatewayItem(%q)", name)
	}
}

// TestWarningOfEmptyDirectory checks that a warning in an empty directory becomes a note and not an
// error.
func TestWarningOfEmptyDirectory(t *testing.T) {
	s := startOriginal(t)
	const warning = "WARNING MESSAGE 'slow today'\n"
	s.SetDirectory("after", "NONE-FOUND\n"+warning)
	s.SetDirectory("typed", "WARNING OUT-OF-DATE\n")
	s.SetDirectory("both", warning+warning+link1)
	for url, want := range map[string]string{"warned": "Encountered gopher link to CSO nameserver", "after": "slow today", "typed": "OUT-OF-DATE"} {
		res, lines, err := fetchtest.CollectLines(t.Context(), t, new(Client), protocols.Request{URL: parse(t, s.URL(url))})
		if err != nil || len(lines) > 0 || !slices.Equal(res.Notes, []string{want}) {
			t.Errorf("%s: got the lines %v, the notes %q, %v; want no lines and the note %q", url, lines, res.Notes, err, want)
		}
	}
	s.SetDirectory("endless", strings.Repeat(warning, 2*maxLeading)+"'")
	res, err := new(Client).Fetch(t.Context(), protocols.Request{URL: parse(t, s.URL("endless"))})
	fetchtest.NoError(t, err, "a directory without end before its first entry")
	_ = res.Close()
	const failure = "failure \"slow today\"\n"
	fetchtest.Returns(t, failure+failure+"other \"one\" [not readable]\n")(showURL(t, new(Client), s.URL("both")))
}

// TestInvisibleLinks checks that the note of an invisible link hides its line.
func TestInvisibleLinks(t *testing.T) {
	_, lines, err := fetchtest.CollectLines(t.Context(), t, new(Client), protocols.Request{URL: parse(t, startOriginal(t).URL("hidden"))})
	fetchtest.NoError(t, err)
	var hidden []string
	for _, l := range lines {
		if ok, _ := protocols.IsHiddenLine(&l); ok {
			hidden = append(hidden, l.Text)
		}
	}
	if len(lines) != 2 || !slices.Equal(hidden, []string{"unseen"}) {
		t.Errorf("got %d lines, hidden: %q; want 2, hidden: \"unseen\"", len(lines), hidden)
	}
}

// TestDirectoryInDirectory opens directories that exist only as links in their parent, at two
// levels.
func TestDirectoryInDirectory(t *testing.T) {
	s := startOriginal(t)
	for url, want := range map[string]string{
		"/pros/inside": "/elsewhere/dir", "/pros/inside/deeper": "/far/away", "/pros/none": "", "/pros/inside/none": "", "/none/inside": "",
	} {
		res, err := new(Client).Fetch(t.Context(), protocols.Request{URL: parse(t, s.URL(url))})
		if want == "" {
			fetchtest.Equal(t, protocols.ReasonOf(err), protocols.NotFound, "%s", url)
			continue
		}
		fetchtest.NoError(t, err, "%s", url)
		_ = res.Close()
		if u := res.URL.(urlcore.Prospero); u.Object != want || res.Layout != protocols.LayoutDirectory || len(res.Notes) != 1 || !strings.HasPrefix(res.Notes[0], "A link leads here from ") {
			t.Errorf("%s: got %s with the layout %v and the notes %q, want %s, a directory and one note", url, u, res.Layout, res.Notes, want)
		}
	}
}
