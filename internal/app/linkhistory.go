package app

import (
	"context"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// linkHistory looks up links in the history. It opens the history only after the channel started is closed, so
// that this does not delay the first page.
type linkHistory struct {
	st      *State
	started <-chan struct{}
}

func (m linkHistory) Visited(ctx context.Context, urls []string) ([]bool, error) {
	if err := m.waitForStart(ctx); err != nil {
		return nil, err
	}
	return m.st.Visits.Visited(ctx, urls)
}

// NewLinks records the links of u and returns the links that are new since the last visit. For a temporary demo
// it does neither.
func (m linkHistory) NewLinks(ctx context.Context, u urlcore.URL, links []uint64) ([]uint64, error) {
	if m.st.demo.Load().isTemporary(u) {
		return nil, nil
	}
	if err := m.waitForStart(ctx); err != nil {
		return nil, err
	}
	return m.st.Visits.NewLinks(ctx, u, links, time.Now())
}

// recordVisit records a visit when the channel started is closed or ctx ends.
func (m linkHistory) recordVisit(ctx context.Context, asked, u urlcore.URL, title string) error {
	_ = m.waitForStart(ctx)
	ctx, stop := withGracePeriod(ctx, visitGracePeriod)
	defer stop()
	return m.st.RecordVisit(ctx, asked, u, title)
}

// keepText is like [State.KeepText]. It waits as recordVisit does.
func (m linkHistory) keepText(ctx context.Context, asked urlcore.URL, head *protocols.Head, text string) error {
	_ = m.waitForStart(ctx)
	ctx, stop := withGracePeriod(ctx, visitGracePeriod)
	defer stop()
	return m.st.KeepText(ctx, asked, head, text)
}

func (m linkHistory) waitForStart(ctx context.Context) error {
	select {
	case <-m.started:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
