package identities

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"gofer/internal/userfile"
	"gofer/protocols"
)

func scopesIn(data []byte) (scopes []Scope) {
	text, _ := cutHead(data)
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, scopeKey); ok {
			if scope, ok := parseScope(rest); ok {
				scopes = append(scopes, scope)
			}
		}
	}
	return scopes
}

// cutHead returns the lines before the first line that begins a certificate or a key, and the rest. A path of a scope may have
// the same words.
func cutHead(data []byte) (head string, rest []byte) {
	at := 0
	for line := range bytes.Lines(data) {
		if bytes.HasPrefix(line, []byte("-----BEGIN ")) {
			break
		}
		at += len(line)
	}
	return string(data[:at]), data[at:]
}

// setScope makes a scope the one of the identity with a name.
func (s *Store) setScope(scope Scope, name string) error {
	return s.eachFile(func(f *File) error {
		isOther := func(of Scope) bool { return of != scope }
		if f.Name == name {
			return f.changeScopes(isOther, scope)
		}
		return f.changeScopes(isOther)
	})
}

// removeScopes removes all scopes that have a part of scope.
func (s *Store) removeScopes(scope Scope) error {
	return s.eachFile(func(f *File) error {
		return f.changeScopes(func(of Scope) bool { return !of.overlaps(scope) })
	})
}

// eachFile calls change for each identity that can be used.
func (s *Store) eachFile(change func(*File) error) error {
	files, err := s.files()
	errs := []error{err}
	for _, f := range files {
		if f.Fault == nil {
			errs = append(errs, change(&f))
		}
	}
	return errors.Join(errs...)
}

// changeScopes removes the scopes for which keep returns false, and then adds others. Other lines stay: they are the user's.
func (f *File) changeScopes(keep func(Scope) bool, added ...Scope) error {
	if len(added) == 0 && !slices.ContainsFunc(f.Scopes, func(of Scope) bool { return !keep(of) }) {
		return nil
	}
	err := userfile.Change(f.Path, maxFile, func(old []byte) ([]byte, error) {
		head, rest := cutHead(old)
		if len(rest) == 0 {
			return nil, errors.New("another program has removed or damaged it")
		}
		var b bytes.Buffer
		for line := range strings.Lines(head) {
			scope, isScope := strings.CutPrefix(line, scopeKey)
			if of, ok := parseScope(scope); !isScope || ok && keep(of) {
				b.WriteString(line)
			}
		}
		for _, scope := range added {
			b.WriteString(scopeKey + scope.String() + "\n")
		}
		b.Write(rest)
		return b.Bytes(), nil
	})
	return protocols.LocalError("change "+f.Path, err)
}
