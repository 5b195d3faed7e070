package ftp

import (
	"strings"
	"time"
)

// modified asks for the date of a file (RFC 3659, section 3); it is zero if the
// server does not tell.
func (s *session) modified(name string) (time.Time, error) {
	var answer reply
	err := s.try(name, func() (err error) {
		answer, err = s.command("ask for the date", "MDTM "+name)
		return err
	})
	switch c := code(err); {
	case err == nil:
		return parseFactTime(strings.TrimSpace(text(answer))), nil
	case c == 0 || c == 421:
		return time.Time{}, err
	}
	return time.Time{}, nil
}
