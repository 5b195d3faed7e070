package app

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"gofer/internal/program"
	"gofer/internal/transfer/download"
)

// What the process of gofer queue --handover writes to its parent: queueReady before the parent unlocks the list of its
// downloads and closes the input of the process, queueTaken when the list is taken.
const (
	queueReady = "ready"
	queueTaken = "taken"
)

// queueTime is the time limit for each answer of the process.
const queueTime = 20 * time.Second

// CanDetach reports whether downloads may go on in a process of their own after the end of the screen. They may not in
// restricted, in private and in offline mode, and the servers of the demo end with the program.
func (st *State) CanDetach() bool {
	latest := st.latest.Load()
	return latest.Config.Downloads.Detach && !latest.Config.Restrict.Enabled && !st.Offline && !st.InDemo && !st.private.Load()
}

// detach lets the downloads go on in a process of their own after the end of the screen: if the user has chosen it, so that
// cause is nil, or if the screen has lost its terminal.
func (st *State) detach(cause error, lostTerminal func(error) bool) error {
	if !st.CanDetach() || cause != nil && !lostTerminal(cause) {
		return nil
	}
	if _, err := st.HandOver(st.Downloads); err != nil && cause == nil { // there is nobody to read about it otherwise
		return fmt.Errorf("the downloads do not go on in the background, but the next gofer resumes them: %w", err)
	}
	return nil
}

// HandOver closes m, whose unfinished downloads go on in a process without a terminal. It returns the number of these
// downloads. No passwords are handed over: a download that needs a login that is not stored waits for the next screen.
func (st *State) HandOver(m *download.Manager) (int, error) {
	return m.HandOver(st.startQueue)
}

// startQueue starts the process of gofer queue, and waits until it is ready.
func (st *State) startQueue() (release func() error, err error) {
	args := []string{"queue", "--handover"}
	if st.TrustEnd {
		args = append(args, "--trust-end")
	}
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var in io.Closer
	var out io.ReadCloser
	for _, path := range []string{own, "/proc/self/exe"} { // the latter if the file was replaced or removed
		cmd := exec.Command(path, args...)
		cmd.Args[0], cmd.Dir = own, st.Dirs.State
		program.Detach(cmd)
		pipe, inErr := cmd.StdinPipe()
		out, err = cmd.StdoutPipe()
		in = pipe
		if err = cmp.Or(inErr, err, cmd.Start()); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", own, err)
	}
	answers := bufio.NewReader(out)
	if err := awaitLine(answers, out, queueReady); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return func() error {
		if err := in.Close(); err != nil {
			return err
		}
		return awaitLine(answers, out, queueTaken)
	}, nil
}

// awaitLine reads a line from r, which must be want. After queueTime it closes the pipe from which r reads.
func awaitLine(r *bufio.Reader, pipe io.Closer, want string) error {
	timer := time.AfterFunc(queueTime, func() { _ = pipe.Close() })
	line, _ := r.ReadString('\n')
	line = strings.TrimSpace(line)
	switch inTime := timer.Stop(); {
	case line == want:
		return nil
	case !inTime:
		return errors.New("the process that saves the downloads does not answer")
	}
	return errors.New(cmp.Or(line, "the process that saves the downloads has ended"))
}

// Queue says how [State.ServeQueue] works.
type Queue struct {
	In     io.Reader              // its end says that the list of the parent is not locked any more; nil: there is no parent
	Out    io.Writer              // gets queueReady and queueTaken
	Report func(*download.Status) // called for each download that has ended; may be nil
}

// ServeQueue saves downloads without a screen until there are none. With a parent, these are the downloads that a run of
// gofer hands over; without one also those that earlier runs have left.
func (st *State) ServeQueue(ctx context.Context, q Queue) error {
	if st.Dirs.State == "" {
		return ErrNoConfig
	}
	var h download.Handover
	if q.In != nil {
		released := make(chan struct{})
		go func() {
			defer close(released)
			_, _ = io.Copy(io.Discard, q.In)
		}()
		say := func(text string) func() { return func() { _, _ = fmt.Fprintln(q.Out, text) } }
		h = download.Handover{Ready: say(queueReady), Released: released, Taken: say(queueTaken)}
	}
	err := st.Downloads.ServeQueue(ctx, h, q.In == nil, q.Report)
	if err != nil && q.In != nil {
		_, _ = fmt.Fprintln(q.Out, err)
	}
	return err
}
