package mirror

import (
	"context"
	"sync"
	"time"
)

// The consideration for servers of which many items are fetched.
const (
	// MaxServers is the number of servers that are asked at a time for pages that the user does not wait for.
	MaxServers = 2
	// MaxFailures is the number of items in a row that a server must fail to send for reasons of the network, before it is
	// left alone.
	MaxFailures = 3
)

// GroupByServer returns groups of the items that have the same server, in the order of the first items of the groups.
func GroupByServer[T any](items []T, serverOf func(T) string) (groups [][]T) {
	number := make(map[string]int) // of the group, by server
	for _, item := range items {
		server := serverOf(item)
		n, ok := number[server]
		if !ok {
			n = len(groups)
			number[server], groups = n, append(groups, nil)
		}
		groups[n] = append(groups[n], item)
	}
	return groups
}

// AskServers calls ask with each group, for [MaxServers] groups at a time. It returns after the last call has returned.
func AskServers[T any](groups [][]T, ask func(group []T)) {
	var running sync.WaitGroup
	slots := make(chan struct{}, MaxServers)
	for _, group := range groups {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			ask(group)
		})
	}
	running.Wait()
}

// Sleep waits for d. It returns false if ctx ends first.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
