// Package cli is gofer's command line: one file a command.
//
// # Signals
//
// Only this package handles the signals that end the program, by ending its context: two
// handlers of one signal waited for each other. While another part has the terminal
// (Options.Lend of ui and plain), an interrupt is for that.
//
// SIGQUIT ends the context too, after the stacks of all goroutines were saved (quit.go).
// If the program has not ended 3 s later, the modes of the line and the screen are reset
// without Bubble Tea, and the report is written: a program that hangs can be examined,
// and its terminal remains usable.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gofer/docs"
	"gofer/history"
	"gofer/history/bookmarks"
	"gofer/internal/download"
	"gofer/internal/pages/about"
	"gofer/internal/program/opener"
	"gofer/internal/text/clean"
	"gofer/internal/userfile/cache"
	"gofer/internal/userfile/config"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// Program is what main wires together. Its fields are not changed after Run begins.
type Program struct {
	Version    string
	Fetchers   func(Setup) (protocols.Registry, func()) // the scheme table, and what closes its idle connections
	StartWorld func(host string) (World, error)         // starts the embedded servers of the demo, whose pages have the host if it is not ""
	In         io.Reader
	Out, Err   io.Writer // get UTF-8, or ASCII on a terminal with such a locale
	Getenv     func(string) string

	signals  *signals // of Run
	running  *running // of the last call of open
	offline  bool     // the flag
	demo     bool     // gofer demo runs, with its own folders
	restrict bool     // the flag, or the settings of the last call of open
}

// Setup is the input of the fetchers.
type Setup struct {
	Version     string
	Config      config.Config
	Offline     bool           // no connection is made
	InDemo      bool           // the program runs the demo, which has its own settings
	ConfigError error          // the faults of the settings, or nil
	Visits      *history.Store // nil in restricted mode
	Getenv      func(string) string
	Dirs        config.Dirs                                               // of the user's files; empty in restricted mode
	Pins        wire.Pins                                                 // the certificates that the user has agreed to
	Memory      *wire.Memory                                              // logins and consents of this run; nil: each client has its own
	Programs    *opener.Programs                                          // open what gofer does not
	Bookmarks   *bookmarks.Store                                          // nil without a folder to keep them in, or if the settings hide them
	Copies      *cache.Store                                              // of articles and overviews
	Downloads   *download.Manager                                         // of this program; it rests until it is used
	CheckWrite  func() error                                              // returns why articles are not posted, or nil
	Restorable  func() (int, bool)                                        // the number of tabs of the last session, and whether it was lost
	MarkRead    func(of urlcore.URL, numbers []protocols.Crosspost) error // marks an article of that server as read
	Locals      wire.Locals                                               // the servers of the demo
	Demo        func(context.Context) ([]about.Item, error)               // returns the start pages of the demo, which the first call starts

	news *newsFiles // the newsrc files of the user, for [NewsServers]
}

// World is a set of running servers.
type World interface {
	Start() string                   // the URL to begin with
	URLs() iter.Seq2[string, string] // start URLs and their titles, the best first
	NewsServer() string              // host:port for news: URLs
	wire.Locals                      // if it has a host
	Close() error
}

// errUsage marks an error in the words of the command line.
var errUsage = errors.New("usage")

// Run runs the command line and returns the exit code: 0 done, 1 a URL refused, 2 usage,
// 3 the network, 4 the server said no, 5 the local machine, 131 SIGQUIT.
func (p *Program) Run(ctx context.Context, args []string) int {
	if isTerminal(p.Out) {
		go cell.LoadWidths() // another processor does it while this one reads the command line
	}
	var stop func()
	p.signals, ctx, stop = listenSignals(ctx)
	defer stop()
	if clean.ASCIILocale(p.Getenv) {
		p = p.inASCII()
	}
	root := p.Command()
	root.SetArgs(args)
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	err := p.untilEnd(func() error { return root.ExecuteContext(ctx) })
	if err == nil {
		return 0
	}
	if !errors.Is(err, errRefused) && !is[reportedError](err) {
		p.tell(ctx, errorText(err, args...))
	}
	return exitCode(err)
}

// tell prints text. After ctx has ended it waits only a moment for the terminal, because the
// terminal may hang.
func (p *Program) tell(ctx context.Context, text string) {
	printed := background(func() { fmt.Fprint(p.Err, text) })
	select {
	case <-printed:
		return
	case <-ctx.Done():
	}
	select {
	case <-printed:
	case <-time.After(200 * time.Millisecond):
	}
}

// background runs do in a goroutine and returns a channel that is closed at its end.
func background(do func()) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		do()
	}()
	return ended
}

// Command is the command line with all its commands.
func (p *Program) Command() *cobra.Command {
	var flags browseFlags
	media, licenses := "", false
	root := &cobra.Command{
		Use:   "gofer [URL | FILE]",
		Short: "browse Gopher, FTP and Usenet news in the terminal",
		Long: "gofer browses Gopher menus, FTP directories and newsgroups. Everything on its\n" +
			"screen is a URL, and every URL leads back to the same thing.\n\n" +
			"gofer help TOPIC prints a page of the manual: " + strings.Join(docs.Topics(), ", ") + ".",
		Example: "  gofer gopher://gopher.floodgap.com/1/\n" +
			"  gofer 'ftp://ftp.gnu.org/gnu;type=d'\n" +
			"  NNTPSERVER=news.example.org gofer news:comp.lang.go",
		Version:           p.Version + ", " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		Args:              p.noCommand,
		ValidArgsFunction: p.completeURLs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if licenses {
				_, err := io.WriteString(p.Out, docs.Licenses)
				return err
			}
			start := ""
			if len(args) == 1 {
				start = argument(args[0])
			}
			start, remove, err := p.readInput(cmd.Context(), start, media)
			defer remove()
			if err != nil {
				return err
			}
			return p.browse(cmd.Context(), start, nil, flags)
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(misuse)
	flags.add(root)
	root.PersistentFlags().BoolVar(&p.restrict, "restrict", false, "for a public terminal: no other programs, files, saving, forms, history or bookmarks; the setting restrict.allow names the servers")
	root.PersistentFlags().BoolVar(&p.offline, "offline", false, "connect to no server: show what is kept of news, and keep posts until the next connection")
	addTypeFlag(root, &media)
	root.Flags().BoolVar(&licenses, "licenses", false, "print the licence of gofer and those of the modules in it")
	root.Flags().BoolVar(&flags.restore, "restore", false, "open the tabs of the last session")
	root.SetHelpCommand(p.helpCommand())
	root.AddCommand(p.dumpCommand(), p.unrestricted(p.getCommand()), p.unrestricted(p.mirrorCommand()), p.unrestricted(p.putCommand()), p.unrestricted(p.postCommand()), p.newsCommand(), p.unrestricted(p.historyCommand()), p.unrestricted(p.syncCommand()), p.bookmarksCommand(), p.configCommand(), p.demoCommand(), p.urlCommand())
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Short = "print completions for the shell"
	}
	return root
}

// noCommand checks the arguments of gofer without a command: one URL or file at most, and
// no single word, which is a misspelt command more often than a host.
func (p *Program) noCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && p.isWord(argument(args[0])) {
		word, meant := args[0], "; for"
		if near := cmd.SuggestionsFor(word); len(near) > 0 {
			meant = ", did you mean " + near[0] + "? For"
		}
		return misuse(cmd, fmt.Errorf("there is no command %q%s a host of that name: gofer gopher://%s", word, meant, word))
	}
	return usage(cobra.MaximumNArgs(1))(cmd, args)
}

// usage marks the errors of check as errors of usage.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return misuse(cmd, err)
		}
		return nil
	}
}

// misuse makes err one in the words of the command line.
func misuse(cmd *cobra.Command, err error) error {
	return errors.Join(errUsage, fmt.Errorf("%w (%s --help shows how)", err, cmd.CommandPath()))
}
