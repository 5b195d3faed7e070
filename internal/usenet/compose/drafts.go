package compose

import (
	"cmp"
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
	"gofer/protocols"
	"gofer/urlcore"
)

// A draft has two files. One has the text; the other has the URL that opens the draft and a random
// word. A third file has the state of the draft unless the state is "".
const (
	draftSuffix = ".eml"
	urlSuffix   = ".url"
	stateSuffix = ".state"
)

// StateQueued is the state of a draft that the user agreed to send while the network failed. The state
// file also contains the checksum of the message, on the next line.
const StateQueued = "to be sent"

// maxURL is the largest size of a URL file or a state file, in octets.
const maxURL = 1 << 20

func siblingPath(path, suffix string) string { return strings.TrimSuffix(path, draftSuffix) + suffix }

// writeURL writes the URL file of the draft at path with the word, unless it exists.
func writeURL(path string, u urlcore.URL, word string) error {
	if _, word := readURL(path); word != "" {
		return nil
	}
	return userfile.Replace(siblingPath(path, urlSuffix), []byte(urlcore.Redact(u).String()+"\n"+word+"\n"))
}

// Keep makes the text the draft of the message, in the folder drafts, and returns the draft and its file. The same text
// with the same word always has the same Message-ID.
func (m Message) Keep(drafts, word, text string) (protocols.Draft, string, error) {
	d := &draft{message: m, folder: drafts}
	if err := d.begin(word); err != nil {
		return nil, "", err
	}
	return d, d.path(), protocols.LocalError("keep the draft", userfile.Replace(d.path(), []byte(text)))
}

// readURL reads the URL file of the draft at path. It returns nil and "" if there is none.
func readURL(path string) (u urlcore.URL, word string) {
	data, err := userfile.Read(siblingPath(path, urlSuffix), maxURL)
	text, word, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
	if u, parseErr := urlcore.Parse(text); err == nil && parseErr == nil {
		return u, word
	}
	return nil, ""
}

func removeDraft(path string) error {
	for _, suffix := range []string{draftSuffix, urlSuffix, stateSuffix} {
		if err := os.Remove(siblingPath(path, suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// SavedDraft is a draft that has not been sent.
type SavedDraft struct {
	URL      urlcore.URL // opens the draft
	path     string
	To       string // the groups and the recipients as the user wrote them
	Subject  string
	Modified time.Time
	State    string // [StateQueued], the reason why the server refused the message, or ""
}

// Title returns a title for lists of drafts.
func (k SavedDraft) Title() string {
	return strings.TrimPrefix(k.State+": ", ": ") + strings.TrimSuffix(cmp.Or(k.Subject, "(no subject)")+", to "+k.To, ", to ")
}

// Drafts returns the drafts in a folder. The most recent one is first.
func Drafts(folder string) ([]SavedDraft, error) {
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []SavedDraft
	for _, f := range files {
		path := filepath.Join(folder, f.Name())
		if filepath.Ext(path) != draftSuffix {
			continue
		}
		u, _ := readURL(path)
		info, err := os.Stat(path)
		if u == nil || err != nil || !userfile.IsOwn(info) { // another user must not send messages
			continue
		}
		data, _ := userfile.Read(path, maxDraft) // opening the draft reports the error
		text, _ := Parse(string(data))
		data, _ = userfile.Read(siblingPath(path, stateSuffix), maxURL)
		state, _, _ := strings.Cut(string(data), "\n")
		list = append(list, SavedDraft{u, path, strings.Trim(text.Get("Newsgroups")+", "+text.Get("To"), ", "), text.Get("Subject"), info.ModTime(), state})
	}
	slices.SortStableFunc(list, func(a, b SavedDraft) int { return b.Modified.Compare(a.Modified) })
	return list, nil
}

// HasDraft reports whether a folder has a draft of a URL.
func HasDraft(folder string, u urlcore.URL) bool {
	_, err := os.Stat((&draft{message: Message{URL: u}, folder: folder}).path())
	return err == nil
}

// Remove removes the draft of a URL from a folder.
func Remove(folder string, u urlcore.URL) error {
	list, err := Drafts(folder)
	i := slices.IndexFunc(list, func(k SavedDraft) bool { return k.URL == u })
	if i < 0 {
		return cmp.Or(err, errors.New("the draft does not exist any more"))
	}
	return removeDraft(list[i].path)
}

// MessageID returns a Message-ID for the text (RFC 5536, section 3.1.3). It is the same in
// each attempt to send the text, so that no server accepts it twice.
func (t Text) MessageID(host string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%q\n%q", t.Draft, t.Header, t.Body))
	return "<" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15])) + "@" + host + ">"
}
