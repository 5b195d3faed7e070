package protocols

import "context"

// service is the key of a context value that serves a fetch and does not change what it asks for.
type service uint8

const (
	serviceProgress service = iota
	serviceTranscript
	serviceGuard
)

// serviceOf returns the value of a service, or zero.
func serviceOf[T any](ctx context.Context, s service) T {
	v, _ := ctx.Value(s).(T)
	return v
}
