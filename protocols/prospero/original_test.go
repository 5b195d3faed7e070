package prospero

import (
	"slices"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
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
