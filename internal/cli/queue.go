package cli

import (
	"fmt"
	"os/signal"
	"syscall"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/internal/userfile/config"
)

func (p *Program) queueCommand() *cobra.Command {
	var q app.Queue
	handover, rate := false, ""
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "save the unfinished downloads without a screen",
		Long: "queue goes on with the downloads that earlier runs of gofer have left unfinished, and ends\n" +
			"when there are none. It needs no terminal and ignores SIGHUP. gofer starts it by itself for\n" +
			"the running downloads when its terminal is closed, or when you quit and let them go on, unless\n" +
			"downloads.detach is false in the settings, and gofer get --background starts it too. Only one\n" +
			"runs for each user: a second one leaves the downloads to the first, says what that does, and\n" +
			"ends with exit code 6.\n\n" +
			"The list of downloads on the screen (" + downloadsPage() + ") shows what it does, and can stop it.\n" +
			"A download that needs a typed password or another answer waits there for the user.",
		Args: checkArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
			st := p.openState(nil)
			defer st.Close()
			if cmd.Flags().Changed("limit-rate") {
				octets, err := config.ParseOctets(rate)
				if err != nil {
					return usageError(cmd, err)
				}
				st.Downloads.SetRate(octets.N)
			}
			if q.Report = p.reportQueued; handover {
				q.In, q.Out, q.Report = p.In, p.Out, nil
			}
			return st.ServeQueue(cmd.Context(), q)
		},
	}
	cmd.Flags().StringVar(&rate, "limit-rate", "", "limit the octets per second of all downloads, such as `500k` or 2M")
	cmd.Flags().BoolVar(&handover, "handover", false, "take the downloads of the program at the other end of standard input")
	_ = cmd.Flags().MarkHidden("handover")
	p.addTrustEnd(cmd)
	return cmd
}

// reportQueued prints the result of a download.
func (p *Program) reportQueued(s *download.Status) {
	name := clean.Text(s.Path)
	if name == "" {
		name = clean.Text(s.Name())
	}
	text := "not saved"
	switch {
	case s.State == download.Saved:
		text = humanize.Bytes(uint64(s.Received))
		if s.Task != nil {
			text = s.Task.Participle(true) + " " + text
		}
	case s.Err != nil:
		text = clean.Text(s.Failure())
	}
	fmt.Fprintf(p.Err, "%s: %s\n", name, text)
}
