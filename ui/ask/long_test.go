package ask

import (
	"context"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/cell"
)

// drawAll draws all rows of a prompt.
func drawAll(p Prompt, s *Screen) {
	d := p.Draw(s)
	row := func() *cell.RowWriter {
		return &cell.RowWriter{Builder: new(strings.Builder), Cells: s.Cells, Width: s.Width}
	}
	for _, draw := range []func(*cell.RowWriter) int{d.Bar, d.Status} {
		if draw != nil {
			draw(row())
		}
	}
	for y := range s.Rows {
		if d.Page != nil {
			d.Page(row(), y)
		}
	}
}

// TestKeysInLongText types into texts of 30,000 and 60,000 characters, and checks that a key allocates no
// more memory in the longer text: all that a key does is bounded by the screen.
func TestKeysInLongText(t *testing.T) {
	s := newScreen(80, 24)
	s.Notice = func(*cell.RowWriter) bool { return false }
	s.Keys, s.Context = noKeys{}, t.Context()
	s.RunInBackground = func(func() func() tea.Cmd) tea.Cmd { return nil }
	places := Places{Complete: func(context.Context, string, int) []Completion { return nil }}
	for _, tt := range []struct {
		name   string
		prompt func(text string) Prompt
	}{
		{"URL bar", func(text string) Prompt { return NewBar(places, text) }},
		{"prompt", func(text string) Prompt { return NewLine(Head{}, Field{Value: text}) }},
		{"prompt for a secret", func(text string) Prompt { return NewLine(Head{}, Field{Value: text, Secret: true}) }},
		{"line of a form", func(text string) Prompt { return NewForm(Head{}, "Send", Field{Value: text}) }},
		{"text of a form", func(text string) Prompt {
			return NewForm(Head{}, "Send", Field{Value: text, Input: protocols.InputText})
		}},
		{"form with a long text", func(text string) Prompt {
			return NewForm(Head{}, "Send", Field{}, Field{Value: text, Input: protocols.InputText})
		}},
	} {
		for _, place := range []string{"line end", "line start"} {
			for _, unit := range []string{"a", "a\n", "é"} {
				measure := func(n int) uint64 {
					p := tt.prompt(strings.Repeat(unit, n/len([]rune(unit))))
					p.Key(place, s)
					key := func() {
						p.Insert("x", s)
						drawAll(p, s)
						p.Key("left", s)
						drawAll(p, s)
						p.Key("delete", s)
						drawAll(p, s)
					}
					key() // the line grows
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					for range 8 {
						key()
					}
					runtime.ReadMemStats(&after)
					return after.TotalAlloc - before.TotalAlloc
				}
				if a, b := measure(30_000), measure(60_000); b > a+a/2 {
					t.Errorf("%s, %s, %q: keys allocate %d octets in 30,000 characters, and %d in 60,000, want no more", tt.name, place, unit, a, b)
				}
			}
		}
	}
}

// TestLongPatterns checks that texts to search for and paths of files, which are used at each key, stay
// short.
func TestLongPatterns(t *testing.T) {
	s, calls := newScreen(80, 24), 0
	s.Context = t.Context()
	s.RunInBackground = func(func() func() tea.Cmd) tea.Cmd { return nil }
	l := NewLine(Head{}, Field{})
	l.Changed = func(string) (tea.Cmd, error) { calls++; return nil, nil }
	f := NewForm(Head{}, "Send", Field{Input: protocols.InputFile})
	for range maxWatched + 10 {
		l.Insert("é", s)
		f.Insert("é", s)
	}
	for _, typed := range []string{l.Typed(), f.Typed()} {
		fetchtest.Equal(t, typed, strings.Repeat("é", maxWatched), "typed")
	}
	fetchtest.Equal(t, calls, maxWatched, "calls of Changed")
	l.Key("erase", s)
	l.Insert("ab", s)
	fetchtest.Equal(t, l.Typed(), strings.Repeat("é", maxWatched-1), "a text that is too long by one")
}

// noKeys has no keys of actions.
type noKeys struct{}

func (noKeys) KeyIn(_, _, _ string) string   { return "" }
func (noKeys) Hint(_, _, _, _ string) string { return "" }

// TestOneQueryForManyKeys checks that the keys typed while a query runs cause one further query, for the
// last text.
func TestOneQueryForManyKeys(t *testing.T) {
	var begun []func() func() tea.Cmd
	var typed []string
	s := newScreen(80, 24)
	s.Context = t.Context()
	s.RunInBackground = func(do func() func() tea.Cmd) tea.Cmd {
		begun = append(begun, do)
		return nil
	}
	b := NewBar(Places{Complete: func(ctx context.Context, text string, _ int) []Completion {
		if ctx.Err() == nil {
			typed = append(typed, text)
		}
		return []Completion{{Text: text + "/"}}
	}}, "")
	for range 100 {
		b.Insert("a", s)
	}
	for i := 0; i < len(begun); i++ {
		begun[i]()()
	}
	fetchtest.Equal(t, len(begun), 2, "queries")
	fetchtest.EqualSlices(t, typed, []string{strings.Repeat("a", 100)}, "completed texts")
	fetchtest.Equal(t, b.shownCompletions(s), 1, "completions")
	b.Key("next", s)
	b.Key("previous", s)
	fetchtest.Equal(t, b.Typed(), strings.Repeat("a", 100), "text after the selection")
}
