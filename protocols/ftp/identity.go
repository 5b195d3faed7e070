package ftp

import "strings"

// identity asks which directory the current one is: for the unique fact of MLST
// (RFC 3659, section 7.5.2), or else for its path by PWD, in which servers have
// resolved symbolic links. It is "" if the server tells neither.
func (s *session) identity() (string, error) {
	if s.mlsd {
		answer, err := s.ask("MLST")
		if err != nil {
			return "", err
		}
		for _, line := range answer.lines {
			if unique := uniqueFact(line); unique != "" {
				return "unique " + unique, nil
			}
		}
	}
	path, err := s.workingDirectory()
	if path == "" {
		return "", err
	}
	return "path " + path, nil
}

// workingDirectory asks for the path of the current directory (RFC 959, section
// 4.1.1). It is "" if the server does not tell.
func (s *session) workingDirectory() (string, error) {
	answer, err := s.ask("PWD")
	if err != nil || answer.code != 257 {
		return "", err
	}
	return quoted(answer.lines[len(answer.lines)-1]), nil
}

// ask sends a command about the current directory. A refusal is no error.
func (s *session) ask(command string) (reply, error) {
	const op = "ask for the name of the directory"
	answer, err := s.ctrl.command(command)
	switch {
	case err != nil:
		return reply{}, s.fail(op, err)
	case answer.code == 421:
		return reply{}, s.refusal(op, answer)
	}
	return answer, nil
}

// uniqueFact returns the unique fact of a line in the reply to MLST, or "".
func uniqueFact(line string) string {
	facts, _, _ := splitMLSD(strings.TrimPrefix(line, " "))
	for fact := range strings.SplitSeq(facts, ";") {
		if key, value, ok := strings.Cut(fact, "="); ok && strings.EqualFold(key, "unique") {
			return value
		}
	}
	return ""
}
