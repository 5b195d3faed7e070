// Package collect fetches the pages and files of a bundle: menus and directories with what is below them, groups, threads,
// and lists of bookmarks.
//
// A [download.Manager] lists the trees and saves the documents, so that the choice of items, their names, the delays and the
// retries are those of a download. The Manager gets its answers through a recorder, which keeps the lists: their octets if
// the server has sent a menu, and otherwise a page made of their lines.
package collect

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gofer/internal/text/bundle"
	"gofer/internal/text/sentence"
	"gofer/internal/transfer"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Options say what is collected.
type Options struct {
	NoParent bool           // of a Gopher menu only the items below its selector
	All      bool           // of a group also the read articles
	Thread   bool           // of an article its whole thread
	Login    bool           // also fetch URLs with a password; their entries have none
	Quota    int64          // octets of all items; 0: [download.DefaultQuota]
	MaxItems int            // number of items; 0: [bundle.MaxEntries]
	Unread   Fetcher        // fetches the unread articles of a group
	Until    time.Time      // what is not fetched by then is left out; zero: no limit
	Began    func(u string) // is called before each item that is fetched; may be nil
	// Titles are the titles that the user gave to pages.
	Titles map[urlcore.URL]string
	// Agree asks whether to fetch the items of a tree. It may be nil. After an error there is no bundle.
	Agree func(s *download.Status) (bool, error)
}

// ErrRefused reports that the user does not want a tree.
var ErrRefused = errors.New("the user has refused to fetch it")

// The reasons for leaving out items.
var (
	errTime     = choice("the time has run out")
	errNumber   = choice(bundle.ErrFull.Error())
	errQuota    = choice("the bundle has reached its limit of octets")
	errPassword = &protocols.Error{Reason: protocols.Unsupported, Err: errors.New("its URL has a password: --login allows it")}
	errForeign  = &protocols.Error{Reason: protocols.Unsupported, Err: errors.New("a bundle has only pages of servers")}
	errOwnPage  = errors.New("of gofer's own pages, a bundle takes only about:bookmarks and about:bookmarks/FOLDER")
	errNoMarks  = errors.New("there are no bookmarks in it")
	errEmpty    = choice("it has no unread articles: --all takes all")
)

// ErrLeftOut is what the errors of items are that are left out although nothing has failed, such as those beyond a limit.
var ErrLeftOut = errors.New("left out")

// choice is the reason for leaving out an item although nothing has failed.
type choice string

func (c choice) Error() string { return string(c) }

func (choice) Is(target error) bool { return target == ErrLeftOut }

// unaskedError is the error of [Options.Agree] if it could not ask, which ends the work: nothing else can be asked either.
type unaskedError struct{ error }

func (e unaskedError) Unwrap() error { return e.error }

// failure is the latest failure of the network at a server, for which it did not send a number of items in a row.
type failure struct {
	inRow int
	err   error
}

// Collector fetches items. It is used by one goroutine.
type Collector struct {
	Options
	// Items are all items, in the order of their URLs; those that were left out have a reason.
	Items []bundle.Item
	// LeftOut are the items that were left out, with their errors, at most [bundle.MaxEntries].
	LeftOut []mirror.LeftOut

	m        *download.Manager
	rec      *recorder
	folder   string
	octets   int64
	room     bundle.Room
	left     int                  // the number of items that were left out
	unlisted int                  // the number of items that were left out and for which the map has no room
	taken    map[string]bool      // the names of the entries, folded
	numbers  map[string]int       // the last number for a name that was taken, by the folded name
	seen     map[urlcore.URL]bool // the URLs of Items
	failures map[string]failure   // by server
	start    bool                 // the next item is one that the user named
}

// New returns a Collector that saves documents with m, which it makes use f. It keeps the octets in folder.
func New(m *download.Manager, f Fetcher, folder string, o Options) *Collector {
	rec := &recorder{f, &record{folder: folder, heads: make(map[urlcore.URL]protocols.Head), lists: make(map[urlcore.URL]list)}}
	m.Fetcher = rec
	o.Quota, o.MaxItems = cmp.Or(o.Quota, download.DefaultQuota), min(cmp.Or(o.MaxItems, bundle.MaxEntries), bundle.MaxEntries)
	return &Collector{
		Options: o, m: m, rec: rec, folder: folder, seen: make(map[urlcore.URL]bool), failures: make(map[string]failure),
		taken: map[string]bool{bundle.MapName: true, bundle.IndexName: true}, numbers: make(map[string]int),
	}
}

// Add fetches the page u and what belongs to it. It returns an error only if the page itself cannot be fetched, or ctx has
// ended.
func (c *Collector) Add(ctx context.Context, u urlcore.URL) error {
	before := c.left
	c.begin(u)
	err := c.add(ctx, u)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && c.left == before:
		c.leaveOut(u, err)
	}
	return err
}

// begin begins to add what belongs to u, a page that the user has chosen.
func (c *Collector) begin(u urlcore.URL) {
	c.start = true
	c.rec.choose(u)
}

func (c *Collector) add(ctx context.Context, u urlcore.URL) error {
	if u.Scheme() == "about" {
		if !isBookmarks(u) {
			return &protocols.Error{Reason: protocols.Unsupported, Op: "open " + u.String(), Err: errOwnPage}
		}
		return c.addLinks(ctx, u)
	}
	if err := cmp.Or(c.check(u), c.checkLimits(u, -1)); err != nil {
		return err
	}
	switch protocols.KindOf(u) {
	case protocols.Directory, protocols.Menu:
		if protocols.IsOnlyPage(u) {
			return c.addOnlyPage(ctx, u, c.nameOf(u))
		}
		return c.addTree(ctx, u)
	case protocols.Group:
		return c.addGroup(ctx, u)
	case protocols.Article:
		if c.Thread {
			return c.addThread(ctx, u)
		}
	}
	err := c.addDocument(ctx, u, c.nameOf(u))
	if errors.Is(err, protocols.ErrNoOctets) { // an FTP URL without a type
		return c.addTree(ctx, u)
	}
	return err
}

// check returns the reason why a bundle must not have u, or nil.
func (c *Collector) check(u urlcore.URL) error {
	switch {
	case urlcore.Redact(u) != u && !c.Login:
		return errPassword
	case !bundle.Accepts(urlcore.Redact(u)):
		return errForeign
	}
	return nil
}

// checkLimits returns the limit that u exceeds, or nil. The size of u is -1 if it is not known.
func (c *Collector) checkLimits(u urlcore.URL, size int64) error {
	switch {
	case c.seen[u]: // nothing is added
	case !c.Until.IsZero() && time.Now().After(c.Until):
		return errTime
	case len(c.seen) >= c.MaxItems:
		return errNumber
	case c.octets+max(size, 0) > c.Quota:
		return errQuota
	}
	return nil
}

// addPage adds a page alone: a list without what is below it, or a document. The name of its entry is in the folder dir.
func (c *Collector) addPage(ctx context.Context, u urlcore.URL, dir, title string) error {
	before := len(c.Items)
	err := c.addPageAlone(ctx, u, dir)
	if len(c.Items) > before && c.Items[before].LeftOut == "" {
		c.Items[before].Title = cmp.Or(shown(title), c.Items[before].Title)
	}
	return err
}

func (c *Collector) addPageAlone(ctx context.Context, u urlcore.URL, dir string) error {
	name := strings.TrimPrefix(dir+"/"+c.nameOf(u), "/")
	if c.check(u) != nil || protocols.KindOf(u).Opening() != protocols.OpensList || c.seen[u] {
		return c.addItem(ctx, u, name, -1)
	}
	err := c.checkLimits(u, -1)
	if err == nil {
		err = c.addOnlyPage(ctx, u, name)
	}
	if err != nil {
		return c.leaveOutItem(ctx, u, err)
	}
	return nil
}

// addOnlyPage adds a list without what is below it.
func (c *Collector) addOnlyPage(ctx context.Context, u urlcore.URL, name string) error {
	if _, _, err := transfer.ReadAll(ctx, c.rec, protocols.Request{URL: u, Hidden: true}); err != nil {
		return err
	}
	return c.addList(u, c.uniqueFolder(name))
}

// addItem adds a document with the given name or a similar one, or leaves it out. It returns an error only if ctx has ended, or this machine fails.
func (c *Collector) addItem(ctx context.Context, u urlcore.URL, name string, size int64) error {
	server, _ := urlcore.Addr(u)
	err := cmp.Or(c.check(u), c.checkLimits(u, size))
	switch {
	case err != nil:
	case c.failures[server].inRow >= mirror.MaxFailures && !c.seen[u]:
		err = c.failures[server].err
	default:
		err = c.addDocument(ctx, u, name)
	}
	if protocols.ReasonOf(err).IsNetworkFailure() {
		c.failures[server] = failure{c.failures[server].inRow + 1, err}
	} else if err == nil {
		delete(c.failures, server)
	}
	if err == nil {
		return nil
	}
	return c.leaveOutItem(ctx, u, err)
}

// leaveOutItem leaves out an item for err. It returns an error only if ctx has ended, or this machine fails.
func (c *Collector) leaveOutItem(ctx context.Context, u urlcore.URL, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, download.ErrDiskFull), protocols.ReasonOf(err) == protocols.LocalFailure:
		return err
	}
	c.leaveOut(u, err)
	return nil
}

// addDocument fetches a document. Its entry has the given name or a similar one.
func (c *Collector) addDocument(ctx context.Context, u urlcore.URL, name string) error {
	if c.seen[u] {
		return nil
	}
	if c.Began != nil {
		c.Began(urlcore.Redact(u).String())
	}
	file := filepath.Join(c.folder, fmt.Sprint("item-", len(c.Items)+1))
	item, _ := c.m.Add(download.Request{URL: u, Path: file, Overwrite: true, Private: true})
	s := c.wait(ctx, item)
	if s.State != download.Saved {
		return cmp.Or(s.Err, context.Cause(ctx), download.ErrCanceled)
	}
	if c.octets+s.Received > c.Quota {
		return errors.Join(errQuota, os.Remove(file))
	}
	h := c.rec.head(u)
	h.Media = cmp.Or(s.Media, h.Media)
	shown := describe(h, file)
	h.Title = shown.Title
	err := c.append(u, h, c.unique(withSuffix(u, name, cmp.Or(h.Media, shown.Media))), file, false)
	if errors.Is(err, ErrLeftOut) {
		return errors.Join(err, os.Remove(file))
	}
	if _, polite := u.(urlcore.Gopher); polite && err == nil {
		mirror.Sleep(ctx, c.m.Delay)
	}
	return err
}

// wait waits for a download, which ends with ctx.
func (c *Collector) wait(ctx context.Context, item *download.Item) download.Status {
	defer context.AfterFunc(ctx, item.Cancel)()
	return item.Wait()
}

// addList adds a list that the recorder has. The parameter dir is the name of its folder.
func (c *Collector) addList(u urlcore.URL, dir string) error {
	l, ok := c.rec.list(u)
	if !ok || c.seen[u] {
		return nil // left out by the tree
	}
	if len(c.seen) >= c.MaxItems {
		c.leaveOut(u, errNumber)
		return nil
	}
	name := bundle.IndexName
	if !l.made {
		name = protocols.MenuFile
	}
	if l.made {
		l.head.Media = "text/html; charset=utf-8"
	} else {
		l.head.Media = protocols.MediaMenu
	}
	if strings.Contains(dir, "/") {
		l.head.Title = filepath.Base(dir)
	}
	err := c.append(u, l.head, c.unique(dir+"/"+name), l.path, l.made)
	if errors.Is(err, ErrLeftOut) {
		c.leaveOut(u, err)
		return nil
	}
	return err
}

// append adds an item whose octets are in the file with the given path. It returns an [ErrLeftOut] if there is no room for it.
func (c *Collector) append(u urlcore.URL, h protocols.Head, name, file string, made bool) error {
	f, err := os.Open(file)
	if err != nil {
		return protocols.LocalError("read "+file, err)
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		return protocols.LocalError("read "+file, err)
	}
	e := bundle.Entry{
		URL: urlcore.Redact(u).String(), Name: name, Title: shown(h.Title), Media: h.Media, Charset: cmp.Or(h.Charset, h.Converted), Size: n,
		SHA256: hex.EncodeToString(sum.Sum(nil)), Modified: h.Modified.UTC(), Saved: time.Now().UTC().Truncate(time.Second), Start: c.start, Made: made,
	}
	if e.Title == "" {
		e.Title = path.Base(name)
	}
	if h.Modified.IsZero() {
		e.Modified = time.Time{}
	}
	if h.URL != nil && h.URL != u && bundle.Accepts(urlcore.Redact(h.URL)) {
		e.Also = urlcore.Redact(h.URL).String()
	}
	if err := c.room.Take(&e); err != nil {
		return choice(err.Error())
	}
	c.octets += n
	c.Items = append(c.Items, bundle.Item{Entry: e, Path: file})
	c.seen[u], c.start = true, false
	return nil
}

// leaveOut records that u is left out.
func (c *Collector) leaveOut(u urlcore.URL, err error) {
	u = urlcore.Redact(u)
	c.appendLeftOut(mirror.LeftOut{URL: u, Path: u.String(), Err: err}, "")
}

// appendLeftOut records that an item is left out, and counts it if there is no room for it.
func (c *Collector) appendLeftOut(l mirror.LeftOut, title string) {
	e := bundle.Entry{Title: shown(title), LeftOut: shown(sentence.Of(l.Err))}
	if l.URL != nil {
		e.URL = urlcore.Redact(l.URL).String()
	}
	if c.left++; len(c.LeftOut) < bundle.MaxEntries {
		c.LeftOut = append(c.LeftOut, l)
	}
	if c.room.Take(&e) != nil {
		c.unlisted++
		return
	}
	c.Items = append(c.Items, bundle.Item{Entry: e})
}

// Err returns an error if items were left out.
func (c *Collector) Err() error {
	if len(c.LeftOut) == 0 {
		return nil
	}
	return &mirror.PartialError{LeftOut: slices.Clone(c.LeftOut), Unnamed: c.left - len(c.LeftOut), Total: len(c.Items) + c.unlisted, Verb: "saved"}
}
