package cache

// isOurs reports whether the folder is the user's: it is in that of the user.
func isOurs(string) bool { return true }
