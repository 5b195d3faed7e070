//go:build unix

package endtoend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
)

// answerPrompts waits for the text of each step in turn, and types the answer.
func (tm *terminal) answerPrompts(steps [][2]string) {
	tm.t.Helper()
	at := 0
	for _, s := range steps {
		tm.waitUntil(func() bool { return strings.Contains(tm.output()[at:], s[0]) }, "does not write "+s[0])
		at += strings.Index(tm.output()[at:], s[0]) + len(s[0])
		tm.typeKeys(s[1])
	}
}

// TestLatin1Form checks that a form in Latin-1 is decoded on the screen, and that typed and unedited
// answers are sent in Latin-1.
func TestLatin1Form(t *testing.T) {
	t.Parallel()
	home, world := t.TempDir(), startWorld(t)
	form := "gopher://" + world.Gopher.Addr() + "/0/plus/latin1%09%09"
	for name, tt := range map[string]struct {
		plus  string
		steps [][2]string
		want  string
	}{
		"left alone": {
			"%3F",
			[][2]string{
				{"says: \"Größe:\"\r\nAnswer [\"Über zwei Meter\"]: ", "\r"},
				{"Grüße:\"\r\nText (end with a dot on a line by itself):\r\n> Schöne\r\n> Grüße\r\nKeep this text? (Y/n) ", "\r"},
				{"Answer [\"Über.txt\"]: ", "\r"},
				{"   2  \"Grün\"\r\n1 to 2 [1]: ", "\r"},
				{"Send the form to " + world.Gopher.Addr() + "? (Y/n) ", "\r"},
			},
			"> \xdcber zwei Meter\r\n> 2\r\n> Sch\xf6ne\r\n> Gr\xfc\xdfe\r\n> \xdcber.txt\r\n> Rot\r\n",
		},
		"typed": {
			"%3F",
			[][2]string{
				{"Meter\"]: ", "Жук\r"},
				{"windows-1252 has no \"Ж\" (U+0416): replace it, or change the server's charset.\r\n", ""},
				{"Meter\"]: ", "Jörg\r"},
				{"Keep this text? (Y/n) ", "n\r"},
				{"n\r\n", "schön\r日\r"},
				{"windows-1252 has no \"日\" (U+65E5)", "ä\r.\r"},
				{"[\"Über.txt\"]: ", "/tmp/ä.txt\r"},
				{"1 to 2 [1]: ", "grün\r"},
				{"(Y/n) ", "\r"},
			},
			"> J\xf6rg\r\n> 2\r\n> sch\xf6n\r\n> \xe4\r\n> \xe4.txt\r\n> Gr\xfcn\r\n",
		},
		"carried by the URL": {
			"+%091%0D%0A+-1%0D%0AJ%F6rg%0D%0A1%0D%0A%E4%0D%0A%DC.txt%0D%0AGr%FCn%0D%0A.%0D%0A",
			[][2]string{
				{"[\"Jörg\"]: ", "\r"},
				{"\r\n> ä\r\nKeep this text? (Y/n) ", "\r"},
				{"[\"Ü.txt\"]: ", "Ö.txt\r"},
				{"1 to 2 [2]: ", "\r"},
				{"(Y/n) ", "\r"},
			},
			"> J\xf6rg\r\n> 1\r\n> \xe4\r\n> \xd6.txt\r\n> Gr\xfcn\r\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "answer")
			tm := launch(t, newCommand(home, world, "gofer", "get", "-o", file, form+tt.plus), &pty.Winsize{Rows: 24, Cols: 100})
			tm.emulate(100, 24)
			tm.answerPrompts(tt.steps)
			tm.waitExit(0)
			got := string(fetchtest.Must(os.ReadFile(file))(t))
			if want := "Thank you. The server got these lines:\r\n" + tt.want; got != want {
				t.Errorf("got\n%q, want\n%q", got, want)
			}
		})
	}
}
