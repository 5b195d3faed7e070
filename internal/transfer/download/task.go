package download

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"gofer/internal/transfer/mirror"
	"gofer/urlcore"
)

// Task is a transfer in the queue that stores nothing in the folder for files, such as a copy from one server to another. Its methods
// are safe for concurrent use, except that Run and Discard are called one after the other.
type Task interface {
	// Run does the work, or what an earlier call has left of it.
	Run(ctx context.Context, w *Work) error
	// Discard removes what an interrupted Run has left incomplete. The error says what stays.
	Discard(ctx context.Context) error
	LeftOut() []mirror.LeftOut // the items that the last Run has left out
	Name() string              // of what is transferred, in the octets of its server
	Target() urlcore.URL       // where it is stored, never nil
	// Participle returns the verb of the Task, as in "copying", or in "copied" for what is done.
	Participle(done bool) string
	// Encode returns the description of the Task, from which [Manager.Restore] makes it again. It has no passwords.
	Encode() json.RawMessage
	// IsSame reports whether both do the same with the same items, however far they have come.
	IsSame(other Task) bool
}

// Work is what the queue does for a Task while it runs.
type Work struct {
	Retry  mirror.Retry
	Wait   func(mirror.Wait)  // called before a pause, and with the zero Wait after it
	Report func(TaskProgress) // called with the progress
	Record func()             // writes the list of downloads with the description of the Task
	limit  *limiter
}

// TaskProgress is the progress of a Task. The Size is -1 if it is unknown.
type TaskProgress struct {
	Files, TotalFiles int
	Received, Size    int64
}

// Read reads from r at the rate of the downloads.
func (w *Work) Read(ctx context.Context, r io.Reader, p []byte) (int, error) {
	n, err := r.Read(p[:min(len(p), w.limit.maxStep())])
	if n > 0 {
		if waitErr := w.limit.wait(ctx, n); waitErr != nil {
			return n, waitErr
		}
	}
	return n, err
}

// runTask runs the Task of the Item, which has a slot of its server.
func (item *Item) runTask(ctx context.Context, addr string) error {
	m, task := item.m, item.status.Task
	m.update(func() {
		if item.status.State = Running; item.status.StartTime.IsZero() {
			item.status.StartTime = time.Now()
		}
		item.status.LeftOut, item.rate = nil, meter{}
	})
	err := task.Run(ctx, &Work{
		Retry: m.newRetry(addr), Wait: item.waitRecorder(&item.status), Report: item.setTaskProgress,
		Record: func() { m.update(func() {}) }, limit: &m.limit,
	})
	m.mu.Lock()
	item.status.LeftOut = task.LeftOut()
	m.mu.Unlock()
	return err
}

func (item *Item) setTaskProgress(p TaskProgress) {
	item.m.mu.Lock()
	item.status.Files, item.status.TotalFiles = p.Files, p.TotalFiles
	item.m.mu.Unlock()
	item.setProgress(p.Received, p.Size)
}

// sameTask reports whether both are no Task, or Tasks that do the same.
func sameTask(a, b Task) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.IsSame(b)
}
