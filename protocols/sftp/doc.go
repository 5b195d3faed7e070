// Package sftp fetches files and directories by the SSH File Transfer Protocol, version 3 (draft-ietf-secsh-filexfer-02), which
// is the version of OpenSSH, for sftp URLs. It stores and changes them, too.
//
// # Paths
//
// The path of a URL begins at the root of the server: sftp://host/pub/a names /pub/a. As in curl, a first name "~" is the login
// directory: sftp://host/~/a. Names are octets, and have escapes in URLs. A name with an escaped slash names nothing.
// The type codes are those of ftp URLs (RFC 1738, section 3.2.2): ;type=d lists a directory, and ;type=i and ;type=a fetch a
// file, whose octets are never converted. A URL without a type leads to a file or a directory.
//
// # The modules
//
// golang.org/x/crypto/ssh makes the connection, skeema/knownhosts reads known_hosts and kevinburke/ssh_config the user's
// ~/.ssh/config. The requests are written here, in packet.go and channel.go. The client of pkg/sftp reads a directory whole
// before its first entry, without a bound; it drops the names of the owners, and what is before a slash in a name; and each of
// its requests waits for the answer of the last one, so that a small file takes four round trips instead of two. The server
// of this module is the other side in the demo and in tests.
//
// # Connections
//
// All fetches with the same login share one connection. Many requests are in flight: pieces of a file, entries of a
// directory, and those of other fetches. A connection is not bound to the context of one fetch; channel.wait gives up when
// the context of its fetch ends, or when the server is silent for too long.
//
// # Uploads
//
// Put writes to a file only if it has just made it, or after it has compared the open file with what it sends: in a directory
// where others may write, a name can lead to any file. Therefore a new file is opened so that an existing name is refused, and a
// part is compared through the handle that it is written with (part.go). Answers are read strictly: a count or a length that does
// not fit ends the connection, because nothing after it can be trusted.
//
// # Keys of servers
//
// Nothing that concerns the user is sent to a server before its key is accepted. A key that no known_hosts file has is a
// question ([protocols.Confirm]), as an unknown certificate is, and a yes is written to ~/.ssh/known_hosts after the
// key exchange. A key that differs from the known one is refused with the file and line, and a revoked one too.
//
// # Logins
//
// The agent and the keys of the user come first, then a password. A passphrase and a password are asked for by
// [protocols.Login]. Other questions of the server (keyboard-interactive, RFC 4256) are a [protocols.Ask].
//
// # Restricted mode
//
// Without [Client.Getenv] no file of the user is read or written, no agent is asked, and keys of servers are
// remembered in memory only.
package sftp
