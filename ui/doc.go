// Package ui is the interactive program: one screen on which pages are read, links
// followed and URLs typed. Everything that takes time happens in commands; Update
// only changes what is known, View only draws it.
//
// # Structure
//
// The parts of the screen are plain structs under one [Model]: a tree of models would
// only add plumbing.
//
// # Long pages
//
// Finding, filtering, counting and the outline are jobs of a [viewer.Viewer] (scan.go of
// its package). A message does one slice of a job, bounded by octets. Keys stay live in a
// page of a million lines, and no job runs without a search, a filter or an outline.
//
// Visited links are looked up for the rows near the screen only, and the links of a
// page are collected while they arrive (marks.go), both outside of the event loop. A
// menu of a million lines costs as much as a screen.
package ui
