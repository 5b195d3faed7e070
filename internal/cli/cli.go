// Package cli is gofer's command line. Each command has its own file.
//
// # Signals
//
// Only this package handles the signals that end the program. It cancels the context of the
// command. While another program has the terminal (Options.Lend of ui and plain), gofer
// ignores interrupts.
//
// SIGQUIT cancels the context too. Gofer then waits at most 3 s for the end of the command. It
// writes a report with the stacks of all goroutines at the time of the signal, so that a hang can
// be examined (quit.go). If the command has not ended, gofer resets the terminal before it writes
// the report, without Bubble Tea, so that the terminal remains usable.
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
	"gofer/internal/pages/about"
	"gofer/internal/program/opener"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/internal/userfile/cache"
	"gofer/internal/userfile/config"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Program is the command line and its streams. Exported fields must not change after Run begins.
type Program struct {
	Version    string
	Schemes    Schemes
	StartWorld func(host string) (World, error) // starts the servers of the demo; host is their name in URLs, or "" for their real addresses
	In         io.Reader
	Out, Err   io.Writer // get UTF-8, or ASCII in a locale that is not UTF-8 (withASCIIOutput)
	Getenv     func(string) string

	signals  *signals     // set by Run
	shared   *sharedState // set by openState
	offline  bool         // the flag --offline
	demo     bool         // gofer demo is running, with its own folders
	restrict bool         // the flag --restrict; after openState also the setting
	trustEnd bool         // the flag --trust-end

	fileTypes map[urlcore.URL]string // see Setup.FileTypes; set by readInput
}

// Setup is the input for building the fetchers and gofer's own pages.
type Setup struct {
	Version     string
	Config      config.Config
	Offline     bool                   // make no connections
	TrustEnd    bool                   // the flag --trust-end, see [Setup.TrustsEnd]
	FileTypes   map[urlcore.URL]string // media types that the user gave for files of this machine
	InDemo      bool                   // gofer demo is running, which has its own settings
	ConfigError error                  // errors in the settings, or nil
	Visits      *history.Store         // nil in restricted mode
	Getenv      func(string) string
	Dirs        config.Folders                                           // the folders of the user's files; empty in restricted mode
	Pins        wire.Pins                                                // certificates that the user trusts
	Memory      *wire.Memory                                             // logins and consents of this run; nil: each client has a separate Memory
	Programs    *opener.Programs                                         // programs that open URLs and files that gofer cannot show
	Bookmarks   *bookmarks.Store                                         // nil if there is no folder for them or the settings hide them
	Copies      *cache.Store                                             // copies of articles and overviews
	Downloads   *download.Manager                                        // the downloads of this program
	CheckPost   func() error                                             // returns an error if articles must not be posted
	LastSession func() (int, bool)                                       // returns the number of tabs of the last session, and whether it crashed
	MarkRead    func(u urlcore.URL, numbers []protocols.Crosspost) error // records that articles of the server of u were read
	Locals      wire.Locals                                              // the servers of the demo
	StartDemo   func(context.Context) ([]about.Item, error)              // returns the start pages of the demo; the first call starts it

	// Open fetches other URLs for a scheme, and AskPort asks about the port of a data connection, see [portguard.Guard.DataPort].
	Open    *protocols.Guarded
	AskPort func(addr string, port uint16, sends bool) error

	news *newsFiles
}

// TrustsEnd implements [wire.Ends].
func (s *Setup) TrustsEnd(addr string) bool {
	return s.TrustEnd || config.HostSetting(&s.Config, addr, func(h config.Host) bool { return h.TrustEnd })
}

// World is the set of running servers of the demo.
type World interface {
	StartURL() string                // the URL of the first page
	URLs() iter.Seq2[string, string] // start URLs and their titles, with the best one first
	NewsServer() string              // the "host:port" for news: URLs
	wire.Locals                      // the addresses where its servers listen
	Close() error
}

// errUsage marks errors in the use of the command line.
var errUsage = errors.New("usage")

// Run runs the command line and returns the exit code: 0 success, 1 refused URL, 2 usage error, 3
// network error, 4 server error, 5 local error, 131 SIGQUIT. If another signal ended
// the command before it changed anything, the exit code is 128 plus the number of the signal.
func (p *Program) Run(ctx context.Context, args []string) int {
	var stop func()
	p.signals, ctx, stop = listenSignals(ctx)
	defer stop()
	if clean.ASCIILocale(p.Getenv) {
		p = p.withASCIIOutput()
	}
	root := p.Command()
	root.SetArgs(args)
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	err := p.runReportingQuit(func() error { return root.ExecuteContext(ctx) })
	if err == nil {
		return 0
	}
	if !errors.Is(err, errRefused) && !hasType[reportedError](err) {
		p.printError(ctx, errorText(err, args...))
	}
	return exitCode(err)
}

// printError prints text. After the end of ctx it waits at most 200 ms, because the terminal may hang.
func (p *Program) printError(ctx context.Context, text string) {
	printed := startTask(func() { fmt.Fprint(p.Err, text) })
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

// startTask runs task in a goroutine and returns a channel that is closed when task returns.
func startTask(task func()) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		task()
	}()
	return ended
}

// Command returns the root command with all its subcommands.
func (p *Program) Command() *cobra.Command {
	var flags browseFlags
	media, licenses := "", false
	root := &cobra.Command{
		Use:   "gofer [URL | FILE]",
		Short: "browse Gopher, FTP and Usenet news in the terminal",
		Long: "gofer browses Gopher menus, FTP directories and newsgroups. Each item on the screen\n" +
			"has a URL, which opens the same item again.\n\n" +
			"gofer help TOPIC prints a page of the manual: " + strings.Join(docs.Topics(), ", ") + ".",
		Example: "  gofer gopher://gopher.floodgap.com/1/\n" +
			"  gofer 'ftp://ftp.gnu.org/gnu;type=d'\n" +
			"  NNTPSERVER=news.example.org gofer news:comp.lang.go",
		Version:           p.Version + ", " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		Args:              p.checkRootArgs,
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
				start = pathToURL(args[0])
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
	root.SetFlagErrorFunc(usageError)
	flags.add(root)
	root.PersistentFlags().BoolVar(&p.restrict, "restrict", false, "for a public terminal: no other programs, files, saving, forms, history or bookmarks; the setting restrict.allow lists the servers")
	root.PersistentFlags().BoolVar(&p.offline, "offline", false, "make no connections: show stored articles, and store posts until the next connection")
	addTypeFlag(root, &media)
	root.Flags().BoolVar(&licenses, "licenses", false, "print the licenses of gofer and its modules")
	root.Flags().BoolVar(&flags.restore, "restore", false, "open the tabs of the last session")
	root.SetHelpCommand(p.helpCommand())
	root.AddCommand(p.dumpCommand(), p.forbidRestricted(p.getCommand()), p.forbidRestricted(p.mirrorCommand()), p.forbidRestricted(p.putCommand()), p.forbidRestricted(p.postCommand()), p.newsCommand(), p.forbidRestricted(p.historyCommand()), p.bookmarksCommand(), p.configCommand(), p.demoCommand(), p.urlCommand())
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Short = "print completions for the shell"
	}
	return root
}

// checkRootArgs checks the arguments of gofer without a command. It allows one URL or file, but not a
// single word, which is more often a misspelled command than a host.
func (p *Program) checkRootArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && p.isCommandWord(pathToURL(args[0])) {
		name, hint := args[0], "; for"
		if similar := cmd.SuggestionsFor(name); len(similar) > 0 {
			hint = ", did you mean " + similar[0] + "? For"
		}
		return usageError(cmd, fmt.Errorf("unknown command %q%s a host of this name: gofer gopher://%s", name, hint, name))
	}
	return checkArgs(cobra.MaximumNArgs(1))(cmd, args)
}

// checkArgs wraps check so that its errors are usage errors.
func checkArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			switch {
			case len(args) == 0 || strings.HasPrefix(err.Error(), "requires"):
				err = errors.New("missing arguments: use " + cmd.UseLine())
			case strings.HasPrefix(err.Error(), "accepts") || !cmd.HasSubCommands():
				err = errors.New("too many arguments: use " + cmd.UseLine())
			}
			return usageError(cmd, err)
		}
		return nil
	}
}

// usageError returns err marked as a usage error, with a hint at the --help flag of cmd.
func usageError(cmd *cobra.Command, err error) error {
	return errors.Join(errUsage, fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath()))
}
