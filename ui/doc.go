// Package ui is the interactive program: a screen to read pages, follow links and type URLs.
// Everything that takes time happens in commands: Update only changes the Model, and View only
// draws it.
//
// # Structure
//
// The parts of the screen are plain structs below one [Model]. A tree of models would need more code,
// which passes messages between them.
//
// # Long pages
//
// A [viewer.Viewer] searches, filters and counts lines and makes the outline in jobs (scan.go of its
// package). Each [viewer.ScanMsg] runs one portion of a job, which reads a limited number of octets. Keys
// therefore stay responsive in a page of a million lines. Without a search, a filter or an outline
// no job runs.
//
// Visited links are looked up only for the rows near the screen. The links of a page are collected
// while it loads (marks.go). Both happen outside the event loop, which does the same work for a menu
// of a million lines as for a menu of one screen.
package ui
