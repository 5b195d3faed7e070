package compose

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gofer/internal/userfile"
	"gofer/urlcore"
)

// A draft is two files: the text, and beside it the URL by which it is opened again
// and a random word. A third one has its state, unless that is "".
const (
	draftSuffix = ".eml"
	urlSuffix   = ".url"
	stateSuffix = ".state"
)

// ToBeSent is the state of a draft that the reader has agreed to send, after a failure of the
// network. In the file, a line with the checksum of the agreed message follows.
const ToBeSent = "to be sent"

// maxURL bounds the second file, in octets.
const maxURL = 1 << 20

func beside(path, suffix string) string { return strings.TrimSuffix(path, draftSuffix) + suffix }

// keepURL writes the file beside the draft at path, unless there is one.
func keepURL(path string, u urlcore.URL) error {
	if _, word := readURL(path); word != "" {
		return nil
	}
	return userfile.Replace(beside(path, urlSuffix), []byte(urlcore.Redact(u).String()+"\n"+rand.Text()+"\n"))
}

// readURL reads the file beside the draft at path; all is empty without one.
func readURL(path string) (u urlcore.URL, word string) {
	data, err := userfile.Read(beside(path, urlSuffix), maxURL)
	text, word, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
	if u, parseErr := urlcore.Parse(text); err == nil && parseErr == nil {
		return u, word
	}
	return nil, ""
}

func remove(path string) error {
	for _, suffix := range []string{draftSuffix, urlSuffix, stateSuffix} {
		if err := os.Remove(beside(path, suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Kept is a draft that is not sent.
type Kept struct {
	URL      urlcore.URL // opens it
	path     string
	To       string // who gets it, as it was written
	Subject  string
	Modified time.Time
	State    string // [ToBeSent], why it was refused, or ""
}

// Title tells people what it is.
func (k Kept) Title() string {
	return strings.TrimPrefix(k.State+": ", ": ") + strings.TrimSuffix(cmp.Or(k.Subject, "(no subject)")+", to "+k.To, ", to ")
}

// Drafts returns those in a folder, the last one that was written first.
func Drafts(folder string) ([]Kept, error) {
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []Kept
	for _, f := range files {
		path := filepath.Join(folder, f.Name())
		if filepath.Ext(path) != draftSuffix {
			continue
		}
		u, _ := readURL(path)
		info, err := os.Stat(path)
		if u == nil || err != nil {
			continue
		}
		data, _ := userfile.Read(path, maxDraft) // what is wrong with it is told when it is opened
		text, _ := Parse(string(data))
		data, _ = userfile.Read(beside(path, stateSuffix), maxURL)
		state, _, _ := strings.Cut(string(data), "\n")
		list = append(list, Kept{u, path, strings.Trim(text.Get("Newsgroups")+", "+text.Get("To"), ", "), text.Get("Subject"), info.ModTime(), state})
	}
	slices.SortStableFunc(list, func(a, b Kept) int { return b.Modified.Compare(a.Modified) })
	return list, nil
}

// Remove removes from a folder the draft that a URL opens.
func Remove(folder string, u urlcore.URL) error {
	list, err := Drafts(folder)
	i := slices.IndexFunc(list, func(k Kept) bool { return k.URL == u })
	if i < 0 {
		return cmp.Or(err, errors.New("it is not there any more"))
	}
	return remove(list[i].path)
}

// MessageID returns an identifier of the text (RFC 5536, section 3.1.3). It is the same in
// each attempt to send it, so that no server takes it twice.
func (t Text) MessageID(host string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%q\n%q", t.Draft, t.Header, t.Body))
	return "<" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15])) + "@" + host + ">"
}
