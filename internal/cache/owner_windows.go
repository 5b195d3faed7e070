package cache

// isOurs reports whether nobody else can put copies into the folder: it is in that of
// the user.
func isOurs(string) bool { return true }
