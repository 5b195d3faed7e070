// Package restrict limits the users of a public terminal to reading from servers. The owner of the
// terminal chooses the allowed servers.
//
// # Checks
//
// Three checks apply to every fetch, including redirects, pages within a document, and the servers
// in the settings:
//
//   - [Guard], in the Registry, refuses URLs that post something, and servers that
//     are not allowed.
//   - [RestrictedFetcher], around each Fetcher, refuses to start other programs, and refuses
//     forms that ask for files. It hides the methods that store files on servers.
//   - wire.Dialer.Allow refuses forbidden connections that passed the other two checks.
//
// The screen leaves out the refused actions (ui.Options.Restricted). The stores of the owner of this
// machine (history, bookmarks and so on) have no path (config.Folders is empty), so they neither read nor write files.
//
// # Errors in the settings
//
// If settings have an error and contain the word "restrict", nothing is allowed ([DenyAllRules]). So a
// mistake locks the terminal instead of opening it.
package restrict
