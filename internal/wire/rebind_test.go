package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"gofer/protocols"
)

func TestRebind(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	first, endFirst := context.WithCancel(context.Background())
	c, err := (Dialer{}).Dial(first, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	peer, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()

	errEnd := errors.New("the second fetch was given up")
	var progress protocols.Progress
	second, endSecond := context.WithCancelCause(protocols.WithProgress(context.Background(), &progress))
	if !c.Rebind(second) {
		t.Fatal("Rebind failed for a connection with a valid context")
	}
	endFirst()
	if _, err := io.WriteString(peer, "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Errorf("after the end of the context before: %v", err)
	}
	if got := progress.State().Bytes; got != 1 {
		t.Errorf("got a progress of %d octets, want 1", got)
	}
	endSecond(errEnd)
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, errEnd) {
		t.Errorf("after the end of the new context: got %v, want %v", err, errEnd)
	}
	if c.Rebind(context.Background()) {
		t.Error("Rebind succeeded although the context of the connection has ended")
	}
}
