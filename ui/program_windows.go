package ui

import (
	"os"

	uv "github.com/charmbracelet/ultraviolet"
)

// shellArgv runs a command line that the user has typed.
func shellArgv(line string) []string { return []string{"cmd", "/C", line} }

// cellSize is the size of a terminal's cells in pixels, which the system does not
// know.
func cellSize(*os.File) uv.CellSizeEvent { return uv.CellSizeEvent{} }
