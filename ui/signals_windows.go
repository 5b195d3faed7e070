package ui

import (
	"context"
	"os"
)

// Run does nothing: there is no shell that could resume the program.
func (suspension) Run() error { return nil }

// notifySize returns nothing to wait for: Bubble Tea reads new sizes from the
// console.
func notifySize() (<-chan os.Signal, func()) { return nil, func() {} }

// waitForeground does nothing: a console has no background.
func waitForeground(context.Context, *os.File) error { return nil }
