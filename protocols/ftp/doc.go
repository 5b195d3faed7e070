// Package ftp fetches files and directories by FTP (RFC 959, RFC 1123, RFC 2428, RFC 3659) for ftp URLs
// (RFC 1738, section 3.2) and ftps URLs. It uses TLS if the server supports TLS (RFC 4217). A directory is
// parsed into lines while it is received; the octets of a file are passed on unchanged.
//
// # The library
//
// The module jlaffaye/ftp makes the changes: it removes and renames items and makes directories. It needs one command at
// a time for these, and checks the code of each reply. It sees the control connection as it is (library.go): the replies
// are bounded, but not changed.
//
// The library makes no transfers and no login, also not for servers that need one command at a time. It reads a listing
// whole, and drops lines in an unknown format. It has no active mode, does not say why EPSV failed, and needs parentheses in
// the reply to PASV (but RFC 1123, section 4.1.2.6). Its login ends at a reply to USER that is not 230 or 331, and allows no
// question between USER and PASS. It sends nothing together with another command.
//
// # TLS
//
// For an ftps URL, the connection uses TLS from the start. For an ftp URL, TLS begins by AUTH TLS. If the
// server refuses this command, the anonymous login continues in the clear, because its password is not a
// secret. Before any other password is sent in the clear, the user is asked, once for each server
// ([protocols.Confirm]). The anonymous login for an ftp URL accepts any certificate, because the alternative
// is no TLS at all. Head.Security then reports an unverified certificate.
//
// # Round trips
//
// Commands that do not depend on each other's replies are pipelined: sent in one write (pipeline.go). AUTH TLS
// is sent before the greeting is read. Then one write has the login, unless it needs a password, and all commands up
// to EPSV; a password waits for the reply 331. Callers of control.send need not know which commands are pipelined,
// because send skips a command that is already written. A server that does not support pipelining is recognized by its
// greeting or its first replies, and then receives the commands one at a time.
//
// If the user is asked for the password, or whether it may be sent in the clear, the connection is kept after the reply 331
// (connect.go). The answer continues the login there.
//
// The command of a transfer is written just before the connection to its port is made, together with a request of the
// port for the next transfer (nextport.go). Therefore the next file or directory takes two round trips: one for the
// data connection and one for its data. A listing may share a write with the CWD before it; if the server refuses the
// CWD, the listing is thrown away. RETR and STOR never do, because they would be about a file in the wrong directory.
//
// The port is requested only from a server that obeys commands in turn, which its greeting or its reply to a NOOP during
// the first transfer shows. Servers such as pyftpdlib obey EPSV during a transfer, and then end the transfer. The port is
// used within 20 seconds, because somebody else could connect to it.
//
// An upload asks with the CWDs whether the file exists (SIZE), together with the request of a port. In a tree, the date and
// the mode of a stored file are set before the commands for the next file, which read the replies (finish.go).
//
// PRET, which distributed servers need before the request of a port, is sent only after a server has named no port without
// it: Pure-FTPd has PRET, but does not need it.
//
// REST is sent together with RETR, but never with STOR, which would replace the file if REST is refused.
//
// A file ends without the final reply if it has as many octets as the server has announced (SIZE) in the session: vsftpd replies
// only after the client has acknowledged the end of the data. The reply is read before the next command.
//
// The user may go on at the last row of a listing, before its final reply. The session is kept nevertheless, and the next fetch
// waits for the reply, which takes less time than another login (ending.go).
//
// If a connection that was idle does not answer to a request that only reads, another one is opened after two seconds, and the
// one that answers first is used (spare.go).
//
// The lines of a listing are passed on as they arrive. If their years depend on the clock of the server, MDTM is sent while
// the listing is received, and the screen shows a preview (preview.go) until the reply has arrived.
//
// What is learned of a server, its habits, is remembered for a week, or until its greeting changes (habits.go). If it
// is known to refuse TLS, the anonymous login is sent before the greeting is read. A password never is: AUTH TLS is tried
// in each session with one. If a habit is wrong, the fetch is tried again without it.
//
// FEAT is not sent to a server whose extensions are known: vsftpd sends each line of the reply in a packet, and a new
// connection carries about ten packets in a round trip. The extensions are forgotten if the server refuses the command of
// one of them as unknown. FEAT is sent again if it refuses a data connection, as a server does that needs PRET.
//
// # Paths
//
// Each directory in a path is decoded and sent as one CWD (RFC 1738, section 3.2.2). The
// directories are not joined, because a decoded "%2F" is not a separator.
//
// # Listings
//
// MLSD is preferred to LIST, because only MLSD has dates with zone, seconds and year, and separates the
// names from the other facts. ProFTPD takes twice as long for MLSD, whichever facts are selected.
//
// Some servers omit the targets of symbolic links from MLSD, and ProFTPD also omits dangling links. LIST
// contains both, so LIST is sent after MLSD. These links are listed last, so that the first screen does not
// wait for them. ProFTPD is sent STAT instead, after each directory that is not large: its reply has the lines of LIST, and
// takes one round trip instead of two. The reply need not have arrived when the user goes on (ending.go).
//
// No document defines the lines of LIST. parseLIST parses the usual formats; a table has the
// formats of other families of systems (families.go). Lines in an unknown format follow the items. These lines are
// compared with the names in NLST, so that the user can open them (unparsed.go).
package ftp
