package term

import (
	"os"

	uv "github.com/charmbracelet/ultraviolet"
)

// ShellArgv runs a command line that the user has typed.
func ShellArgv(line string) []string { return []string{"cmd", "/C", line} }

// CellSize is the size of a terminal's cells in pixels, which the system does not
// know.
func CellSize(*os.File) uv.CellSizeEvent { return uv.CellSizeEvent{} }
