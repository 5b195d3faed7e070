package cache

// isOurs returns true: the folder is inside the folder of the user.
func isOurs(string) bool { return true }
