package cli

// suspend does nothing: there is no such thing.
func suspend() {}

// ignoreSuspend does nothing.
func ignoreSuspend() {}
