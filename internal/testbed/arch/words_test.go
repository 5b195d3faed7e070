package arch

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// phrases matches phrases that are rare in the comments of Go's standard library. One such phrase is
// no mistake, but many of them make a text hard to read. The trailing comments name replacements.
var phrases = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\b(?:that|those) of\b`,                    // name the thing again
	`\b(?:tells?|told)\b`,                      // reports, returns, says
	`\b(?:nobody|whoever|(?:for|of|to) who)\b`, // no caller, no user; for users who
	`\bbut for\b`,                              // except
	`\bso (?:many|much|long|often)\b`,          // a number or a limit
	`(?:^|[ (,])what (?:is|was|has|had|comes|came|the|it|they|a|stands|follows|remains|can|may|does)\b`, // a noun
	`\b(?:anew|once more)\b`,                        // again
	`\b(?:of|to|in|from|by|for|at|with|on) which\b`, // two sentences
	`\bof (?:its|their|his|our) own\b`,              // its own
	`\b(?:goes?|went) on\b`,                         // continues
	`\b(?:is|are|was) to\b`,                         // must, will, should
	`\b(?:stands?|lies|lay) (?:in|on|over|at|for|there|beside|behind|before|above)\b`, // is
}, "|"))

// The maximum numbers of phrases in 1,000 words. One phrase in a text is always allowed.
const (
	maxInFile   = 6.0
	maxInFolder = 2.0
	maxInTests  = 4.0 // the tests of a folder
	maxInManual = 1.5 // README.md and docs/
)

// prose maps line numbers to the comments of a Go file, or to the text of a document.
type prose map[int]string

// collectComments returns the comments of a Go file, without directives and URLs.
func collectComments(fset *token.FileSet, f *ast.File) prose {
	found := make(prose)
	for _, g := range f.Comments {
		for _, c := range g.List {
			text := strings.TrimPrefix(c.Text, "//")
			if text == c.Text || !strings.HasPrefix(text, " ") && !strings.HasPrefix(text, "\t") || strings.Contains(text, "://") {
				continue
			}
			found[fset.Position(c.Pos()).Line] = text
		}
	}
	return found
}

// collectParagraphs returns the text of a Markdown document, without code.
func collectParagraphs(document string) prose {
	found, code := make(prose), false
	for i, line := range strings.Split(document, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		} else if !code {
			found[i+1] = line
		}
	}
	return found
}

// measure returns the number of words of p, and the line number of each phrase found.
func (p prose) measure() (words int, hits []int) {
	for _, n := range slices.Sorted(maps.Keys(p)) {
		words += len(strings.Fields(p[n]))
		for range phrases.FindAllString(p[n], -1) {
			hits = append(hits, n)
		}
	}
	return words, hits
}

// exceedsLimit reports whether there are more than limit phrases in 1,000 words.
func exceedsLimit(words, hits int, limit float64) bool {
	return hits > 1 && 1000*float64(hits) > limit*float64(words)
}

// findGoFiles returns the names of the Go files below root, except those in testdata.
func findGoFiles(t *testing.T, root string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		switch name := filepath.Base(at); {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || len(name) > 2 && name[0] == '.'):
			return fs.SkipDir
		case strings.HasSuffix(name, ".go"):
			names = append(names, at)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestProse reports files and folders whose comments or documents contain too many of the phrases.
func TestProse(t *testing.T) {
	const root, testsOf = "../../../", " (tests)"
	texts := make(map[string]prose)
	fset := token.NewFileSet()
	for _, name := range findGoFiles(t, root) {
		texts[name] = collectComments(fset, fetchtest.Must(parser.ParseFile(fset, name, nil, parser.ParseComments))(t))
	}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		for _, name := range fetchtest.Must(filepath.Glob(root + pattern))(t) {
			texts[name] = collectParagraphs(string(fetchtest.Must(os.ReadFile(name))(t)))
		}
	}
	type sum struct{ words, hits int }
	folders := make(map[string]sum)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		words, hits := texts[name].measure()
		short := strings.TrimPrefix(filepath.ToSlash(name), root)
		folder := path.Dir(short)
		if short == "README.md" {
			folder = "docs"
		}
		if strings.HasSuffix(short, "_test.go") {
			folder += testsOf
		}
		s := folders[folder]
		folders[folder] = sum{s.words + words, s.hits + len(hits)}
		if exceedsLimit(words, len(hits), maxInFile) {
			for _, n := range hits {
				t.Errorf("%s:%d: %s: %q", short, n, strings.TrimSpace(texts[name][n]), phrases.FindString(texts[name][n]))
			}
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		limit := maxInFolder
		switch {
		case folder == "docs":
			limit = maxInManual
		case strings.HasSuffix(folder, testsOf):
			limit = maxInTests
		}
		if s := folders[folder]; exceedsLimit(s.words, s.hits, limit) {
			t.Errorf("%s: %d phrases in %d words, more than %.1f in 1,000", folder, s.hits, s.words, limit)
		}
	}
}

// TestPhrases checks the number of phrases found in a text.
func TestPhrases(t *testing.T) {
	for text, want := range map[string]int{
		"width is that of column k; of one that came late it is nothing": 1,
		"keep runs write, on which the end of the program waits":         1,
		"keep runs write in the background":                              0,
		"Tell the caller; Tells it.":                                     2,
		"what is left, and what comes":                                   2,
		"somewhat is thattofu":                                           0,
	} {
		if _, hits := (prose{1: text}).measure(); len(hits) != want {
			t.Errorf("%q has %d phrases; want %d", text, len(hits), want)
		}
	}
	if exceedsLimit(10, 1, 2) || !exceedsLimit(500, 2, 2) || exceedsLimit(1000, 2, 2) {
		t.Error("the limit of phrases is not 2 in 1,000 words, with one allowed")
	}
	if p := collectParagraphs("a\n```\nthat of\n```\nb"); len(p) != 2 || p[1] != "a" || p[5] != "b" {
		t.Errorf("a document without its code is %v", p)
	}
}

// renamed maps old names, which did not describe their declarations, to the new names.
var renamed = map[string]string{
	"accident":        "looksLikeLineArt",
	"alreadyIn":       "isLoggedIn",
	"Answered":        "Original",
	"appendBeside":    "appendNoteTexts",
	"arrive":          "showHistoryPage",
	"askHeld":         "replayKeys",
	"askRead":         "loadReadState",
	"AsyncAsk":        "AskInBackground",
	"AsyncWrite":      "WriteInBackground",
	"attend":          "serveConn",
	"beside":          "siblingPath",
	"census":          "leakSnapshot",
	"closedUnsaid":    "describeClosedConnection",
	"comparison":      "linkCollector",
	"consenting":      "retryRegistry",
	"converse":        "serveLines",
	"Cover":           "PushOverlay",
	"depiction":       "pictureKey",
	"drawSometimes":   "isDrawStep",
	"firstRestored":   "openLastSession",
	"foundNothing":    "showNoMatch",
	"Gives":           "Returns",
	"GivesText":       "ReturnsText",
	"GoesOn":          "ContinuesOnNextLine",
	"Harmless":        "IsPrintable",
	"hear":            "queueReply",
	"heldKeys":        "typeahead",
	"Itemless":        "HasNoItem",
	"KittyAsked":      "KittyIfSupported",
	"Lacks":           "NotContains",
	"laid":            "lineLayout",
	"lastingPins":     "",
	"lately":          "relativeTime",
	"Lay":             "PlaceSixel",
	"laySixel":        "placeSixel",
	"Listening":       "ListenAddr",
	"Loan":            "Lease",
	"loggingIn":       "loginFetcher",
	"lookAtFile":      "statFile",
	"misread":         "parseDifference",
	"mustBegin":       "checkPartOfPage",
	"noArticleList":   "notifyNoList",
	"NothingSelected": "NoteNothingSelected",
	"notPeeked":       "unfetchedText",
	"NotThere":        "NotFound",
	"openly":          "acceptAllEnv",
	"outlasting":      "withGracePeriod",
	"ownPage":         "aboutPage",
	"pannedText":      "drawPanned",
	"Piped":           "PipeServer",
	"ProveAlive":      "RequireQuickReply",
	"quitShown":       "checkQuitReport",
	"RefreshOwn":      "ReloadOwn",
	"rehearse":        "recordBaseline",
	"remark":          "renewMarker",
	"remedy":          "withHint",
	"Rescore":         "SetScores",
	"Resting":         "IsIdle",
	"Restorable":      "LastSession",
	"Said":            "Reply",
	"See":             "ShowPart",
	"SixelAsked":      "SixelIfSupported",
	"tabless":         "parseTabless",
	"ToBeSent":        "StateQueued",
	"toldError":       "reportedError",
	"tryToSuffer":     "injectFault",
	"undouble":        "fixDoubledName",
	"unreadOnly":      "unreadFetcher",
	"Unrecorded":      "DisableTranscript",
	"unsearched":      "withoutSearch",
	"untilSignal":     "runUntilSignal",
	"withoutKilled":   "killFilter",
	"worse":           "recordError",
	"wrapAsSet":       "applyWrap",
}

// TestRenamed reports declarations that use an old name.
func TestRenamed(t *testing.T) {
	fset, found := token.NewFileSet(), make(map[string]bool)
	for _, name := range findGoFiles(t, "../../../") {
		f := fetchtest.Must(parser.ParseFile(fset, name, nil, parser.SkipObjectResolution))(t)
		ast.Inspect(f, func(n ast.Node) bool {
			var declared []*ast.Ident
			switch n := n.(type) {
			case *ast.FuncDecl:
				declared = append(declared, n.Name)
			case *ast.TypeSpec:
				declared = append(declared, n.Name)
			case *ast.ValueSpec:
				declared = n.Names
			case *ast.Field:
				declared = n.Names
			}
			for _, id := range declared {
				found[id.Name] = true
				if replacement, ok := renamed[id.Name]; ok {
					t.Errorf("%s: %s; the name is %s", fset.Position(id.Pos()), id.Name, cmp.Or(replacement, "another"))
				}
			}
			return true
		})
	}
	for old, replacement := range renamed {
		for name := range strings.FieldsFuncSeq(replacement, func(r rune) bool { return strings.ContainsRune(", /", r) }) {
			if !found[name] {
				t.Errorf("the replacement of %s is %s, which is not declared", old, name)
			}
		}
	}
}
