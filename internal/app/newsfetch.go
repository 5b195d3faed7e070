package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gofer/internal/pages/about"
	"gofer/internal/usenet/compose"
	"gofer/internal/userfile"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// newsKeeper is a [newsCounter] that can keep groups for reading offline.
type newsKeeper interface {
	newsCounter
	// KeepGroup keeps the overview of a group and the articles for which wanted returns true. It calls the
	// function stored with the size of each fetched article. It subtracts the size of all kept articles from *room,
	// which is in octets. The result leftOut is the number of wanted articles that did not fit.
	KeepGroup(ctx context.Context, req protocols.Request, wanted func(*protocols.ArticleNote) bool, room *int64, stored func(octets int)) (leftOut int, err error)
	// Compressed returns the octets received in compressed form, and their uncompressed size.
	Compressed() (received, plain int64)
}

// NewsFetcher copies the unread articles of groups for reading offline.
type NewsFetcher struct {
	State  *State
	Retry  Retry             // calls an attempt, and again after each answered question
	Report func(text string) // displays the progress

	client            newsKeeper
	roomLeft          int64
	Groups            int // number of groups that were fetched
	articles, leftOut int
	octets            int64
	Notes             []string // about groups that a server has numbered anew
}

// run fetches groups, reports the progress and returns the summary.
func (f NewsFetcher) run(ctx context.Context, report func(string), groups ...urlcore.URL) (summary string, err error) {
	f.Report = report
	err = f.Fetch(ctx, groups...)
	return strings.Join(append(f.Notes, f.Summary()), "; "), err
}

// Fetch sends the unsent articles and fetches groups, or all subscribed groups if none are given.
// If the network fails for a server, it skips the other groups of this server.
func (f *NewsFetcher) Fetch(ctx context.Context, groups ...urlcore.URL) error {
	errs := f.Retry(ctx, func() error { return f.State.SendPosts(ctx, f.State.QueuedDrafts, nil) })
	f.client, _ = f.State.fetchers.Registry["news"].(newsKeeper)
	if f.roomLeft = int64(f.State.Config.KeptCopies) << 20 / 4 * 3; f.roomLeft == 0 || f.client == nil {
		return errors.Join(errs, protocols.NewError(protocols.LocalFailure, "store articles", "the setting kept_copies is 0"))
	}
	if len(groups) == 0 {
		var err error
		groups, err = f.subscribedGroups()
		errs = errors.Join(errs, err)
	}
	unreachable := make(map[string]bool) // by server
	for _, u := range groups {
		server, _ := urlcore.Addr(u)
		if unreachable[server] {
			continue
		}
		err := f.fetchGroup(ctx, u)
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("%s: %w", urlcore.NewsGroup(u).Group, err))
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		unreachable[server] = protocols.ReasonOf(err).IsNetworkFailure()
	}
	if f.articles > 0 && !f.State.private.Load() && !f.State.Copies.IsOnDisk() {
		errs = errors.Join(errs, protocols.LocalError("store all articles", errors.New("cannot write to the cache folder")))
	}
	if f.leftOut > 0 && errs == nil {
		errs = protocols.NewError(protocols.TooBig, "store all articles", f.Summary())
	}
	return errs
}

// subscribedGroups returns the subscribed groups of all servers.
func (f *NewsFetcher) subscribedGroups() (groups []urlcore.URL, err error) {
	for _, server := range newsServers(f.State.Setup, f.client) {
		file, fileErr := f.State.news.File(server.All)
		if fileErr != nil {
			err = errors.Join(err, fileErr)
			continue
		}
		for _, g := range file.Groups() {
			if line := groupLine(server.All, g.Name); g.Subscribed && line.Link != nil {
				groups = append(groups, line.Link)
			}
		}
	}
	return groups, err
}

func (f *NewsFetcher) fetchGroup(ctx context.Context, u urlcore.URL) error {
	name := urlcore.NewsGroup(u).Group
	f.Report(name)
	file, err := f.State.news.File(u)
	if err != nil {
		return err
	}
	g, _ := file.Group(name)
	rules, err := f.State.scores.Rules(u, name)
	f.State.Warn(err)
	f.Groups++
	firstArticle := f.State.news.firstArticleFunc(u, 0)
	req := protocols.Request{URL: u, FirstArticle: func(group string, low, high uint64) (uint64, string) {
		first, note := firstArticle(group, low, high)
		if note != "" {
			f.Notes = append(f.Notes, note)
		}
		return first, note
	}}
	return f.Retry(ctx, func() error {
		left, err := f.client.KeepGroup(ctx, req, func(note *protocols.ArticleNote) bool {
			return !g.Read.Has(note.Number) && (rules.IsEmpty() || rules.Score(note) > nav.KillScore)
		}, &f.roomLeft, func(octets int) {
			f.articles, f.octets = f.articles+1, f.octets+int64(octets)
			f.Report(fmt.Sprintf("%s  %s  %s", name, english.Plural(f.articles, "article", ""), humanize.Bytes(uint64(f.octets))))
		})
		f.leftOut += left
		return err
	})
}

// Summary returns one line about the fetched articles.
func (f *NewsFetcher) Summary() string {
	if f.Groups == 0 {
		return "0 groups (none is subscribed)"
	}
	text := fmt.Sprintf("%s, %s, %s", english.Plural(f.Groups, "group", ""), english.Plural(f.articles, "new article", ""), humanize.Bytes(uint64(f.octets)))
	if received, plain := f.client.Compressed(); plain > 0 {
		text += fmt.Sprintf(" (%s received as %s)", humanize.Bytes(uint64(plain)), humanize.Bytes(uint64(received)))
	}
	if f.leftOut > 0 {
		text += fmt.Sprintf("; %d left out because of the limit kept_copies (%d MB)", f.leftOut, f.State.Config.KeptCopies)
	}
	return text
}

// SendPosts sends the drafts that the function unsent returns. If report is not nil, SendPosts calls it with
// each result. SendPosts waits while another gofer process sends drafts.
func (st *State) SendPosts(ctx context.Context, unsent func() []compose.SavedDraft, report func(d compose.SavedDraft, err error)) (failed error) {
	if st.checkPost() != nil || len(unsent()) == 0 {
		return nil
	}
	lock, err := userfile.Lock(ctx, filepath.Join(st.Dirs.Drafts(), "queue"))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	for _, d := range unsent() {
		_, err := st.fetchers.Fetch(ctx, protocols.Request{URL: d.URL})
		if message, ok := errors.AsType[*protocols.Compose](err); ok {
			if !slices.Contains(st.QueuedDrafts(), d) {
				continue // the user has opened the draft again
			}
			if _, err = message.Draft.Preview(); err == nil {
				err = message.Draft.Send(ctx)
			}
		}
		if report != nil {
			report(d, err)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", d.Subject, err))
		}
	}
	return failed
}

// QueuedDrafts returns the drafts in the state StateQueued.
func (st *State) QueuedDrafts() []compose.SavedDraft {
	drafts, _ := compose.Drafts(st.Dirs.Drafts())
	return slices.DeleteFunc(drafts, func(d compose.SavedDraft) bool { return d.State != compose.StateQueued })
}

// postSender sends drafts in the background.
type postSender struct {
	*State
	logins   StoredLogins
	reported sync.Map // messages that were returned already, so that each message is shown only once
}

// sendQueued sends the queued drafts for the server of u. It returns messages for the user, but none
// about network errors.
func (s *postSender) sendQueued(ctx context.Context, u urlcore.URL) (messages []string) {
	server := s.news.serverOf(u)
	var refused []string
	_ = s.logins.Retry(ctx, func() error {
		refused = nil // drop the refusals of an earlier attempt without a login
		return s.SendPosts(ctx, func() []compose.SavedDraft {
			return slices.DeleteFunc(s.QueuedDrafts(), func(d compose.SavedDraft) bool {
				target := about.ComposeTarget(d.URL)
				return target == nil || s.news.serverOf(target) != server
			})
		}, func(d compose.SavedDraft, err error) {
			if err == nil {
				messages = append(messages, "posted "+d.Subject)
			} else if !protocols.ReasonOf(err).IsNetworkFailure() && ctx.Err() == nil {
				refused = append(refused, "not posted: "+d.Subject+": "+err.Error()+" (see about:drafts)")
			}
		})
	})
	for _, text := range refused {
		if _, isReported := s.reported.LoadOrStore(text, true); !isReported {
			messages = append(messages, text)
		}
	}
	return messages
}
