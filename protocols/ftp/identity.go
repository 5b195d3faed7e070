package ftp

import "strings"

// identity returns the unique fact of the current directory (MLST; RFC 3659,
// section 7.5.2), else its path (PWD), in which most servers resolve symbolic
// links, else "".
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

// workingDirectory returns the path of the current directory (PWD; RFC 959, section
// 4.1.3), or "" if the server refuses the command.
func (s *session) workingDirectory() (string, error) {
	answer, err := s.ask("PWD")
	if err != nil || answer.code != 257 {
		return "", err
	}
	return quoted(answer.lines[len(answer.lines)-1]), nil
}

// ask sends a command about the current directory. It returns a refusal as a reply,
// not as an error.
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
