package term

import (
	"os"

	uv "github.com/charmbracelet/ultraviolet"
)

// notifySize returns a nil channel, because Bubble Tea reads new sizes from the console.
func notifySize() (<-chan os.Signal, func()) { return nil, func() {} }

// CellSize returns zero, because the system does not know the size.
func CellSize(*os.File) uv.CellSizeEvent { return uv.CellSizeEvent{} }
