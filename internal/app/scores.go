package app

import (
	"errors"
	"os"
	"sync"
	"time"

	"gofer/internal/usenet/score"
	"gofer/internal/userfile"
	"gofer/urlcore"
)

// scoreFile is the user's score file, and a second one in memory for the demo.
type scoreFile struct {
	path      string // "" if there is none
	changeErr error  // the error that every change of the user's file returns, or nil
	isDemo    func(u urlcore.URL) bool

	mu        sync.Mutex
	demoRules []byte
}

const demoScores = `% Rules for the groups of the demo, as slrn writes them.
[gofer.*]
  Score: 100 % the archivist
  From: dora@archive\.example\.invalid
`

func (f *scoreFile) File(u urlcore.URL) (name string, err error) {
	switch {
	case f.isDemo(u):
		return "the score file of the demo", nil
	case f.path == "":
		return "", errors.New("no score file: set score_file")
	}
	return f.path, f.changeErr
}

func (f *scoreFile) Rules(u urlcore.URL, group string) (*score.Rules, error) {
	if f.isDemo(u) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return score.Parse("score", group, time.Now(), func(string) ([]byte, error) { return f.demoRules, nil })
	}
	if _, err := os.Stat(f.path); os.IsNotExist(err) { // also if path is ""
		return nil, nil
	}
	return score.Parse(f.path, group, time.Now(), readScores)
}

func readScores(path string) ([]byte, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	return userfile.Read(path, score.MaxSize)
}

func (f *scoreFile) Change(u urlcore.URL, edit func(file []byte) []byte) error {
	if f.isDemo(u) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.demoRules = edit(f.demoRules)
		return nil
	}
	if _, err := f.File(u); err != nil {
		return err
	}
	return userfile.Change(f.path, score.MaxSize, func(old []byte) ([]byte, error) { return edit(old), nil })
}
