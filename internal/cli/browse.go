package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/cli/crash"
	"gofer/internal/program"
	"gofer/internal/text/clean"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui"
)

type browseFlags struct {
	ascii, mouse, newTab, plain, private, readOnly, restore bool

	panes  bool
	beside string // the second of two pages side by side, or ""
}

func (f *browseFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.ascii, "ascii", false, "draw the screen with ASCII characters only")
	cmd.Flags().BoolVar(&f.private, "private", false, "keep no history: no visits, no marks, no search terms")
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "change nothing on servers: no uploads, changes or posts")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "show pages as lines of text, with numbered links and a prompt: for screen readers and slow connections")
	cmd.Flags().BoolVar(&f.mouse, "mouse", false, "let the mouse scroll and open links")
}

// override sets the settings that the flags set.
func (f *browseFlags) override(c *config.Config) {
	c.ASCII, c.Mouse, c.ReadOnly = c.ASCII || f.ascii, c.Mouse || f.mouse, c.ReadOnly || f.readOnly
}

// browse opens the URL start on the screen, or with flags.plain as lines with a prompt. If standard output is not
// a terminal and flags.plain is false, browse prints the page instead.
func (p *Program) browse(ctx context.Context, start string, world app.World, flags browseFlags) error {
	st := p.openState(world)
	defer st.Close()
	if flags == (browseFlags{newTab: true}) && start != "" {
		if opened, err := st.OpenInRunning(ctx, start); opened || err != nil {
			if err == nil {
				_, err = fmt.Fprintln(p.Out, "opened in a tab of the gofer that is running")
			}
			return err
		}
	}
	flags.ascii = flags.ascii || clean.ASCIILocale(p.Getenv)
	flags.override(&st.Config)
	flags.plain = flags.plain || isTerminal(p.Out) && p.Getenv("TERM") == "dumb" // a line-oriented terminal, such as Emacs's M-x shell
	onScreen := isTerminal(p.Out) && !flags.plain
	if flags.panes && !onScreen {
		return errors.Join(app.ErrUsage, errors.New("--panes needs a terminal with a screen"))
	}
	if st.Config.Restrict.Enabled {
		ignoreSuspend()
		flags.private = true
	}
	if onScreen {
		st.KeepTabs()
		p.signals.endOnHangup()
	}
	restore := flags.restore
	if start == "" && st.Config.Restore == config.RestoreAlways {
		tabs, _ := st.LastSession()
		restore = restore || tabs > 0
	}
	if start == "" && !(onScreen && restore) {
		start = st.Home().String()
	}
	st.KeepCopies(flags.private)
	if !onScreen && !flags.plain {
		return p.dump(ctx, st, start, dumpOptions{})
	}
	for _, arg := range []string{start, flags.beside} {
		if arg == "" {
			continue
		}
		if _, err := st.GuessArgument(arg); err != nil {
			return err
		}
	}
	if flags.plain {
		return p.runPlain(ctx, st, start, flags)
	}
	// Background work starts after 100 ms, so that it does not delay the first page.
	started, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if p.Getenv("GOGC") == "" {
		// The default of GOGC lets the heap grow to twice its live memory, which is too much for a page of a
		// million lines. Near nav.DefaultMemory, the limit of all pages, the collector runs more often.
		context.AfterFunc(started, func() {
			debug.SetGCPercent(50)
			debug.SetMemoryLimit(nav.DefaultMemory + 64<<20)
		})
	}
	context.AfterFunc(started, program.RemoveStaleFolders)
	context.AfterFunc(started, st.RecoverNews)
	o := st.ScreenOptions(ctx, p.screen(flags, started.Done()))
	o.Start, o.Beside, o.Restore = start, flags.beside, restore && st.Sessions != nil
	return ui.Run(ctx, o)
}

// screen returns what the screen needs from the command line.
func (p *Program) screen(flags browseFlags, started <-chan struct{}) app.Screen {
	return app.Screen{
		Started: started, Private: flags.private, Override: flags.override, LostTerminal: isTerminalGone,
		Terminal: func(o *ui.Options) {
			o.Editor, o.Lend, o.Report, o.SetReset = p.editorCommand, p.signals.Lend, p.writeCrashReport, p.signals.setReset
		},
	}
}

// writeCrashReport writes a report of a panic to the state folder and returns its path.
func (p *Program) writeCrashReport(fault *protocols.Panic, width, height int) (path string, err error) {
	r := crash.Report{
		Version: p.Version, Value: fault.Value, Stack: fault.Stack,
		Width: width, Height: height, Getenv: p.Getenv, Time: time.Now(),
	}
	return r.Write(config.FindFolders(p.Getenv).State)
}
