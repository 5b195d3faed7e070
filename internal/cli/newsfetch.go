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
		Use: "news", Short: "read the subscribed newsgroups, also without a connection", Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.browse(cmd.Context(), "about:news", nil, flags) },
	}
	flags.add(cmd)
	cmd.AddCommand(p.unrestricted(p.newsFetchCommand()), p.unrestricted(&cobra.Command{
		Use: "post", Short: "send the articles that are kept for the next connection", Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			st := p.open(nil)
			defer st.close()
			if err := st.checkPost(); err != nil {
				return err
			}
			report := func(d compose.Kept, err error) {
				if err == nil && isTerminal(p.Out) {
					fmt.Fprintf(p.Out, "posted %s\n", clean.Text(d.Subject))
				}
			}
			return p.withLogin(cmd.Context(), func() error { return st.sendPosts(cmd.Context(), st.unsent, report) })
		},
	}))
	return cmd
}

func (p *Program) newsFetchCommand() *cobra.Command {
	verbose := false
	cmd := &cobra.Command{
		Use:   "fetch [GROUP...]",
		Short: "fetch unread articles for reading without a connection",
		Long: "fetch keeps the unread articles of the groups that you have subscribed to, on all of your\n" +
			"servers, or those of the GROUPs: gofer --offline shows them, and gofer when a server does\n" +
			"not answer. What score rules kill is left out. An interrupted fetch continues where it was.\n\n" +
			"It fills at most three quarters of kept_copies (a setting, in MB). The oldest articles of a\n" +
			"group that does not fit are left out, and the exit code is 5. Without a terminal, as under\n" +
			"cron, it prints errors only.",
		Args: usage(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.open(nil)
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
			f := newsFetch{st: st, try: p.withLogin, report: func(text string) {
				if time.Since(bar.drawn) > barPause {
					bar.draw("", text)
				}
			}}
			err := f.fetch(cmd.Context(), groups...)
			bar.end()
			if f.groups > 0 && (verbose || isTerminal(p.Out)) {
				fmt.Fprintln(p.Out, f.summary())
			}
			return err
		},
	}
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print what was fetched even if standard output is no terminal")
	return cmd
}

// newsKeeper is a [NewsClient] that keeps groups.
type newsKeeper interface {
	NewsClient
	// KeepGroup keeps the overview and the wanted articles of a group.
	KeepGroup(ctx context.Context, group urlcore.URL, wanted func(*protocols.ArticleNote) bool, room *int64, kept func(octets int)) (leftOut int, err error)
	// Compressed returns the octets that compressed connections have received.
	Compressed() (received, plain int64)
}

// newsFetch fetches the unread articles of groups into the kept copies.
type newsFetch struct {
	st     *state
	try    func(ctx context.Context, do func() error) error // calls do and answers its questions
	report func(text string)                                // shows the progress

	client                    newsKeeper
	room                      int64
	groups, articles, leftOut int
	octets                    int64
}

// run fetches groups and returns the summary.
func (f newsFetch) run(ctx context.Context, report func(string), groups ...urlcore.URL) (summary string, err error) {
	f.report = report
	err = f.fetch(ctx, groups...)
	return f.summary(), err
}

// fetch sends the unsent articles and fetches groups, or all that are subscribed if there are
// none. After a failure of the network it leaves out the other groups of the server.
func (f *newsFetch) fetch(ctx context.Context, groups ...urlcore.URL) error {
	failed := f.try(ctx, func() error { return f.st.sendPosts(ctx, f.st.unsent, nil) })
	f.client, _ = f.st.fetchers["news"].(newsKeeper)
	if f.room = int64(f.st.Config.KeptCopies) << 20 / 4 * 3; f.room == 0 || f.client == nil {
		return errors.Join(failed, protocols.NewError(protocols.LocalFailure, "keep articles", "the setting kept_copies is 0"))
	}
	if len(groups) == 0 {
		var err error
		groups, err = f.subscribed()
		failed = errors.Join(failed, err)
	}
	down := make(map[string]bool) // servers
	for _, u := range groups {
		server, _ := urlcore.Addr(u)
		if down[server] {
			continue
		}
		err := f.group(ctx, u)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", urlcore.NewsGroup(u).Group, err))
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		down[server] = protocols.ReasonOf(err).Network()
	}
	if f.articles > 0 && !f.st.private.Load() && !f.st.Copies.OnDisk() {
		failed = errors.Join(failed, protocols.LocalError("keep all articles", errors.New("the cache folder cannot be written")))
	}
	if f.leftOut > 0 && failed == nil {
		failed = protocols.LocalError("keep all articles", errors.New(f.summary()))
	}
	return failed
}

// subscribed returns the subscribed groups of all servers.
func (f *newsFetch) subscribed() (groups []urlcore.URL, err error) {
	for _, server := range NewsServers(f.st.Setup, f.client) {
		file, failed := f.st.news.File(server.All)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		for _, g := range file.Groups() {
			if line := unknownGroup(server.All, g.Name); g.Subscribed && line.Link != nil {
				groups = append(groups, line.Link)
			}
		}
	}
	return groups, err
}

func (f *newsFetch) group(ctx context.Context, u urlcore.URL) error {
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
	return f.try(ctx, func() error {
		left, err := f.client.KeepGroup(protocols.WithFirstArticle(ctx, f.st.news.from(u, 0)), u, func(note *protocols.ArticleNote) bool {
			return !g.Read.Has(note.Number) && (rules.Empty() || rules.Score(note) > nav.KillScore)
		}, &f.room, func(octets int) {
			f.articles, f.octets = f.articles+1, f.octets+int64(octets)
			f.report(fmt.Sprintf("%s  %s  %s", name, english.Plural(f.articles, "article", ""), humanize.Bytes(uint64(f.octets))))
		})
		f.leftOut += left
		return err
	})
}

// summary is one line about all that was done.
func (f *newsFetch) summary() string {
	text := fmt.Sprintf("%s, %s, %s", english.Plural(f.groups, "group", ""), english.Plural(f.articles, "new article", ""), humanize.Bytes(uint64(f.octets)))
	if received, plain := f.client.Compressed(); plain > 0 {
		text += fmt.Sprintf(" (%s received as %s)", humanize.Bytes(uint64(plain)), humanize.Bytes(uint64(received)))
	}
	if f.leftOut > 0 {
		text += fmt.Sprintf("; left out: %d that do not fit (kept_copies is %d MB)", f.leftOut, f.st.Config.KeptCopies)
	}
	return text
}

// sendPosts sends the drafts that unsent returns, and reports each result unless report is nil.
// It waits for another program that sends drafts.
func (st *state) sendPosts(ctx context.Context, unsent func() []compose.Kept, report func(d compose.Kept, err error)) (failed error) {
	if st.checkPost() != nil || len(unsent()) == 0 {
		return nil
	}
	lock, err := userfile.Lock(ctx, filepath.Join(st.Dirs.Drafts(), "queue"))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	for _, d := range unsent() {
		_, err := st.fetchers.Fetch(ctx, d.URL)
		if message, ok := errors.AsType[*protocols.Compose](err); ok {
			if !slices.Contains(st.unsent(), d) {
				continue // it was opened again meanwhile
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

// unsent returns the drafts in the state ToBeSent.
func (st *state) unsent() []compose.Kept {
	drafts, _ := compose.Drafts(st.Dirs.Drafts())
	return slices.DeleteFunc(drafts, func(d compose.Kept) bool { return d.State != compose.ToBeSent })
}

// postSender sends posts while the reader reads.
type postSender struct {
	*state
	logins  storedLogins
	refused sync.Map // messages about refusals; each is returned once
}

// send sends the unsent drafts to the server of a URL. It returns messages for the reader, but
// none about a failure of the network.
func (s *postSender) send(ctx context.Context, of urlcore.URL) (told []string) {
	server := s.news.serverOf(of)
	var refused []string
	_ = s.logins.using(ctx, func() error {
		refused = nil // the stored login is tried now
		return s.sendPosts(ctx, func() []compose.Kept {
			return slices.DeleteFunc(s.unsent(), func(d compose.Kept) bool {
				to := about.Composed(d.URL)
				return to == nil || s.news.serverOf(to) != server
			})
		}, func(d compose.Kept, err error) {
			if err == nil {
				told = append(told, "posted "+d.Subject)
			} else if !protocols.ReasonOf(err).Network() && ctx.Err() == nil {
				refused = append(refused, "not posted: "+d.Subject+": "+err.Error()+" (see about:drafts)")
			}
		})
	})
	for _, text := range refused {
		if _, again := s.refused.LoadOrStore(text, true); !again {
			told = append(told, text)
		}
	}
	return told
}
