package download

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/mirror"
	"gofer/urlcore"
)

// testTask records progress in steps, and then waits until it is stopped or goes on. Its name is the first word of its text.
type testTask struct {
	text     string
	results  chan error // of Run, one after the other
	discards atomic.Int32
	leftOut  []mirror.LeftOut
}

func newTestTask(text string) *testTask { return &testTask{text: text, results: make(chan error, 10)} }

func (k *testTask) Run(ctx context.Context, w *Work) error {
	w.Report(TaskProgress{Files: 1, TotalFiles: 3, Received: 5, Size: 10})
	w.Record()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case err := <-k.results:
		return err
	}
}

func (k *testTask) Discard(context.Context) error { k.discards.Add(1); return nil }
func (k *testTask) LeftOut() []mirror.LeftOut     { return k.leftOut }
func (k *testTask) Name() string                  { return strings.Fields(k.text)[0] }
func (k *testTask) Target() urlcore.URL           { return gopherFile("target") }
func (k *testTask) IsSame(other Task) bool        { return k.text == other.(*testTask).text }
func (k *testTask) Encode() json.RawMessage       { return json.RawMessage(`"` + k.text + `"`) }
func (k *testTask) Participle(done bool) string {
	return map[bool]string{true: "moved", false: "moving"}[done]
}

func restoreTestTask(_ urlcore.URL, data json.RawMessage) Task {
	return newTestTask(strings.Trim(string(data), `"`))
}

// row returns the state and the text of the first line of the page.
func (m *Manager) row() string {
	r := m.Lines("")[0].Note.(Row)
	return r.Item.statusText() + ": " + r.Row().Text
}

func (item *Item) statusText() string { s := item.Status(); return s.StateText() }

// TestTask checks that the queue runs a Task, shows its progress, pauses, resumes and cancels it.
func TestTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		m, task := r.start(r.flowing), newTestTask("three")
		item, added := m.Add(Request{URL: gopherFile("from"), Task: task})
		fetchtest.Equal(t, added, true, "added")
		synctest.Wait()
		fetchtest.Equal(t, m.row(), "50%: three  to gopher://h/9/target  1 of 3 files", "while it runs")
		item.Pause()
		item.Wait()
		fetchtest.Equal(t, item.statusText(), "paused", "state")
		task.leftOut = []mirror.LeftOut{{Path: "x", Err: errors.New("refused")}}
		task.results <- &mirror.PartialError{LeftOut: task.leftOut, Total: 3, Verb: "moved"}
		item.Resume()
		item.Wait()
		fetchtest.Equal(t, m.Lines("")[2].Text, "  not moved: x: refused", "what was left out")
		item.Resume()
		synctest.Wait()
		item.Cancel()
		item.Wait()
		fetchtest.Equal(t, task.discards.Load(), 1, "calls of Discard")
		fetchtest.Equal(t, len(m.Items()), 0, "downloads")

		task.results <- nil
		item, _ = m.Add(Request{URL: gopherFile("from"), Task: task})
		item.Wait()
		fetchtest.Equal(t, item.statusText(), "moved", "state")
	})
}

// TestTaskOfEarlierRun checks that a Task goes on in a later run of gofer, and in the run without a screen.
func TestTaskOfEarlierRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		m := r.start(r.flowing)
		m.Add(Request{URL: gopherFile("from"), Task: newTestTask("three")})
		synctest.Wait()
		m.Close()
		later := r.start(r.flowing)
		later.Restore = restoreTestTask
		fetchtest.Equal(t, later.row(), "unfinished: three  to gopher://h/9/target  1 of 3 files", "in the later run")
		item := later.Items()[0]
		item.Resume()
		synctest.Wait()
		fetchtest.Equal(t, item.statusText(), "50%", "state")
		s := item.Status()
		s.Task.(*testTask).results <- nil
		item.Wait()
		later.Close()
		last := r.start(r.flowing)
		last.Restore = restoreTestTask
		fetchtest.Equal(t, last.Recover(), 0, "unfinished downloads")
	})
}

// TestTasksOfOneName checks that a later run goes on with both of two Tasks that have the same name and target.
func TestTasksOfOneName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRuns(t)
		m := r.start(r.flowing)
		for _, text := range []string{"three a.txt", "three b.txt"} {
			m.Add(Request{URL: gopherFile("from"), Task: newTestTask(text)})
		}
		synctest.Wait()
		m.Close()
		later := r.start(r.flowing)
		later.Restore = restoreTestTask
		fetchtest.Equal(t, later.Recover(), 2, "unfinished downloads")
		fetchtest.Equal(t, len(later.Items()), 2, "Tasks")
	})
}

// TestTaskLimit checks that a Task reads at the rate of the downloads.
func TestTaskLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, began := &Work{limit: new(limiter)}, time.Now()
		w.limit.set(1000)
		_, err := io.Copy(io.Discard, taskReader{w, bytes.NewReader(make([]byte, 10_000))})
		fetchtest.NoError(t, err)
		if took := time.Since(began); took < 9*time.Second || took > 11*time.Second {
			t.Errorf("10000 octets took %v at 1000 a second", took)
		}
	})
}

type taskReader struct {
	w *Work
	r io.Reader
}

func (r taskReader) Read(p []byte) (int, error) { return r.w.Read(context.Background(), r.r, p) }
