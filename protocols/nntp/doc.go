// Package nntp reads and posts articles of Usenet news (RFC 3977, 2980 and 4643). It also reads lists of
// groups and overviews of groups.
//
// # Commands
//
// Commands that are known in advance are sent together (session.queue), and the first ones before the
// greeting is read where that helps (session.sendEarly): a user far from the server waits for round trips, not for octets.
// RFC 3977, section 3.5, allows a client to send commands ahead. RFC 4643, section 2.3, does not for AUTHINFO,
// but servers read it like other commands, and a client that knows the password needs no answer in between.
// It is sent ahead only with TLS. A server that fails is recognized by its answers (session.judge) and gets
// its commands one by one.
//
// MODE READER is sent if the greeting, the reply 401 or the capabilities ask for it, and then first on each
// connection to the server. It is never sent together with other commands: INN hands the connection to
// another program then, which does not get what the first one has read, nor sends what the first one has not
// sent yet: innd cuts a long answer off if MODE READER comes before its end. CAPABILITIES is sent only after a reply 480,
// which in old servers may also mean that MODE READER is needed, and to begin compression: half of the
// servers do not support it. If the server does not support OVER, the client tries XOVER, XHDR
// and HEAD, in this order. Before an article is requested by its number, GROUP is sent only if the group is
// not selected yet. Therefore an article costs one round trip, and the list of the articles of a group costs
// two. Over a new connection both cost one more, and the first connection to a server without TLS costs another
// for a group. TLS and STARTTLS cost one each. TestRoundTrips counts them.
//
// What is learned of a server is remembered for a week, or until its greeting changes (habits.go).
//
// # TLS
//
// STARTTLS is sent before a login, and after a reply 483. If the server refuses STARTTLS, the user is
// asked, once for each server, before the password is sent in the clear. If no login is needed, articles
// are read in the clear: they are public, and STARTTLS would delay every connection. An nntps: URL uses
// TLS from the start.
//
// # Copies
//
// Copies of articles are stored by Message-ID. An article number stored by an earlier run of gofer is used
// only after a failed request, because the server may have renumbered the group. To update a stored
// overview, the client requests the overview of the new articles and of the last 20 articles in the copy, together
// with GROUP. If there are more than about 80 new articles, this first request was too small and is repeated. If
// these 20 articles or the reply to GROUP do not agree with the stored overview, the client requests the whole
// overview.
// Therefore the second visit to a group of 100,000 articles transfers about one screen of text, and a
// renumbered group does not show wrong articles.
package nntp
