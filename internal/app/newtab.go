package app

import (
	"context"

	"gofer/internal/userfile/sessions"
	"gofer/urlcore"
)

// OpenInRunning opens an argument of the command line in a tab of another gofer of the user on the same desktop. It reports
// whether there is one.
func (st *State) OpenInRunning(ctx context.Context, arg string) (opened bool, err error) {
	if st.Config.Restrict.Enabled || st.Offline || st.InDemo { // these need a gofer of their own
		return false, nil
	}
	u, err := st.GuessArgument(arg)
	if err != nil || urlcore.IsStandardInput(u) {
		return false, err
	}
	return sessions.OpenTab(ctx, st.Dirs.Sessions(), u, sessions.Desktop(st.Getenv)), nil
}
