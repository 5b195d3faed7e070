//go:build unix

package endtoend

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"gofer/history"
	"gofer/internal/demo"
	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/urlcore"
)

// ownerMark is a word in every file of the owner of a home directory.
const ownerMark = "ownermark"

// ownPages returns the URLs of gofer's own pages, most of which show files of the owner.
func ownPages() []string {
	urls := []string{"about:bookmarks?kept", "about:bookmarks/Kept", "about:history?kept", "about:compose/post?news:gofer.help", "news:"}
	for _, p := range about.OwnPages() {
		if p.Entry != "" && p.Name != "explain" && p.Name != "version" { // the one asks for a URL, the other is shown between the pages
			urls = append(urls, about.Page(p.Name).String())
		}
	}
	return urls
}

// makeOwnersHome creates the home directory of an owner who has used gofer with the settings.
func makeOwnersHome(t *testing.T, world *demo.World, settings string) string {
	t.Helper()
	home := t.TempDir()
	dirs := config.FindFolders(func(name string) string { return map[string]string{"HOME": home}[name] })
	const item = "gopher://" + ownerMark + ".example/1/"
	files := map[string]string{
		filepath.Join(dirs.Config, "config.toml"): settings,
		dirs.Bookmarks():    "## Kept\n" + item + "visited kept " + ownerMark + "\n",
		dirs.Charsets():     ownerMark + ".example:70 KOI8-R\n",
		dirs.Orders():       "menu -name\n",
		dirs.Certificates(): "",
		filepath.Join(dirs.Drafts(), ownerMark+".url"):       "mailto:a@example.org\nword\n",
		filepath.Join(dirs.Drafts(), ownerMark+".eml"):       "To: " + ownerMark + "@example.org\nSubject: " + ownerMark + "\n\n",
		filepath.Join(home, ".newsrc"):                       "gofer.help: 1-3\n" + ownerMark + ".group: 1-3\n",
		filepath.Join(home, ".newsrc-"+ownerMark+".example"): "a." + ownerMark + ": 1\n",
		filepath.Join(home, ".netrc"):                        "machine " + ownerMark + ".example login " + ownerMark + " password x\n",
		filepath.Join(home, ".newsauth"):                     ownerMark + ".example x " + ownerMark + "\n",
		filepath.Join(home, ".score"):                        "[*]\nScore: =-9999 % " + ownerMark + "\n  Subject: .\n",
	}
	for path, text := range files {
		fetchtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
	}
	visits := history.OpenStore(dirs.Visits())
	err := visits.Visit(t.Context(), fetchtest.Must(urlcore.Parse(item+"visited"))(t), "kept "+ownerMark, time.Now())
	fetchtest.NoError(t, errors.Join(err, visits.Close()))
	// An interrupted program leaves a tab to restore.
	tm := startGofer(t, home, world, "gopher://"+world.Gopher.Addr()+"/1/library")
	tm.wait("Histories")
	tm.typeKeys("\x1b[6~")
	fetchtest.NoError(t, tm.cmd.Process.Signal(os.Interrupt))
	tm.waitExit(5)
	return home
}

// readFiles returns the paths, times and contents of the files of a home directory.
func readFiles(t *testing.T, home string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		info, statErr := d.Info()
		files = append(files, strings.TrimPrefix(path, home)+" "+info.ModTime().String()+"\n"+string(data))
		return errors.Join(err, statErr)
	})
	fetchtest.NoError(t, err)
	return files
}

// TestRestrictedOwner checks that restricted mode shows no files of the owner on the screen, with
// --plain and in gofer dump. The only exception is the bookmarks, if the settings allow them.
func TestRestrictedOwner(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, settings string
		flags          []string
		shows          []string // pages that contain the owner's mark
	}{
		{"the owner", "", nil, []string{
			"about:home", "about:bookmarks", "about:bookmarks?kept", "about:bookmarks/Kept",
			"about:history", "about:history?kept", "about:drafts", "about:news", "news:",
		}},
		{"--restrict", "", []string{"--restrict"}, nil},
		{"the settings", "[restrict]\nenabled = true\n", nil, nil},
		{"with bookmarks", "[restrict]\nbookmarks = true\n", []string{"--restrict"}, []string{
			"about:home", "about:bookmarks", "about:bookmarks?kept", "about:bookmarks/Kept",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			world := startWorld(t)
			settings := "search = { ownword = \"gopher://127.0.0.1/7?{q}\" }\n" + tt.settings
			home := makeOwnersHome(t, world, settings)
			restricted := tt.name != "the owner"
			before := readFiles(t, home)
			pages := ownPages()
			if !restricted {
				pages = slices.DeleteFunc(
					pages, func(page string) bool { return strings.HasPrefix(page, "about:compose/") },
				) // gofer asks for the text of an article
			}

			for _, page := range ownPages() {
				out, _ := newCommand(home, world, "gofer", append(slices.Clone(tt.flags), "dump", page)...).CombinedOutput()
				checkOwnerMark(t, "dump "+page, string(out), slices.Contains(tt.shows, page))
			}

			cmd := newCommand(home, world, "gofer", append(tt.flags, "--plain", "about:version")...)
			plain := launch(t, cmd, &pty.Winsize{Rows: 300, Cols: 120})
			plain.emulate(120, 300)
			for _, page := range pages {
				plain.waitUntil(func() bool { return strings.HasSuffix(plain.output(), "gofer> ") }, "shows no prompt")
				seen := len(plain.output())
				plain.typeKeys("g " + page + "\r")
				plain.waitUntil(func() bool {
					return len(plain.output()) > seen+len(page)+4 && strings.HasSuffix(plain.output(), "gofer> ")
				}, "does not open "+page)
				checkOwnerMark(t, "--plain "+page, plain.output()[seen:], slices.Contains(tt.shows, page))
			}
			plain.typeKeys("q\r")
			plain.waitExit(0)

			tm := startGofer(t, home, world, append(tt.flags, "about:version")...)
			tm.wait("Built with")
			for _, page := range pages {
				tm.loadPage("about:version", func(address string) bool { return address == "about:version" })
				screen := tm.loadPage(page, func(address string) bool { return address != "about:version" })
				if slices.Contains(tt.shows, page) {
					tm.wait(ownerMark)
				} else {
					checkOwnerMark(t, "the screen of "+page, screen, false)
				}
			}
			tm.typeKeys("gown")
			screen := tm.wait("ownword")
			checkOwnerMark(t, "the completions", screen, len(tt.shows) > 0)
			tm.typeKeys("\x07\x07")
			tm.quit()

			tm = startGofer(t, home, world, append(tt.flags, "--restore")...)
			if !restricted {
				tm.wait("Histories")
				return
			}
			checkOwnerMark(t, "the screen of --restore", tm.wait("The manual"), len(tt.shows) > 0)
			tm.quit()
			if after := readFiles(t, home); !slices.Equal(before, after) {
				t.Errorf("the files of the owner have changed: were\n%.300q\nare\n%.300q", before, after)
			}
		})
	}
}

// loadPage opens url. It waits until the page is loaded and isWanted returns true for the URL in the
// URL bar. It returns the screen.
func (tm *terminal) loadPage(url string, isWanted func(address string) bool) (screen string) {
	tm.t.Helper()
	tm.openURL(url)
	if !tm.waitFor(func() bool {
		screen = tm.waitForFrame()
		first, _, _ := strings.Cut(screen, "\n")
		address, _, _ := strings.Cut(strings.TrimSpace(first), "  ")
		typed := strings.Contains(lastLine(screen), "Tab complete")
		return !typed && !strings.HasPrefix(address, "→") && isWanted(address) && !isLoading(screen)
	}) {
		tm.t.Fatalf("gofer does not open %s:\n%s", url, screen)
	}
	return screen
}

func checkOwnerMark(t *testing.T, where, text string, want bool) {
	t.Helper()
	if got := strings.Contains(text, ownerMark); got != want {
		t.Errorf("%s: contains %q: got %t, want %t:\n%s", where, ownerMark, got, want, text)
	}
}
