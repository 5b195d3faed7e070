package telnet

// optionState is the state of an option on one side of the connection. The states of RFC 1143
// with an open request to disable are missing, because gofer sends no such request.
type optionState uint8

const (
	off     optionState = iota
	asked               // gofer has asked for it
	on                  // both agree
	refused             // gofer has refused it
)

// side holds the options of the server, or of gofer.
type side struct {
	state     [256]optionState
	supported func(opt byte) bool
	yes, no   byte // the commands to agree and to refuse
}

// options are the two sides of a connection.
type options struct {
	server side // WILL and WONT of the server
	client side // DO and DONT of the server
}

func newOptions() *options {
	return &options{
		server: side{yes: do, no: dont, supported: func(opt byte) bool {
			return opt == optBinary || opt == optEcho || opt == optSGA
		}},
		// Timing marks (RFC 860) are refused: if a client agrees to one, telnetd
		// assumes that it wants to edit its lines.
		client: side{yes: will, no: wont, supported: func(opt byte) bool {
			return opt == optBinary || opt == optSGA || opt == optType || opt == optSize
		}},
	}
}

// ask enables an option and returns the octets for it.
func (s *side) ask(opt byte) []byte {
	s.state[opt] = asked
	return []byte{iac, s.yes, opt}
}

// receive handles a request or answer of the server about an option (RFC 1143). It returns
// the reply, or nil, and whether the option has just been enabled.
func (s *side) receive(agree bool, opt byte) (reply []byte, enabled bool) {
	st := &s.state[opt]
	switch {
	case agree && *st == asked:
		*st = on
		return nil, true
	case agree && *st == off && s.supported(opt):
		*st = on
		return []byte{iac, s.yes, opt}, true
	case agree && *st == off:
		*st = refused
		return []byte{iac, s.no, opt}, false
	case !agree && *st == asked:
		*st = off
	case !agree && *st == on:
		*st = off
		return []byte{iac, s.no, opt}, false
	}
	return nil, false
}

// negotiate handles a verb of the server as receive does. It sets enabled only for options of gofer.
func (o *options) negotiate(verb, opt byte) (reply []byte, enabled bool) {
	if verb == will || verb == wont {
		reply, _ = o.server.receive(verb == will, opt)
		return reply, false
	}
	return o.client.receive(verb == do, opt)
}

// initial returns the first octets to a server on the telnet port.
func (o *options) initial() []byte {
	return append(append(o.server.ask(optSGA), o.client.ask(optType)...), o.client.ask(optSize)...)
}

// editing reports whether gofer sends complete lines. Like other clients, it does so until the server
// suppresses its go-aheads (RFC 858).
func (o *options) editing() bool { return o.server.state[optSGA] != on }

// echo reports whether gofer must show the input (RFC 857).
func (o *options) echo() bool { return o.server.state[optEcho] != on }
