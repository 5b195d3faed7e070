package nntp

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// oddServer answers GROUP, ARTICLE and OVER, and has a fault with commands that come together or early.
type oddServer struct {
	fault string

	mu     sync.Mutex
	writes []string // what the client has sent in one write, by "conn" for a new connection
}

func (s *oddServer) record(write string) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first = len(s.writes) == 0
	s.writes = append(s.writes, write)
	return first
}

// written returns all writes except QUIT.
func (s *oddServer) written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(strings.Join(s.writes, "|"), "|QUIT+", "")
}

func (s *oddServer) serve(c net.Conn) {
	buf := make([]byte, 4096)
	if s.record("conn") && strings.HasPrefix(s.fault, "early") {
		n, _ := c.Read(buf)
		s.record(strings.ReplaceAll(string(buf[:n]), "\r\n", "+"))
		if s.fault == "early: closes" {
			return
		}
	}
	_, _ = io.WriteString(c, "200 hello\r\n")
	for {
		n, err := c.Read(buf)
		if err != nil || n == 0 {
			return
		}
		s.record(strings.ReplaceAll(string(buf[:n]), "\r\n", "+"))
		commands := strings.Split(strings.TrimSuffix(string(buf[:n]), "\r\n"), "\r\n")
		if answer, last := s.answers(commands); last {
			_, _ = io.WriteString(c, answer)
			return
		} else if _, err := io.WriteString(c, answer); err != nil {
			return
		}
	}
}

// answers returns the answers to the commands of one write, and whether the server then closes the
// connection.
func (s *oddServer) answers(commands []string) (answer string, last bool) {
	for i, command := range commands {
		verb, _, _ := strings.Cut(command, " ")
		a := map[string]string{"GROUP": "211 1 1 1 a.b\r\n", "ARTICLE": "220 1 <x@y>\r\nbody\r\n.\r\n", "OVER": "224 go\r\n1\ts\r\n.\r\n"}[verb]
		if i == 0 {
			answer = a
			continue
		}
		switch s.fault {
		case "discards":
			return answer, false
		case "closes":
			return answer, true
		case "closes at once":
			return "", true
		case "garbles":
			a = "500 what?\r\n"
		case "swaps":
			answer, a = a, answer
		case "shuts down":
			return answer + "400 going down\r\n", true
		}
		answer += a
	}
	return answer, false
}

// TestOddPipelining fetches from servers that cannot take commands together, or before the greeting. They are
// recognized at the first fetch, and then get their commands one by one.
func TestOddPipelining(t *testing.T) {
	const alone = "conn|GROUP a.b+|ARTICLE 1+"
	for _, tt := range []struct {
		fault string
		want  string // writes for the first article
	}{
		{"", "conn|GROUP a.b+ARTICLE 1+"},
		{"early: discards", "conn|GROUP a.b+ARTICLE 1+|" + alone},
		{"early: closes", "conn|GROUP a.b+ARTICLE 1+|" + alone},
		{"discards", "conn|GROUP a.b+ARTICLE 1+|" + alone},
		{"closes", "conn|GROUP a.b+ARTICLE 1+|" + alone},
		{"closes at once", "conn|GROUP a.b+ARTICLE 1+|" + alone},
		{"garbles", "conn|GROUP a.b+ARTICLE 1+|" + alone},
		{"swaps", "conn|GROUP a.b+ARTICLE 1+|" + alone},
		{"shuts down", "conn|GROUP a.b+ARTICLE 1+"},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &oddServer{fault: tt.fault}
				c := &Client{IdleTimeout: -1, Dialer: wire.Dialer{Proxies: fetchtest.PipeServer(s.serve)}}
				u := urlcore.NNTP{HostPort: urlcore.HostPort{Host: "h"}, Group: "a.b", Article: 1, HasArticle: true}
				for i, want := range []string{tt.want, tt.want + "|" + tt.want[strings.LastIndex(tt.want, "conn"):]} {
					body, err := fetchBody(t, c, u)
					if tt.fault == "shuts down" {
						fetchtest.Reason(t, err, protocols.ServerFailed, "fetch %d", i)
					} else if body != "body\r\n" || err != nil {
						t.Errorf("fetch %d: got %q, %v; want the article", i, body, err)
					}
					synctest.Wait()
					fetchtest.Equal(t, s.written(), want, "writes after fetch %d", i)
				}
			})
		})
	}
}

// TestTranscriptTogether checks that the transcript shows which commands were sent together. The lines of an article
// that is posted are no commands.
func TestTranscriptTogether(t *testing.T) {
	f := startFake(t, map[string]string{"GROUP": "211 1 1 1 a.b", "ARTICLE": "220 go\nbody\n.", "POST": "340 go on", ".": "240 thanks"})
	c := f.client()
	var tr protocols.Transcript
	ctx := protocols.WithTranscript(t.Context(), &tr)
	fetchtest.NoError(t, fetchtest.Drain(ctx, c, protocols.Request{URL: f.articleURL("a.b", 1)}))
	fetchtest.NoError(t, c.Post(ctx, f.groupURL("a.b"), "Subject: x\r\n\r\nbody\r\n"))
	var got []string
	first, last, _ := tr.Lines()
	for _, l := range append(first, last...) {
		switch {
		case l.With:
			got = append(got, "+ "+l.Text)
		case l.Sent:
			got = append(got, l.Text)
		}
	}
	fetchtest.Equal(t, strings.Join(got, "|"), "GROUP a.b|+ ARTICLE 1|POST|Subject: x||body|.", "sent")
}
