// Package ui is the interactive program: a screen to read pages, follow links and type URLs.
// Everything that takes time happens in commands: Update only changes the Model, and View only
// draws it.
//
// # Structure
//
// The parts of the screen are plain structs below one [Model]: a tree of models would only add
// plumbing.
//
// # Long pages
//
// Finding, filtering, counting and the outline are jobs of a [viewer.Viewer] (scan.go of its
// package). Each message does one slice of a job, limited in octets. Keys stay responsive in a page of
// a million lines, and no job runs without a search, a filter or an outline.
//
// Visited links are looked up only for the rows near the screen, and the links of a page are
// collected while it loads (marks.go), both outside the event loop. A menu of a million lines costs
// as much as a screen.
package ui
