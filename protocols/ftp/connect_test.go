package ftp

import (
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/internal/wire/pins"
	"gofer/protocols"
)

// TestAnswersContinueLogin answers the questions of a login: whether the password may be sent in the clear, and the password.
// The login must go on over the same connection, which costs no round trip, unless the server has closed it meanwhile.
func TestAnswersContinueLogin(t *testing.T) {
	for _, tt := range []struct {
		name            string
		closes          bool // the server closes the first connection before the password is sent
		wantTrips       []int
		wantConnections int
	}{
		{"at once", false, []int{3, 0, 3}, 1}, // PASS up to EPSV, the data connection, RETR
		{"after the server has closed", true, []int{3, 0}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{data: map[string]string{"RETR": "the file"}})
			trips := fetchtest.NewRoundTrips(t)
			c := &Client{Dialer: wire.Dialer{Proxies: trips, TLS: wire.TLS{Pins: pins.Open("")}}}
			defer c.Close()
			var got []int
			try := func() (err error) {
				got = append(got, trips.Count(func() {
					err = fetchtest.Drain(t.Context(), c, protocols.Request{URL: parse(t, "ftp://joe@"+f.ln.Addr().String()+"/d/x")})
				}))
				return err
			}
			fetchtest.As[*protocols.Confirm](t, try()).GiveConsent()
			fetchtest.As[*protocols.Login](t, try()).With("joe", "sesame")
			if tt.closes {
				f.mu.Lock()
				_ = f.conns[0].Close()
				f.mu.Unlock()
			}
			fetchtest.NoError(t, try())
			fetchtest.DeepEqual(t, got[:len(tt.wantTrips)], tt.wantTrips, "round trips")
			fetchtest.Equal(t, f.connections(), tt.wantConnections, "connections")
			passwords := slices.DeleteFunc(f.commands(), func(s string) bool { return !strings.HasPrefix(s, "PASS") })
			fetchtest.DeepEqual(t, passwords, []string{"PASS sesame"}, "passwords")
		})
	}
}
