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
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gofer/docs"
	"gofer/internal/app"
	"gofer/internal/text/clean"
)

// Program is the command line and its streams. Exported fields must not change after Run begins.
type Program struct {
	app.Start
	In  io.Reader
	Out io.Writer // gets UTF-8, or ASCII in a locale that is not UTF-8 (withASCIIOutput), like Err

	signals *signals   // set by Run
	state   *app.State // set by openState
}

// openState opens the state of the run and prints the errors in the settings.
func (p *Program) openState(world app.World) *app.State {
	p.ErrorLine = func(err error) string { return errorLine(err) }
	p.state = p.Open(world)
	switch {
	case p.state.ConfigError != nil:
		fmt.Fprintf(p.Err, "gofer: errors in the settings; faulty lines and files are ignored:\n%s", configErrorText(p.state.ConfigError))
	case p.state.Notice != "":
		fmt.Fprintln(p.Err, "gofer: "+p.state.Notice)
	}
	return p.state
}

// Run runs the command line and returns the exit code: 0 success, 1 refused URL, 2 usage error, 3
// network error, 4 server error, 5 local error, 6 another gofer queue, 131 SIGQUIT. If another signal ended
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
	if !errors.Is(err, errRefused) && !hasType[reportedError](err) && !hasType[codeError](err) {
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
		Use:   "gofer [URL | FILE | LEFT RIGHT --panes]",
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
			if len(args) > 0 {
				start = pathToURL(args[0])
			}
			if flags.panes {
				flags.beside = pathToURL(args[1])
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
	root.PersistentFlags().BoolVar(&p.Restrict, "restrict", false, "for a public terminal: no other programs, files, saving, forms, history or bookmarks; the setting restrict.allow lists the servers")
	root.PersistentFlags().BoolVar(&p.Offline, "offline", false, "make no connections: show kept copies of pages and articles, and store posts until the next connection")
	addTypeFlag(root, &media)
	root.Flags().BoolVar(&licenses, "licenses", false, "print the licenses of gofer and its modules")
	root.Flags().BoolVar(&flags.newTab, "new-tab", false, "open the URL in a tab of a gofer that is already running on this desktop, if there is one")
	root.Flags().BoolVar(&flags.panes, "panes", false, "show two pages side by side: gofer LEFT RIGHT --panes")
	root.Flags().BoolVar(&flags.restore, "restore", false, "open the tabs of the last session")
	root.SetHelpCommand(p.helpCommand())
	root.AddCommand(p.dumpCommand(), p.forbidRestricted(p.getCommand()), p.forbidRestricted(p.queueCommand()), p.forbidRestricted(p.mirrorCommand()), p.forbidRestricted(p.bundleCommand()), p.forbidRestricted(p.putCommand()), p.forbidRestricted(p.postCommand()), p.newsCommand(), p.forbidRestricted(p.fetchCommand()), p.forbidRestricted(p.fetchQueueCommand()), p.forbidRestricted(p.historyCommand()), p.forbidRestricted(p.searchCommand()), p.bookmarksCommand(), p.forbidRestricted(p.identitiesCommand()), p.forbidRestricted(p.followCommand()), p.forbidRestricted(p.unfollowCommand()), p.forbidRestricted(p.refreshCommand()), p.forbidRestricted(p.newCommand()), p.configCommand(), p.demoCommand(), p.urlCommand())
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Short = "print completions for the shell"
	}
	return root
}

// checkRootArgs checks the arguments of gofer without a command. It allows one URL or file, or two with --panes, but not a
// single word, which is more often a misspelled command than a host.
func (p *Program) checkRootArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && p.isCommandWord(pathToURL(args[0])) {
		name, hint := args[0], "; for"
		if similar := cmd.SuggestionsFor(name); len(similar) > 0 {
			hint = ", did you mean " + similar[0] + "? For"
		}
		return usageError(cmd, fmt.Errorf("unknown command %q%s a host of this name: gofer gopher://%s", name, hint, name))
	}
	if panes, _ := cmd.Flags().GetBool("panes"); panes {
		if len(args) != 2 {
			return usageError(cmd, errors.New("--panes shows two pages: gofer LEFT RIGHT --panes"))
		}
		for _, arg := range args {
			if strings.TrimSpace(arg) == "" {
				return usageError(cmd, errors.New("one of the two pages of --panes is empty: use . for the current directory"))
			}
		}
		if args[1] == "-" {
			return usageError(cmd, errors.New("standard input can be the left page of --panes only: gofer - RIGHT --panes"))
		}
		return nil
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
	return errors.Join(app.ErrUsage, fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath()))
}
