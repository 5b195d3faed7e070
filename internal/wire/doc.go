// Package wire connects to servers. Every connection closes when its context ends, and reports to
// the [protocols.Progress] of the context. There are separate time limits for connecting, for the
// first byte of an answer, and for silence after it.
//
// # Cancellation
//
// The end of a context closes its connections, so that a blocked read or write returns at once.
//
// # Time limits
//
// Each limit applies to one phase of one connection, not to the whole fetch. A slow server is
// therefore not taken for a stalled one.
//
// # Idle connections
//
// A [Pool] keeps connections between fetches and closes them when they have been idle for too long.
// It measures the idle time by the wall clock, because timers stop while the machine sleeps. An idle
// connection may be lost without notice. [Conn.RequireQuickReply] therefore shortens the time limit
// for the next answer. If no answer comes, the caller opens a new connection.
//
// # Credentials
//
// [Logins] keeps credentials in memory only. It keeps them by scheme, so credentials for a server
// with TLS are never sent in the clear. No URL, history, bookmark, title or error text contains a
// password. A [Memory] keeps the logins when changed settings replace the clients.
//
// # Certificates
//
// A server is trusted if its certificate is signed by a root of the system. The user is asked about
// a certificate with an unknown issuer, another name or the wrong date ([protocols.Confirm]). Any
// other fault is an error. If the user agrees, the certificate is pinned: its fingerprint is stored
// by host and port in a file (package pins). A pin is useful only if the user looked at the
// certificate, and if the pin outlives the program. No flag of the command line accepts a changed
// certificate. With [TLS].FirstUse, as for Gemini, the first certificate of a server is accepted
// without a question, and pinned if it has a fault.
package wire
