package endtoend

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// A step types keys and waits until the screen contains all words. The words must appear only when
// the page is complete. The caption consists of the printed form of the keys, a tab, and a
// description.
type step struct {
	keys, caption string
	tenths        int // duration of the frame in tenths of a second
	words         []string
}

// recordingSteps visit a menu, pictures, a directory and a newsgroup of the demo.
var recordingSteps = []step{
	{"", "gofer demo\ta small world of servers inside the program", 20, []string{"g URL"}},
	{"j", "j\tnext link", 4, []string{"/1/library "}},
	{"j", "j\tnext link", 3, []string{"/1/phlog "}},
	{"j", "j\tnext link", 6, []string{"/1/art "}},
	{"\r", "Enter\tfollows the link", 12, []string{"The gallery.", "3/18", "three-gophers.txt", "d save"}},
	{"p", "p\tpeeks at the item", 12, []string{"~~~~~'~~~~~'~~~"}},
	{"j", "j\tnext link; the pane follows", 14, []string{"4/18", "─ A lighthouse ─"}},
	{"p", "p\tcloses the pane", 4, []string{"To the front door", "4/18"}},
	{"\x7f", "Backspace\tgoes back to the page as it was", 12, []string{"8/32", "g URL"}},
	{"/ftp", "/ftp\tsearches the page while you type", 12, []string{"Find: ftp ", "match 3 of 3"}},
	{"\r", "Enter\tends the search at the match", 6, []string{"13/32", "ftp://demo.gofer.test/"}},
	{"\r", "Enter\tfollows the link to an FTP directory", 6, []string{" ftp://demo.gofer.test/", " 1/2 "}},
	{"\r", "Enter\tfollows the link", 12, []string{" ftp://demo.gofer.test/pub;type=d", "tides", " 1/9 "}},
	{"g", "g\topens the URL bar", 6, []string{"Tab complete"}},
	{"news:gofer.help", "news:gofer.help\ta newsgroup", 8, []string{" news:gofer.help"}},
	{"\r", "Enter\tlists its threads", 14, []string{"Going up", " 1/11 ", "next unread"}},
	{"j", "j\tnext article", 4, []string{" 2/11 "}},
	{"j", "j\tnext article", 6, []string{" 3/11 "}},
	{"\r", "Enter\treads it", 16, []string{"Thread: 3 of 5", "92%"}},
	{"u", "u\tgoes up to the group", 10, []string{" 3/11 "}},
	{"?", "?\tlists the keys", 30, []string{"Basics", "Find:"}},
}

// TestDocsRecording runs the steps in the demo and compares the frames with the animated picture.
func TestDocsRecording(t *testing.T) {
	const file = docsFolder + "screens/session.svg"
	tm := startDemo(t)
	want := ""
	if !*update {
		want = string(fetchtest.Must(os.ReadFile(file))(t))
	}
	var frames []frame
	for i, s := range recordingSteps {
		tm.typeKeys(s.keys)
		tm.wait(s.words...)
		tm.waitUntil(func() bool {
			screen := tm.waitForFrame()
			return !isLoading(screen) && !strings.Contains(screen, "\n loading ")
		}, "does not end loading")
		frames = append(frames, frame{})
		if !eventually(func() bool {
			frames[i] = tm.drawFrame(s)
			return *update || strings.HasPrefix(want, drawFrames(frames))
		}) {
			t.Fatalf("the screen never was that of frame %d of %s: if this one is right run .ci/screens\n%s", i, file, tm.screen())
		}
	}
	tm.typeKeys("\x1b") // leaves the help page
	tm.wait(" 3/11 ")
	tm.quit()
	switch got := drawFrames(frames) + drawTimes(); {
	case *update:
		writeFile(t, file, got)
	case got != want:
		t.Errorf("%s is out of date: run .ci/screens", file)
	}
}

// A frame contains a drawing of each row of the screen and of the caption. Each row is drawn at the
// top of the screen, and drawFrames moves it to its place.
type frame struct {
	rows    []string
	caption string
}

func (tm *terminal) drawFrame(s step) frame {
	var f frame
	for _, row := range tm.rows() {
		var b strings.Builder
		drawRow(&b, row, 0)
		f.rows = append(f.rows, b.String())
	}
	keys, does, _ := strings.Cut(s.caption, "\t")
	f.caption = drawCaption(keys, does)
	return f
}

const (
	screenHeight  = 24*cellHeight + 2*drawingMargin
	captionHeight = 2 * cellHeight
)

// drawCaption draws keys in a box below the screen, and a description beside it.
func drawCaption(keys, does string) string {
	const x, top = drawingMargin, screenHeight - 4
	var b strings.Builder
	width := (len(keys) + 2) * cellWidth
	fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="26" rx="5" fill="#2b2f38" stroke="#8a8a8a"/>`+"\n", x, top, width)
	label := func(x int, fill, s string) {
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s" textLength="%d" lengthAdjust="spacingAndGlyphs">`, x, top+18, fill, len(s)*cellWidth)
		_ = xml.EscapeText(&b, []byte(s))
		b.WriteString("</text>\n")
	}
	label(x+cellWidth, "#ffffff", keys)
	label(x+width+cellWidth, drawingFg, does)
	return b.String()
}

// drawFrames draws the frames as groups. Only the first group is visible. drawFrames draws each
// different row once, before the first frame that contains the row.
func drawFrames(frames []frame) string {
	var svg strings.Builder
	startDrawing(&svg, 80*cellWidth+2*drawingMargin, screenHeight+captionHeight)
	numbers := map[string]int{"": 0}
	for i, f := range frames {
		svg.WriteString("<defs>\n")
		for _, row := range f.rows {
			if _, ok := numbers[row]; !ok {
				numbers[row] = len(numbers)
				fmt.Fprintf(&svg, "<g id=\"r%d\">\n%s</g>\n", numbers[row], row)
			}
		}
		visibility := "hidden"
		if i == 0 {
			visibility = "visible"
		}
		fmt.Fprintf(&svg, "</defs>\n<g id=\"f%d\" visibility=\"%s\">\n", i, visibility)
		for y, row := range f.rows {
			if row != "" {
				fmt.Fprintf(&svg, `<use href="#r%d" y="%d"/>`, numbers[row], y*cellHeight)
			}
		}
		svg.WriteString("\n" + f.caption + "</g>\n")
	}
	return svg.String()
}

// drawTimes completes the drawing with the animation. Without animation, or if the viewer prefers
// reduced motion, the first frame stays visible.
func drawTimes() string {
	total := 0
	for _, s := range recordingSteps {
		total += s.tenths
	}
	percent := func(tenths int) float64 { return 100 * float64(tenths) / float64(total) }
	var svg strings.Builder
	svg.WriteString("<style>\n@media (prefers-reduced-motion:no-preference){\n")
	begin := 0
	for i, s := range recordingSteps {
		end := begin + s.tenths
		before := ""
		if i > 0 {
			before = "0%{visibility:hidden}"
		}
		fmt.Fprintf(&svg, "@keyframes k%d{%s%.2f%%{visibility:visible}", i, before, percent(begin))
		if i < len(recordingSteps)-1 {
			fmt.Fprintf(&svg, "%.2f%%{visibility:hidden}", percent(end))
		}
		fmt.Fprintf(&svg, "}\n#f%d{animation:k%[1]d %gs step-end infinite}\n", i, float64(total)/10)
		begin = end
	}
	svg.WriteString("}\n</style>\n</svg>\n")
	return svg.String()
}
