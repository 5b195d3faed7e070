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
	"strconv"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// phrases matches phrases that are rare in the comments of Go's standard library. One such phrase is
// no mistake, but many of them make a text hard to read. The trailing comments name replacements.
var phrases = regexp.MustCompile(strings.ReplaceAll(`(?i)`+strings.Join([]string{
	`\b(?:that|those) of\b`,                    // name the thing again
	`\b(?:tells?|told)\b`,                      // reports, returns, says
	`\b(?:nobody|whoever|(?:for|of|to) who)\b`, // no caller, no user; for users who
	`\bbut for\b`,                              // except
	`\bso (?:many|much|long|often)\b`,          // a number or a limit
	`(?:^|[\s(,])what (?:is|was|has|had|comes|came|the|it|they|a|stands|follows|remains|can|may|does)\b`, // a noun
	`\b(?:anew|once more)\b`,                        // again
	`\b(?:of|to|in|from|by|for|at|with|on) which\b`, // two sentences
	`\bof (?:its|their|his|our) own\b`,              // its own
	`\b(?:goes?|went) on\b`,                         // continues
	`\b(?:is|are|was) to\b`,                         // must, will, should
	`\b(?:stands?|lies|lay) (?:in|on|over|at|for|there|beside|behind|before|above)\b`, // is
}, "|"), " ", `\s+`))

// The maximum numbers of phrases in 1,000 words. One phrase in a text is always allowed.
const (
	maxInFile   = 6.0
	maxInFolder = 2.0 // the comments, or the messages, of a folder
	maxInTests  = 4.0 // the comments of the tests of a folder
	maxInManual = 1.5 // README.md and docs/
)

// passage is a text that begins at a line of a file: a comment, a paragraph, or a message.
type passage struct {
	line int
	text string
}

// prose has the passages of a file.
type prose []passage

// add adds a passage, without the URLs in it.
func (p *prose) add(line int, text string) {
	if text = urls.ReplaceAllString(text, ""); strings.TrimSpace(text) != "" {
		*p = append(*p, passage{line, text})
	}
}

var (
	urls       = regexp.MustCompile(`\S+://\S+`)
	directives = regexp.MustCompile(`(?m)^//(?:go:|nolint|line |export ).*`)
	slashes    = regexp.MustCompile(`(?m)^\s*(?://|/\*)|\*/\s*$`)
)

// collectComments returns the comments of a Go file, without directives.
func collectComments(fset *token.FileSet, f *ast.File) (found prose) {
	for _, group := range f.Comments {
		var lines []string
		for _, c := range group.List {
			lines = append(lines, c.Text)
		}
		text := directives.ReplaceAllString(strings.Join(lines, "\n"), "")
		found.add(fset.Position(group.Pos()).Line, slashes.ReplaceAllString(text, ""))
	}
	return found
}

// collectMessages returns the string literals of a Go file that have several words.
func collectMessages(fset *token.FileSet, f *ast.File) (found prose) {
	ast.Inspect(f, func(n ast.Node) bool {
		if _, isField := n.(*ast.Field); isField { // its string literal is a tag
			return false
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err := strconv.Unquote(lit.Value)
			if lit.Value[0] == '"' {
				text = strings.ReplaceAll(text, "\n", " ") // an escaped line end begins no line of the file
			}
			if err == nil && len(strings.Fields(text)) > 1 {
				found.add(fset.Position(lit.Pos()).Line, text)
			}
		}
		return true
	})
	return found
}

// collectParagraphs returns the paragraphs of a Markdown document, without code. It reports whether
// the last block of code has an end.
func collectParagraphs(document string) (found prose, ended bool) {
	text, code := "", false
	lines := strings.Split(document, "\n")
	for i, line := range append(lines, "") {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence || code || strings.TrimSpace(line) == "" {
			found.add(i+1-strings.Count(text, "\n"), text)
			text, code = "", code != fence
			continue
		}
		text += line + "\n"
	}
	return found, !code
}

// measure returns the number of words of p, and a passage for each phrase found: the phrase and its
// line.
func (p prose) measure() (words int, hits []passage) {
	for _, passage := range p {
		words += len(strings.Fields(passage.text))
		for _, at := range phrases.FindAllStringIndex(passage.text, -1) {
			hits = append(hits, hit(passage, at[0], at[1]))
		}
	}
	return words, hits
}

// hit returns the phrase from octet start to octet end of p, with its line.
func hit(p passage, start, end int) passage {
	return passage{p.line + strings.Count(p.text[:start], "\n"), strings.Join(strings.Fields(p.text[start:end]), " ")}
}

// exceedsLimit reports whether there are more than limit phrases in 1,000 words, and more than one phrase.
func exceedsLimit(words, hits int, limit float64) bool {
	return hits > 1 && 1000*float64(hits) > limit*float64(words)
}

// findFiles returns the files below root whose names end in suffix. It skips hidden folders, and folders named
// testdata or world.
func findFiles(t *testing.T, root, suffix string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		switch name := filepath.Base(at); {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || name == "world" || len(name) > 2 && name[0] == '.'):
			return fs.SkipDir
		case strings.HasSuffix(name, suffix):
			names = append(names, at)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// collectProse returns the prose of all files by name. Comments of a Go file have the file's name, and
// messages have this name with the suffix messagesOf. Messages of tests and of the packages in testbed are left out.
func collectProse(t *testing.T, root, messagesOf string) map[string]prose {
	t.Helper()
	texts, fset := make(map[string]prose), token.NewFileSet()
	for _, name := range findFiles(t, root, ".go") {
		f := fetchtest.Must(parser.ParseFile(fset, name, nil, parser.ParseComments))(t)
		texts[name] = collectComments(fset, f)
		if !strings.HasSuffix(name, "_test.go") && !strings.Contains(name, "/testbed/") {
			texts[name+messagesOf] = collectMessages(fset, f)
		}
	}
	documents := append(findFiles(t, root, ".md"), findFiles(t, root, ".toml")...)
	for _, name := range documents {
		ended := false
		if texts[name], ended = collectParagraphs(string(fetchtest.Must(os.ReadFile(name))(t))); !ended {
			t.Errorf("%s: the last block of code has no end", name)
		}
	}
	return texts
}

// TestProse reports files and folders whose comments, messages or documents contain too many of the
// phrases.
func TestProse(t *testing.T) {
	const root, testsOf, messagesOf = "../../../", " (tests)", " (messages)"
	texts := collectProse(t, root, messagesOf)
	type sum struct{ words, hits int }
	folders := make(map[string]sum)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		words, hits := texts[name].measure()
		short := strings.TrimPrefix(filepath.ToSlash(name), root)
		folder := path.Dir(short)
		switch {
		case short == "README.md":
			folder = "docs"
		case strings.HasSuffix(short, "_test.go"):
			folder += testsOf
		case strings.HasSuffix(short, messagesOf):
			folder += messagesOf
		}
		s := folders[folder]
		folders[folder] = sum{s.words + words, s.hits + len(hits)}
		if exceedsLimit(words, len(hits), maxInFile) || testing.Verbose() && len(hits) > 0 {
			for _, h := range hits {
				report := t.Logf
				if exceedsLimit(words, len(hits), maxInFile) {
					report = t.Errorf
				}
				report("%s:%d: %q", strings.TrimSuffix(short, messagesOf), h.line, h.text)
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
		"a phrase that\nof  which":                                       1,
	} {
		if _, hits := (prose{{1, text}}).measure(); len(hits) != want {
			t.Errorf("%q has the phrases %v; want %d", text, hits, want)
		}
	}
	fset := token.NewFileSet()
	const source = "package p\n\n/* a block, those\nof it */\nvar x = \"what is new\" //see https://h.example/ that of\n"
	f := fetchtest.Must(parser.ParseFile(fset, "p.go", source, parser.ParseComments))(t)
	_, hits := append(collectComments(fset, f), collectMessages(fset, f)...).measure()
	fetchtest.EqualSlices(t, hits, []passage{{3, "those of"}, {5, "that of"}, {5, "what is"}}, "phrases of a Go file")
	if exceedsLimit(10, 1, 2) || !exceedsLimit(500, 2, 2) || exceedsLimit(1000, 2, 2) {
		t.Error("the limit of phrases is not 2 in 1,000 words, with one allowed")
	}
	paragraphs, ended := collectParagraphs("a\n```\nthat of\n```\nb\nc\n\nd")
	fetchtest.EqualSlices(t, paragraphs, []passage{{1, "a\n"}, {5, "b\nc\n"}, {8, "d\n"}}, "paragraphs without code")
	if _, open := collectParagraphs("```\nthat of"); open || !ended {
		t.Error("an open block of code is not reported")
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
	for _, name := range findFiles(t, "../../../", ".go") {
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
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					declared = identifiers(n.Lhs...)
				}
			case *ast.RangeStmt:
				if n.Tok == token.DEFINE {
					declared = identifiers(n.Key, n.Value)
				}
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

// identifiers returns the expressions that are identifiers.
func identifiers(all ...ast.Expr) (found []*ast.Ident) {
	for _, x := range all {
		if id, ok := x.(*ast.Ident); ok {
			found = append(found, id)
		}
	}
	return found
}
