package room

import (
	tea "charm.land/bubbletea/v2"

	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Target is what a visit opens.
type Target struct {
	URL         urlcore.URL
	Link        urlcore.URL   // the cursor goes to the line with this link, unless nil
	Fragment    string        // the cursor goes to the place with this name, unless ""
	Words       string        // the cursor goes to the line with these words of a search in texts, unless ""
	Others      []urlcore.URL // other readings of the text of URL
	Guessed     bool          // URL was guessed from a typed text without a scheme
	Title       string        // text of the link, or ""
	SearchTerms string        // terms that the user has typed for URL, or ""
}

// How says how a visit opens its target. The zero value opens it as a new page in the tab on the screen.
type How struct {
	Tab   *viewer.Viewer // the tab; nil: the tab on the screen
	Typed bool           // the user has typed or bookmarked the URL, see [protocols.Request]
	Fresh bool           // the server is asked, not the cache
	Older int            // number of additional items: older articles of a group, or further search results
	// OnPage is set for a link of the page on the screen. If the link leads to a place in this page, the visit only
	// moves there.
	OnPage bool
	// Again loads the page of the tab again; the URL of the target and Typed are those of the page. The new page
	// replaces that page, the cursor keeps its place unless the target has a Link, and an open prompt stays open.
	// First is set if the user has not seen the page yet.
	// Changed is set if the page is loaded again because its data have changed. Keys for the page wait for the new lines.
	Again, First, Changed bool
	// IfMissing runs instead of an error page if the server does not have the article; or nil.
	IfMissing func() tea.Cmd
}
