package ftp

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// fake is an FTP server with scripted replies, for cases that no real server can be made to show.
type fake struct {
	t       *testing.T
	ln      net.Listener
	wg      sync.WaitGroup
	mu      sync.Mutex
	writes  [][]string    // commands received over each connection; commands of one write are joined by "+"
	conns   []net.Conn    // control connections
	stalled chan struct{} // receives a value when the server stalls

	// replies has the reply to each command, with the key "VERB arg" or VERB, or only over the connection N, from 0, with
	// the key "N VERB arg", or for PWD after a CWD the key "PWD in arg". The key "greeting" has the first line. After a reply that ends in "!", the fake closes the connection. For "..." it sends no
	// reply, and for "" it closes the connection at once.
	replies map[string]string
	// data has the octets that the fake sends for transfer commands, with the key "VERB arg" or VERB.
	data map[string]string
	// endless repeats the data forever.
	endless bool
	// keepsDataOpen keeps the data connection open after the data is sent.
	keepsDataOpen bool
	// lingers sends the final reply only after the client has closed the data connection, like vsftpd.
	lingers bool
	// endUnmarked closes data connections by TLS without close_notify.
	endUnmarked bool
	// activeMode accepts PORT and EPRT. If stranger is true, a client from another address first connects
	// to the port and sends "evil".
	activeMode, stranger bool
	// finalAfter delays the final reply of a transfer until the channel is closed, unless it is nil.
	finalAfter chan struct{}
	// delay has channels that delay the replies to commands until they are closed.
	delay map[string]chan struct{}
	// finalReply is the reply at the end of a transfer.
	finalReply string

	// pipelining is the reaction to several commands in one write: "close", "drop" (ignore all but the
	// first), "refuse" (all but the first), "garble" (exchange replies), or "" to answer all.
	pipelining string

	// requiresPRET refuses EPSV and PASV that do not follow PRET.
	requiresPRET bool

	// nextPort is the reaction to EPSV or PASV in one write with a transfer command: a reply, "drop" for none, early and a
	// reply for a reply during the transfer, "shut" for a port that is closed, or "" to answer as usual.
	nextPort string
	// probe is the reaction to turnsProbe in one write with a transfer command, like nextPort.
	probe string

	// tls is the configuration for AUTH TLS, which is refused if tls is nil.
	tls *tls.Config
	// requiresTLS refuses all commands in the clear but AUTH.
	requiresTLS bool
	// implicit begins TLS when the control connection is opened.
	implicit bool
	// requiresReuse refuses data connections that do not resume a TLS session.
	requiresReuse bool
	// plainCommands has the commands received in the clear.
	plainCommands []string
	// stored has the files received, with the key "STOR name".
	stored map[string]string
	// storeErrs receives the error at the end of each data connection of an upload, or nil.
	storeErrs chan error
}

// early precedes a reply that is sent during a transfer.
const early = "early "

const features = "211-Features:\r\n MLST type*;size*;modify*;\r\n UTF8\r\n EPSV\r\n211 End\r\n"

func startFake(t *testing.T, f *fake) *fake {
	t.Helper()
	if f.ln == nil {
		f.ln = fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	}
	f.t, f.stalled = t, make(chan struct{}, 1)
	defaults := map[string]string{
		"greeting": "220 fake like vsftpd", "USER": "331 password", "PASS": "230 in", "FEAT": features,
		"TYPE": "200 ok", "OPTS": "200 ok", "PWD": `257 "/home" is it`, "CWD": "250 there",
		"SIZE": "550 no", "QUIT": "221 bye!", "MLSD": "150 coming", "LIST": "150 coming",
		"NLST": "150 coming", "RETR": "150 coming", "STOR": "150 send it", "MDTM": "550 no", "PASV": "", "EPSV": "", "PRET": "200 ok",
		"NOOP": "200 ok",
	}
	if f.replies == nil {
		f.replies = map[string]string{}
	}
	for k, v := range defaults {
		if _, ok := f.replies[k]; !ok && v != "" {
			f.replies[k] = v
		}
	}
	if f.finalReply == "" {
		f.finalReply = "226 done"
	}
	t.Cleanup(f.wg.Wait)
	fetchtest.ServeOn(t, f.ln, func(c net.Conn) {
		f.mu.Lock()
		number := len(f.conns)
		f.conns, f.writes = append(f.conns, c), append(f.writes, nil)
		f.mu.Unlock()
		if f.implicit {
			c = tls.Server(c, f.tls)
		}
		f.serve(c, number)
	})
	return f
}

func (f *fake) url(path string) string { return "ftp://" + f.ln.Addr().String() + "/" + path }

// commands returns the commands received so far, those of the first connection first: commands that the
// client sent ahead may be received after it has opened another connection. The request of the next port, which follows a
// transfer command in the same write, is left out, because the client may not have waited until it is received.
func (f *fake) commands() []string { return f.commandsAfter(0) }

// commandsAfter returns the commands received so far, without those of the first connections.
func (f *fake) commandsAfter(connections int) (lines []string) {
	for _, write := range f.writtenAfter(connections) {
		lines = append(lines, strings.Split(write, "+")...)
	}
	return lines
}

// written returns the commands as commands does. The commands of one write are joined by "+".
func (f *fake) written() []string { return f.writtenAfter(0) }

// writtenAfter is like written, without the first connections.
func (f *fake) writtenAfter(connections int) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	writes := slices.Concat(f.writes[connections:]...)
	for i := range writes {
		writes[i] = nextPort.ReplaceAllString(writes[i], "$1")
	}
	return writes
}

var nextPort = regexp.MustCompile(`((?:RETR|STOR|LIST|MLSD|NLST)[^+]*)\+(?:EPSV|PASV|NOOP)$`)

func (f *fake) connections() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.conns)
}

// reply returns the scripted reply to a command.
func (f *fake) reply(command string) (reply string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	reply, ok = f.replies[command]
	return reply, ok
}

func (f *fake) setReply(command, reply string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replies[command] = reply
}

// sendReply sends a scripted reply. It returns false if the connection must be closed.
func (f *fake) sendReply(c net.Conn, reply string) bool {
	if reply == "..." {
		f.stall()
		return false
	}
	reply, last := strings.CutSuffix(reply, "!")
	if reply != "" && !strings.HasSuffix(reply, "\n") {
		reply += "\r\n"
	}
	_, err := io.WriteString(c, reply)
	return err == nil && !last && reply != ""
}

// togetherReply returns the scripted reaction to a command that was sent together with a transfer, or "".
func (f *fake) togetherReply(command string) string {
	switch {
	case command == turnsProbe:
		return f.probe
	case f.nextPort == "shut":
		return ""
	}
	return f.nextPort
}

// stall sends nothing until the end of the test.
func (f *fake) stall() {
	select {
	case f.stalled <- struct{}{}:
	default:
	}
	<-f.t.Context().Done()
}

// serve serves the connection with the given number.
func (f *fake) serve(c net.Conn, number int) {
	greeting, ok := f.reply(fmt.Sprint(number, " greeting"))
	if !ok {
		greeting, _ = f.reply("greeting")
	}
	if !f.sendReply(c, greeting) {
		return
	}
	in := bufio.NewReader(c)
	dataTLS, buffered, delayed, previous, cwd := false, 0, "", "", ""
	var data net.Listener
	var activeTarget string // address in PORT or EPRT
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
		if writes := f.writes[number]; buffered > 0 {
			writes[len(writes)-1] += "+" + line
		} else {
			f.writes[number] = append(writes, line)
		}
		if _, secure := c.(*tls.Conn); !secure {
			f.plainCommands = append(f.plainCommands, line)
		}
		f.mu.Unlock()
		sameWrite := buffered > 0
		if buffered = in.Buffered(); buffered > 0 && f.pipelining == "close" {
			return
		}
		if f.pipelining == "drop" {
			_, _ = in.Discard(buffered)
			buffered = 0
		}
		verb, _, _ := strings.Cut(line, " ")
		afterTransfer := sameWrite && isTransfer(previous)
		afterPRET := strings.HasPrefix(previous, "PRET ")
		previous = line
		reply, ok := f.reply(fmt.Sprint(number, " ", line))
		if !ok {
			reply, ok = f.reply(line)
		}
		if dir, isCWD := strings.CutPrefix(line, "CWD "); isCWD {
			cwd = dir
		} else if inDir, scripted := f.reply("PWD in " + cwd); scripted && line == "PWD" {
			reply, ok = inDir, true
		}
		if together := f.togetherReply(line); afterTransfer && together != "" {
			if together == "drop" || strings.HasPrefix(together, early) {
				continue
			}
			reply, ok = together, true
		}
		if f.requiresPRET && !afterPRET && (verb == "EPSV" || verb == "PASV") {
			reply, ok = "550 PRET first", true
		}
		if sameWrite && f.pipelining == "refuse" {
			reply, ok = "500 not so fast", true
		}
		if _, secure := c.(*tls.Conn); f.requiresTLS && !secure && verb != "AUTH" {
			reply, ok = "530 use encryption", true
		}
		if f.tls != nil && !ok {
			switch line {
			case "AUTH TLS":
				if !f.sendReply(c, "234 go ahead") {
					return
				}
				c = tls.Server(c, f.tls)
				in = bufio.NewReader(c)
				continue
			case "PBSZ 0":
				reply, ok = "200 PBSZ=0", true
			case "PROT P":
				reply, ok, dataTLS = "200 private", true, true
			}
		}
		if !ok {
			reply, ok = f.reply(verb)
		}
		if !ok && (verb == "EPSV" || verb == "PASV") {
			if data != nil { // open until the end: another server may get the port, while the client still dials it
				defer data.Close()
			}
			if data, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
				return
			}
			port := data.Addr().(*net.TCPAddr).Port
			reply, ok = fmt.Sprintf("229 Extended (|||%d|)", port), true
			if verb == "PASV" {
				reply = fmt.Sprintf("227 =10,1,2,3,%d,%d", port/256, port%256)
			}
			if afterTransfer && f.nextPort == "shut" {
				_ = data.Close()
			}
		}
		if !ok && f.activeMode && (verb == "PORT" || verb == "EPRT") {
			reply, ok, activeTarget = "200 I shall", true, activeAddr(line)
			if f.stranger {
				f.connectStranger(activeTarget)
			}
		}
		if !ok {
			reply = "500 what?"
		}
		if after := f.delay[line]; after != nil {
			select {
			case <-after:
			case <-f.t.Context().Done():
			}
		}
		if f.pipelining == "garble" && buffered > 0 && delayed == "" && len(f.written()) > 1 {
			delayed = reply
			continue
		}
		if !f.sendReply(c, reply) || delayed != "" && !f.sendReply(c, delayed) {
			return
		}
		delayed = ""
		if strings.HasPrefix(reply, "226") && isTransfer(line) { // there is nothing to transfer
			closed := context.AfterFunc(f.t.Context(), func() { _ = data.Close() })
			if d, err := data.Accept(); err == nil {
				_ = d.Close()
			}
			closed()
		}
		if !strings.HasPrefix(reply, "1") {
			continue
		}
		open := func() (net.Conn, error) { return net.Dial("tcp", activeTarget) }
		if activeTarget == "" && data != nil {
			listener := data
			open = listener.Accept
			defer context.AfterFunc(f.t.Context(), func() { _ = listener.Close() })()
		}
		if next, _ := in.Peek(min(buffered, len("EPSV"))); buffered > 0 {
			reply, isEarly := strings.CutPrefix(f.togetherReply(string(next)), early)
			if isEarly && !f.sendReply(c, reply) {
				return
			}
		}
		if !f.transfer(c, open, verb, line, dataTLS) {
			return
		}
		if data != nil {
			_ = data.Close()
			data = nil
		}
	}
}

// store receives a file over a data connection. It replies with f.finalReply if the connection ends in an
// orderly way.
func (f *fake) store(c, d net.Conn, line string) bool {
	b, err := io.ReadAll(d)
	_ = d.Close()
	f.mu.Lock()
	if f.stored == nil {
		f.stored = make(map[string]string)
	}
	f.stored[line] += string(b)
	f.mu.Unlock()
	if f.storeErrs != nil {
		f.storeErrs <- err
	}
	if err != nil {
		return f.sendReply(c, "426 broken off")
	}
	return f.sendReply(c, f.finalReply)
}

// activeAddr parses the argument of PORT or EPRT.
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

// connectStranger connects to addr from an address that is not the address of the server.
func (f *fake) connectStranger(addr string) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	c, err := d.Dial("tcp", addr)
	if err != nil {
		f.t.Error(err)
		return
	}
	f.wg.Go(func() {
		_, _ = io.WriteString(c, "evil")
		_, _ = io.Copy(io.Discard, c) // until the connection is closed
		_ = c.Close()
	})
}

func (f *fake) transfer(c net.Conn, open func() (net.Conn, error), verb, line string, dataTLS bool) bool {
	d, err := open()
	if err != nil {
		return f.sendReply(c, "425 no data connection")
	}
	defer context.AfterFunc(f.t.Context(), func() { _ = d.Close() })()
	if dataTLS {
		secure := tls.Server(d, f.tls)
		err := secure.Handshake()
		if d = secure; err != nil || f.requiresReuse && !secure.ConnectionState().DidResume {
			_ = d.Close()
			return f.sendReply(c, "522 SSL connection failed: session reuse required")
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
	if f.keepsDataOpen {
		f.stall()
	}
	if secure, ok := d.(*tls.Conn); ok && f.endUnmarked {
		d = secure.NetConn()
	}
	if f.lingers {
		_ = d.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, d)
	}
	_ = d.Close()
	if f.finalAfter != nil {
		select {
		case <-f.finalAfter:
		case <-f.t.Context().Done():
		}
	}
	return f.sendReply(c, f.finalReply)
}
