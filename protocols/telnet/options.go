package telnet

// optionState is the state of an option on one side of the connection. RFC 1143 has more states, for
// unanswered requests to disable an option, but gofer sends no such requests.
type optionState uint8

const (
	off     optionState = iota
	asked               // gofer has asked for the option
	on                  // both sides have agreed to the option
	refused             // gofer has refused the option
)

// side has the options of one side of the connection.
type side struct {
	state     [256]optionState
	supported func(opt byte) bool
	yes, no   byte // the commands that agree and refuse
}

// options are the options of both sides of a connection.
type options struct {
	server side // options of the server, which the server offers by WILL and WONT
	client side // options of the client, which the server asks for by DO and DONT
}

func newOptions() *options {
	return &options{
		server: side{yes: do, no: dont, supported: func(opt byte) bool {
			return opt == optBinary || opt == optEcho || opt == optSGA
		}},
		// Timing marks (RFC 860) are refused: if a client agrees to a timing mark, telnetd assumes that
		// the client wants to edit lines itself.
		client: side{yes: will, no: wont, supported: func(opt byte) bool {
			return opt == optBinary || opt == optSGA || opt == optType || opt == optSize
		}},
	}
}

// ask records that gofer asks for an option, and returns the request to send.
func (s *side) ask(opt byte) []byte {
	s.state[opt] = asked
	return []byte{iac, s.yes, opt}
}

// receive handles a request or an answer from the server about an option (RFC 1143). It returns the
// reply, or nil. The result enabled reports whether the option has just become enabled.
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

// negotiate handles WILL, WONT, DO or DONT from the server. It returns the results of receive, but
// enabled is always false for an option of the server.
func (o *options) negotiate(verb, opt byte) (reply []byte, enabled bool) {
	if verb == will || verb == wont {
		reply, _ = o.server.receive(verb == will, opt)
		return reply, false
	}
	return o.client.receive(verb == do, opt)
}

// initialRequests returns the first octets to a server on the telnet port.
func (o *options) initialRequests() []byte {
	return append(append(o.server.ask(optSGA), o.client.ask(optType)...), o.client.ask(optSize)...)
}

// isEditing reports whether gofer sends complete lines. Like other clients, gofer sends lines until the
// server agrees to suppress go-aheads (RFC 858).
func (o *options) isEditing() bool { return o.server.state[optSGA] != on }

// showsInput reports whether gofer must show the input (RFC 857).
func (o *options) showsInput() bool { return o.server.state[optEcho] != on }
