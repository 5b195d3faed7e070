// Package nntp reads Usenet news (RFC 3977, 2980 and 4643): lists of groups,
// overviews of groups, articles.
//
// # Commands
//
// Commands that are known beforehand are sent together (session.queue). CAPABILITIES is sent for
// compression only: half of the servers lack the command, and the refusals 401, 480 and 500 already tell
// which command must come first. A refused OVER is followed by XOVER, XHDR and HEAD, in this order. GROUP
// is sent only when the group changes. The next article therefore costs one round trip, and a group costs
// two.
//
// # TLS
//
// STARTTLS is sent before a login, and to a server that answers 483. If the server refuses it, the
// user is asked once for each server before the password is sent in the clear. Articles that need
// no login are read in the clear: they are public, and a refused STARTTLS would cost every
// connection a round trip. An nntps: URL uses TLS from the start.
//
// # Copies
//
// Articles are kept by their Message-ID; a number identifies a kept article only while the
// numbering of its group is known to be unchanged. To update a kept overview, the client requests
// the new articles and the 20 before them. If these 20, or the marks and the count of the group, do
// not agree with the copy, it requests the whole overview. So the second visit to a group of
// 100,000 articles transfers about one screen of text, and an article is never shown in place of
// another one.
package nntp
