package program

// ShellArgv runs a command line that the user has typed.
func ShellArgv(line string) []string { return []string{"cmd", "/C", line} }
