package transfer

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/ui/room/roomtest"
	"gofer/urlcore"
)

// taggedProgram is a program that shows the same directory in two tabs. The first tab is on the screen
// and has tagged items.
type taggedProgram struct {
	*roomtest.Program
	changes   *Changes
	downloads *Downloads
	changed   []protocols.Change
	answers   map[string]func(c *protocols.Change) error // results of changes and downloads, by the name of the item
	folder    string
}

// newTaggedProgram returns a program that shows a directory of tagged files with the given names. Each
// file has 10 octets. A name that ends in a slash is a directory. A file is not tagged if its name
// begins with a minus sign.
func newTaggedProgram(t *testing.T, names ...string) *taggedProgram {
	dir := fetchtest.Parse(t, "ftp://ftp.example.org/pub/sub/")
	var lines []protocols.Line
	for _, name := range names {
		kind, link := protocols.Text, "ftp://ftp.example.org/pub/sub/"+strings.Trim(name, "-/")
		if strings.HasSuffix(name, "/") {
			kind, link = protocols.Directory, link+";type=d"
		}
		lines = append(lines, protocols.Line{
			Kind: kind, Text: strings.Trim(name, "-/"), Link: fetchtest.Parse(t, link),
			Note: &protocols.FileNote{Size: 10},
		})
	}
	g := &taggedProgram{
		Program: roomtest.New(2, protocols.Head{URL: dir, Layout: protocols.LayoutDirectory}, lines...),
		answers: make(map[string]func(*protocols.Change) error), folder: t.TempDir(),
	}
	for i, name := range names {
		if p := g.page(); !strings.HasPrefix(name, "-") {
			p.Tag(p.Lines.IndexLink(lines[i].Link, 0), true)
		}
	}
	g.changes = NewChanges(g, ChangeOptions{})
	g.changes.URLText = urlcore.URL.String
	g.changes.Change = func(_ context.Context, c *protocols.Change) (urlcore.URL, error) {
		if answer := g.answers[c.URL.(urlcore.FTP).Name()]; answer != nil {
			if err := answer(c); err != nil {
				return nil, err
			}
		}
		g.changed = append(g.changed, *c)
		return c.URL, nil
	}
	g.downloads = NewDownloads(g, DownloadOptions{})
	g.Settings.Downloads.Folder, g.downloads.Report = g.folder, func(error) tea.Cmd { return nil }
	g.downloads.Manager = &download.Manager{
		Folder: g.folder,
		Fetcher: fetchtest.FetcherFunc(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
			f := req.URL.(urlcore.FTP)
			if answer := g.answers[f.Name()]; answer != nil {
				if err := answer(nil); err != nil {
					return nil, err
				}
			}
			if f.Type == 'd' {
				in, _ := f.Child("in.txt")
				return &protocols.Resource{
					Head: protocols.Head{URL: req.URL, Layout: protocols.LayoutDirectory}, Closer: io.NopCloser(nil),
					Lines: func(yield func(protocols.Line, error) bool) {
						yield(protocols.Line{Kind: protocols.Text, Text: "in.txt", Link: in, Note: &protocols.FileNote{Size: 4}}, nil)
					},
				}, nil
			}
			return &protocols.Resource{Head: protocols.Head{URL: req.URL, Size: 4}, Body: strings.NewReader("text"), Closer: io.NopCloser(nil)}, nil
		}),
	}
	t.Cleanup(g.downloads.Manager.Close)
	return g
}

func (g *taggedProgram) page() *nav.Page { return g.Viewers[0].Session.Page() }

// failWith makes the changes and downloads of the named items fail.
func (g *taggedProgram) failWith(err error, names ...string) {
	for _, name := range names {
		g.answers[name] = func(*protocols.Change) error { return err }
	}
}

// checkState compares the names of the changed items, the names of the tagged items, and the notices.
func (g *taggedProgram) checkState(t *testing.T, made, tagged string, said ...string) {
	t.Helper()
	var got []string
	for _, c := range g.changed {
		got = append(got, c.URL.(urlcore.FTP).Name())
	}
	fetchtest.Equal(t, strings.Join(got, " "), made, "changed")
	g.checkTagged(t, tagged)
	fetchtest.EqualSlices(t, g.Notices, said, "notices")
}

func (g *taggedProgram) checkTagged(t *testing.T, tagged string) {
	t.Helper()
	var got []string
	for i, l := range g.page().Lines.All(0) {
		if g.page().IsTagged(i) {
			got = append(got, l.Text)
		}
	}
	fetchtest.Equal(t, strings.Join(got, " "), tagged, "tagged")
}

var errDenied = &protocols.Error{Reason: protocols.Denied, Op: "remove x", Text: "550 denied"}

// TestRemoveTagged removes all tagged items after one question. Failed items are named and stay tagged.
func TestRemoveTagged(t *testing.T) {
	for name, tt := range map[string]struct {
		failing      error
		made, tagged string
		said         string
	}{
		"all":     {nil, "a b d", "", "removed 3 tagged items"},
		"one not": {errDenied, "a d", "b", "removed 2 of 3 tagged items; 1 failed: b (the server said 550 denied)"},
		"network": {
			&protocols.Error{Reason: protocols.IdleTimeout, Op: "remove b"}, "a", "b d",
			"removed 1 of 3 tagged items; 1 failed: b (timed out waiting for more data); 1 not tried",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newTaggedProgram(t, "a", "b", "-c", "d")
			if tt.failing != nil {
				g.failWith(tt.failing, "b")
			}
			g.Run(g.changes.Remove())
			fetchtest.Equal(t, g.Question(), "Remove 3 tagged items (30 B) from ftp.example.org?", "question")
			g.RunActions("leave") // Enter does not mean yes
			g.checkState(t, "", "a b d")
			g.Run(g.changes.Remove())
			g.RunActions("yes")
			g.checkState(t, tt.made, tt.tagged, tt.said)
			fetchtest.EqualSlices(t, g.Reloaded, g.Viewers, "reloaded")
			if g.changes.IsRunning() || g.Writes != 1 {
				t.Errorf("the changes are still running, or there were %d writes, want 1", g.Writes)
			}
		})
	}
}

// TestChmodTagged changes the modes of tagged items after the prompt for the mode. Letters change the mode of each item, and the
// notice counts the failures.
func TestChmodTagged(t *testing.T) {
	for typed, tt := range map[string]struct{ modes, tagged, said string }{
		"644":   {"a=644 d=644", "b", "changed the mode of 2 of 3 tagged items; 1 failed: b (the server said 550 denied)"},
		"u+x":   {"a=744 d=700", "b", "changed the mode of 2 of 3 tagged items; 1 failed: b (the server said 550 denied)"},
		"other": {"", "a b d", "not changed: a: a mode is octal digits, or letters as in u+x,go-w"},
	} {
		g := newTaggedProgram(t, "a", "b", "-c", "d")
		for i, mode := range []string{"rw-r--r--", "rw-r--r--", "rw-r--r--", "rw-------"} {
			g.page().Lines.WithoutLink(i).Note.(*protocols.FileNote).Mode = mode
		}
		g.failWith(errDenied, "b")
		g.Run(g.changes.Chmod())
		g.Type(typed)
		g.RunActions("done")
		var modes []string
		for _, c := range g.changed {
			modes = append(modes, c.URL.(urlcore.FTP).Name()+"="+c.Mode)
		}
		fetchtest.Equal(t, strings.Join(modes, " "), tt.modes, typed)
		g.checkTagged(t, tt.tagged)
		fetchtest.EqualSlices(t, g.Notices, []string{tt.said}, "notices")
	}
}

// TestMoveTagged moves all tagged items to a directory of the server.
func TestMoveTagged(t *testing.T) {
	for typed, want := range map[string]string{
		"pub/other":  "ftp://ftp.example.org/pub/other;type=d",
		"../x y/":    "ftp://ftp.example.org/../x%20y;type=d",
		"pub/sub/..": "ftp://ftp.example.org/pub;type=d",
		".":          "ftp://ftp.example.org/;type=d",
		"/etc/x":     "ftp://ftp.example.org/%2Fetc/x;type=d",
		"/":          "ftp://ftp.example.org/%2F;type=d",
	} {
		g := newTaggedProgram(t, "a", "dir/")
		g.Run(g.changes.Rename())
		fetchtest.Equal(t, g.Tab().Prompt.(*ask.Line).Title, "Move 2 tagged items", "title")
		g.Type(typed)
		g.RunActions("done")
		g.checkState(t, "dir a", "", "moved 2 tagged items")
		for _, c := range g.changed {
			fetchtest.Equal(t, c.Dir.String(), want, typed)
			if c.Kind != protocols.Rename || c.Name != "" {
				t.Errorf("got the change %+v, want a move without a new name", c)
			}
		}
	}
	for typed, why := range map[string]string{
		"pub/sub":   "not moved: this is the directory of the page",
		"pub/./sub": "not moved: this is the directory of the page",
		"a\nb":      "not moved: ",
	} {
		g := newTaggedProgram(t, "a")
		g.Run(g.changes.Rename())
		line := g.Tab().Prompt.(*ask.Line)
		fetchtest.Equal(t, line.Title, `Move "a"`, "title")
		g.Tab().Prompt = nil
		g.Run(line.Finish([]string{typed}))
		if len(g.Notices) != 1 || !strings.HasPrefix(g.Notices[0], why) || g.PromptOpen() {
			t.Errorf("%q: got the notices %q, want %q and no prompt", typed, g.Notices, why)
		}
	}
}

// TestMoveToMissingDirectory checks that only one request is sent, and that all items stay tagged.
func TestMoveToMissingDirectory(t *testing.T) {
	g := newTaggedProgram(t, "a", "b", "c")
	asked := 0
	for _, name := range []string{"a", "b", "c"} {
		g.answers[name] = func(*protocols.Change) error {
			asked++
			return &protocols.Error{Reason: protocols.NotFound, Op: "move a", Err: protocols.ErrNoTarget}
		}
	}
	g.Run(g.changes.Rename())
	g.Type("../x")
	g.RunActions("done")
	g.checkState(t, "", "a b c", "not moved: the target directory does not exist, or cannot be entered")
	fetchtest.Equal(t, asked, 1, "requests")
}

// TestTaggedChangesServerQuestion checks that the changes continue after a server's question: with the same
// item after a yes, and with the next item after a no. If the question is not about replacing a file, a no
// must end the changes.
func TestTaggedChangesServerQuestion(t *testing.T) {
	for answer, tt := range map[string]struct {
		consent            protocols.Consent
		made, tagged, said string
	}{
		"yes": {protocols.ConsentReplace, "a b c", "", "moved 3 tagged items"},
		"no":  {protocols.ConsentReplace, "a c", "b", "moved 2 of 3 tagged items; 1 failed: b (skipped)"},
		"end": {0, "a", "b c", ""},
	} {
		t.Run(answer, func(t *testing.T) {
			g := newTaggedProgram(t, "a", "b", "c")
			g.answers["b"] = func(c *protocols.Change) error {
				if c.Replace {
					return nil
				}
				return &protocols.Confirm{Question: "Replace b", Consent: tt.consent, GiveConsent: func() { c.Replace = true }}
			}
			g.Run(g.changes.Rename())
			g.Type("../x")
			g.RunActions("done")
			fetchtest.Equal(t, g.Question(), "Replace b?", "question")
			g.checkState(t, "a", "b c")
			fetchtest.EqualSlices(t, g.Reloaded, g.Viewers, "reloaded before the answer")
			if answer == "yes" {
				g.RunActions("yes")
			} else {
				g.RunActions("no")
			}
			if g.changed = slices.Clone(g.changed); tt.said == "" {
				g.checkState(t, tt.made, tt.tagged)
				return
			}
			g.checkState(t, tt.made, tt.tagged, tt.said)
			fetchtest.Equal(t, len(g.Reloaded), 4, "reloaded tabs")
		})
	}
	g := newTaggedProgram(t, "a", "b")
	password := ""
	g.answers["a"] = func(*protocols.Change) error {
		if password != "" {
			return nil
		}
		return &protocols.Login{Server: "ftp.example.org:21", User: "ann", With: func(_, typed string) { password = typed }}
	}
	g.Run(g.changes.Remove())
	g.RunActions("yes")
	if len(g.Reloaded) > 0 {
		t.Error("the directory was reloaded without a change")
	}
	g.Type("secret")
	g.RunActions("done")
	g.checkState(t, "a b", "", "removed 2 tagged items")
}

// TestTaggedChangesReloadBeforeQuestion checks that the directory is reloaded before a question only if items have
// changed since the last question.
func TestTaggedChangesReloadBeforeQuestion(t *testing.T) {
	g := newTaggedProgram(t, "a", "b", "c")
	for _, name := range []string{"b", "c"} {
		g.answers[name] = func(*protocols.Change) error {
			return &protocols.Confirm{Question: "Replace " + name, Consent: protocols.ConsentReplace, GiveConsent: func() {}}
		}
	}
	g.Run(g.changes.Rename())
	g.Type("../x")
	g.RunActions("done", "yes", "no")
	fetchtest.Equal(t, g.Question(), "Replace c?", "question")
	fetchtest.EqualSlices(t, g.Reloaded, g.Viewers, "reloaded")
	g.RunActions("no")
	g.checkState(t, "a", "b c", "moved 1 of 3 tagged items; 2 failed: b (skipped), c (skipped)")
}

// TestTaggedChangesStop checks that a stop ends the changes after the current one. A notice must say how
// many items were removed.
func TestTaggedChangesStop(t *testing.T) {
	g := newTaggedProgram(t, "a", "b", "c")
	g.answers["b"] = func(*protocols.Change) error {
		fetchtest.Equal(t, g.changes.Text(), "removing 3 tagged items: 1 of 3 items", "status")
		g.changes.current.stop(nav.ErrStopped)
		return errors.New("cut")
	}
	g.Run(g.changes.Remove())
	g.RunActions("yes")
	g.checkState(t, "a", "b c", "removed 1 of 3 tagged items; 2 not tried")
}

// TestTaggedItemsOnOtherServer checks that links to other servers are not changed.
func TestTaggedItemsOnOtherServer(t *testing.T) {
	g := newTaggedProgram(t, "a")
	p := g.page()
	p.Lines.Append(protocols.Line{Kind: protocols.Text, Text: "b", Link: fetchtest.Parse(t, "ftp://other.example.org/b")},
		protocols.Line{Kind: protocols.Text, Text: "c", Link: fetchtest.Parse(t, "gopher://ftp.example.org/0c")})
	p.Tag(1, true)
	p.Tag(2, true)
	g.Run(g.changes.Remove())
	fetchtest.Equal(t, g.Question(), `Remove "a" from ftp.example.org?`, "question")
	g.RunActions("yes")
	g.checkState(t, "a", "b c", "removed a")
	g.Run(g.changes.Remove())
	g.checkState(t, "a", "b c", "removed a", "no item of the directory under the cursor")
}

// TestTaggedChangesRefused checks that changes of tagged items are refused for the same reasons as
// other changes.
func TestTaggedChangesRefused(t *testing.T) {
	for name, action := range map[string]func(*Changes) tea.Cmd{"remove": (*Changes).Remove, "move": (*Changes).Rename} {
		for why, refuse := range map[string]func(*taggedProgram){
			room.NotAllowed:            func(g *taggedProgram) { g.Settings.Restrict.Enabled = true },
			"wait until other is done": func(g *taggedProgram) { g.changes.current = &change{name: "other"} },
			"this page is not a directory that can be changed": func(g *taggedProgram) { g.page().Layout = protocols.LayoutMenu },
			"no item of the directory under the cursor": func(g *taggedProgram) { // all items are hidden
				g.page().Filter = &nav.Matches{Searched: 2}
			},
		} {
			g := newTaggedProgram(t, "a", "b")
			refuse(g)
			g.Run(action(g.changes))
			if g.checkState(t, "", "a b", why); g.PromptOpen() {
				t.Errorf("%s: %s: a prompt is open", name, why)
			}
		}
	}
}

// TestSaveTagged saves all tagged items after one question. Failed items are named and stay tagged.
func TestSaveTagged(t *testing.T) {
	g := newTaggedProgram(t, "a", "b", "-c")
	g.Run(g.downloads.Save())
	fetchtest.Equal(t, g.Question(), "Save 2 tagged items (20 B)?", "question")
	g.RunActions("leave")
	g.checkState(t, "", "", "saved 2 tagged items (8 B)")
	for _, name := range []string{"a", "b"} {
		fetchtest.ReturnsText(t, "text", name)(os.ReadFile(filepath.Join(g.folder, name)))
	}

	g = newTaggedProgram(t, "a", "b", "c", "dir/")
	g.failWith(errDenied, "a", "c")
	g.Run(g.downloads.Save())
	fetchtest.Equal(t, g.Question(), "Save 4 tagged items (30 B, 1 of unknown size), 1 of them with all items?", "question")
	g.RunActions("leave") // Enter does not mean yes
	g.checkState(t, "", "dir a b c")
	g.Run(g.downloads.Save())
	g.RunActions("yes")
	g.checkState(
		t, "", "a c",
		"saved 2 of 4 tagged items (8 B); 2 failed: a (permission denied by the server: "+
			"550 denied), c (permission denied by the server: 550 denied)",
	)
	fetchtest.ReturnsText(t, "text", "a file of the directory")(os.ReadFile(filepath.Join(g.folder, "dir", "in.txt")))
}

// TestSaveTaggedNonFiles checks that items that cannot be saved are left out.
func TestSaveTaggedNonFiles(t *testing.T) {
	g := newTaggedProgram(t, "a")
	p := g.page()
	for _, u := range []string{"news:example.group", "telnet://h/", "about:home"} {
		p.Lines.Append(protocols.Line{Text: u, Link: fetchtest.Parse(t, u)})
		p.Tag(p.Lines.Len()-1, true)
	}
	g.Run(g.downloads.Save())
	fetchtest.Equal(t, g.Question(), "Save 4 tagged items (10 B, 3 of unknown size)?", "question")
	g.RunActions("yes")
	g.checkState(t, "", "news:example.group telnet://h/ about:home",
		"saved 1 of 4 tagged items (4 B); 3 failed: news:example.group (not a file), telnet://h/ (not a file), about:home (not a file)")
	g.Notices = nil
	g.Run(g.downloads.Save())
	g.RunActions("yes")
	fetchtest.EqualSlices(
		t, g.Notices,
		[]string{"saved 0 of 3 tagged items (0 B); 3 failed: news:example.group (not a file), telnet://h/ (not a file), about:home (not a file)"},
		"notices",
	)
	g.downloads.Manager = nil
	g.Notices = nil
	g.Run(g.downloads.Save())
	fetchtest.EqualSlices(t, g.Notices, []string{"files cannot be saved here"}, "notices")
}

// TestSaveTaggedAsks checks that an item that is saved after its server's question is untagged.
func TestSaveTaggedAsks(t *testing.T) {
	g := newTaggedProgram(t, "a", "b")
	agreed := false
	g.answers["b"] = func(*protocols.Change) error {
		if agreed {
			return nil
		}
		return &protocols.Confirm{Question: "Really", GiveConsent: func() { agreed = true }}
	}
	g.Run(g.downloads.Save())
	g.RunActions("yes")
	g.checkState(t, "", "b")
	g.RunActions("yes")
	g.checkState(t, "", "", "saved 2 tagged items (8 B)")
	fetchtest.Equal(t, len(g.downloads.saving), 0, "downloads that are waited for")
}

// TestSaveTaggedAlreadySaving checks that the summary does not wait for earlier downloads of tagged
// items.
func TestSaveTaggedAlreadySaving(t *testing.T) {
	g := newTaggedProgram(t, "a", "b")
	u, end := g.Tab().Items().Lines[0].Link, make(chan struct{})
	g.answers["a"] = func(*protocols.Change) error { <-end; return nil }
	first, _ := g.downloads.Manager.Add(download.Request{URL: u})
	g.Run(g.downloads.Save())
	g.RunActions("yes")
	g.checkState(t, "", "a", "saved 1 of 2 tagged items (4 B); 1 failed: a (already being saved)")
	close(end)
	first.Wait()
}

// TestSaveTaggedCanceled checks that canceled downloads count as failed.
func TestSaveTaggedCanceled(t *testing.T) {
	g := newTaggedProgram(t, "a")
	g.answers["a"] = func(*protocols.Change) error { g.downloads.Manager.Items()[0].Cancel(); return errors.New("cut") }
	g.Run(g.downloads.Save())
	g.RunActions("yes")
	g.checkState(t, "", "a", "saved 0 of 1 tagged items (0 B); 1 failed: a (canceled)")
}
