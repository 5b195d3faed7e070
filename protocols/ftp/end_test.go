package ftp

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestUnmarkedListing lists directories whose data connections end at each octet, by TLS without close_notify or in the
// clear, and then with different final replies. Only complete lines become items, and each listing ends with an
// error.
func TestUnmarkedListing(t *testing.T) {
	listings := map[string][]string{
		"MLSD": {"type=file;size=12; a.txt\r\n", "type=dir; b\r\n"},
		"LIST": {"-rw-r--r-- 1 u g 12 Jan 01 2020 a.txt\r\n", "drwxr-xr-x 2 u g 0 Jan 01 2020 b\r\n"},
		"NLST": {"a.txt\r\n", "b.txt\r\n"},
	}
	config := selfSigned(t)
	for _, tt := range []struct {
		final  string
		secure bool
		want   protocols.Reason
	}{
		{"226 done", true, protocols.EndUnmarked},
		{"226 done", false, 0},
		{"426 cut", true, protocols.Broken},
		{"426 cut", false, protocols.Broken},
		{"451 disk", false, protocols.Broken},
		{"!", false, protocols.Broken},
	} {
		for verb, lines := range listings {
			whole := strings.Join(lines, "")
			for cut := range len(whole) + 1 {
				f := &fake{
					replies: map[string]string{"MLSD": "500 what"}, data: map[string]string{verb: whole[:cut]},
					finalReply: tt.final, endUnmarked: true,
				}
				if f.replies[verb] = "150 coming"; verb == "NLST" {
					f.replies["LIST"] = "502 what"
				}
				if tt.secure {
					f.tls = config
				}
				_, got, _, err := get(t, newClient(t), startFake(t, f).url(""))
				name := fmt.Sprintf("%s cut at octet %d, TLS %v, reply %q", verb, cut, tt.secure, tt.final)
				fetchtest.Equal(t, protocols.ReasonOf(err), tt.want, "reason after "+name)
				complete := 0
				for end := 0; complete < len(lines) && end+len(lines[complete]) <= cut; complete++ {
					end += len(lines[complete])
				}
				if tt.want == protocols.EndUnmarked {
					fetchtest.Equal(t, len(got), complete, "items after "+name)
				}
			}
		}
	}
}

// TestUnmarkedFile fetches files over TLS without close_notify. The size or the final reply must confirm the end.
func TestUnmarkedFile(t *testing.T) {
	for _, tt := range []struct {
		name, size, final, data, path string
		trust                         bool
		want                          protocols.Reason
	}{
		{"right SIZE", "213 4", "", "data", "b", false, 0},
		{"no octets, right SIZE", "213 0", "", "", "b", false, 0},
		{"smaller SIZE", "213 3", "", "data", "b", false, protocols.EndUnmarked},
		{"larger SIZE", "213 8", "", "data", "b", false, protocols.Broken},
		{"no SIZE", "500 what", "", "data", "b", false, protocols.EndUnmarked},
		{"no SIZE, no octets", "500 what", "", "", "b", false, protocols.EndUnmarked},
		{"no SIZE, 426", "500 what", "426 cut", "data", "b", false, protocols.Broken},
		{"no SIZE, octets in the reply", "500 what", "226 Transfer complete. 4 bytes sent", "data", "b", false, 0},
		{"no SIZE, octets in parentheses", "500 what", "226-File sent OK\r\n226 (4 Octets, 3.1 KB/s)", "data", "b", false, 0},
		{"no SIZE, octets with a comma", "500 what", "226 1,004 bytes transferred", strings.Repeat("x", 1004), "b", false, 0},
		{"no SIZE, other octets in the reply", "500 what", "226 14 bytes sent", "data", "b", false, protocols.EndUnmarked},
		{"no SIZE, a rate in the reply", "500 what", "226 done at 4 bytes/s", "data", "b", false, protocols.EndUnmarked},
		{"no SIZE, a trusted server", "500 what", "", "data", "b", true, 0},
		{"text", "213 4", "", "data", "b;type=a", false, protocols.EndUnmarked},
	} {
		f := startFake(t, &fake{
			tls: selfSigned(t), endUnmarked: true, finalReply: tt.final, replies: map[string]string{"SIZE": tt.size},
			data: map[string]string{"RETR": tt.data},
		})
		c := newClient(t)
		if tt.trust {
			c.Dialer.TLS.Ends = fetchtest.TrustEnds(func(addr string) bool { return addr == f.ln.Addr().String() })
		}
		got, err := getBody(t, c, f.url(tt.path))
		fetchtest.Equal(t, protocols.ReasonOf(err), tt.want, "reason for "+tt.name)
		fetchtest.Equal(t, got, tt.data, "octets for "+tt.name)
	}
}
