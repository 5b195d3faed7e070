package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gofer/internal/pages/dump"
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

func (p *Program) dumpCommand() *cobra.Command {
	format, name, media, all := "text", "auto", "", false
	var given consents
	unread := false
	cmd := &cobra.Command{
		Use:   "dump URL",
		Short: "print a page without the screen",
		Long: "dump fetches a page and prints it as it comes. The URL - is the standard input.\n\n" +
			"  text   the page as a person reads it\n" +
			"  json   one JSON object a line: the head, then each line with its URL\n" +
			"         and what is told of it (size, date; of an attachment name and media type)\n" +
			"  links  the canonical URL of each item, one a line\n" +
			"  raw    the exact octets of a document\n\n" +
			"What a search or a form needs is asked for on the terminal, if there is one.\n" +
			"Text is UTF-8, but ASCII on a terminal whose locale (LC_ALL, LC_CTYPE or LANG) is\n" +
			"not UTF-8.",
		Args:              usage(cobra.ExactArgs(1)),
		ValidArgsFunction: p.completeURLs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := dump.ParseFormat(format)
			if err != nil {
				return errors.Join(errUsage, err)
			}
			c, ok := charset.Parse(name)
			if !ok {
				return errors.Join(errUsage, fmt.Errorf("there is no charset %q: it is auto, %s", name, strings.Join(charsetNames(), ", ")))
			}
			start, remove, err := p.readInput(cmd.Context(), args[0], media)
			defer remove()
			if err != nil {
				return err
			}
			st := p.open(nil)
			defer st.close()
			st.given, st.unread = given, unread
			if st.Offline {
				st.keepCopies(browseFlags{})
			}
			ctx := cmd.Context()
			if all {
				ctx = protocols.WithHidden(ctx)
			}
			return p.dump(ctx, st, start, f, c)
		},
	}
	given.add(cmd)
	addTypeFlag(cmd, &media)
	cmd.Flags().BoolVar(&unread, "unread", false, "of a newsgroup, news:* or about:news only what the newsrc file says is unread; it stays as it is")
	cmd.Flags().StringVarP(&format, "format", "f", format, "text, json, links or raw")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(
		[]string{"text", "json", "links", "raw"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVarP(&all, "all", "a", false, "the names of a directory that begin with a dot, invisible links, articles that score rules kill, and all results of a WAIS search")
	cmd.Flags().StringVar(&name, "charset", name, "the `NAME` of the charset of the page; auto: what its first lines tell")
	_ = cmd.RegisterFlagCompletionFunc("charset", cobra.FixedCompletions(charsetNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func charsetNames() []string { return items(charset.All(), charset.Charset.String) }

func (p *Program) dump(ctx context.Context, st *state, arg string, f dump.Format, c charset.Charset) error {
	u, err := st.guessArgument(argument(arg))
	if err != nil {
		return err
	}
	known := st.readingOf
	if c != charset.Auto {
		known = func(urlcore.URL) clean.Reading { return clean.Reading{Charset: c, All: true} }
	}
	err = p.withForm(ctx, u, known, func(u urlcore.URL) error {
		if st.Config.PreferHTML {
			ctx = protocols.WithHTML(ctx)
		}
		return p.withLogin(ctx, func() error {
			fetcher := &resourceRecorder{Fetcher: st.hideKilled(st.fetcher())}
			err := dump.Write(ctx, fetcher, u, p.Out, f, isTerminal(p.Out), c)
			for _, note := range fetcher.notes() {
				note = strings.Replace(note, protocols.NotAsked, "dump --all asks for the others", 1)
				fmt.Fprintf(p.Err, "gofer: note: %s\n", noteText(note))
			}
			return err
		})
	})
	if errors.Is(err, nav.ErrNoOctets) {
		return errors.Join(errUsage, err)
	}
	return err
}

// resourceRecorder is a Fetcher that records the resource it fetched.
type resourceRecorder struct {
	protocols.Fetcher
	res *protocols.Resource
}

func (f *resourceRecorder) Fetch(ctx context.Context, u urlcore.URL) (res *protocols.Resource, err error) {
	f.res, err = f.Fetcher.Fetch(ctx, u)
	return f.res, err
}

// notes returns the notes of the resource. It is called after the resource was read.
func (f *resourceRecorder) notes() []string {
	if f.res == nil {
		return nil
	}
	if f.res.LateNotes == nil {
		return f.res.Notes
	}
	return slices.Concat(f.res.Notes, f.res.LateNotes())
}
