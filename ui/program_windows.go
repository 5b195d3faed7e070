package ui

import "os"

// terminate ends a program.
func terminate(p *os.Process) error { return p.Kill() }

// shellArgv runs a command line that the user has typed.
func shellArgv(line string) []string { return []string{"cmd", "/C", line} }
