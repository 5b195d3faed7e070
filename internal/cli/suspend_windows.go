package cli

// ignoreSuspend does nothing.
func ignoreSuspend() {}
