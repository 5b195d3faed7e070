package nntp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestStoredHabits fetches a group of a server that has changed since the last run. The right habits are then stored.
func TestStoredHabits(t *testing.T) {
	hash := wire.HashGreeting(strings.TrimPrefix(fakeGreeting, "200 "))
	day := 24 * time.Hour
	for _, tt := range []struct {
		name  string
		known habits
		age   time.Duration
		first string // command; "" if the server may not have received it
		want  habits
	}{
		{"nothing", habits{}, 0, "GROUP a.b", habits{NoOver: true}},
		{"no OVER", habits{Greeting: hash, NoOver: true}, day, "GROUP a.b", habits{NoOver: true}},
		{"MODE READER is refused now", habits{Greeting: hash, NeedsModeReader: true}, day, modeReader, habits{NoOver: true}},
		{"MODE READER, another greeting", habits{Greeting: "another", NeedsModeReader: true}, day, "", habits{NoOver: true}},
		{"old", habits{Greeting: hash, NeedsModeReader: true}, 8 * day, "GROUP a.b", habits{NoOver: true}},
		{"from the future", habits{Greeting: hash, NeedsModeReader: true}, -day, "GROUP a.b", habits{NoOver: true}},
		{"batches failed", habits{Greeting: hash, NoBatches: true, NotEarly: true}, day, "GROUP a.b", habits{NoOver: true, NoBatches: true, NotEarly: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, map[string]string{
				modeReader: "502 no\nclose", "GROUP": "211 1 1 1 a.b", "OVER": "500 what", "XOVER": "224 ok\n1\tsubject\tme\t\t<1@a>\t\t9\t1\n.",
			})
			store := MemoryStore{}
			if tt.known != (habits{}) {
				tt.known.Learned = time.Now().Add(-tt.age)
				store[f.listener.Addr().String()] = string(fetchtest.Must(json.Marshal(tt.known))(t))
			}
			c := f.client()
			c.Habits = store
			c.AwaitHabits(f.listener.Addr().String(), false)
			_, lines, err := fetchLines(t, c, urlcore.News{Group: "a.b"})
			fetchtest.NoError(t, err)
			fetchtest.Equal(t, slices.ContainsFunc(lines, func(l protocols.Line) bool { return l.Text == "subject" }), true, "the article is listed")
			if tt.first != "" {
				fetchtest.Equal(t, f.sentCommands()[0], tt.first, "first command")
			}
			var got habits
			fetchtest.NoError(t, json.Unmarshal([]byte(store[f.listener.Addr().String()]), &got))
			fetchtest.Equal(t, got.Greeting, hash, "greeting")
			got.Greeting, got.Learned = "", time.Time{}
			fetchtest.Equal(t, got, tt.want, "habits")
		})
	}
}
