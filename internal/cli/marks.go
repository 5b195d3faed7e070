package cli

import (
	"context"
	"time"

	"gofer/urlcore"
)

// marks looks up links in the history. It opens the history after started is closed, when the
// first screen has been drawn.
type marks struct {
	st      *state
	started <-chan struct{}
}

func (m marks) Visited(ctx context.Context, urls []string) ([]bool, error) {
	if err := m.wait(ctx); err != nil {
		return nil, err
	}
	return m.st.Visits.Visited(ctx, urls)
}

// NewLinks remembers nothing of a server that ends with the program.
func (m marks) NewLinks(ctx context.Context, u urlcore.URL, links []uint64) ([]uint64, error) {
	if m.st.demo.Load().passes(u) {
		return nil, nil
	}
	if err := m.wait(ctx); err != nil {
		return nil, err
	}
	return m.st.Visits.NewLinks(ctx, u, links, time.Now())
}

// note records a visit once started is closed.
func (m marks) note(ctx context.Context, u urlcore.URL, title string) error {
	_ = m.wait(ctx)
	ctx, stop := withGracePeriod(ctx, lastMoment)
	defer stop()
	return m.st.note(ctx, u, title)
}

func (m marks) wait(ctx context.Context) error {
	select {
	case <-m.started:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
