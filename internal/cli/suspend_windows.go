package cli

// suspend does nothing: there is no such thing.
func suspend() {}
