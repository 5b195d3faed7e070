package realserver

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"time"
)

// feedArticles sends the articles to innd as a streaming peer does (RFC 4644).
func feedArticles(addr string, articles []Article) error {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(startLimit))
	r := textproto.NewReader(bufio.NewReader(c))
	if _, _, err := r.ReadCodeLine(200); err != nil {
		return err
	}
	if _, err := c.Write([]byte("MODE STREAM\r\n")); err != nil {
		return err
	}
	if _, _, err := r.ReadCodeLine(203); err != nil {
		return err
	}
	sent := make(chan error, 1)
	go func() { sent <- sendArticles(c, articles) }()
	for _, a := range articles {
		if _, _, err := r.ReadCodeLine(239); err != nil {
			_ = c.Close()
			<-sent
			return fmt.Errorf("feed <%s>: %w", a.MessageID, err)
		}
	}
	return <-sent
}

func sendArticles(c net.Conn, articles []Article) error {
	w := textproto.NewWriter(bufio.NewWriter(c))
	for _, a := range articles {
		fmt.Fprintf(w.W, "TAKETHIS <%s>\r\n", a.MessageID)
		d := w.DotWriter()
		_, _ = io.WriteString(d, a.Header+"\r\n"+a.Body)
		_ = d.Close() // PrintfLine returns the error too
	}
	return w.PrintfLine("QUIT")
}
