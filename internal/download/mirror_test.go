package download

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestItemName(t *testing.T) {
	for _, tt := range []struct {
		typ             byte
		title, selector string
		want            string
	}{
		{'1', "Information About Gopher", "1/gopher.d", "Information About Gopher"},
		{'1', "*** News ***", "1/n", "News"},
		{'1', "docs                  2023-Nov-14 22:13     -  ", "/docs/", "docs"},
		{'1', "docs/", "/docs/", "docs"},
		{'1', "..", "/docs/", "docs"},
		{'1', "", "", "h.example"},
		{'1', "50% off? #1", "/x", "50_ off_ _1"},
		{'1', strings.Repeat("ab ", 100), "/x", strings.TrimSpace(strings.Repeat("ab ", 40))},
		{'0', "About this server", "0/about", "About this server.txt"},
		{'0', "About gopher.floodgap.com", "0/about", "About gopher.floodgap.com.txt"},
		{'0', "gopherd 3.0.5", "0/gopherd-3.0.5", "gopherd 3.0.5.txt"},
		{'0', "README", "0/README", "README"},
		{'0', "Notes, in short", "/notes.tex", "notes.tex"},
		{'0', "plain.txt                2023-Nov-14 22:13     1.4 KB", "/docs/plain.txt", "plain.txt"},
		{'0', "gr\u00fc\u00dfe.txt           2023-Nov-14 22:13     0.0 KB", "/odd/gr#303#274#303#237e.txt", "gr\u00fc\u00dfe.txt"},
		{'0', "with space.txt     2023-Nov-14 22:13     0.0 KB", "/odd/with#040space.txt", "with space.txt"},
		{'0', "readme.txt", "/cgi-bin/get.pl", "readme.txt"},
		{'0', "-----", "/cgi-bin/get?id=3", "get_id=3"},
		{'0', "message 1", "/mail/box.mbox|/MBOX-MESSAGE/1", "message 1.txt"},
		{'0', "A message", "R0-93-/mail/box", "A message.txt"},
		{'g', "The campus", "g9/campus", "The campus.gif"},
		{'g', "The campus.GIF", "g9/campus", "The campus.GIF"},
		{'I', "A lake", "I/lake.jpeg", "lake.jpeg"},
		{'I', "A lake", "I/lake", "A lake"},
		{'9', "gopher-3.0.5.tar.gz", "9/g", "gopher-3.0.5.tar.gz"},
	} {
		u := urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h.example"}, Type: tt.typ, Selector: tt.selector}
		fetchtest.Equal(t, itemName(u, tt.title), tt.want, "itemName(%c, %q, %q)", tt.typ, tt.title, tt.selector)
	}
}

// TestHostileTitles checks that menus and documents with hostile titles are all saved
// below the directory, each once, and that menus as deep as DefaultDepth are.
func TestHostileTitles(t *testing.T) {
	titles := []string{
		"..", ".", "../../etc/passwd", "/etc/passwd", "..\\..\\x", "CON", "nul.txt", "News", "NEWS", "news", "News", "News.part", "gophermap", "gophermap.part",
		indexName, ".profile", "~root", "-rf", "a\x1b[31m", "x\u202egpj.exe", "a\x00b", "\xff\xfe", "", " ", strings.Repeat("n", 300), strings.Repeat("\u00fc", 300),
		"C:\\x", "a|b", "\u2024\u2024", "...",
	}
	at := func(typ byte, selector string) urlcore.Gopher {
		return urlcore.Gopher{Type: typ, HostPort: urlcore.HostPort{Host: "h"}, Selector: selector}
	}
	f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
		g := u.(urlcore.Gopher)
		if g.Type != '1' {
			return document(u, g.Selector), nil
		}
		if depth := strings.Count(g.Selector, "/deep"); depth > 0 {
			deeper := protocols.Line{Text: strings.Repeat("d", 300), Link: at('1', g.Selector+"/deep")}
			return listing(u, protocols.LayoutMenu, deeper, protocols.Line{Text: strings.Repeat("e", 300), Link: at('0', g.Selector)}), nil
		}
		lines := []protocols.Line{{Text: "deep", Link: at('1', "/deep")}}
		for i, title := range titles {
			lines = append(lines, protocols.Line{Text: title, Link: at('0', fmt.Sprint("/d", i))})
			if g.Selector == "" {
				lines = append(lines, protocols.Line{Text: title, Link: at('1', fmt.Sprint("/m", i))})
			}
		}
		for i, selector := range []string{"/../../a", "..", "/", "CON", "/x/gophermap", "/x/.hidden"} {
			lines = append(lines, protocols.Line{Link: at('0', selector)}, protocols.Line{Text: "..", Link: at('1', fmt.Sprint(selector, "/../", i))})
		}
		return listing(u, protocols.LayoutMenu, lines...), nil
	})
	dir := t.TempDir()
	s, paths := tree(t, &Manager{Fetcher: f, Delay: 1}, at('1', ""), filepath.Join(dir, "saved"))
	if len(s.LeftOut) != 1 || s.LeftOut[0].Err != errTooDeep {
		t.Errorf("%v, left out %v", s.Err, s.LeftOut)
	}
	documents := make(map[string]bool)
	for _, path := range paths {
		for name := range strings.SplitSeq(path, "/") {
			if len(name) > maxItemName+len("(99)") || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "\x00\x1b\\:|") {
				t.Errorf("the name %q of %q is not harmless", name, path)
			}
		}
		if filepath.Base(path) == gophermap {
			continue
		}
		b := string(fetchtest.Must(os.ReadFile(filepath.Join(dir, "saved", path)))(t))
		if documents[b] {
			t.Errorf("%q is saved twice", b)
		}
		documents[b] = true
	}
	if want := len(titles) + 6 + DefaultDepth; len(documents) != want || len(paths) != want+1+len(titles)+6+DefaultDepth {
		t.Errorf("%d documents, %d files, want %d documents: %q", len(documents), len(paths), want, paths)
	}
	entries := fetchtest.Must(os.ReadDir(dir))(t)
	fetchtest.Equal(t, len(entries), 1, "entries beside the mirror")
}

// TestMirrorBrokenMenus checks that a menu whose connection is lost is left out and stays a
// link to its server, and that many such menus without a good one between end the mirror.
func TestMirrorBrokenMenus(t *testing.T) {
	at := func(typ byte, selector string) urlcore.Gopher {
		return urlcore.Gopher{Type: typ, HostPort: urlcore.HostPort{Host: "h"}, Selector: selector}
	}
	for bad := range maxBreaks + 1 {
		asked, dir := 0, filepath.Join(t.TempDir(), "saved")
		f := fetchFunc(func(u urlcore.URL) (*protocols.Resource, error) {
			g := u.(urlcore.Gopher)
			switch {
			case g.Selector == "":
				lines := []protocols.Line{{Text: "Text", Link: at('0', "/text")}}
				for i := range 2 * bad {
					if i == bad {
						lines = append(lines, protocols.Line{Text: "Good", Link: at('1', "/good")})
					}
					lines = append(lines, protocols.Line{Text: fmt.Sprint("Bad ", i), Link: at('1', fmt.Sprint("/bad", i))})
				}
				return listing(u, protocols.LayoutMenu, lines...), nil
			case g.Selector == "/good":
				return listing(u, protocols.LayoutMenu), nil
			case g.Type == '1':
				asked++
				return nil, &protocols.Error{Reason: protocols.FirstByteTimeout, Op: "open " + g.Selector}
			}
			return document(u, "x"), nil
		})
		s, paths := tree(t, &Manager{Fetcher: f, Delay: 1}, at('1', ""), dir)
		if bad < maxBreaks {
			fetchtest.Equal(t, len(s.LeftOut), 2*bad, "left out", s.Err)
			want := "0Text\t/Text.txt\n"
			for i := range 2 * bad {
				if i == bad {
					want += "1Good\t/Good\n"
				}
				want += fmt.Sprintf("1Bad %d\t/bad%d\th\t70\n", i, i)
			}
			fetchtest.GivesText(t, want, "the menu")(os.ReadFile(filepath.Join(dir, gophermap)))
		} else if asked != maxBreaks || len(paths) > 0 || protocols.ReasonOf(s.Err) != protocols.FirstByteTimeout {
			t.Errorf("after %d: %v, saved %q", asked, s.Err, paths)
		}
	}
}

// TestMirrorCancelled cancels an update of a mirror: the earlier files stay.
func TestMirrorCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := func(typ byte, selector string) urlcore.Gopher {
			return urlcore.Gopher{Type: typ, HostPort: urlcore.HostPort{Host: "h"}, Selector: selector}
		}
		lines := []protocols.Line{{Text: "a", Link: at('0', "a")}}
		f := fetchtest.Func(func(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
			switch u {
			case at('1', ""):
				return listing(u, protocols.LayoutMenu, lines...), nil
			case at('0', "stalls"):
				return fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, "some").Fetch(ctx, u)
			}
			return document(u, "x"), nil
		})
		dir := filepath.Join(t.TempDir(), "saved")
		s, _ := tree(t, &Manager{Fetcher: f, Delay: 1}, at('1', ""), dir)
		fetchtest.NoError(t, s.Err)
		lines = append(lines, protocols.Line{Text: "new", Link: at('0', "new")}, protocols.Line{Text: "stalls", Link: at('0', "stalls")})
		m := &Manager{Fetcher: f, Delay: 1}
		defer m.Close()
		it, _ := m.Add(Request{URL: at('1', ""), Path: dir, Tree: true, Continue: true})
		for it.Status().Files < 2 {
			time.Sleep(time.Second)
		}
		it.Cancel()
		it.Wait()
		var names []string
		for _, e := range fetchtest.Must(os.ReadDir(dir))(t) {
			names = append(names, e.Name())
		}
		fetchtest.EqualSlices(t, names, []string{indexName, "a", gophermap})
	})
}

// TestReadIndex reads an index with paths that are not below its directory.
func TestReadIndex(t *testing.T) {
	dir := t.TempDir()
	text := `{"root": "r", "items": {"a": "../x", "b": "/x", "c": "d/../../x", "d": ".hidden", "e": "", "f": "d/x", "g": "./x"}}`
	fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, indexName), []byte(text), 0o600))
	x := fetchtest.Must(readIndex(dir, "r"))(t)
	fetchtest.DeepEqual(t, x.Items, map[string]string{"r": "", "f": "d/x"})
}
