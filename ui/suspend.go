package ui

import (
	"context"
	"errors"
	"os"
)

// suspension is what runs in place of the program while it is suspended.
// [tea.Suspend] waits for fg even where there is no shell that has it, and no
// signal ends it.
type suspension struct {
	ownTerminal
	ctx context.Context
	tty *os.File // nil: it is no terminal
}

// errBackground ends a program that no shell can put into the foreground.
var errBackground = errors.New("it runs in the background, where it cannot use the terminal: start it without &")
