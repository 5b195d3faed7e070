package telnet

// optionState is whether one side of the connection does what an option says.
// The states in which RFC 1143 wants an option disabled are missing: gofer
// never asks for that.
type optionState uint8

const (
	off     optionState = iota
	asked               // gofer has asked for it, and has no answer yet
	on                  // both agree
	refused             // gofer has refused it, which is said once
)

// side is one direction of the options: what the server does, or gofer.
type side struct {
	state     [256]optionState
	supported func(opt byte) bool
	yes, no   byte // the verbs with which gofer agrees and refuses
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
		// Timing marks (RFC 860) are refused: telnetd takes a client that agrees to
		// one for one that wants to edit its lines.
		client: side{yes: will, no: wont, supported: func(opt byte) bool {
			return opt == optBinary || opt == optSGA || opt == optType || opt == optSize
		}},
	}
}

// ask enables an option and returns what to say for it.
func (s *side) ask(opt byte) []byte {
	s.state[opt] = asked
	return []byte{iac, s.yes, opt}
}

// receive takes what the server says of an option, once for each change (RFC
// 1143), and returns the reply, if there is one to make, and whether the option
// has just been enabled.
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

// negotiate is receive for the verbs of the server; enabled is set for options
// of gofer's side only.
func (o *options) negotiate(verb, opt byte) (reply []byte, enabled bool) {
	if verb == will || verb == wont {
		reply, _ = o.server.receive(verb == will, opt)
		return reply, false
	}
	return o.client.receive(verb == do, opt)
}

// initial is what gofer says first to a server of whom it knows, by the port,
// that it speaks telnet.
func (o *options) initial() []byte {
	return append(append(o.server.ask(optSGA), o.client.ask(optType)...), o.client.ask(optSize)...)
}

// editing reports whether a line is sent when it is whole, not each key: as
// other clients take it, until the server has suppressed its go-aheads (RFC
// 858).
func (o *options) editing() bool { return o.server.state[optSGA] != on }

// echo reports whether what is typed is to be shown here (RFC 857).
func (o *options) echo() bool { return o.server.state[optEcho] != on }
