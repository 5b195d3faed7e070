package ftp

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// fake is an FTP server that answers as it is told: what no library's server
// can be made to say.
type fake struct {
	t     *testing.T
	ln    net.Listener
	wg    sync.WaitGroup
	mu    sync.Mutex
	log   []string      // the commands that came, all connections together
	turns []string      // the same, with "+" between those of one write
	conns []net.Conn    // for commands
	quiet chan struct{} // gets a value when the fake falls silent

	// replies are sent for a command, by "VERB arg" or else by VERB; "greeting"
	// is the first line. A reply that ends in "!" closes the connection, "..."
	// is no reply at all, "" closes.
	replies map[string]string
	// data is what the transfer commands send, by "VERB arg" or VERB.
	data map[string]string
	// endless repeats the data for ever.
	endless bool
	// hold keeps the data connection open after the data.
	hold bool
	// active has it make the data connections after PORT and EPRT; with stranger
	// somebody of another address, whose octets are "evil", is there before it.
	active, stranger bool
	// final is the reply at the end of a transfer.
	final string

	// together is what becomes of several commands in one write: "close", "drop" (those
	// after the first), "refuse" (those), "garble" (the replies change places), or all
	// are answered.
	together string

	// tls is what AUTH TLS begins; without it there is none.
	tls *tls.Config
	// implicit has TLS begin with the connection.
	implicit bool
	// reuse refuses data connections that do not resume a session.
	reuse bool
	// clear are the commands that came in the clear.
	clear []string
	// stored is what came over data connections, by "STOR name".
	stored map[string]string
	// ended gets how a data connection ended over which something was stored.
	ended chan error
}

const features = "211-Features:\r\n MLST type*;size*;modify*;\r\n UTF8\r\n EPSV\r\n211 End\r\n"

func startFake(t *testing.T, f *fake) *fake {
	t.Helper()
	if f.ln == nil {
		f.ln = fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	}
	f.t, f.quiet = t, make(chan struct{}, 1)
	defaults := map[string]string{
		"greeting": "220 fake", "USER": "331 password", "PASS": "230 in", "FEAT": features,
		"TYPE": "200 ok", "OPTS": "200 ok", "PWD": `257 "/home" is it`, "CWD": "250 there",
		"SIZE": "550 no", "QUIT": "221 bye!", "MLSD": "150 coming", "LIST": "150 coming",
		"NLST": "150 coming", "RETR": "150 coming", "STOR": "150 send it", "MDTM": "550 no", "PASV": "", "EPSV": "", "PRET": "200 ok",
	}
	if f.replies == nil {
		f.replies = map[string]string{}
	}
	for k, v := range defaults {
		if _, ok := f.replies[k]; !ok && v != "" {
			f.replies[k] = v
		}
	}
	if f.final == "" {
		f.final = "226 done"
	}
	t.Cleanup(f.wg.Wait)
	fetchtest.ServeOn(t, f.ln, func(c net.Conn) {
		f.mu.Lock()
		f.conns = append(f.conns, c)
		f.mu.Unlock()
		if f.implicit {
			c = tls.Server(c, f.tls)
		}
		f.serve(c)
	})
	return f
}

func (f *fake) url(path string) string { return "ftp://" + f.ln.Addr().String() + "/" + path }

// commands returns what came so far.
func (f *fake) commands() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.log...)
}

func (f *fake) connections() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.conns)
}

// say sends a scripted reply; false: the connection is to end.
func (f *fake) say(c net.Conn, reply string) bool {
	if reply == "..." {
		f.beQuiet()
		return false
	}
	reply, last := strings.CutSuffix(reply, "!")
	if reply != "" && !strings.HasSuffix(reply, "\n") {
		reply += "\r\n"
	}
	_, err := io.WriteString(c, reply)
	return err == nil && !last && reply != ""
}

// beQuiet says nothing more until the end of the test.
func (f *fake) beQuiet() {
	select {
	case f.quiet <- struct{}{}:
	default:
	}
	<-f.t.Context().Done()
}

func (f *fake) serve(c net.Conn) {
	if !f.say(c, f.replies["greeting"]) {
		return
	}
	in := bufio.NewReader(c)
	protect, waiting, late := false, 0, ""
	var data net.Listener
	var to string // the address that PORT or EPRT told
	defer func() {
		if data != nil {
			_ = data.Close()
		}
	}()
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSuffix(line, "\r\n")
		f.mu.Lock()
		f.log = append(f.log, line)
		if waiting > 0 {
			f.turns[len(f.turns)-1] += "+" + line
		} else {
			f.turns = append(f.turns, line)
		}
		if _, secure := c.(*tls.Conn); !secure {
			f.clear = append(f.clear, line)
		}
		f.mu.Unlock()
		after := waiting > 0
		if waiting = in.Buffered(); waiting > 0 && f.together == "close" {
			return
		}
		if f.together == "drop" {
			_, _ = in.Discard(waiting)
			waiting = 0
		}
		verb, _, _ := strings.Cut(line, " ")
		reply, ok := f.replies[line]
		if after && f.together == "refuse" {
			reply, ok = "500 not so fast", true
		}
		if f.tls != nil && !ok {
			switch line {
			case "AUTH TLS":
				if !f.say(c, "234 go ahead") {
					return
				}
				c = tls.Server(c, f.tls)
				in = bufio.NewReader(c)
				continue
			case "PBSZ 0":
				reply, ok = "200 PBSZ=0", true
			case "PROT P":
				reply, ok, protect = "200 private", true, true
			}
		}
		if !ok {
			reply, ok = f.replies[verb]
		}
		if !ok && (verb == "EPSV" || verb == "PASV") {
			if data != nil {
				_ = data.Close()
			}
			if data, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
				return
			}
			port := data.Addr().(*net.TCPAddr).Port
			reply, ok = fmt.Sprintf("229 Extended (|||%d|)", port), true
			if verb == "PASV" {
				reply = fmt.Sprintf("227 =10,1,2,3,%d,%d", port/256, port%256)
			}
		}
		if !ok && f.active && (verb == "PORT" || verb == "EPRT") {
			reply, ok, to = "200 I shall", true, activeAddr(line)
			if f.stranger {
				f.intrude(to)
			}
		}
		if !ok {
			reply = "500 what?"
		}
		if f.together == "garble" && waiting > 0 && late == "" && len(f.turns) > 1 {
			late = reply
			continue
		}
		if !f.say(c, reply) || late != "" && !f.say(c, late) {
			return
		}
		late = ""
		if !strings.HasPrefix(reply, "1") {
			continue
		}
		open := func() (net.Conn, error) { return net.Dial("tcp", to) }
		if to == "" && data != nil {
			listener := data
			open = listener.Accept
			defer context.AfterFunc(f.t.Context(), func() { _ = listener.Close() })()
		}
		if !f.transfer(c, open, verb, line, protect) {
			return
		}
		if data != nil {
			_ = data.Close()
			data = nil
		}
	}
}

// store keeps what comes over a data connection. The final reply is f.final only
// if it came to its end.
func (f *fake) store(c, d net.Conn, line string) bool {
	b, err := io.ReadAll(d)
	_ = d.Close()
	f.mu.Lock()
	if f.stored == nil {
		f.stored = make(map[string]string)
	}
	f.stored[line] += string(b)
	f.mu.Unlock()
	if f.ended != nil {
		f.ended <- err
	}
	if err != nil {
		return f.say(c, "426 broken off")
	}
	return f.say(c, f.final)
}

// activeAddr reads the argument of PORT or EPRT.
func activeAddr(line string) string {
	var a, b, c, d, high, low int
	if _, err := fmt.Sscanf(line, "PORT %d,%d,%d,%d,%d,%d", &a, &b, &c, &d, &high, &low); err == nil {
		return fmt.Sprintf("%d.%d.%d.%d:%d", a, b, c, d, high<<8|low)
	}
	if parts := strings.Split(line, "|"); len(parts) == 5 {
		return net.JoinHostPort(parts[2], parts[3])
	}
	return ""
}

// intrude connects from another address before the server does.
func (f *fake) intrude(addr string) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	c, err := d.Dial("tcp", addr)
	if err != nil {
		f.t.Error(err)
		return
	}
	f.wg.Go(func() {
		_, _ = io.WriteString(c, "evil")
		_, _ = io.Copy(io.Discard, c) // until it is closed
		_ = c.Close()
	})
}

func (f *fake) transfer(c net.Conn, open func() (net.Conn, error), verb, line string, protect bool) bool {
	d, err := open()
	if err != nil {
		return f.say(c, "425 no data connection")
	}
	defer context.AfterFunc(f.t.Context(), func() { _ = d.Close() })()
	if protect {
		secure := tls.Server(d, f.tls)
		err := secure.Handshake()
		if d = secure; err != nil || f.reuse && !secure.ConnectionState().DidResume {
			_ = d.Close()
			return f.say(c, "522 SSL connection failed: session reuse required")
		}
	}
	if verb == "STOR" || verb == "APPE" {
		return f.store(c, d, line)
	}
	content, ok := f.data[line]
	if !ok {
		content = f.data[verb]
	}
	for {
		if _, err := io.WriteString(d, content); err != nil {
			return false
		}
		if !f.endless {
			break
		}
	}
	if f.hold {
		f.beQuiet()
	}
	_ = d.Close()
	return f.say(c, f.final)
}
