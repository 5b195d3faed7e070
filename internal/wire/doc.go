// Package wire connects to servers: every connection closes with its context, has
// separate limits for connecting, for the first byte of an answer and for silence after
// it, and reports to the [protocols.Progress] of its context.
//
// # Cancellation
//
// The end of a context closes its connections. A deadline alone leaves a stalled FTP
// transfer hanging.
//
// # Time limits
//
// A limit holds for one phase of one connection, so a server that stalls looks different
// from a slow one.
//
// # Idle connections
//
// A [Pool] keeps connections between fetches and closes them when they have been idle
// for too long. It compares wall clocks, because a machine may sleep. An idle connection
// may have died without a sign; [Conn.RequireQuickReply] limits the wait for its first answer
// to 2 s, and the caller then opens a new one.
//
// # Credentials
//
// [Logins] keeps credentials in memory only, by scheme: those for a server with TLS are
// never sent in the clear. No URL, history, bookmark, title or error text holds a
// password. A [Memory] outlives the clients that are replaced when settings change.
//
// # Certificates
//
// A server is trusted if the roots of the system vouch for its certificate. A
// certificate of an unknown issuer, for another name or out of date is a question to the
// user ([protocols.Confirm]); any other fault is an error. The answer is stored by host
// and port in a file (package pins): a pin is worth something only if somebody looked at
// the certificate, and if it outlives the program. No flag of the command line agrees to
// a changed certificate.
package wire
