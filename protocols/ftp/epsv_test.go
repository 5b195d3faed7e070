package ftp

import (
	"fmt"
	"net"
	"slices"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestClosedEPSVPort checks that PASV replaces EPSV if the port of EPSV refuses connections, also in later
// sessions.
func TestClosedEPSVPort(t *testing.T) {
	l := fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	closed := fmt.Sprintf("229 Extended (|||%d|)", l.Addr().(*net.TCPAddr).Port)
	fetchtest.NoError(t, l.Close())
	f := startFake(t, &fake{replies: map[string]string{"EPSV": closed}, data: map[string]string{"RETR": "data"}})
	c := newClient(t)
	for range 2 {
		fetchtest.Returns(t, "data")(getBody(t, c, f.url("b")))
		fetchtest.NoError(t, c.Close())
	}
	isOther := func(line string) bool { return line != "EPSV" }
	fetchtest.Equal(t, len(slices.DeleteFunc(f.commands(), isOther)), 1, "number of EPSV")
}

// TestPASVAnsweredLikeEPSV checks that the port is read from the reply 229 to PASV.
func TestPASVAnsweredLikeEPSV(t *testing.T) {
	const port = "6446"
	s := &session{noEPSV: true}
	client, server := net.Pipe()
	s.ctrl = newControl(client)
	go func() {
		buf := make([]byte, 16)
		_, _ = server.Read(buf)
		_, _ = server.Write([]byte("229 ok (|||" + port + "|)\r\n"))
	}()
	_, got, err := s.requestPort()
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, fmt.Sprint(got), port, "port")
}
