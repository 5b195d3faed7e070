package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/internal/usenet/compose"
	"gofer/internal/userfile"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

func (p *Program) newsCommand() *cobra.Command {
	var flags browseFlags
	cmd := &cobra.Command{
		Use: "news", Short: "read the subscribed newsgroups, also offline", Args: checkArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.browse(cmd.Context(), "about:news", nil, flags) },
	}
	flags.add(cmd)
	cmd.AddCommand(p.forbidRestricted(p.newsFetchCommand()), p.forbidRestricted(&cobra.Command{
		Use: "post", Short: "send articles that were posted offline", Args: checkArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			st := p.openState(nil)
			defer st.close()
			if err := st.checkPost(); err != nil {
				return err
			}
			report := func(d compose.SavedDraft, err error) {
				if err == nil && isTerminal(p.Out) {
					fmt.Fprintf(p.Out, "posted %s\n", clean.Text(d.Subject))
				}
			}
			return p.withLogin(cmd.Context(), func() error { return st.sendPosts(cmd.Context(), st.queuedDrafts, report) })
		},
	}))
	return cmd
}

func (p *Program) newsFetchCommand() *cobra.Command {
	verbose := false
	cmd := &cobra.Command{
		Use:   "fetch [GROUP...]",
		Short: "fetch unread articles for reading offline",
		Long: "fetch stores the unread articles of your subscribed groups on all of your servers, or of\n" +
			"the GROUPs, for gofer --offline and for times when a server does not answer. Killed\n" +
			"articles are left out. An interrupted fetch continues the next time.\n\n" +
			"fetch fills at most three quarters of kept_copies (a setting, in MB). If a group does not\n" +
			"fit, its oldest articles are left out, and the exit code is 5. Without a terminal, as in\n" +
			"cron jobs, it prints errors only.",
		Args: checkArgs(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.openState(nil)
			defer st.close()
			st.keepCopies(browseFlags{})
			var groups []urlcore.URL
			for _, arg := range args {
				if !strings.ContainsAny(arg, ":/ ") {
					arg = "news:" + arg
				}
				u, err := st.guessArgument(arg)
				if err != nil {
					return err
				}
				groups = append(groups, u)
			}
			bar := p.progressBar("")
			f := newsFetcher{st: st, retry: p.withLogin, report: func(text string) {
				if time.Since(bar.lastDrawn) > drawInterval {
					bar.draw("", text)
				}
			}}
			err := f.fetch(cmd.Context(), groups...)
			bar.clear()
			for _, note := range f.notes {
				fmt.Fprintf(p.Err, "gofer: note: %s\n", noteText(note))
			}
			if (err == nil || f.groups > 0) && (verbose || isTerminal(p.Out)) {
				fmt.Fprintln(p.Out, f.summaryText())
			}
			return err
		},
	}
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print a summary even if standard output is not a terminal")
	return cmd
}

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

// newsFetcher copies the unread articles of groups for reading offline.
type newsFetcher struct {
	st     *state
	retry  func(ctx context.Context, attempt func() error) error // calls attempt, and again after each answered question
	report func(text string)                                     // displays the progress

	client                    newsKeeper
	roomLeft                  int64
	groups, articles, leftOut int
	octets                    int64
	notes                     []string // about groups that a server has numbered anew
}

// run fetches groups, reports the progress and returns the summary.
func (f newsFetcher) run(ctx context.Context, report func(string), groups ...urlcore.URL) (summary string, err error) {
	f.report = report
	err = f.fetch(ctx, groups...)
	return strings.Join(append(f.notes, f.summaryText()), "; "), err
}

// fetch sends the unsent articles and fetches groups, or all subscribed groups if none are given.
// If the network fails for a server, it skips the other groups of this server.
func (f *newsFetcher) fetch(ctx context.Context, groups ...urlcore.URL) error {
	errs := f.retry(ctx, func() error { return f.st.sendPosts(ctx, f.st.queuedDrafts, nil) })
	f.client, _ = f.st.fetchers.Registry["news"].(newsKeeper)
	if f.roomLeft = int64(f.st.Config.KeptCopies) << 20 / 4 * 3; f.roomLeft == 0 || f.client == nil {
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
	if f.articles > 0 && !f.st.private.Load() && !f.st.Copies.IsOnDisk() {
		errs = errors.Join(errs, protocols.LocalError("store all articles", errors.New("cannot write to the cache folder")))
	}
	if f.leftOut > 0 && errs == nil {
		errs = protocols.LocalError("store all articles", errors.New(f.summaryText()))
	}
	return errs
}

// subscribedGroups returns the subscribed groups of all servers.
func (f *newsFetcher) subscribedGroups() (groups []urlcore.URL, err error) {
	for _, server := range newsServers(f.st.Setup, f.client) {
		file, fileErr := f.st.news.File(server.All)
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

func (f *newsFetcher) fetchGroup(ctx context.Context, u urlcore.URL) error {
	name := urlcore.NewsGroup(u).Group
	f.report(name)
	file, err := f.st.news.File(u)
	if err != nil {
		return err
	}
	g, _ := file.Group(name)
	rules, err := f.st.scores.Rules(u, name)
	f.st.warn(err)
	f.groups++
	firstArticle := f.st.news.firstArticleFunc(u, 0)
	req := protocols.Request{URL: u, FirstArticle: func(group string, low, high uint64) (uint64, string) {
		first, note := firstArticle(group, low, high)
		if note != "" {
			f.notes = append(f.notes, note)
		}
		return first, note
	}}
	return f.retry(ctx, func() error {
		left, err := f.client.KeepGroup(ctx, req, func(note *protocols.ArticleNote) bool {
			return !g.Read.Has(note.Number) && (rules.IsEmpty() || rules.Score(note) > nav.KillScore)
		}, &f.roomLeft, func(octets int) {
			f.articles, f.octets = f.articles+1, f.octets+int64(octets)
			f.report(fmt.Sprintf("%s  %s  %s", name, english.Plural(f.articles, "article", ""), humanize.Bytes(uint64(f.octets))))
		})
		f.leftOut += left
		return err
	})
}

// summaryText returns one line about the fetched articles.
func (f *newsFetcher) summaryText() string {
	if f.groups == 0 {
		return "0 groups (none is subscribed)"
	}
	text := fmt.Sprintf("%s, %s, %s", english.Plural(f.groups, "group", ""), english.Plural(f.articles, "new article", ""), humanize.Bytes(uint64(f.octets)))
	if received, plain := f.client.Compressed(); plain > 0 {
		text += fmt.Sprintf(" (%s received as %s)", humanize.Bytes(uint64(plain)), humanize.Bytes(uint64(received)))
	}
	if f.leftOut > 0 {
		text += fmt.Sprintf("; %d left out because of the limit kept_copies (%d MB)", f.leftOut, f.st.Config.KeptCopies)
	}
	return text
}

// sendPosts sends the drafts that the function unsent returns. If report is not nil, sendPosts calls it with
// each result. sendPosts waits while another gofer process sends drafts.
func (st *state) sendPosts(ctx context.Context, unsent func() []compose.SavedDraft, report func(d compose.SavedDraft, err error)) (failed error) {
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
			if !slices.Contains(st.queuedDrafts(), d) {
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

// queuedDrafts returns the drafts in the state StateQueued.
func (st *state) queuedDrafts() []compose.SavedDraft {
	drafts, _ := compose.Drafts(st.Dirs.Drafts())
	return slices.DeleteFunc(drafts, func(d compose.SavedDraft) bool { return d.State != compose.StateQueued })
}

// postSender sends drafts in the background.
type postSender struct {
	*state
	logins   storedLogins
	reported sync.Map // messages that were returned already, so that each message is shown only once
}

// sendQueued sends the queued drafts for the server of u. It returns messages for the user, but none
// about network errors.
func (s *postSender) sendQueued(ctx context.Context, u urlcore.URL) (messages []string) {
	server := s.news.serverOf(u)
	var refused []string
	_ = s.logins.retryWithLogin(ctx, func() error {
		refused = nil // drop the refusals of an earlier attempt without a login
		return s.sendPosts(ctx, func() []compose.SavedDraft {
			return slices.DeleteFunc(s.queuedDrafts(), func(d compose.SavedDraft) bool {
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
