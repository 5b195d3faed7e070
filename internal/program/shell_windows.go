package program

// ShellArgv returns the arguments that run a command line that the user has typed.
func ShellArgv(line string) []string { return []string{"cmd", "/C", line} }
