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

// A form that never ends holds no more than a bounded part of it, whatever it is
// made of.
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
				t.Errorf("%d octets are held; %d lines are shown, that the form is too large: %v", held, shown, tooLarge)
			}
		})
	}
}
