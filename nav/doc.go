// Package nav loads pages and moves between them. A [Load] fetches a URL, a [Page] is the content of
// the URL, and a [Session] holds the pages of a tab. The package uses protocols only through package
// protocols, and knows nothing about the screen.
//
// # Loads
//
// The lines of a Load are pulled: the screen calls [Load.Next], shows the lines and calls Next
// again. So lines arrive in order, and a server is read only as fast as its lines are shown.
//
// A Session adds a page to its history when the server has answered ([Session.Answer]), not when the
// fetch begins. So the history has only pages that were received.
//
// # Order
//
// A directory appears in the order of the server, and is sorted when it is complete. The newest 500
// articles of a large group are shown first ([protocols.Resource].Preview), and are threaded again
// when all articles have arrived. So the first screen need not wait, and the cursor stays on its item.
//
// [Lines] keeps the lines in place and sorts their indexes, which take 4 octets a line. So the order
// of the server is not lost, and 100,000 lines are sorted in 60 ms. The type of a column's value
// decides how it is compared, whatever the type of the note.
//
// # Filters, folds and scores
//
// A filter is a list of line numbers, and so are the lines outside of folded threads ([Page.Shown]).
// The cursor and the position are line numbers of the whole page. So nothing is copied, and the code
// for going back, reloading, sorting and following a link does not depend on filters. The sorted indexes
// of Lines leave out killed articles. A search looks into folded threads and unfolds them. A filter shows
// single articles of folded threads. Neither finds killed articles.
//
// Lines get their scores before they are appended, so that no killed article appears for a moment.
// The chunks of Lines hold the scores. After a new score rule, all scores are computed again.
package nav
