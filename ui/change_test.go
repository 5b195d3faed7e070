package ui

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// changeServer is a server that accepts changes of its directory.
type changeServer struct {
	w     web
	dir   urlcore.URL
	names []string
	sent  map[string]string // uploaded files by name
	err   error             // error of the next change or upload
	found int64             // octets that the server has received when the next upload fails
	hold  chan struct{}     // uploads wait until hold is closed; may be nil
	begun chan struct{}     // closed when an upload begins to wait
}

func newChangeServer(names ...string) *changeServer {
	c := &changeServer{w: library(), dir: ftpItem("pub", 'd'), names: names, sent: make(map[string]string)}
	c.addPages()
	return c
}

func (c *changeServer) item(name string) urlcore.URL {
	if strings.HasPrefix(name, "dir") {
		return ftpItem("pub/"+name, 'd')
	}
	return ftpItem("pub/"+name, 0)
}

func (c *changeServer) addPages() {
	slices.Sort(c.names)
	var lines []protocols.Line
	for _, n := range c.names {
		u := c.item(n)
		lines = append(lines, protocols.Line{Kind: protocols.KindOf(u), Text: n, Link: u, Note: &protocols.FileNote{Size: -1}})
	}
	c.w.addPage(c.dir, protocols.LayoutDirectory, "pub", lines...)
}

func (c *changeServer) options() Options {
	return Options{Home: c.dir, Change: c.change, Upload: c.upload}
}

func (c *changeServer) change(_ context.Context, ch *protocols.Change) (urlcore.URL, error) {
	if err := c.err; err != nil {
		c.err = nil
		return nil, err
	}
	old := ch.URL.(urlcore.FTP).FileName()
	if ch.Kind != protocols.MakeDirectory {
		c.names = slices.DeleteFunc(c.names, func(n string) bool { return n == old })
	}
	if ch.Kind != protocols.Remove {
		c.names = append(c.names, ch.Name)
	}
	c.addPages()
	return c.item(ch.Name), nil
}

func (c *changeServer) upload(ctx context.Context, path string, u urlcore.URL, up *protocols.Upload, report func(done, size int64)) error {
	if err := c.err; err != nil && !up.Replace {
		c.err, up.ExistingSize = nil, c.found
		report(c.found, 8)
		return err
	}
	b, err := os.ReadFile(path)
	if up.Resume {
		b = append([]byte("..."), b[3:]...)
	}
	if err != nil {
		return err
	}
	report(int64(len(b)), int64(len(b)))
	if c.hold != nil {
		close(c.begun)
		select {
		case <-c.hold:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	name := u.(urlcore.FTP).FileName()
	c.sent[name] = string(b)
	c.names = append(slices.DeleteFunc(c.names, func(n string) bool { return n == name }), name)
	c.addPages()
	return nil
}

// wantCurrent checks that want is the text of the line under the cursor.
func (d *driver) wantCurrent(want string) *driver {
	d.t.Helper()
	if line, ok := d.Model.tab.Pager.Current(); !ok || line.Text != want {
		d.t.Errorf("the cursor is on %q, want %q:\n%s", line.Text, want, d.screen())
	}
	return d
}

func TestChangesOfADirectory(t *testing.T) {
	c := newChangeServer("a.txt", "b.txt", "dir one", "z.txt")
	d := drive(t, c.w, c.options(), 80, 24)
	d.press("down", "down", "x").wantShown(`Remove "b.txt" from `)
	d.press("n").wantShown("b.txt")
	d.press("x", "enter") // Enter does not mean yes
	d.wantShown("b.txt")
	d.pressAtOnce("x", "y").wantShown("removed b.txt")
	d.wantCurrent("z.txt")

	d.press("home", "f2").wantShown(`Rename "dir one"`)
	d.typeText("dir zero").press("enter").wantShown("renamed dir one")
	d.wantCurrent("dir zero")

	d.submit("f7", "dir a").wantShown("made dir a")
	d.wantCurrent("dir a")

	d.press("f2", "enter").wantNotShown("renamed") // unchanged name
	d.press("f7", "enter").wantNotShown("made")    // empty name
	d.pressAtOnce("f7", "a", "enter", "f2", "ctrl+u", "b", "enter").wantShown("renamed a").wantCurrent("b")
	d.press("f2").typeText("dir a").press("enter")

	c.err = &protocols.Error{Reason: protocols.Denied, Op: "remove", Code: 550, Text: "\x1b[2JPermission denied"}
	d.press("x", "y").wantShown("not removed: the server said 550")
	d.wantCurrent("dir a")

	c.err = &protocols.Confirm{Question: `Replace "z.txt" at h`, Reason: "It already exists.", GiveConsent: func() {}}
	d.submit("f2", "dir b").wantShown(`Replace "z.txt" at h? It already exists. (y/N)`)
	d.press("y").wantCurrent("dir b")

	given := ""
	c.err = &protocols.Login{Server: "h:21", User: "joe", With: func(user, password string) { given = user + password }}
	d.press("x", "y").wantShown(`password for "joe"`)
	d.typeText("secret").press("enter")
	if d.wantShown("removed dir b"); given != "joesecret" {
		t.Errorf("got the login %q, want the user joe with the password secret", given)
	}
}

func TestUploadToADirectory(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "note.txt")
	fetchtest.NoError(t, os.WriteFile(path, []byte("A note.\n"), 0o600))
	c := newChangeServer("a.txt", "z.txt")
	d := drive(t, c.w, c.options(), wideWidth, 24)
	upload := func(path string) {
		d.submit("V", path)
	}
	upload(filepath.Join(folder, "none"))
	d.wantShown("no such file")
	d.press("ctrl+u").typeText(folder).press("tab").wantShown("Path: "+folder+"/", "note.txt", `folder or pattern (*.txt) from "`+folder+`"`).wantNotShown("no such file")
	d.press("tab").wantShown("Path: " + path)
	d.press("ctrl+u").typeText(folder).press("enter").wantShown("not a regular file")
	d.press("esc")
	upload(path)
	d.wantShown(`Upload "note.txt" (8 B) to `)
	d.press("enter").wantShown(`not uploaded: "note.txt"`)
	upload(path)
	d.press("y").wantShown("uploaded note.txt")
	d.wantCurrent("note.txt")
	if c.sent["note.txt"] != "A note.\n" {
		t.Errorf("sent %q, want the text of note.txt", c.sent)
	}
	c.err = &protocols.Confirm{Question: `Replace "note.txt" at h`, Reason: "It already exists.", GiveConsent: func() {}}
	upload(path)
	d.press("y").wantShown("Replace")
	d.press("n").wantNotShown("uploaded note.txt")

	c.hold, c.begun = make(chan struct{}), make(chan struct{})
	upload(path)
	pending := d.sendWithoutRun(keyPress("y"))
	<-c.begun
	d.send(tickMsg{}).wantShown(`uploading "note.txt" 8 B of 8 B 100%`)
	d.press("x")
	fetchtest.Equal(t, len(d.typeahead.keys), 1, "keys that wait for the upload")
	d.press("esc")
	fetchtest.Equal(t, len(d.typeahead.keys), 0, "keys that wait after Esc")
	d.press("q").wantShown(`Still uploading "note.txt". Quit anyway?`)
	d.press("n", "esc").wantShown(`Stop uploading "note.txt"`)
	d.press("y")
	d.run(pending).wantShown("not uploaded: ")
}

// TestUploadPattern checks that a pattern uploads several files after one question that names them, and that a file that is not
// replaced is skipped.
func TestUploadPattern(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt", "c.txt", "d.md"} {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("Words of "+name), 0o600))
	}
	fetchtest.NoError(t, os.Mkdir(filepath.Join(folder, "dir.txt"), 0o700))
	c := newChangeServer("z.txt")
	d := drive(t, c.w, c.options(), wideWidth, 24)
	d.submit("V", filepath.Join(folder, "*.none")).wantShown("no file matches").press("esc")
	d.submit("V", filepath.Join(folder, "[a")).wantShown("a bracket of the pattern has no end").press("esc")
	d.submit("V", filepath.Join(folder, "*.md")).wantShown(`Upload "d.md" (13 B) to`).press("n")
	d.submit("V", filepath.Join(folder, "*.txt")).wantShown(`Upload 3 files (42 B), "a.txt", "b.txt" and "c.txt", to `)
	d.press("y").wantShown("uploaded 3 files").wantCurrent("c.txt")
	fetchtest.DeepEqual(t, c.sent, map[string]string{"a.txt": "Words of a.txt", "b.txt": "Words of b.txt", "c.txt": "Words of c.txt"}, "sent")
	c.err = &protocols.Confirm{Question: `Replace "a.txt" at h`, Consent: protocols.ConsentReplace, GiveConsent: func() {}}
	d.submit("V", filepath.Join(folder, "*.txt")).press("y").wantShown(`Replace "a.txt"`)
	d.press("n").wantShown("uploaded 2 of 3 files; 1 failed: a.txt (skipped)")
	c.err = &protocols.Error{Reason: protocols.Broken}
	d.submit("V", filepath.Join(folder, "*.txt")).press("y").wantShown("uploaded 0 of 3 files; 1 failed: a.txt (connection lost); 2 not tried")
}

// TestResumeUpload checks that a question offers to send only the rest of a file if the server has
// a part of it, or if the upload breaks off in the middle.
func TestResumeUpload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "note.txt")
	fetchtest.NoError(t, os.WriteFile(path, []byte("A note.\n"), 0o600))
	replace := &protocols.Confirm{Question: `Replace "note.txt" at h`, Reason: "It already exists.", Consent: protocols.ConsentReplace}
	for _, tt := range []struct {
		name     string
		err      error
		found    int64
		keys     string
		question string
		want     string
	}{
		{"in part", replace, 3, "y", `has 3 B of 8 B: send only the rest? (y/N)`, "...ote.\n"},
		{"in part, replaced", replace, 3, "ny", "send only the rest", "A note.\n"},
		{"in part, left", replace, 3, "nn", "send only the rest", ""},
		{"whole", replace, 8, "y", `Replace "note.txt"`, "A note.\n"},
		{
			"broken off", &protocols.Error{Reason: protocols.Broken}, 5, "y",
			`Part of "note.txt" was sent (connection lost): send only the rest? (y/N)`, "...ote.\n",
		},
		{"broken off, left", &protocols.Error{Reason: protocols.Broken}, 5, "n", "send only the rest", ""},
		{"nothing sent", &protocols.Error{Reason: protocols.Broken}, 0, "", "not uploaded: connection lost", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			replace.GiveConsent = func() {}
			c := newChangeServer("a.txt")
			c.err, c.found = tt.err, tt.found
			d := drive(t, c.w, c.options(), 120, 24)
			d.submit("V", path).press("y").wantShown(tt.question)
			for _, key := range tt.keys {
				d.press(string(key))
			}
			if c.sent["note.txt"] != tt.want {
				t.Errorf("sent %q, want %q:\n%s", c.sent["note.txt"], tt.want, d.screen())
			}
		})
	}
}

// TestReadOnly checks that no key changes anything in read-only mode, or on a page that is not a
// directory.
func TestReadOnly(t *testing.T) {
	c := newChangeServer("a.txt")
	d := drive(t, c.w, Options{Home: c.dir}, 80, 24)
	for _, key := range []string{"x", "f2", "f7", "V"} {
		d.press(key).wantShown("read-only: nothing is changed on servers")
		d.press("down")
	}
	d = drive(t, c.w, c.options(), 80, 24)
	d.submit("g", item('1', "/").String())
	for _, key := range []string{"f2", "f7", "V"} {
		d.press(key).wantShown("this page is not a directory")
	}
	if len(c.names) != 1 {
		t.Errorf("remaining files: %q, want the one file", c.names)
	}
}

// TestChangeNotice checks that marking the new item as new does not remove the notice about the
// change.
func TestChangeNotice(t *testing.T) {
	c, k := newChangeServer("a.txt"), &fakeHistory{}
	lines := linesOf(link(0, "", c.item("dir a")))
	k.fresh = []uint64{lines.LinkID(0)}
	o := k.options()
	o.Start, o.Home, o.Change, o.Upload = "", c.dir, c.change, c.upload
	d := drive(t, c.w, o, 80, 24)
	d.submit("f7", "dir a").wantState(nav.New, "dir a").wantShown("made dir a")
}
