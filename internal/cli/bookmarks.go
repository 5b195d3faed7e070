package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"gofer/history/bookmarks"
	"gofer/internal/app"
	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/internal/userfile/bookmarkfile"
	"gofer/urlcore"
)

var errNoBookmarks = errors.New("no folder for bookmarks: set HOME or XDG_CONFIG_HOME")

func (p *Program) bookmarksCommand() *cobra.Command {
	var format listFormat
	cmd := &cobra.Command{
		Use:   "bookmarks [WORD ...]",
		Short: "list the bookmarks, change them, or exchange them with other programs",
		Long: "bookmarks lists the bookmarks, or the ones whose URL, title, folder or tags contain all of\n" +
			"the words.\n\n" +
			"  text   as in the bookmarks file\n" +
			"  json   one JSON object a line: url, title, folder and tags",
		Example: "  gofer bookmarks phlog\n" +
			"  gofer bookmarks add gopher://gopher.floodgap.com/ --title Floodgap --folder gopher\n" +
			"  gofer bookmarks import ~/lynx_bookmarks.html\n" +
			"  gofer bookmarks export --to gophermap > /srv/gopher/links/gophermap",
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := format.asJSON(cmd)
			if err != nil {
				return err
			}
			return p.withBookmarks(func(b *bookmarks.Store) error {
				list, err := b.List()
				if err != nil {
					return err
				}
				return writeBookmarks(p.Out, matchingBookmarks(list, args), asJSON)
			})
		},
	}
	format.add(cmd)
	cmd.AddCommand(p.forbidRestricted(p.addBookmarkCommand()), p.forbidRestricted(p.removeBookmarkCommand()), p.forbidRestricted(p.importBookmarksCommand()), p.exportBookmarksCommand())
	return cmd
}

// withBookmarks calls task with the bookmarks. It reads only the settings; task reads the bookmarks.
func (p *Program) withBookmarks(task func(*bookmarks.Store) error) error {
	c, _ := p.LoadSettings() // the commands that use more settings report the errors
	b := p.OpenBookmarks(&c)
	switch {
	case b != nil:
		return task(b)
	case c.Restrict.Enabled:
		return errors.Join(app.ErrUsage, errRestricted)
	}
	return errNoBookmarks
}

func matchingBookmarks(list []bookmarks.Bookmark, words []string) []bookmarks.Bookmark {
	return slices.DeleteFunc(list, func(b bookmarks.Bookmark) bool {
		text := strings.ToLower(b.URL.String() + "\n" + b.Text() + "\n" + b.Folder)
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) })
	})
}

func writeBookmarks(w io.Writer, list []bookmarks.Bookmark, asJSON bool) error {
	for i := range list {
		list[i].Title, list[i].Folder = clean.Text(list[i].Title), clean.Text(list[i].Folder)
		for j, tag := range list[i].Tags {
			list[i].Tags[j] = clean.Text(tag)
		}
	}
	if !asJSON {
		return bookmarkfile.Write(w, "text", list)
	}
	return writeJSON(w, list, func(b bookmarks.Bookmark) any {
		return struct {
			URL    string   `json:"url"`
			Title  string   `json:"title"`
			Folder string   `json:"folder"`
			Tags   []string `json:"tags"`
		}{urlcore.Reference(b.URL, b.Fragment), b.Title, b.Folder, append([]string{}, b.Tags...)}
	})
}

func (p *Program) addBookmarkCommand() *cobra.Command {
	var b bookmarks.Bookmark
	cmd := &cobra.Command{
		Use:   "add URL",
		Short: "bookmark a URL, or change its bookmark",
		Args:  checkArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := urlcore.Guess(args[0])
			if err != nil {
				return err
			}
			return p.withBookmarks(func(store *bookmarks.Store) error {
				old, _, err := store.Find(u)
				if err != nil {
					return err
				}
				for name, set := range map[string]func(){
					"title": func() { old.Title = b.Title }, "folder": func() { old.Folder = b.Folder }, "tag": func() { old.Tags = b.Tags },
				} {
					if cmd.Flags().Changed(name) {
						set()
					}
				}
				old.URL = u
				if fragment := urlcore.TypedFragment(u, args[0]); fragment != "" {
					old.Fragment = fragment
				}
				return store.Put(nil, old)
			})
		},
	}
	cmd.Flags().StringVar(&b.Title, "title", "", "the `TITLE`")
	cmd.Flags().StringVar(&b.Folder, "folder", "", "the `FOLDER`, such as Name or Name/Subfolder")
	cmd.Flags().StringSliceVar(&b.Tags, "tag", nil, "a `TAG`; may be given more than once")
	return cmd
}

func (p *Program) removeBookmarkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove URL",
		Short: "remove the bookmark of a URL",
		Args:  checkArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			u, err := urlcore.Guess(args[0])
			if err != nil {
				return err
			}
			return p.withBookmarks(func(store *bookmarks.Store) error {
				_, ok, err := store.Find(u)
				if err == nil && !ok {
					err = refusedError(urlcore.Redact(u).String() + " is not bookmarked")
				}
				if err != nil {
					return err
				}
				return store.Remove(u)
			})
		},
	}
}

func (p *Program) importBookmarksCommand() *cobra.Command {
	var format, folder string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "add the bookmarks of another program",
		Long: "import adds new bookmarks from a file, or from standard input (-). Without --from the\n" +
			"format is detected from the beginning of the file.\n\n" + bookmarkfile.Help(),
		Args: checkArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "" && !slices.Contains(bookmarkfile.Names(), format) {
				return usageError(cmd, unknownFormatError(format))
			}
			list, skipped, err := p.importFile(cmd.Context(), args[0], format, bookmarkfile.Read)
			if err != nil {
				return err
			}
			if len(list) == 0 {
				return nothingIn("bookmarks", args[0])
			}
			for i := range list {
				list[i].Folder = strings.Trim(folder+"/"+list[i].Folder, "/")
			}
			return p.withBookmarks(func(store *bookmarks.Store) error {
				added, err := store.Add(list...)
				if err != nil {
					return err
				}
				text := "added " + english.Plural(added, "bookmark", "")
				if n := len(list) - added; n > 0 {
					text += fmt.Sprintf(", %d already bookmarked", n)
				}
				if skipped > 0 {
					text += fmt.Sprintf(", %d without a valid URL", skipped)
				}
				fmt.Fprintf(p.Err, "gofer: %s\n", text)
				return nil
			})
		},
	}
	addFileFormat(cmd, &format, "from", "the `FORMAT` of the file")
	cmd.Flags().StringVar(&folder, "folder", "", "the `FOLDER` for the bookmarks")
	return cmd
}

// importFile reads bookmarks with the function read from a file, or from standard input if its name is "-". A signal ends it.
func (p *Program) importFile(ctx context.Context, name, format string, read func(io.Reader, string) ([]bookmarks.Bookmark, int, error)) (list []bookmarks.Bookmark, skipped int, err error) {
	in := p.In
	if name != "-" {
		f, err := userfile.Open(name, os.O_RDONLY, 0)
		if err != nil {
			return nil, 0, err
		}
		defer f.Close()
		in = f
	}
	var found []bookmarks.Bookmark // not list, because the task goes on after a signal
	var invalid int
	if err = runUntilSignal(ctx, func() (err error) {
		found, invalid, err = read(in, format)
		return err
	}); err != nil {
		return nil, 0, fmt.Errorf("import %s: %w", name, err)
	}
	return found, invalid, nil
}

// nothingIn returns the error of an import that found nothing. The name "-" is standard input.
func nothingIn(what, name string) error {
	if name == "-" {
		name = "standard input"
	}
	return refusedError("no " + what + " found in " + clean.Text(name))
}

// addFileFormat adds a flag for the format of a file of bookmarks. The value is its default.
func addFileFormat(cmd *cobra.Command, value *string, name, usage string) {
	cmd.Flags().StringVar(value, name, *value, usage)
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(bookmarkfile.Names(), cobra.ShellCompDirectiveNoFileComp))
}

func unknownFormatError(name string) error {
	return fmt.Errorf("unknown format %q: use %s", name, strings.Join(bookmarkfile.Names(), ", "))
}

func (p *Program) exportBookmarksCommand() *cobra.Command {
	to := "text"
	cmd := &cobra.Command{
		Use:   "export [WORD ...]",
		Short: "write the bookmarks in the format of another program",
		Long: "export writes the bookmarks, or those that contain all of the words, to standard\n" +
			"output.\n\n" + bookmarkfile.Help(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(bookmarkfile.Names(), to) {
				return usageError(cmd, unknownFormatError(to))
			}
			return p.withBookmarks(func(store *bookmarks.Store) error {
				list, err := store.List()
				if err != nil {
					return err
				}
				return bookmarkfile.Write(p.Out, to, matchingBookmarks(list, args))
			})
		},
	}
	addFileFormat(cmd, &to, "to", "the `FORMAT`")
	return cmd
}
