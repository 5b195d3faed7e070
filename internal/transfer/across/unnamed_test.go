package across

import (
	"context"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// pathServer has a directory with an item whose name is a path, and so no link.
type pathServer struct{ Server }

func (pathServer) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	head := protocols.Head{URL: req.URL, Layout: protocols.LayoutDirectory}
	return protocols.NewPage(head, protocols.Line{Kind: protocols.Problem, Text: "../x", Note: &protocols.FileNote{}}), nil
}

func (pathServer) SameItem(context.Context, urlcore.URL, urlcore.URL) (same, known bool, err error) {
	return false, true, nil
}

// TestLinkWithoutTarget checks that a removal does not enter a link that the listing shows, whatever it says of the target.
func TestLinkWithoutTarget(t *testing.T) {
	link := protocols.Line{Kind: protocols.Directory, Text: "d", Link: fetchtest.Parse(t, "sftp://h/d;type=d"), Note: &protocols.FileNote{Link: true}}
	files, dirs, _ := fetchtest.Must(ListRemoval(t.Context(), pathServer{}, link))(t).Count()
	fetchtest.Equal(t, files, 1)
	fetchtest.Equal(t, dirs, 0)
	other := link
	other.Link = fetchtest.Parse(t, "sftp://other/d;type=d")
	fetchtest.Equal(t, (&entry{name: "d", line: link}).check(&other), errLinked)
	fetchtest.Equal(t, differenceOfDirs(&link, &other), Unknown)
	c := &Copy{Server: pathServer{}, Items: []protocols.Line{link}, To: fetchtest.Parse(t, "sftp://h/to;type=d").(urlcore.FTP)}
	fetchtest.NoError(t, c.Plan(t.Context()))
	if left := c.LeftOut(); len(left) != 1 || left[0].Err != errLinkedDir {
		t.Errorf("left out: %v", left)
	}
}

// TestUnnamed checks that an item whose name is a path is named as left out of a copy, and that its directory is not half removed.
func TestUnnamed(t *testing.T) {
	dir := protocols.Line{Kind: protocols.Directory, Text: "d", Link: fetchtest.Parse(t, "ftp://h/d;type=d"), Note: &protocols.FileNote{}}
	c := &Copy{Server: pathServer{}, Items: []protocols.Line{dir}, To: fetchtest.Parse(t, "ftp://h/to;type=d").(urlcore.FTP)}
	fetchtest.NoError(t, c.Plan(t.Context()))
	if left := c.LeftOut(); len(left) != 1 || left[0].Path != "d/../x" || left[0].Err != errName {
		t.Errorf("left out: %v", left)
	}
	member := protocols.Line{Text: "FILE/MBR", Link: fetchtest.Parse(t, "ftp://h/LIB/FILE%2FMBR"), Note: &protocols.FileNote{}} // of OS/400
	fetchtest.Equal(t, (&entry{name: nameOf(member.Link), line: member}).check(nil), errName, "another name is not made of a path")
	if _, err := ListRemoval(t.Context(), pathServer{}, dir); err == nil || !strings.Contains(err.Error(), `"../x" in "d" cannot be removed`) {
		t.Errorf("the removal: %v", err)
	}
}
