package identities

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

// The choices of the form besides the names of identities.
const (
	choiceNew  = "make a new identity"
	choiceOnce = "make one for this run only"
	choiceNone = "send no identity"
)

// Ask returns the form that chooses the identity for a scope, and then opens u. The parameter text is what the server says, not
// cleaned, or "". The error says why there is no choice.
func (s *Store) Ask(u urlcore.URL, scope Scope, text string) (*protocols.Ask, error) {
	if s.Refuses {
		return nil, protocols.NewError(protocols.Unsupported, "choose an identity", "restricted mode has none")
	}
	files, err := s.List()
	if err != nil {
		return nil, err
	}
	var choices []string
	inUse := s.inUse(scope)
	for _, f := range files {
		if f.Fault == nil {
			choices = append(choices, f.Name)
		}
	}
	if s.keepsFiles() {
		choices = append(choices, choiceNew)
	}
	choices = append(choices, choiceOnce)
	if inUse != "" {
		choices = append(choices, choiceNone)
	}
	a := &protocols.Ask{
		URL: u, Title: "Identity for " + scope.Addr, Server: scope.Addr, ServerTitle: text, IsForm: true, IsAnew: true,
		Fields: []protocols.Field{
			{Label: "Identity", Input: protocols.InputChoice, Choices: choices, Value: chosen(choices, inUse)},
			{Label: "Name of a new one"},
			{Label: "Years until it expires", Value: strconv.Itoa(DefaultYears)},
			{Label: "It is sent for this path and all below", Value: scope.Path},
		},
	}
	if scope.Path == "" {
		a.Fields = a.Fields[:3]
	}
	a.With = func(answers []string) (urlcore.URL, error) {
		of := scope
		if len(answers) > 3 {
			var err error
			if of.Path, err = pathOf(u, answers[3]); err != nil {
				return nil, err
			}
			if page := pageIn(scope, u); answers[0] != choiceNone && !of.Includes(scope.Addr, page) {
				return nil, errors.New("the page " + page + " is not below this path")
			}
		}
		return u, s.take(of, choices, answers)
	}
	return a, nil
}

// pathOf returns a path that the user has typed as it is in URLs like u.
func pathOf(u urlcore.URL, typed string) (string, error) {
	if strings.ContainsFunc(typed, unicode.IsControl) {
		return "", errors.New("a path has no control characters")
	}
	of, err := urlcore.Parse(u.Scheme() + "://host/" + strings.TrimPrefix(strings.TrimSpace(typed), "/"))
	return urlcore.UploadTarget(of).Path, err
}

// pageIn returns the path for which a server of the scope requires an identity. After a redirect, u is at another server.
func pageIn(scope Scope, u urlcore.URL) string {
	if addr, _ := urlcore.Addr(u); strings.EqualFold(addr, scope.Addr) && u.Scheme() == "https" {
		return urlcore.UploadTarget(u).Path
	}
	return scope.Path
}

// chosen returns the choice that is proposed.
func chosen(choices []string, inUse string) string {
	if slices.Contains(choices, inUse) {
		return inUse
	}
	return choices[0]
}

// take records an answer.
func (s *Store) take(scope Scope, choices, answers []string) error {
	choice, name := answers[0], strings.TrimSpace(answers[1])
	if !slices.Contains(choices, choice) {
		return errors.New("choose one of the identities")
	}
	switch choice {
	case choiceNone:
		s.SendNone(scope)
		return nil
	case choiceOnce:
		if name == "" {
			name = "anonymous"
		}
		if err := CheckName(name); err != nil {
			return err
		}
		s.AcceptOnce(scope, name)
		return nil
	case choiceNew:
		years, err := checkNew(name, answers[2])
		if err != nil {
			return err
		}
		s.AcceptNew(scope, name, years)
		return nil
	}
	s.Accept(scope, choice)
	return nil
}

// checkNew checks the answers about a new identity.
func checkNew(name, years string) (n int, err error) {
	if err := CheckName(name); err != nil {
		return 0, err
	}
	n, err = strconv.Atoi(strings.TrimSpace(years))
	if err != nil || n < 1 || n > 1000 {
		return 0, errors.New("an identity is valid for 1 to 1000 years")
	}
	return n, nil
}

// AskNew returns the form that makes an identity, and then opens u.
func (s *Store) AskNew(u urlcore.URL) *protocols.Ask {
	return &protocols.Ask{
		URL: u, Title: "New identity", IsForm: true, IsAnew: true,
		Fields: []protocols.Field{
			{Label: "Name, which servers see"}, {Label: "Years until it expires", Value: strconv.Itoa(DefaultYears)},
		},
		With: func(answers []string) (urlcore.URL, error) {
			name := strings.TrimSpace(answers[0])
			years, err := checkNew(name, answers[1])
			if err == nil {
				s.New(name, years)
			}
			return u, err
		},
	}
}

// AskImport returns the form that imports an identity, and then opens u.
func (s *Store) AskImport(u urlcore.URL) *protocols.Ask {
	return &protocols.Ask{
		URL: u, Title: "Import an identity", IsForm: true, IsAnew: true,
		Fields: []protocols.Field{{Label: "PEM file with a certificate and its key"}, {Label: "Name; empty: that of the file"}},
		With: func(answers []string) (urlcore.URL, error) {
			if strings.TrimSpace(answers[0]) == "" {
				return nil, errors.New("name the file")
			}
			s.Add(strings.TrimSpace(answers[1]), userfile.ExpandHome(strings.TrimSpace(answers[0])))
			return u, nil
		},
	}
}
