package history

// Result codes of SQLite (https://www.sqlite.org/rescode.html).
const (
	codeOK         = 0
	codeError      = 1
	codeInternal   = 2
	codeBusy       = 5
	codeLocked     = 6
	codeReadOnly   = 8
	codeIOError    = 10
	codeCorrupt    = 11
	codeFull       = 13
	codeCantOpen   = 14
	codeProtocol   = 15
	codeTooBig     = 18
	codeConstraint = 19
	codeMismatch   = 20
	codeFormat     = 24
	codeNotADB     = 26

	codeDBMoved     = codeReadOnly | 4<<8 // the file has been renamed since it was opened
	codeDeleteNoEnt = codeIOError | 23<<8 // the journal does not exist any more
)
