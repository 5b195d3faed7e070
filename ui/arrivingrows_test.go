package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// addArrivals adds a directory whose server answers at once and sends one of the batches of names every second. A name that
// ends with "/" is a directory.
func (w web) addArrivals(u urlcore.URL, batches ...string) {
	w[u] = func(ctx context.Context, _ protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{
			Head: protocols.Head{URL: u, Layout: protocols.LayoutDirectory, Size: -1},
			Lines: func(yield func(protocols.Line, error) bool) {
				for _, batch := range batches {
					if err := sleep(ctx, time.Second); err != nil {
						yield(protocols.Line{}, err)
						return
					}
					for _, name := range strings.Fields(batch) {
						line := protocols.Line{Kind: protocols.Text, Text: name, Link: file("pub/" + name), Note: &protocols.FileNote{Size: 7}}
						if strings.HasSuffix(name, "/") {
							line.Kind = protocols.Directory
						}
						if !yield(line, nil) {
							return
						}
					}
				}
			},
		}, nil
	}
}

// TestKeysOnArrivingRows checks that keys which are typed while the rows of a directory arrive act at once on what is on
// the screen, that the cursor then stays on its item, and that keys typed before the rows are for the sorted directory.
func TestKeysOnArrivingRows(t *testing.T) {
	few := []string{"m z", "c/ a"}
	late := slices.Concat(few, []string{""}) // the directory ends later than its last rows arrive
	many := []string{"", ""}                 // names for four screens, the last ones first
	for i := range 80 {
		many[i/50] += fmt.Sprintf(" f%d", 89-i)
	}
	for _, tt := range []struct {
		name      string
		batches   []string
		early     string // keys typed before the first rows
		keys      string // keys typed between the first rows and the next ones
		soon, end string // the state soon after these keys, and the state after all rows
	}{
		{"no key", few, "", "", "line 0, top 0.0 on m", "line 0, top 0.0 on c/"},
		{"early keys", few, "down enter", "", "line 0, top 0.0 on m", "pub/a, "},
		{"a key behind an early one", few, "down", "enter", "line 0, top 0.0 on m", "pub/a, "},
		{"open", few, "", "enter", "pub/m, ", "pub/m, "},
		{"open the second", few, "", "down enter", "pub/z, ", "pub/z, "},
		{"a key without a move", few, "", "y", "line 0, top 0.0 on m", "line 2, top 0.0 on m"},
		{"a move", few, "", "down", "line 1, top 0.0 on z", "line 3, top 0.0 on z"},
		{"a move beyond the rows", late, "", "down down", "line 1, top 0.0 on z", "line 0, top 0.0 on c/"},
		{"a key for all rows", few, "", "alt+a", "line 0, top 0.0 on m", "line 2, top 0.0 on m"},
		{"a screen", many, "", "pgdown", "line 19, top 19.0 on f70", "line 60, top 60.0 on f70"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, _ := burstWeb()
				w.addArrivals(file("pub/"), tt.batches...)
				for _, name := range []string{"a", "m", "z"} {
					w.addText(file("pub/"+name), name, "about "+name)
				}
				k := newTypist(t, w, Options{Home: file("pub/")}, pace{})
				k.pass(500 * time.Millisecond)
				k.pressEvery(0, strings.Fields(tt.early)...)
				k.pass(time.Second)
				k.pressEvery(0, strings.Fields(tt.keys)...)
				for _, want := range []string{tt.soon, tt.end} {
					k.pass(100 * time.Millisecond)
					if got := k.state(); !strings.Contains(got, want) {
						t.Errorf("got %s, want %s", got, want)
					}
					k.pass(10 * time.Second)
				}
			})
		})
	}
}

// TestReturnToArrivingRows opens an item of a directory whose rows still arrive, and checks that the directory is loaded
// again, with the cursor on the item, as soon as the user has come back to it in any way; but not after Esc.
func TestReturnToArrivingRows(t *testing.T) {
	for _, tt := range []struct {
		name, keys string // typed after the first rows
		want       string // the state after all rows
	}{
		{"back from an item", "down enter left", "2 loads, 7 rows, line 6, top 0.0 on z"},
		{"back from an error", "down down enter left", "2 loads, 7 rows, line 5, top 0.0 on y"},
		{"back from an item before its answer", "down down down enter left", "2 loads, 7 rows, line 4, top 0.0 on w"},
		{"an item that was stopped", "down down down enter esc", "2 loads, 7 rows, line 4, top 0.0 on w"},
		{"the directory was stopped then", "down down down enter esc esc", "1 loads, 5 rows, line 3, top 0.0 on w"},
		{"the question of an item", "enter", "1 loads, 5 rows, line 0, top 0.0 on m, prompt"},
		{"the question was left", "enter esc", "2 loads, 7 rows, line 2, top 0.0 on m"},
		{"the directory was stopped", "esc", "1 loads, 5 rows, line 0, top 0.0 on m"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, dir, loads := web{}, file("pub/"), 0
				w.addArrivals(dir, "m z y w v", "c/ a")
				fetch := w[dir]
				w[dir] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
					loads++
					return fetch(ctx, req)
				}
				w.addText(file("pub/z"), "z", "about z")
				w.addStall(file("pub/w"))
				w.addFailure(file("pub/m"), &protocols.Login{Server: "h:21"})
				k := newTypist(t, w, Options{Home: dir}, pace{answer: 200 * time.Millisecond})
				k.pass(1300 * time.Millisecond)
				for key := range strings.FieldsSeq(tt.keys) {
					k.pressEvery(10*time.Millisecond, key)
					if key == "enter" {
						k.pass(300 * time.Millisecond)
					}
				}
				k.pass(10 * time.Second)
				_, place, _ := strings.Cut(k.state(), "pub/, ")
				rows := k.driver.Model.tab.Session.Page().Lines.Len()
				fetchtest.Equal(t, fmt.Sprintf("%d loads, %d rows, %s", loads, rows, place), tt.want, "after %s", tt.keys)
			})
		})
	}
}
