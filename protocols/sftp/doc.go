// Package sftp fetches files and directories by the SSH File Transfer Protocol, version 3 (draft-ietf-secsh-filexfer-02), which
// is the version of OpenSSH, for sftp URLs. It stores and changes them, too.
//
// # Paths
//
// The path of a URL begins at the root of the server: sftp://host/pub/a names /pub/a. As in curl, a first name "~" is the login
// directory: sftp://host/~/a. An item of the root with this name is sftp://host/./~. Names are octets, and have escapes in URLs. A name with an escaped slash names nothing.
// The type codes are those of ftp URLs (RFC 1738, section 3.2.2): ;type=d lists a directory, and ;type=i and ;type=a fetch a
// file, whose octets are never converted. A URL without a type leads to a file or a directory.
//
// # The modules
//
// golang.org/x/crypto/ssh makes the connection. known_hosts and ssh_config are read here: the modules for them refuse a whole
// file for one line that they do not know, take the key of an authority for that of a server, and cannot tell which line of which
// file is the reason. The requests are written here, in packet.go and channel.go. The client of pkg/sftp reads a directory whole
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
// key exchange. A key that differs from the known one is refused with the file and line, and a revoked one too. As in OpenSSH, a
// line that cannot be read has no effect.
//
// # The configuration
//
// ~/.ssh/config and the ssh_config of the system are obeyed, or the host is refused with the line that cannot be obeyed: a
// connection is never less safe than that of OpenSSH. No program is run, so that a block which depends on one (Match exec) is a
// reason to refuse if it has a keyword that matters here, as is what versions of OpenSSH read in different ways. A file that others may
// write is refused. Only the home directory may come from the environment; OpenSSH takes it from the account, too.
//
// # Logins
//
// The keys of the agent that the configuration names come first, then others of the agent, then the other key files, then a password. A passphrase and a password are
// asked for by [protocols.Login]. Other questions of the server (keyboard-interactive, RFC 4256) are a [protocols.Ask], whose answers
// are for the next connection. Nothing personal is sent for a fetch that the user has not asked for ([protocols.MayLogIn]):
// no key, no login at a host on the way, and no name of the user that is not in the URL.
//
// # Restricted mode
//
// Without [Client.Getenv] no file of the user is read or written, no agent is asked, and keys of servers are
// remembered in memory only.
package sftp
