// Package nav loads pages and moves between them: a [Load] fetches a URL, a [Page] is its content,
// a [Session] holds the pages of a tab. It knows protocols only by package protocols, and nothing
// about the screen.
//
// # Loads
//
// The lines of a Load are pulled: the screen calls [Load.Next], shows the lines and calls Next
// again. So lines arrive in order, and a server is read only as fast as its lines are shown.
//
// A Session adds a page to its history when the server has answered
// ([Session.Answer]), not when the fetch begins: the history only has pages that were received.
//
// # Order
//
// A directory is shown in the order of the server and sorted when it is complete. The newest 500
// articles of a large group are shown first ([protocols.Resource].Preview); they are threaded
// again when all articles have arrived. The first screen does not wait, and the cursor stays on
// its item.
//
// [Lines] keeps the lines in place and sorts their indexes, 4 octets a line: the
// order of the server is not lost, and 100,000 lines are sorted in 60 ms. A column is
// compared by the type of its value, whatever the note.
//
// # Filters, folds and scores
//
// A filter is a list of line numbers, and so are the lines outside of folded threads
// ([Page.Shown]). The cursor and the position remain line numbers of the whole page:
// nothing is copied, and going back, reloading, sorting and following a link need not
// know of a filter. Killed articles are left out of the order of Lines. A search
// looks into folded threads and unfolds them, a filter shows single articles of
// folded threads, and neither finds killed articles.
//
// Scores are given to lines before they are appended, so a killed article is never
// shown for a moment. They are kept in the chunks of Lines; a new rule computes all
// of them again.
package nav
