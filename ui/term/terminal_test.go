package term

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestResetTerminal checks that each mode that a session may have set is reset on both screens.
func TestResetTerminal(t *testing.T) {
	_, alternate, _ := strings.Cut(resetTerminal, "\x1b[?1049h")
	alternate, normal, ok := strings.Cut(alternate, "\x1b[?1049l")
	if !ok {
		t.Fatal("resetTerminal does not leave the alternate screen")
	}
	for _, undo := range []string{
		"\x1b[m", "\x1b(B", "\x0f", "\x1b[r", "\x1b[?1l", "\x1b>", "\x1b[4l", "\x1b[?7h", "\x1b[?25h", "\x1b[?1000l",
		"\x1b[?1002l", "\x1b[?1003l",
		"\x1b[?1006l", "\x1b[?2004l", "\x1b[?1004l", "\x1b[?5l", "\x1b[?6l", "\x1b]8;;\x1b\\", "\x1b[=0u",
	} {
		if !strings.Contains(alternate, undo) || !strings.Contains(normal, undo) {
			t.Errorf("resetTerminal lacks %q on one of the screens", undo)
		}
	}
	if set := regexp.MustCompile(`\x1b\[\?[0-9]+h`).FindAllString(normal, -1); strings.Join(set, "") != "\x1b[?7h\x1b[?25h" {
		t.Errorf("resetTerminal sets the modes %q, want only 7 and 25", set)
	}
}

// TestDiscard checks that late answers of the terminal to requests of a server are discarded and not
// read as keys.
func TestDiscard(t *testing.T) {
	for _, tt := range []struct {
		name   string
		asks   bool
		typed  []string
		unread int
	}{
		{"the rest of answers", true, []string{"qy\x1b\\", "\x1b[?1;2c\x1b[?6", "2;22c", "\x1bP1$r", "0m\x1b\\"}, 0},
		{"no answer", true, []string{"q"}, 0},
		{"nothing", true, nil, 0},
		{"a terminal that is not asked", false, []string{"q"}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				typed, done := make(chan []byte), make(chan struct{})
				unread := len(tt.typed)
				go func() {
					for _, s := range tt.typed {
						select {
						case typed <- []byte(s):
							unread--
						case <-done:
							return
						}
						time.Sleep(quietTime / 2)
					}
				}()
				var out strings.Builder
				l := &Lease{terminal: &Terminal{out: &output{w: &out, onFailure: func() {}, pace: pace{canAsk: tt.asks}}}, ctx: t.Context()}
				l.discard(typed)
				close(done)
				synctest.Wait()
				if unread != tt.unread {
					t.Errorf("%d of %q were not read, want %d", unread, tt.typed, tt.unread)
				}
				if hasAsked := strings.HasSuffix(out.String(), "\x1b[c"); hasAsked != tt.asks {
					t.Errorf("wrote %q; want a request for device attributes: %v", out.String(), tt.asks)
				}
			})
		})
	}
}
