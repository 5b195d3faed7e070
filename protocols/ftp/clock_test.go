package ftp

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// TestServerClock checks that the server's clock decides the year of a date that has none. The
// client compares the date of one file in the listing with its date from MDTM to find the clock's offset.
func TestServerClock(t *testing.T) {
	const withMDTM = "211-Features:\r\n MDTM\r\n211 End\r\n"
	entry := func(when time.Time, name string) string {
		return "-rw-r--r-- 1 a b 1 " + when.Format("Jan _2 15:04") + " " + name + "\r\n"
	}
	ours := time.Now().UTC().Add(-40 * 24 * time.Hour).Truncate(time.Minute)
	theirs := time.Date(1996, 1, 20, 10, 0, 0, 0, time.UTC)
	before := time.Date(1995, 11, 3, 23, 59, 0, 0, time.UTC)
	zone := time.Date(1996, 1, 20, 19, 0, 0, 0, time.UTC) // the same time in Tokyo
	var long strings.Builder
	for i := range maxHeld + 50 {
		long.WriteString(entry(theirs, fmt.Sprint("f", i)))
	}
	for _, tt := range []struct {
		name, features, mdtm, list string
		want                       []time.Time // dates in the first listing
		wantAgain                  []time.Time // dates in the second listing
		queries                    int
	}{
		{"our clock", withMDTM, "213 " + ours.Format("20060102150405"), entry(ours, "f"), []time.Time{ours}, []time.Time{ours}, 1},
		{
			"another clock", withMDTM, "213 19960120100033", entry(theirs, "f") + entry(before, "g"),
			[]time.Time{theirs, before},
			[]time.Time{theirs, before},
			1,
		},
		{
			"another clock and zone", withMDTM, "213 19960120100033", entry(zone, "f") + entry(before, "g"),
			[]time.Time{zone, before},
			[]time.Time{zone, before},
			1,
		},
		{"refused", withMDTM, "550 no", entry(ours, "f"), []time.Time{ours}, []time.Time{ours}, 1},
		{"nonsense", withMDTM, "213 today", entry(ours, "f"), []time.Time{ours}, []time.Time{ours}, 1},
		{"no MDTM", "211 none\r\n", "", entry(ours, "f"), []time.Time{ours}, []time.Time{ours}, 0},
		{"years", withMDTM, "", "-rw-r--r-- 1 a b 1 Jan  3  1996 f\r\n", []time.Time{time.Date(1996, 1, 3, 0, 0, 0, 0, time.UTC)}, nil, 0},
		{"a name that cannot be sent", withMDTM, "213 19960120100033", entry(ours, "f\rDELE g"), []time.Time{ours}, []time.Time{ours}, 0},
		{"a long listing", withMDTM, "213 19960120100033", long.String(), nil, slices.Repeat([]time.Time{theirs}, maxHeld+50), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{replies: map[string]string{"FEAT": tt.features, "MDTM": tt.mdtm}, data: map[string]string{"LIST": tt.list}})
			c := newClient(t)
			for _, want := range [][]time.Time{tt.want, tt.wantAgain} {
				_, lines, err := fetchtest.CollectLines(t.Context(), t, c, protocols.Request{URL: parse(t, f.url("d;type=d"))})
				fetchtest.NoError(t, err)
				var got []time.Time
				for _, l := range lines {
					got = append(got, l.Note.(*protocols.FileNote).Modified)
				}
				if want != nil && !slices.Equal(got, want) {
					t.Errorf("dates of the listing = %v; want %v", got, want)
				}
			}
			sent := 0
			for _, line := range f.commands() {
				if strings.HasPrefix(line, "MDTM ") {
					sent++
				}
			}
			fetchtest.Equal(t, sent, tt.queries, "number of MDTM commands (%q)", f.written())
		})
	}
}

// TestPreview checks that a preview shows each line with the year by the local clock before MDTM is answered, and that the
// lines have the year by the clock of the server.
func TestPreview(t *testing.T) {
	theirs := time.Date(1996, 1, 20, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, mdtm string
		items      int
	}{
		{"another clock", "213 19960120100033", 3},
		{"refused", "550 no", 3},
		{"more than the preview", "213 19960120100033", maxPreview + 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := strings.Repeat("-rw-r--r-- 1 a b 1 "+theirs.Format("Jan _2 15:04")+" f\r\n", tt.items)
			final := make(chan struct{})
			f := startFake(t, &fake{
				replies: map[string]string{"FEAT": "211-Features:\r\n MDTM\r\n211 End\r\n", "MDTM": tt.mdtm}, data: map[string]string{"LIST": list}, finalAfter: final,
			})
			res := fetchtest.CloseAtEnd(newClient(t).Fetch(t.Context(), protocols.Request{URL: parse(t, f.url("d;type=d"))}))(t)
			var shown []*protocols.FileNote
			for line := range res.Preview {
				if shown = append(shown, line.Note.(*protocols.FileNote)); len(shown) == min(tt.items, maxPreview) {
					close(final)
				}
			}
			fetchtest.Equal(t, len(shown), min(tt.items, maxPreview), "lines of the preview")
			guess, n := guessYear(theirs, time.Now()), 0
			for line, err := range res.Lines {
				fetchtest.NoError(t, err)
				want := guess
				if tt.items == 3 && tt.mdtm[0] == '2' {
					want = theirs
				}
				fetchtest.Equal(t, line.Note.(*protocols.FileNote).Modified, want, "date")
				if n < len(shown) {
					fetchtest.Equal(t, shown[n].Modified, guess, "date in the preview")
				}
				n++
			}
			fetchtest.Equal(t, n, tt.items, "lines")
		})
	}
}

// TestBrokenListing checks that lines held back are yielded if the connection breaks during the listing.
func TestBrokenListing(t *testing.T) {
	f := startFake(t, &fake{
		replies: map[string]string{"FEAT": "211-Features:\r\n MDTM\r\n211 End\r\n"}, finalReply: "426 broken",
		data: map[string]string{"LIST": "-rw-r--r-- 1 a b 1 Jan  3 10:00 f\r\n"},
	})
	_, lines, _, err := get(t, newClient(t), f.url("d;type=d"))
	if err == nil || len(lines) != 1 {
		t.Errorf("the broken listing has the lines %q and the error %v; want one line and an error", lines, err)
	}
}

// watchedRoute reports what is written.
type watchedRoute struct{ onWrite func(string) }

func (watchedRoute) String() string { return "a watched route" }

func (w watchedRoute) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	return watchedConn{conn, w}, err
}

type watchedConn struct {
	net.Conn
	watchedRoute
}

func (w watchedConn) Write(p []byte) (int, error) {
	w.onWrite(string(p))
	return w.Conn.Write(p)
}

// TestClockIsRequestedEarly lists a directory of a server that ends the listing only after MDTM was sent. The server
// would take a name that begins with "~" for the home of a user.
func TestClockIsRequestedEarly(t *testing.T) {
	requested := make(chan struct{})
	f := startFake(t, &fake{
		replies:    map[string]string{"FEAT": "211-Features:\r\n MDTM\r\n211 End\r\n"},
		data:       map[string]string{"LIST": "-rw-r--r-- 1 a b 1 Jan  3 10:00 ~f\r\n"},
		finalAfter: requested,
	})
	c := newClient(t)
	c.Dialer.Idle = 10 * time.Second
	c.Dialer.Proxies = routeFunc(func() wire.Route {
		return watchedRoute{func(written string) {
			if written == "MDTM ./~f\r\n" {
				close(requested)
			}
		}}
	})
	fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: parse(t, f.url("d;type=d"))}))
}
