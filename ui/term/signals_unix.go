//go:build unix

package term

import (
	"os"
	"os/signal"
	"syscall"
)

// notifySize returns the signals after which a terminal may have another size,
// and the function that ends them.
func notifySize() (<-chan os.Signal, func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH, syscall.SIGCONT)
	return changed, func() { signal.Stop(changed) }
}
