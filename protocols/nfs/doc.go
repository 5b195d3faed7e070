// Package nfs lists directories and reads files of NFS servers: NFS version 3 over TCP, read only (RFC 1813; RFC 2224 for the
// URLs).
//
// A path begins at the public file handle (RFC 2054), which needs one LOOKUP for all its names, no portmapper and no MOUNT. A server
// that refuses this handle is asked for its exports by MOUNT (RFC 1813, appendix I), at the port of NFS first, and else at the port
// that its portmapper names (RFC 1833). Then a path begins at the root of the server: the longest export that is a prefix of the
// path is mounted, and a directory above exports is a page of what is below it. The port that a portmapper names is taken as FTP takes
// a port for data: of the same host only, and after a question if it belongs to another service.
//
// Symbolic links are followed, up to maxLinks for a path, and as on the server: an absolute target begins at the root of the server
// (RFC 2054, section 6.2.1), and ".." leads to the directory above the one that was entered. RFC 2224, section 6.2, combines a target
// with the URL by RFC 1808 instead, which differs only if the public file handle is not that of the root; but links are made for the
// programs of the server. No target leads to another server. A listing looks the targets of its links up together, in a few rounds
// (rounds.go): a link that leads further than that is shown as a link to something unknown, and opens all the same.
//
// The requests have the number of the user and the groups of the process (AUTH_SYS; RFC 5531, appendix A), as those of the command
// mount have: a user expects to read here what the mounted directory would show. In restricted mode they are of nobody, because the
// account of a public terminal is not that of its user. Servers trust these numbers from ports below 1024 only, unless they export
// with the option "insecure"; gofer has no such port, and an error says so.
//
// The module github.com/willscott/go-nfs-client was tried. It dials by itself, knows no context, allocates what the length of a
// record says (up to 2 GB), and waits for each answer before the next request. So the part of the protocols that is needed is here:
// the records (rpc.go), their values (xdr.go), the procedures (procedures.go, mount.go), the way to a file (path.go, walk.go).
package nfs
