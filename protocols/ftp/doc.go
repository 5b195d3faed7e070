// Package ftp fetches files and directories by FTP (RFC 959, RFC 1123, RFC 2428, RFC
// 3659), by TLS where the server has it (RFC 4217), as RFC 1738, section 3.2, says
// for ftp URLs. Directories come as typed lines, read while they arrive; files in
// exact octets.
//
// # The library
//
// The module jlaffaye/ftp makes the transfers, over a shim that reports each reply
// with a code that the library accepts (control.go). The library uses PASV only. The
// shim answers PASV when a data connection exists, passive or active (data.go): the
// library does not say why its own EPSV failed, and it has no active mode. Its
// options for TLS are not used, because they offer neither questions about
// certificates nor the texts of replies.
//
// # TLS
//
// AUTH TLS is tried on every connection. A server that refuses it is still used for
// the anonymous login, whose password is no secret. Any other password is sent in the
// clear only after a yes ([protocols.Confirm]), once a server. The anonymous login
// accepts any certificate, since the alternative is no TLS at all; Head.Security then
// says that the certificate was not verified.
//
// # Round trips
//
// Commands that do not depend on each other's replies are sent in one write
// (pipeline.go), so that a file of a directory tree takes two round trips: one for EPSV,
// RETR and what else is asked about the file, one for the data connection. The code that
// uses a reply sends the command again and does not know that it went out before. RETR
// never shares a write with CWD, whose refusal would leave it in the wrong directory, nor
// with the first EPSV of a session. A server that does not take commands together is
// recognized by its greeting or its first replies, and gets them one by one.
//
// # Paths
//
// Each decoded segment of a path is sent as one CWD, as RFC 1738, section 3.2.2 says.
// A "%2F" within a segment is not a "/"; joining the segments would lose the
// difference.
//
// # Listings
//
// MLSD is used where the server has it, although ProFTPD takes twice as long for it
// as for LIST, whatever facts are selected. Only MLSD has dates with zone, seconds
// and year, and separates names from the other facts.
//
// Some servers do not say in MLSD where symbolic links lead; ProFTPD leaves out those
// that lead nowhere. LIST is the only command that does, so it is sent after MLSD,
// and these links come last: the first screen does not wait for them.
//
// No document defines the lines of LIST. parseLIST knows the usual formats; a table of
// families has the formats of other systems (families.go). Lines that neither understands come after
// the items: NLST returns the names in them, so that each item opens (unread.go).
package ftp
