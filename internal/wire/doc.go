// Package wire connects to servers. Every connection closes when its context ends, and reports to
// the [protocols.Progress] of the context. There are separate time limits for connecting, for the
// first byte of an answer, and for silence after it.
//
// # Cancellation
//
// The end of a context closes its connections. A deadline alone would not end a stalled FTP
// transfer.
//
// # Time limits
//
// A limit applies to one phase of one connection. This distinguishes a stalled server from a slow
// one.
//
// # Idle connections
//
// A [Pool] keeps connections between fetches and closes them when they have been idle for too long.
// It compares wall clocks, because a machine may sleep. An idle connection may be lost without
// notice. Therefore [Conn.RequireQuickReply] limits the wait for its first answer to 2 s, and the
// caller then opens a new connection.
//
// # Credentials
//
// [Logins] keeps credentials in memory only. It keeps them by scheme, so credentials for a server
// with TLS are never sent in the clear. No URL, history, bookmark, title or error text contains a
// password. A [Memory] outlives the clients that are replaced when settings change.
//
// # Certificates
//
// A server is trusted if its certificate is signed by a root of the system. The user is asked about
// a certificate with an unknown issuer, another name or the wrong date ([protocols.Confirm]). Any
// other fault is an error. The answer is stored by host and port in a file (package pins). A pin is
// useful only if the user looked at the certificate, and if the pin outlives the program. No flag
// of the command line accepts a changed certificate.
package wire
