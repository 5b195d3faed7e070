package gopher

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// TestUnmarkedEnd cuts answers by TLS without close_notify after each octet. An answer is complete only if
// it contains its own end: the line with a dot, or all octets of the announced size.
func TestUnmarkedEnd(t *testing.T) {
	config, _ := fetchtest.NewSelfSigned(t)
	for _, tt := range []struct {
		name    string
		typ     byte
		plus    bool
		answer  string
		whole   int // octets of a complete answer; -1 if the answer has no end
		missing protocols.Reason
	}{
		{
			"menu", '1', false, "0A text\t/a\th\t70\r\n0B\t/b\th\t70\r\n.\r\n",
			len("0A text\t/a\th\t70\r\n0B\t/b\th\t70\r\n."), protocols.EndUnmarked,
		},
		{"menu without a dot", '1', false, "0A text\t/a\th\t70\r\n", -1, protocols.EndUnmarked},
		{"text", '0', false, "one\r\ntwo\r\n.\r\n", len("one\r\ntwo\r\n."), protocols.EndUnmarked},
		{"text of LF", '0', false, "one\ntwo\n", -1, protocols.EndUnmarked},
		{"binary", '9', false, "\x00\x01\r\n.\r\n", -1, protocols.EndUnmarked},
		{"Gopher+ with a size", '9', true, "+4\r\n\x00\x01\x02\x03", 8, protocols.Broken},
		{"Gopher+ until the connection ends", '9', true, "+-2\r\n\x00\x01", -1, protocols.EndUnmarked},
	} {
		for cut := range len(tt.answer) + 1 {
			u := itemOf(fetchtest.ServeUnmarked(t, config, tt.answer[:cut]), tt.typ, "/x")
			u.Secure = true
			if tt.plus {
				u.HasPlus, u.Plus = true, "+"
			}
			c := &Client{Dialer: wire.Dialer{TLS: wire.TLS{Unverified: true}}}
			_, _, _, err := fetchtest.Collect(t.Context(), c, u)
			if tt.whole >= 0 && cut >= tt.whole {
				fetchtest.NoError(t, err)
				continue
			}
			want := tt.missing
			if header := strings.Index(tt.answer, "\n"); tt.plus && cut <= header { // the size is not known
				want = protocols.EndUnmarked
			}
			fetchtest.Reason(t, err, want, "%s cut after %d octets", tt.name, cut)
		}
	}
}
