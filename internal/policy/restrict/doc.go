// Package restrict keeps the readers at a public terminal to reading from the servers
// that its owner allows.
//
// # Checks
//
// Three checks apply to every fetch, also after a redirect, for a page within a
// document and for the servers of the settings:
//
//   - [Guard], in the Registry, refuses URLs that post something, and servers that
//     are not allowed.
//   - [Reader], around each Fetcher, refuses other programs and forms that ask for
//     files, and hides what stores files on servers.
//   - wire.Dialer.Allow refuses a connection that the other two have let pass.
//
// The screen leaves out the actions that are refused (ui.Options.Restricted). The
// stores of the owner have no path (config.Dirs is empty), so they neither read nor
// write files.
//
// # Errors in the settings
//
// Settings that have an error, and a word of "restrict" anywhere, allow nothing
// ([Locked]): a mistake of the owner locks the terminal and does not open it.
package restrict
