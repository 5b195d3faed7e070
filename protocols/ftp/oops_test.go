package ftp

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestOOPS checks that the error quotes the last words of vsftpd, wherever the server ends the session.
func TestOOPS(t *testing.T) {
	const oops = "500 OOPS: vsftpd: refusing to run with writable root inside chroot()"
	for _, verb := range []string{"greeting", "USER", "PASS", "FEAT", "TYPE", "OPTS", "PWD", "CWD", "EPSV", "MLSD"} {
		f := startFake(t, &fake{replies: map[string]string{verb: oops + "\r\n500 OOPS: child died!"}})
		_, _, _, err := get(t, newClient(t), f.url("d/"))
		if e := fetchtest.As[*protocols.Error](t, err, verb); e.Code != 500 || !strings.HasPrefix(e.Text, "OOPS: vsftpd: refusing") {
			t.Errorf("error after OOPS in place of the reply to %s: %v, want the text of the server", verb, err)
		}
	}
	f := startFake(t, &fake{data: map[string]string{"MLSD": "type=file; f\r\n"}, finalReply: oops})
	_, lines, _, err := get(t, newClient(t), f.url(""))
	fetchtest.EqualSlices(t, lines, []string{"binary f /f"})
	fetchtest.Contains(t, fetchtest.As[*protocols.Error](t, err).Text, "OOPS: vsftpd")
}
