package file

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestGophermap reads gophermaps as menus. Their items are files of the same tree, and never files outside of it.
func TestGophermap(t *testing.T) {
	root := writeFiles(t, map[string]string{
		"secret": "outside\n", "top/a.txt": "A\n", "top/sub/b.txt": "B\n", "top/bare/c.txt": "C\n",
		"top/led/c.txt": "C\n", "top/other/.gophermap": "iother\n", "secrets/gophermap": "ioutside\n",
		"top/gophermap": "\ufeffWelcome\r\n1Sub\t/sub\r\n0Text\ta.txt\r\n0a.txt\t\r\nhWeb\tURL:http://x.example/\r\n1There\t/x\tgopher.example\t70\r\n" +
			"0Out\t../secret\r\n0Out\t/../secret\r\n0Link\tlink\r\n0None\tnone.txt\r\n1Bare\tbare\r\n7Search\t/find\r\n3Error\t\r\n" +
			"1Led out\t/led\r\n1Linked\tlinked\r\n1Other\tother\r\n1Out\tdirs\r\n.\r\nafter\r\n",
		"top/sub/gophermap": "iinfo\tx\tx\t1\n0Up\t/a.txt\n0Own\tb.txt\n0Dots\t../a.txt\n9Top\t/sub/b.txt\n",
		"top/odd.gophermap": "0A\ta.txt\n",
	})
	for _, link := range [][2]string{
		{root + "/secret", "link"},
		{root + "/secret", "led/gophermap"},
		{"../../secret", "led/.gophermap"},
		{"../other/.gophermap", "linked/gophermap"},
		{root + "/secret", "other/gophermap"},
		{root + "/secrets", "dirs"},
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(root+"/top/"+link[1]), 0o777), os.Symlink(link[0], root+"/top/"+link[1])); err != nil {
			t.Skip(err)
		}
	}
	base := urlOf(t, root).String() + "/top/"
	for name, want := range map[string]string{
		"gophermap": "info Welcome\nmenu Sub sub/gophermap\ntext Text a.txt\ntext a.txt a.txt\nhtml Web http://x.example/\nmenu There gopher://gopher.example/1/x\n" +
			"problem Out about:link?..%2Fsecret\nproblem Out about:link?%2F..%2Fsecret\n" +
			"problem Link about:link?link\ntext None none.txt\nmenu Bare bare/\nproblem Search about:link?%2Ffind\nfailure Error\n" +
			"menu Led out led/\nmenu Linked linked/gophermap\nmenu Other other/.gophermap\nproblem Out about:link?dirs\n",
		"sub/gophermap": "info info\ntext Up a.txt\ntext Own sub/b.txt\ntext Dots a.txt\nbinary Top sub/b.txt\n",
		"odd.gophermap": "text A a.txt\n",
	} {
		res := fetchtest.CloseAtEnd(new(Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, base+name)}))(t)
		d := fetchtest.Must(document.Open(res.Head, res.Body))(t)
		d.Item = res.Item
		fetchtest.Equal(t, d.Layout, protocols.LayoutMenu, "%s: the layout", name)
		got := ""
		for l, err := range d.Lines() {
			fetchtest.NoError(t, err)
			got += l.Kind.String() + " " + l.Text
			if l.Link != nil {
				got += " " + strings.TrimPrefix(l.Link.String(), base)
			}
			got += "\n"
		}
		fetchtest.Equal(t, got, want, "%s", name)
	}
	given := fetchtest.Parse(t, base+"a.txt")
	typed := fetchtest.CloseAtEnd((&Client{
		Types: map[urlcore.URL]string{given: "application/gopher-menu; charset=utf-8"},
	}).Fetch(t.Context(), protocols.Request{URL: given}))(t)
	if typed.Media != "application/gopher-menu; charset=utf-8" || typed.Item == nil {
		t.Errorf("a file with a given type: got the type %q", typed.Media)
	}
	res := fetchtest.CloseAtEnd(new(Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, base)}))(t)
	got := fetchtest.FormatLines(res)
	if first, _, _ := strings.Cut(got, "\n"); !strings.HasPrefix(first, `menu "Read gophermap as a menu" `) || strings.Count(got, "\n") != 11 {
		t.Errorf("the directory has the lines\n%s", got)
	}
}
