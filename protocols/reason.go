package protocols

import "errors"

// Reason is the cause of a failed fetch.
type Reason uint8

// The reasons.
const (
	Unknown          Reason = iota
	BadURL                  // the URL cannot be sent to a server (RFC 1738, section 6)
	Unsupported             // gofer does not support the URL or the operation
	NameNotFound            // the host name does not exist
	Refused                 // no server listens at the port
	Unreachable             // no route to the host
	ConnectTimeout          // the connection was not made in time
	FirstByteTimeout        // connected, but the server did not begin to answer in time
	IdleTimeout             // no more data came in time
	Broken                  // the connection ended before the end of the answer
	Malformed               // the answer does not follow the protocol
	TooBig                  // an answer, a file or a job exceeded a limit of gofer or of the user
	NotFound                // the item does not exist (550, 430, 411, ...)
	Denied                  // the server refused the login or denied permission (530, 480, 502, ...)
	ServerFailed            // the server refused for another reason
	Insecure                // the TLS handshake failed, or the certificate is not trusted
	LocalFailure            // a failure of this machine: disk full, no permission
	NotSupported            // the server does not support a required part of the protocol
	NoServer                // no news server is set for a news: URL
	Rejected                // the server rejected a message or a file
	Unfinished              // a draft is incomplete, or the editor failed
	Damaged                 // an archive or compressed file is incomplete or malformed
	EndUnmarked             // the connection ended, and neither TLS nor the protocol shows that the answer is whole
	Offline                 // the user works offline
)

// Trait is a set of properties that reasons have in common.
type Trait uint16

// The traits.
const (
	NetworkFailure Trait = 1 << iota // the server could not be reached, or the connection failed
	ServerFailure                    // the server refused the request or sent an unusable answer
	NotConnected                     // no connection was made
	TimedOut                         // a time limit ended
	ConnectionLost                   // an established connection broke or timed out
	WrongPort                        // a wrong port may be the cause
	NeedsTLS                         // the server may expect TLS
	Temporary                        // another attempt may succeed without a change
)

// Explanation is the text of an error page.
type Explanation struct {
	Title  string
	Cause  string // the cause in the sentence if the Error has no cause
	Advice string
	Retry  bool // another attempt may succeed
}

// reasons has one row for each Reason.
var reasons = [...]struct {
	text        string
	explanation Explanation
	traits      Trait
}{
	Unknown: {
		"failed",
		Explanation{"Failed", "", "", true},
		0,
	},
	BadURL: {
		"this URL cannot be sent to a server",
		Explanation{"This URL cannot be sent", "", "Nothing was sent.", false},
		0,
	},
	Unsupported: {
		"not supported",
		Explanation{"Not supported", "", "", false},
		0,
	},
	NameNotFound: {
		"host not found",
		Explanation{"Host not found", "", "Check the spelling of the host name, and whether this machine is online.", true},
		NetworkFailure | NotConnected,
	},
	Refused: {
		"connection refused",
		Explanation{"Connection refused", "nothing listens at that port", "The server may be down, or use another port.", true},
		NetworkFailure | NotConnected | WrongPort | Temporary,
	},
	Unreachable: {
		"host unreachable",
		Explanation{"Host unreachable", "there is no route to it", "Check the network.", true},
		NetworkFailure | NotConnected | Temporary,
	},
	ConnectTimeout: {
		"timed out while connecting",
		Explanation{"Timed out", "the host did not answer", "The host may be down, or a firewall may block that port.", true},
		NetworkFailure | NotConnected | TimedOut | WrongPort | Temporary,
	},
	FirstByteTimeout: {
		"timed out waiting for the first byte",
		Explanation{"Timed out", "the server did not answer", "The server may be busy, or may speak another protocol.", true},
		NetworkFailure | TimedOut | ConnectionLost | WrongPort | NeedsTLS | Temporary,
	},
	IdleTimeout: {
		"timed out waiting for more data",
		Explanation{"Timed out", "the server stopped sending in the middle of its answer", "", true},
		NetworkFailure | TimedOut | ConnectionLost | WrongPort | Temporary,
	},
	Broken: {
		"connection lost",
		Explanation{"Connection lost", "the connection ended before the answer was complete", "", true},
		NetworkFailure | ConnectionLost | WrongPort | NeedsTLS | Temporary,
	},
	Malformed: {
		"invalid answer from the server",
		Explanation{"Invalid answer", "the answer is not of this protocol", "Another kind of server may listen at that port.", true},
		ServerFailure | WrongPort | NeedsTLS,
	},
	TooBig: {
		"larger than the limit",
		Explanation{"Too large", "it is larger than the limit for pages in memory", "", false},
		ServerFailure,
	},
	NotFound: {
		"not found",
		Explanation{"Not found", "it may have been moved or removed", "", true},
		ServerFailure,
	},
	Denied: {
		"permission denied by the server",
		Explanation{"Permission denied", "the server requires another login, or refuses this machine", "", true},
		ServerFailure,
	},
	ServerFailed: {
		"server error",
		Explanation{"Server error", "", "", true},
		ServerFailure,
	},
	Insecure: {
		"no secure connection",
		Explanation{"No secure connection", "the server offers no valid TLS", "", true},
		NetworkFailure,
	},
	LocalFailure: {
		"error on this machine",
		Explanation{"Error on this machine", "", "Check the free space on the disk and the permissions.", true},
		0,
	},
	NotSupported: {
		"not supported by the server",
		Explanation{"Not supported by the server", "", "", false},
		ServerFailure,
	},
	NoServer: {
		"no news server set",
		Explanation{"No news server set", "", "", true},
		0,
	},
	Rejected: {
		"not accepted by the server",
		Explanation{"Not accepted", "the server refused the article", "", false},
		ServerFailure,
	},
	Unfinished: {
		"the message is not finished",
		Explanation{"Not sent", "", "", false},
		0,
	},
	Damaged: {
		"damaged file",
		Explanation{"Damaged file", "", "Save the file to open it in another program.", true},
		ServerFailure,
	},
	EndUnmarked: {
		"the server did not mark the end",
		Explanation{"The end may be missing", "", "The connection ended without a mark: the answer may be incomplete.", true},
		ServerFailure,
	},
	Offline: {
		"offline",
		Explanation{"No copy on this machine", "gofer was started with --offline", "Start gofer without this option to connect.", false},
		NetworkFailure,
	},
}

func (r Reason) String() string { return reasons[r].text }

// Explain returns the text of an error page about r.
func (r Reason) Explain() Explanation { return reasons[r].explanation }

// Is reports whether r has one of the traits.
func (r Reason) Is(t Trait) bool { return reasons[r].traits&t != 0 }

// IsNetworkFailure reports whether the server could not be reached, or the connection failed.
func (r Reason) IsNetworkFailure() bool { return r.Is(NetworkFailure) }

// IsServerFailure reports whether the server refused the request or sent an unusable answer.
func (r Reason) IsServerFailure() bool { return r.Is(ServerFailure) }

// Contact says what the end of a request shows about the network.
type Contact uint8

// The contacts.
const (
	ContactUnknown Contact = iota
	ContactMade            // a server or a name server has answered, if only to refuse
	ContactNone            // nothing has answered
)

// ContactOf returns what the failure err of a request shows about the network; nil is an answer. A question may come before
// any connection.
func ContactOf(err error) Contact {
	e, ok := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return ContactMade
	case !ok:
		return ContactUnknown
	case e.Reason == Refused, e.Reason.Is(ServerFailure | ConnectionLost):
		return ContactMade
	case e.Reason == NameNotFound && e.Err == nil: // by the answer of a name server, which may be on this machine
		return ContactUnknown
	case e.Reason == NameNotFound, e.Reason == Unreachable, e.Reason == ConnectTimeout:
		return ContactNone
	}
	return ContactUnknown
}

// TimeoutError returns the Error of a server that was silent for too long. The parameter answered says whether its answer had
// begun.
func TimeoutError(op string, answered bool) *Error {
	if answered {
		return &Error{Reason: IdleTimeout, Op: op}
	}
	return &Error{Reason: FirstByteTimeout, Op: op}
}

// ReasonOf returns the Reason of the [*Error] in err, or Unknown.
func ReasonOf(err error) Reason {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return Unknown
}
