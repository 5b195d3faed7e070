package ui

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gofer/internal/userfile/sessions"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// faultyURL panics when it is asked for its file name. The URL of host h with path /drawn also
// panics when the status line is drawn.
type faultyURL struct{ urlcore.Generic }

func (faultyURL) FileName() string { panic("named") }

func (u faultyURL) Up() (urlcore.URL, bool) {
	if u.Rest == "//h/drawn" {
		panic("drawn")
	}
	return u, false
}

// TestPanic checks that after a panic the program saves the tabs, leaves the alternate screen, writes a
// report and names its file.
func TestPanic(t *testing.T) {
	for name, keys := range map[string]string{
		"named":   "S",  // in Update
		"drawn":   "\r", // in View
		"typed":   "gx",
		"visited": "j\r", // in a write in the background
	} {
		t.Run(name, func(t *testing.T) {
			w := library()
			home := faultyURL{urlcore.Generic{Name: "x-faulty", Rest: "//h/"}}
			drawn := faultyURL{urlcore.Generic{Name: "x-faulty", Rest: "//h/drawn"}}
			w.addPage(
				home, protocols.LayoutMenu, "Home", link(protocols.Menu, "one", item('1', "/drawn")),
				link(protocols.Text, "two", item('0', "/about.txt")),
			)
			w.addPage(drawn, protocols.LayoutMenu, "", link(protocols.Menu, "x", item('1', "/")))
			w[item('1', "/drawn")] = w[drawn]
			reported := make(chan *protocols.Panic, 1)
			o := Options{Home: home, Sessions: sessions.Open(t.TempDir())}
			if name == "visited" {
				o.Visit = func(_ context.Context, _, u urlcore.URL, _ string) error {
					if strings.HasSuffix(u.String(), "about.txt") {
						panic(name)
					}
					return nil
				}
			}
			o.Complete = func(context.Context, string, int) []ask.Completion { panic(name) }
			o.Report = func(p *protocols.Panic, width, height int) (string, error) {
				if width != 80 || height != 24 {
					t.Errorf("Report got a screen of %dx%d, want 80x24", width, height)
				}
				reported <- p
				return "/home/ann/crash.txt", nil
			}
			tm := startProgram(t, w, o, 80, 24)
			tm.waitFor("1/2 ─") // the page is complete
			tm.typeKeys(keys)
			var err error
			select {
			case err = <-tm.done:
			case <-time.After(maxWait):
				t.Fatal("the program does not end")
			}
			if want := "internal error: " + name + "; the report is in /home/ann/crash.txt; gofer --restore opens the tabs again"; err == nil ||
				err.Error() != want {
				t.Errorf("got the error %v, want %s", err, want)
			}
			if p := <-reported; p.Value != name || !strings.Contains(string(p.Stack), "panic_test.go") {
				t.Errorf("Report got the panic %v, want %s with the stack of this file\n%s", p.Value, name, p.Stack)
			}
			if n, lost := o.Sessions.Last(); n != 1 || !lost {
				t.Errorf("%d tabs are saved, lost: %v, want 1 lost tab", n, lost)
			}
			out := string(tm.wrote)
			if strings.LastIndex(out, "\x1b[?1049l") < strings.LastIndex(out, "\x1b[?1049h") {
				t.Error("the alternate screen is left on")
			}
		})
	}
}

// TestPanicOfALoad checks that a panic in a load is reported and ends only that load.
func TestPanicOfALoad(t *testing.T) {
	w := library()
	w[item('1', "/phlogs")] = func(context.Context, protocols.Request) (*protocols.Resource, error) { panic("fetched") }
	w.addStream(item('0', "/about.txt"), protocols.LayoutMenu, "", func(func(protocols.Line, error) bool) { panic("read") })
	var reports atomic.Int32
	d := drive(t, w, Options{Report: func(*protocols.Panic, int, int) (string, error) {
		if reports.Add(1) == 2 {
			return "", errors.New("no space left on device")
		}
		return "/home/ann/crash.txt", nil
	}}, 80, 24)
	d.press("enter").wantShown("Internal error", "internal error: report in /home/ann/crash.txt")
	d.press("left", "down", "enter").wantShown("internal error: no report was written: no space left on device")
}
