package document

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestEndlessForm checks that the memory for an endless form is bounded, whatever its content.
func TestEndlessForm(t *testing.T) {
	base := fetchtest.Must(urlcore.Parse("http://h.example/"))(t)
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	long := strings.Repeat("x", 100_000)
	for name, piece := range map[string]string{
		"labels":    `<label for="#` + long + `">a</label>`,
		"hidden":    `<input type=hidden name=a value="#` + long + `">`,
		"buttons":   `<input type=submit value=a name="#` + long + `">`,
		"choices":   `<select name=a><option value="#` + long + `">a</select>`,
		"options":   `<select name=a><option>#` + long[:30_000] + `</select>`,
		"texts":     `<textarea name=a>#` + long[:30_000] + `</textarea>`,
		"radios":    `<input type=radio name=a value="#` + long + `">`,
		"many tags": strings.Repeat(`<input name=a>`, 7000),
	} {
		t.Run(name, func(t *testing.T) {
			const pieces = 50
			var b strings.Builder
			b.WriteString(`<form action=/x>`)
			for i := range pieces {
				b.WriteString(strings.ReplaceAll(piece, "#", strconv.Itoa(i)) + "<p>end of a piece")
			}
			text := b.String()
			before, held, shown, tooLarge := heap(), int64(0), 0, false
			h := newHTMLReader(base, func(l protocols.Line) bool {
				tooLarge = tooLarge || strings.Contains(l.Text, "too large")
				if strings.Contains(l.Text, "end of a piece") {
					if shown++; shown == pieces-1 {
						held = heap() - before
					}
				}
				return true
			})
			fetchtest.NoError(t, h.read(strings.NewReader(text)))
			runtime.KeepAlive(text)
			if held > 1<<20 || shown < pieces || !tooLarge {
				t.Errorf(
					"got %d octets held, %d pieces shown, the line about a too large form %v; want at most %d, %d, true",
					held, shown, tooLarge, 1<<20, pieces,
				)
			}
		})
	}
}

// TestFormLimits checks that excess parts of a form are dropped, and that the line of the form says
// so.
func TestFormLimits(t *testing.T) {
	for name, test := range map[string]struct{ form, want string }{
		"fields that fit": {strings.Repeat(`<input name=a>`, maxFields), "{[Form: a, a, a, a, a, ... -> Send]}"},
		"disabled fields": {strings.Repeat(`<input name=a>`, maxFields) + "<input name=b disabled>", "{[Form: a, a, a, a, a, ... -> Send]}"},
		"fields":          {strings.Repeat(`<input name=a>`, 10*maxFields), "{[Form: a, a, a, a, a, ... -> Send, with the first 200 fields]}"},
		"hidden fields": {
			`<input name=a>` + strings.Repeat(`<input type=hidden name=h>`, 10*maxFields),
			"{[Form: a -> Send, with the first 200 fields]}",
		},
		"radio buttons": {
			strings.Repeat(`<input name=a>`, maxFields) + `<input type=radio name=b value=1>one<input type=radio name=b value=2>two`,
			"{[Form: a, a, a, a, a, ... -> Send, with the first 200 fields]}",
		},
		"checks of a list": {
			`<select name=s multiple>` + strings.Repeat(`<option>o`, maxFields+1) + `</select>`,
			"{[Form: o, o, o, o, o, ... -> Send, with the first 200 fields]}",
		},
		"choices": {
			`<select name=s>` + strings.Repeat(`<option value=1>o`, maxOptions+1) + `</select>`,
			"{[Form: s -> Send, with the first 1000 choices]}",
		},
		"radios of a name": {
			strings.Repeat(`<input type=radio name=r value=1>o`, maxOptions+1),
			"{[Form: r -> Send, with the first 1000 choices]}",
		},
		"buttons": {
			strings.Repeat(`<input type=submit name=b value=v>`, 10*maxFields),
			"{[Form: Button -> v, with the first 200 buttons]}",
		},
		"other buttons": {strings.Repeat(`<button name=b value=v>w</button>`, 10*maxFields), "{[Form: Button -> w, with the first 200 buttons]}"},
		"a long URL":    {`<input name=a value="` + strings.Repeat("x", 100_000) + `">`, "[Form: too large to be filled in here]"},
	} {
		t.Run(name, func(t *testing.T) {
			var h *htmlReader
			held, last := 0, ""
			h = newHTMLReader(fetchtest.Parse(t, "http://h.example/"), func(l protocols.Line) bool {
				if f := h.form; f != nil {
					held = max(held, len(f.Fields), len(f.more), len(f.buttons))
				}
				last = l.Text
				if note, ok := l.Note.(*protocols.Hypertext); ok && len(note.Links) > 0 {
					last = "{" + last + "}"
				}
				return true
			})
			fetchtest.NoError(t, h.read(strings.NewReader("<form>"+test.form+"<p>end of the fields<p></form>")))
			fetchtest.Equal(t, last, test.want, "the line of the form")
			if held == 0 || held > maxFields+1 {
				t.Errorf("the form held at most %d fields or buttons, want 1 to %d", held, maxFields+1)
			}
		})
	}
}

// TestTooManyForms checks that one remark replaces all forms after the first maxFields.
func TestTooManyForms(t *testing.T) {
	page := strings.Repeat("<form><input name=q></form>", maxFields+5)
	got := htmlText(t, "http://h.example/", "text/html", page)
	fetchtest.Equal(t, strings.Count(got, "[Form left out: the page has more than 200 forms]"), 1, "remarks")
}
