// Package conformance compares gofer with the documents that define URLs: RFC 1738 and the three drafts
// before it. It has only tests. The file testdata/statements.txt has a row for each statement of the
// documents, with checks; the tests run the checks and write the page docs/conformance.md.
//
// A line "= title" begins a document, and "- title" a section. A row begins with its status:
//
//	yes STATEMENT     gofer does what the document says
//	part STATEMENT    only in part, or one of two readings that exclude each other; a line "why" gives the reason
//	no STATEMENT      it does not; a line "why" gives the reason
//	none STATEMENT    nothing that a program does; a line "why" says what it is
//
// The indented lines after it are the checks. All of them are run:
//
//	1738 URL -> CANONICAL                  a parser of the dialect reads the URL; "1738 strict" is the strict one
//	1738 URL -> !CATEGORY                  it refuses the URL
//	1738 URL -> host="h" port=70           it finds these parts, in JSON; also warnings and request
//	1738 BASE + REF -> CANONICAL           it resolves the partial form
//	1738 text "TEXT" -> CANONICAL ...      it finds exactly these URLs; #FRAGMENT and |ALTERNATIVE follow
//	write gopher "OCTETS" -> CANONICAL     the octets are written as a URL; also ftp
//	guess "TEXT" -> CANONICAL              the URL bar reads the text
//	wire URL -> "OCTETS" ...               a server receives these octets in this order; HOST stands for it.
//	                                       After "not" come octets that it must not receive
//	test FOLDER NAME                       this test of another package checks the statement; its name exists
package conformance
