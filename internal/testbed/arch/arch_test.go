// Package arch checks the imports of all packages, the folders named in ARCHITECTURE.md, and the files at the top of the
// repository.
package arch

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

const module = "gofer"

// rule lists the packages that some of our packages may import. Patterns have the syntax of
// [path.Match]. A pattern that ends in "..." also matches everything below.
type rule struct {
	packages string // pattern of the importing packages, as paths inside the module
	// ours lists the packages of this module that may be imported.
	ours []string
	// others lists the packages of other modules that may be imported; "..." is any package.
	others []string
}

// rules lists the import rules, see ARCHITECTURE.md. The layers are urlcore <- protocols <- a scheme
// <- main; nav and ui are in the layer of the schemes. The first rule with a matching pattern applies.
var rules = []rule{
	{packages: "urlcore", others: []string{"golang.org/x/net/idna"}},
	{packages: "docs"},
	{packages: "protocols", ours: []string{"urlcore"}},
	{
		packages: "internal/wire",
		ours:     []string{"protocols", "urlcore", "internal/text/charset", "internal/text/clean"},
		others: []string{
			"github.com/klauspost/compress/flate", "golang.org/x/net/http/httpproxy", "golang.org/x/net/proxy",
			"golang.org/x/text/encoding/charmap", "golang.org/x/text/unicode/norm",
		},
	},
	{packages: "internal/text/charset", others: []string{"golang.org/x/text/..."}},
	{
		packages: "internal/text/clean", ours: []string{"internal/text/charset"},
		others: []string{
			"github.com/charmbracelet/x/...", "golang.org/x/text/unicode/norm", "github.com/clipperhouse/...",
			"github.com/rivo/uniseg", "github.com/mattn/go-runewidth",
		},
	},
	{
		packages: "protocols/ftp",
		ours:     []string{"protocols", "urlcore", "internal/wire", "internal/text/charset", "internal/text/clean"},
		others:   []string{"github.com/jlaffaye/ftp"},
	},
	{
		packages: "protocols/sftp",
		ours:     []string{"protocols", "urlcore", "internal/remotefile", "internal/wire", "internal/text/clean", "internal/userfile"},
		others:   []string{"golang.org/x/crypto/ssh/..."},
	},
	{
		packages: "protocols/telnet", ours: []string{"protocols", "urlcore", "internal/wire", "internal/text/clean"},
		others: []string{"github.com/clipperhouse/displaywidth"},
	},
	{
		packages: "protocols/ldap", ours: []string{"protocols", "urlcore", "internal/ber", "internal/wire"},
		others: []string{"github.com/go-ldap/ldap/v3"},
	},
	{packages: "protocols/wais", ours: []string{"protocols", "urlcore", "internal/wire", "internal/text/waissource"}},
	{packages: "internal/ber", ours: []string{"protocols", "internal/wire"}},
	{packages: "protocols/z3950", ours: []string{"protocols", "urlcore", "internal/ber", "internal/wire", "internal/text/charset", "internal/text/marc"}},
	{packages: "internal/remotefile", ours: []string{"protocols"}},
	{packages: "protocols/nfs", ours: []string{"protocols", "urlcore", "internal/remotefile", "internal/wire", "internal/text/clean"}},
	{
		packages: "protocols/file",
		ours:     []string{"protocols", "urlcore", "internal/text/ansiart", "internal/text/clean", "internal/userfile"},
		others:   []string{"golang.org/x/sys/unix"},
	},
	{packages: "protocols/gopher", ours: []string{"protocols", "urlcore", "internal/wire", "internal/userfile"}},
	{
		packages: "protocols/web",
		ours: []string{
			"protocols", "urlcore", "internal/userfile/cache", "internal/wire", "internal/text/charset",
			"internal/text/clean", "internal/text/mimeheader", "internal/userfile",
		},
		others: []string{"golang.org/x/net/..."},
	},
	{
		packages: "protocols/mailto",
		ours:     []string{"protocols", "urlcore", "internal/wire", "internal/text/clean", "internal/usenet/compose"},
		others:   []string{"github.com/emersion/go-smtp", "github.com/emersion/go-sasl"},
	},
	{packages: "protocols/gemini", ours: []string{"protocols", "urlcore", "internal/wire", "internal/text/clean", "internal/usenet/compose"}},
	{
		packages: "protocols/nntp",
		ours: []string{
			"protocols", "urlcore", "internal/text/mimeheader", "internal/userfile/cache",
			"internal/usenet/newsservers", "internal/wire",
		},
	},
	{packages: "internal/userfile/cache", ours: []string{"internal/userfile"}, others: []string{"github.com/klauspost/compress/zstd"}},
	{packages: "internal/policy/gateway", ours: []string{"protocols", "urlcore"}},
	{packages: "internal/usenet/compose", ours: []string{"protocols", "urlcore", "internal/userfile"}},
	{packages: "protocols/*", ours: []string{"protocols", "urlcore", "internal/wire", "internal/text/clean"}},
	{packages: "internal/userfile", others: []string{"github.com/dustin/go-humanize", "github.com/gofrs/flock"}},
	{
		packages: "internal/userfile/sessions", ours: []string{"urlcore", "nav", "internal/userfile"},
		others: []string{"github.com/gofrs/flock"},
	},
	{packages: "internal/userfile/readlater", ours: []string{"urlcore", "internal/userfile"}},
	{packages: "history/bookmarks", ours: []string{"urlcore", "internal/userfile"}, others: []string{"github.com/aymanbagabas/go-udiff"}},
	{packages: "history", ours: []string{"urlcore", "history/bookmarks", "internal/text/textquery", "internal/userfile"}, others: []string{"..."}},
	{
		packages: "internal/userfile/bookmarkfile", ours: []string{"urlcore", "history/bookmarks", "internal/userfile"},
		others: []string{"github.com/pelletier/go-toml/...", "golang.org/x/net/html/..."},
	},
	{
		packages: "nav",
		ours: []string{
			"protocols", "urlcore", "internal/text/charset", "internal/text/clean", "internal/text/document",
			"internal/text/mimeheader", "internal/text/sentence",
		},
		others: []string{"github.com/clipperhouse/displaywidth"},
	},
	{packages: "internal/text/textquery", others: []string{"golang.org/x/text/unicode/norm"}},
	{packages: "internal/text/marc", ours: []string{"protocols", "urlcore"}, others: []string{"golang.org/x/text/unicode/norm"}},
	{packages: "internal/text/waissource", ours: []string{"protocols", "urlcore"}},
	{packages: "internal/text/mimeheader", ours: []string{"protocols", "internal/text/charset", "internal/text/clean"}},
	{packages: "internal/text/sentence", ours: []string{"protocols", "internal/text/clean"}},
	{
		packages: "internal/text/document",
		ours: []string{
			"protocols", "urlcore", "internal/text/ansiart", "internal/text/archive", "internal/text/bundle", "internal/text/charset",
			"internal/text/clean", "internal/text/feed", "internal/text/marc", "internal/text/mimeheader", "internal/text/waissource",
		},
		others: []string{
			"codeberg.org/readeck/go-readability/v2",
			"github.com/dustin/go-humanize/...", "github.com/yuin/goldmark/...", "github.com/clipperhouse/displaywidth",
			"golang.org/x/net/html/...", "golang.org/x/text/...",
		},
	},
	{
		packages: "internal/text/feed", ours: []string{"internal/text/mimeheader"},
		others: []string{"github.com/mmcdole/gofeed/...", "golang.org/x/net/html/..."},
	},
	{packages: "internal/text/ansiart", ours: []string{"internal/text/clean"}, others: []string{"golang.org/x/text/encoding/charmap"}},
	{
		packages: "internal/text/archive", ours: []string{"protocols"},
		others: []string{"github.com/klauspost/compress/zstd", "github.com/therootcompany/xz"},
	},
	{
		packages: "internal/text/bundle", ours: []string{"protocols", "urlcore", "internal/text/archive", "internal/text/clean"},
		others: []string{"github.com/dustin/go-humanize/..."},
	},
	{packages: "internal/picture", others: []string{"github.com/charmbracelet/x/ansi/...", "golang.org/x/image/..."}},
	{
		packages: "internal/pages/dump",
		ours: []string{
			"protocols", "urlcore", "nav", "internal/text/charset", "internal/text/clean", "internal/text/document",
			"internal/text/mimeheader",
		},
		others: []string{"github.com/clipperhouse/displaywidth"},
	},
	{
		packages: "internal/pages/plain",
		ours: []string{
			"protocols", "urlcore", "nav", "internal/pages/about", "internal/text/clean", "internal/text/sentence",
			"internal/pages/dump",
		},
		others: []string{"github.com/charmbracelet/x/...", "github.com/clipperhouse/displaywidth"},
	},
	{
		packages: "internal/pages/followed",
		ours: []string{
			"protocols", "urlcore", "nav", "history", "internal/text/clean", "internal/text/feed", "internal/text/mimeheader",
			"internal/text/sentence", "internal/transfer/mirror",
		},
	},
	{
		packages: "internal/transfer/keep",
		ours: []string{
			"protocols", "urlcore", "internal/text/document", "internal/transfer", "internal/transfer/mirror", "internal/userfile/cache",
		},
		others: []string{"github.com/dustin/go-humanize/..."},
	},
	{
		packages: "internal/transfer/...",
		ours:     []string{"protocols", "urlcore", "internal/text/...", "internal/transfer/...", "internal/userfile"},
		others: []string{
			"golang.org/x/sys/unix", "golang.org/x/sys/windows", "golang.org/x/text/unicode/norm",
			"github.com/dustin/go-humanize/...",
		},
	},
	{packages: "internal/program", ours: []string{"internal/program/job", "internal/userfile"}},
	{
		packages: "internal/program/opener",
		ours:     []string{"protocols", "urlcore", "internal/program", "internal/program/job", "internal/userfile"},
	},
	{
		packages: "ui/bookmarking",
		ours:     []string{"protocols", "urlcore", "history/bookmarks", "internal/pages/about", "internal/text/clean", "ui/ask", "ui/room"},
		others:   []string{"charm.land/bubbletea/v2"},
	},
	{
		packages: "ui/aids",
		ours: []string{
			"protocols", "urlcore", "nav", "internal/text/charset", "internal/text/clean", "internal/text/document",
			"internal/text/sentence", "internal/pages/about", "ui/ask", "ui/cell", "ui/page", "ui/room", "ui/viewer",
		},
		others: []string{"charm.land/bubbletea/v2", "rsc.io/qr"},
	},
	{
		packages: "ui/cell", ours: []string{"protocols", "urlcore", "internal/picture", "internal/userfile/config"},
		others: []string{"charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi"},
	},
	{
		packages: "ui/ask",
		ours:     []string{"protocols", "urlcore", "nav", "internal/text/clean", "internal/userfile", "ui/cell", "ui/edit", "ui/match"},
		others:   []string{"..."},
	},
	{packages: "ui/edit", ours: []string{"internal/text/clean", "ui/cell"}},
	{
		packages: "ui/term",
		ours:     []string{"protocols", "internal/text/clean", "internal/program", "internal/program/job"},
		others:   []string{"..."},
	},
	{packages: "ui/pictureview", ours: []string{"protocols", "nav", "internal/picture", "ui/cell", "ui/term"}, others: []string{"..."}},
	{
		packages: "ui/page",
		ours: []string{
			"protocols", "urlcore", "nav", "internal/text/clean", "internal/text/document", "internal/text/mimeheader",
			"ui/cell", "ui/match",
		},
		others: []string{"..."},
	},
	{
		packages: "ui/viewer",
		ours: []string{
			"protocols", "urlcore", "nav", "internal/pages/about", "internal/picture", "internal/text/clean",
			"internal/text/document", "ui/ask", "ui/cell", "ui/match", "ui/page", "ui/pictureview",
		},
		others: []string{"..."},
	},
	{
		packages: "ui/room",
		ours: []string{
			"urlcore", "internal/pages/about", "internal/text/clean", "internal/userfile", "internal/userfile/config", "ui/ask",
			"ui/viewer",
		},
		others: []string{"charm.land/bubbletea/v2"},
	},
	{
		packages: "ui/transfer",
		ours: []string{
			"protocols", "urlcore", "nav", "internal/pages/about", "internal/transfer/download",
			"internal/transfer/across", "internal/transfer/mirror", "internal/transfer/upload", "internal/text/charset", "internal/text/clean",
			"internal/text/document", "internal/text/mimeheader", "internal/userfile", "internal/userfile/config", "ui/ask",
			"ui/cell", "ui/room", "ui/viewer",
		},
		others: []string{"charm.land/bubbletea/v2", "github.com/dustin/go-humanize/..."},
	},
	{
		packages: "ui/outside",
		ours: []string{
			"protocols", "urlcore", "nav", "internal/transfer/download", "internal/pages/dump", "internal/program",
			"internal/program/opener", "internal/text/clean", "internal/text/sentence", "internal/userfile", "ui/ask", "ui/cell",
			"ui/room", "ui/viewer",
		},
		others: []string{"charm.land/bubbletea/v2"},
	},
	{
		packages: "ui/newsreader",
		ours: []string{
			"protocols", "urlcore", "nav", "internal/pages/about", "internal/text/clean", "internal/text/mimeheader",
			"internal/usenet/newsrc", "internal/usenet/score", "ui/ask", "ui/cell", "ui/page", "ui/room", "ui/viewer",
		},
		others: []string{"charm.land/bubbletea/v2", "github.com/dustin/go-humanize/english"},
	},
	{
		packages: "ui/inbox",
		ours:     []string{"protocols", "urlcore", "nav", "internal/pages/about", "internal/text/clean", "ui/ask", "ui/room"},
		others:   []string{"charm.land/bubbletea/v2", "github.com/dustin/go-humanize/english"},
	},
	{
		packages: "ui/offline",
		ours: []string{
			"protocols", "urlcore", "nav", "internal/pages/about", "internal/text/clean", "internal/transfer/keep",
			"internal/userfile/readlater", "ui/room", "ui/viewer",
		},
		others: []string{"charm.land/bubbletea/v2", "github.com/dustin/go-humanize/english"},
	},
	{packages: "ui/match", ours: []string{"protocols", "internal/text/clean", "internal/text/mimeheader", "internal/text/textquery"}},
	{packages: "ui/...", ours: []string{
		"nav", "urlcore", "protocols", "history/bookmarks", "ui/...", "internal/pages/about", "internal/text/charset",
		"internal/text/clean", "internal/text/sentence", "internal/transfer/across", "internal/transfer/download",
		"internal/program", "internal/program/job", "internal/program/opener", "internal/picture",
		"internal/transfer/keep", "internal/transfer/upload", "internal/userfile/config", "internal/userfile/readlater",
		"internal/userfile/sessions", "internal/userfile",
	}, others: []string{"..."}},
	{packages: "internal/program/job", others: []string{"github.com/charmbracelet/x/term", "golang.org/x/sys/unix"}},
	{packages: "internal/wire/pins", ours: []string{"internal/userfile"}},
	{packages: "internal/wire/identities", ours: []string{"protocols", "urlcore", "internal/text/clean", "internal/userfile", "internal/wire"}},
	{packages: "internal/usenet/score", ours: []string{"protocols", "internal/text/mimeheader"}},
	{packages: "internal/usenet/newsrc", ours: []string{"internal/userfile"}},
	{packages: "internal/userfile/searchkeyword", ours: []string{"urlcore"}},
	{packages: "internal/usenet/newsservers", ours: []string{"urlcore", "internal/userfile/searchkeyword"}},
	{
		packages: "internal/userfile/config",
		ours: []string{
			"urlcore", "internal/text/charset", "internal/text/clean", "internal/policy/gateway",
			"internal/policy/restrict", "internal/program", "internal/program/opener", "internal/usenet/newsservers",
			"internal/policy/portguard", "internal/userfile/searchkeyword", "internal/userfile", "internal/wire",
		},
		others: []string{"github.com/dustin/go-humanize", "github.com/pelletier/go-toml/..."},
	},
	{packages: "internal/policy/restrict", ours: []string{"protocols", "urlcore"}},
	{packages: "internal/policy/portguard", ours: []string{"protocols", "urlcore", "internal/text/clean"}},
	{packages: "internal/wire/netrc", ours: []string{"internal/userfile"}},
	{packages: "internal/demo", others: []string{"github.com/fclairamb/ftpserverlib", "github.com/go-asn1-ber/asn1-ber", "github.com/pkg/sftp", "github.com/spf13/afero", "golang.org/x/crypto/ssh"}},
	{packages: "internal/testbed/realserver"},
	{packages: "internal/testbed/fetchtest", ours: []string{"protocols", "urlcore", "internal/wire"}},
	{packages: "internal/cli/urlbatch", ours: []string{"urlcore"}},
	{packages: "internal/pages/explain", ours: []string{"protocols", "urlcore", "internal/text/charset", "internal/text/clean"}},
	{
		packages: "internal/pages/about",
		ours: []string{
			"docs", "protocols", "urlcore", "internal/text/archive", "internal/text/bundle", "internal/text/document", "internal/usenet/newsrc",
			"internal/userfile/config", "internal/userfile/readlater", "internal/wire/identities",
		},
		others: []string{"github.com/dustin/go-humanize/english"},
	},
	{
		packages: "internal/usenet/posting",
		ours: []string{
			"protocols", "urlcore", "internal/text/clean", "internal/usenet/compose", "internal/text/document",
			"internal/text/mimeheader", "internal/userfile",
		},
	},
	{packages: "internal/testbed/notices"},
	{
		packages: "internal/testbed/mandoc", ours: []string{"docs", "internal/app", "internal/cli", "ui"},
		others: []string{"github.com/cpuguy83/go-md2man/v2/md2man", "github.com/spf13/cobra/doc"},
	},
	{
		packages: "internal/app",
		ours: []string{
			"protocols", "urlcore", "history", "history/bookmarks", "nav", "ui", "ui/ask", "ui/inbox", "ui/offline", "ui/pictureview", "ui/term",
			"internal/pages/...", "internal/policy/...", "internal/program/...", "internal/text/...",
			"internal/transfer/...", "internal/usenet/...", "internal/userfile/...", "internal/wire/...",
		},
		others: []string{"github.com/dustin/go-humanize/..."},
	},
	{
		packages: "internal/cli",
		ours: []string{
			"docs", "protocols", "urlcore", "history", "history/bookmarks", "nav", "ui", "internal/app",
			"internal/cli/...", "internal/pages/...", "internal/program/...", "internal/text/...",
			"internal/transfer/...", "internal/usenet/compose", "internal/userfile", "internal/userfile/bookmarkfile",
			"internal/userfile/config", "internal/wire/identities",
		},
		others: []string{"..."},
	},
}

// lowerHalf lists the packages of internal that depend on no package of upperHalf, directly or through other packages:
// on no page, tab or screen.
var lowerHalf = []string{
	"internal/picture", "internal/policy/...", "internal/program/...", "internal/text/...", "internal/transfer/...", "internal/usenet/...",
	"internal/userfile", "internal/userfile/cache", "internal/userfile/config", "internal/userfile/readlater", "internal/userfile/searchkeyword",
	"internal/wire/...",
}

var upperHalf = []string{"nav", "history/...", "ui/...", "internal/app/...", "internal/cli/...", "internal/demo/...", "internal/pages/..."}

// testbed is the pattern of the packages that only tests import.
const testbed = "internal/testbed/..."

// soleImporters maps modules to the only package that may import them.
var soleImporters = map[string]string{
	"github.com/jlaffaye/ftp":           "protocols/ftp",
	"github.com/fclairamb/ftpserverlib": "internal/demo",
	"github.com/pkg/sftp":               "internal/demo",
	"github.com/mmcdole/gofeed":         "internal/text/feed",
	"github.com/spf13/cobra":            "internal/cli",
	"github.com/spf13/cobra/doc":        "internal/testbed/mandoc",
	"modernc.org/sqlite":                "history",
}

// drawingModules is the prefix of the modules that draw. Only ui and the packages that start ui may
// depend on such modules, directly or through other packages.
const drawingModules = "charm.land/"

type pkg struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Deps       []string
}

// loadPackages lists all packages. It also calls Stat for each source file. Otherwise Go's cache of
// test results would return an old result, because it does not notice the files that go list reads.
func loadPackages(t *testing.T) []pkg {
	t.Helper()
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" {
			_, err = os.Stat(path)
		}
		return err
	})
	fetchtest.NoError(t, err)
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports,Deps", module+"/...")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out := fetchtest.Must(cmd.StdoutPipe())(t)
	fetchtest.NoError(t, cmd.Start())
	var all []pkg
	d := json.NewDecoder(out)
	for {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	fetchtest.NoError(t, cmd.Wait(), "go list: %s", &stderr)
	return all
}

// cutModule returns the path of a package inside the module, which is "main" for the program itself.
func cutModule(importPath string) (below string, ok bool) {
	if importPath == module {
		return "main", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

func matchesAny(patterns []string, s string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if prefix, ok := strings.CutSuffix(p, "..."); ok {
			return strings.HasPrefix(s, prefix) || s+"/" == prefix
		}
		ok, err := path.Match(p, s)
		return ok && err == nil
	})
}

// findViolation returns the reason why the package importer must not import the package imported, or ""
// if it may. The path of importer is relative to the module.
func findViolation(importer, imported string, standard bool) string {
	what, ours := cutModule(imported)
	if ours && matchesAny([]string{testbed}, what) && !matchesAny([]string{testbed}, importer) {
		return importer + " must not import " + imported + ", which is for tests only"
	}
	i := slices.IndexFunc(rules, func(r rule) bool { return matchesAny([]string{r.packages}, importer) })
	if i < 0 {
		return ""
	}
	if ours {
		if !matchesAny(rules[i].ours, what) {
			return importer + " must not import " + imported
		}
		return ""
	}
	if !standard && !matchesAny(rules[i].others, imported) {
		return importer + " must not import " + imported
	}
	for m, holder := range soleImporters {
		if (imported == m || strings.HasPrefix(imported, m+"/")) && importer != holder && soleImporters[imported] != importer {
			return imported + " is for " + holder + " only, not for " + importer
		}
	}
	return ""
}

func TestImports(t *testing.T) {
	all := loadPackages(t)
	standard := map[string]bool{"C": true}
	for _, p := range all {
		standard[p.ImportPath] = p.Standard
	}
	seen := 0
	for _, p := range all {
		below, ok := cutModule(p.ImportPath)
		if !ok {
			continue
		}
		seen++
		for _, imported := range p.Imports {
			if why := findViolation(below, imported, standard[imported]); why != "" {
				t.Error(why)
			}
		}
		for _, dep := range p.Deps {
			if what, ok := cutModule(dep); ok && matchesAny(lowerHalf, below) && matchesAny(upperHalf, what) {
				t.Errorf("%s depends on %s, which is in the upper half", below, what)
			}
		}
		if below == "main" || below == "ui" || strings.HasPrefix(below, "ui/") || below == "internal/app" ||
			below == "internal/cli" || below == "internal/testbed/mandoc" {
			continue
		}
		for _, dep := range p.Deps {
			if strings.HasPrefix(dep, drawingModules) {
				t.Errorf("%s depends on %s, which only ui may use", below, dep)
			}
		}
	}
	if seen < 3 {
		t.Errorf("go list shows %d packages of the module, want at least 3", seen)
	}
}

func TestRules(t *testing.T) {
	for _, test := range []struct {
		below, imported string
		standard, bad   bool
	}{
		{"urlcore", "strings", true, false},
		{"urlcore", "gofer/protocols", false, true},
		{"urlcore", "golang.org/x/text/encoding", false, true},
		{"internal/cli/urlbatch", "gofer/urlcore", false, false},
		{"internal/cli/urlbatch", "gofer/internal/text/clean", false, true},
		{"protocols", "gofer/urlcore", false, false},
		{"protocols", "gofer/internal/wire", false, true},
		{"protocols/gopher", "gofer/internal/wire", false, false},
		{"protocols/gopher", "gofer/protocols/ftp", false, true},
		{"protocols/gopher", "github.com/jlaffaye/ftp", false, true},
		{"protocols/ftp", "github.com/jlaffaye/ftp", false, false},
		{"protocols/nntp", "golang.org/x/net/html", false, true},
		{"internal/wire", "gofer/protocols", false, false},
		{"internal/wire", "gofer/protocols/ftp", false, true},
		{"main", "gofer/internal/testbed/fetchtest", false, true},
		{"internal/cli", "gofer/internal/testbed/fetchtest", false, true},
		{"internal/testbed/fetchtest", "gofer/internal/testbed/realserver", false, true},
		{"internal/transfer", "gofer/nav", false, true},
		{"internal/transfer/download", "gofer/nav", false, true},
		{"internal/transfer/download", "gofer/internal/transfer", false, false},
		{"nav", "gofer/protocols/gopher", false, true},
		{"nav", "gofer/ui", false, true},
		{"ui", "gofer/nav", false, false},
		{"ui", "gofer/history/bookmarks", false, false},
		{"ui", "gofer/history", false, true},
		{"ui/page", "gofer/history/bookmarks", false, true},
		{"ui/ask", "gofer/ui", false, true},
		{"ui/ask", "gofer/ui/page", false, true},
		{"ui/viewer", "gofer/ui", false, true},
		{"ui/viewer", "gofer/internal/transfer/download", false, true},
		{"ui", "gofer/protocols/nntp", false, true},
		{"ui", "github.com/jlaffaye/ftp", false, true},
		{"history", "gofer/protocols", false, true},
		{"history/bookmarks", "modernc.org/sqlite", false, true},
		{"internal/userfile/bookmarkfile", "gofer/history", false, true},
	} {
		if why := findViolation(test.below, test.imported, test.standard); (why != "") != test.bad {
			t.Errorf("%s imports %s: got %q, want bad %v", test.below, test.imported, why, test.bad)
		}
	}
}

// topLevel lists the files and folders at the top of the repository whose names do not begin with
// a dot.
var topLevel = []string{
	"ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md", "go.mod", "go.sum",
	"main.go", "main_test.go", "offline_test.go", "roundtrips_test.go", "scheme_test.go",
	"docs", "history", "internal", "nav", "protocols", "ui", "urlcore",
}

// TestFiles reports files that were added to the repository by mistake.
func TestFiles(t *testing.T) {
	out, err := exec.Command("git", "-C", "../../..", "ls-files").Output()
	if err != nil {
		t.Skip("no git repository: ", err)
	}
	for name := range strings.Lines(string(out)) {
		top, _, _ := strings.Cut(strings.TrimSpace(name), "/")
		if !slices.Contains(topLevel, top) && !strings.HasPrefix(top, ".") {
			t.Errorf("%s is in the repository but not in topLevel", top)
		}
	}
}

// TestMap checks that ARCHITECTURE.md names every folder that contains Go files, and that every
// folder that it names exists.
func TestMap(t *testing.T) {
	const root = "../../../"
	text := string(fetchtest.Must(os.ReadFile(root + "ARCHITECTURE.md"))(t))
	_, text, _ = strings.Cut(text, "## Where things are")
	text, _, _ = strings.Cut(text, "Who may import whom")
	listed := make(map[string]bool)
	for _, m := range regexp.MustCompile(`[a-z0-9]+/`).FindAllString(
		regexp.MustCompile(`(?m)^( *(?:[a-z0-9]+/ ?)+).*$`).ReplaceAllString(text, "$1"), -1,
	) {
		listed[strings.TrimSuffix(m, "/")] = true
	}
	known := make(map[string]bool)
	for _, dir := range topLevel {
		_ = filepath.WalkDir(root+dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || d.Name() == "testdata" {
				return nil //nolint:nilerr // ARCHITECTURE.md need not name files and missing folders
			}
			known[d.Name()] = true
			if files, _ := filepath.Glob(filepath.Join(path, "*.go")); len(files) > 0 && !listed[d.Name()] {
				t.Errorf("%s is not in the map of ARCHITECTURE.md", strings.TrimPrefix(path, root))
			}
			return nil
		})
	}
	for name := range listed {
		if !known[name] {
			t.Errorf("ARCHITECTURE.md names %s/, which does not exist", name)
		}
	}
}
