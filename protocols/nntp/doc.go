// Package nntp reads Usenet news (RFC 3977, 2980 and 4643): lists of groups,
// overviews of groups, articles.
//
// # Commands
//
// Commands that are known beforehand are sent together (session.queue). CAPABILITIES
// is never sent: half of the servers lack it, and the refusals (401, 480, 500) say
// the same. A refused OVER is followed by XOVER, XHDR and HEAD, in this order. GROUP
// is sent only when the group changes. The next article therefore costs one round
// trip, and a group costs two.
//
// # TLS
//
// STARTTLS is sent before a login, and to a server that answers 483. If the server
// refuses it, the password is sent in the clear only after a yes, once a server.
// Articles that need no login are read in the clear: they are public, and a refused
// STARTTLS would cost every connection a round trip. A nntps: URL uses TLS from the
// start.
//
// # Copies
//
// Articles are kept by their Message-ID; a number names a kept article only while the
// numbering of its group is known to be unchanged. Of an overview that is kept, the
// server is asked for the new articles and for the 20 before them. If those 20, or
// the marks and count of the group, do not fit the copy, the whole overview is
// requested. A group of 100,000 articles costs one screen the second time, and a copy is never
// shown for another article.
package nntp
