package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"gofer/history/bookmarks"
	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/internal/userfile/bookmarkfile"
	"gofer/urlcore"
)

var errNoBookmarks = errors.New("there is no folder to keep bookmarks in: set HOME or XDG_CONFIG_HOME")

func (p *Program) bookmarksCommand() *cobra.Command {
	var format listFormat
	cmd := &cobra.Command{
		Use:   "bookmarks [WORD ...]",
		Short: "list the bookmarks, change them, or exchange them with other programs",
		Long: "bookmarks lists the bookmarks, or those whose URL, title, folder or tags hold all of\n" +
			"the words.\n\n" +
			"  text   as in the file of the bookmarks\n" +
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
				return writeBookmarks(p.Out, holding(list, args), asJSON)
			})
		},
	}
	format.add(cmd)
	cmd.AddCommand(p.unrestricted(p.addBookmarkCommand()), p.unrestricted(p.removeBookmarkCommand()), p.unrestricted(p.importBookmarksCommand()), p.exportBookmarksCommand())
	return cmd
}

// withBookmarks opens the bookmarks and nothing else.
func (p *Program) withBookmarks(do func(*bookmarks.Store) error) error {
	c, _ := p.settings() // open reports their faults
	b := p.openBookmarks(&c)
	switch {
	case b != nil:
		return do(b)
	case c.Restrict.Enabled:
		return errors.Join(errUsage, errRestricted)
	}
	return errNoBookmarks
}

func holding(list []bookmarks.Bookmark, words []string) []bookmarks.Bookmark {
	return slices.DeleteFunc(list, func(b bookmarks.Bookmark) bool {
		known := strings.ToLower(b.URL.String() + "\n" + b.Text() + "\n" + b.Folder)
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(known, strings.ToLower(w)) })
	})
}

func writeBookmarks(to io.Writer, list []bookmarks.Bookmark, asJSON bool) error {
	for i := range list {
		list[i].Title, list[i].Folder = clean.Text(list[i].Title), clean.Text(list[i].Folder)
		for j, tag := range list[i].Tags {
			list[i].Tags[j] = clean.Text(tag)
		}
	}
	if !asJSON {
		return bookmarkfile.Write(to, "text", list)
	}
	return writeJSON(to, list, func(b bookmarks.Bookmark) any {
		return struct {
			URL    string   `json:"url"`
			Title  string   `json:"title"`
			Folder string   `json:"folder"`
			Tags   []string `json:"tags"`
		}{b.URL.String(), b.Title, b.Folder, append([]string{}, b.Tags...)}
	})
}

func (p *Program) addBookmarkCommand() *cobra.Command {
	var b bookmarks.Bookmark
	cmd := &cobra.Command{
		Use:   "add URL",
		Short: "bookmark a URL, or change its bookmark",
		Args:  usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := urlcore.Guess(args[0])
			if err != nil {
				return err
			}
			return p.withBookmarks(func(all *bookmarks.Store) error {
				old, _, err := all.Find(u)
				if err != nil {
					return err
				}
				for name, given := range map[string]func(){
					"title": func() { old.Title = b.Title }, "folder": func() { old.Folder = b.Folder }, "tag": func() { old.Tags = b.Tags },
				} {
					if cmd.Flags().Changed(name) {
						given()
					}
				}
				old.URL = u
				return all.Put(nil, old)
			})
		},
	}
	cmd.Flags().StringVar(&b.Title, "title", "", "the `TITLE`")
	cmd.Flags().StringVar(&b.Folder, "folder", "", "the `FOLDER`, Name or Name/Part")
	cmd.Flags().StringSliceVar(&b.Tags, "tag", nil, "a `TAG`; may be given more than once")
	return cmd
}

func (p *Program) removeBookmarkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove URL",
		Short: "remove the bookmark of a URL",
		Args:  usage(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			u, err := urlcore.Guess(args[0])
			if err != nil {
				return err
			}
			return p.withBookmarks(func(all *bookmarks.Store) error {
				_, ok, err := all.Find(u)
				if err == nil && !ok {
					err = fmt.Errorf("%s is not bookmarked", urlcore.Redact(u))
				}
				if err != nil {
					return err
				}
				return all.Remove(u)
			})
		},
	}
}

func (p *Program) importBookmarksCommand() *cobra.Command {
	var from, folder string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "add the bookmarks of another program",
		Long: "import adds the bookmarks in a file, or in the standard input (-), that are not kept\n" +
			"yet. Without --from the format is told by the file's beginning.\n\n" + formatsHelp,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if from != "" && !slices.Contains(bookmarkfile.Names(), from) {
				return misuse(cmd, noFormat(from))
			}
			in := p.In
			if args[0] != "-" {
				f, err := userfile.Open(args[0], os.O_RDONLY, 0)
				if err != nil {
					return err
				}
				defer f.Close()
				in = f
			}
			var list []bookmarks.Bookmark
			var skipped int
			if err := untilSignal(cmd.Context(), func() (err error) {
				list, skipped, err = bookmarkfile.Read(in, from)
				return err
			}); err != nil {
				return fmt.Errorf("import %s: %w", args[0], err)
			}
			for i := range list {
				list[i].Folder = strings.Trim(folder+"/"+list[i].Folder, "/")
			}
			return p.withBookmarks(func(all *bookmarks.Store) error {
				added, err := all.Add(list...)
				if err != nil {
					return err
				}
				text := "added " + english.Plural(added, "bookmark", "")
				if n := len(list) - added; n > 0 {
					text += fmt.Sprintf(", %d were kept already", n)
				}
				if skipped > 0 {
					text += fmt.Sprintf(", %d have no valid URL", skipped)
				}
				fmt.Fprintf(p.Err, "gofer: %s\n", text)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the `FORMAT` of the file")
	cmd.Flags().StringVar(&folder, "folder", "", "the `FOLDER` to put them in")
	_ = cmd.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(bookmarkfile.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

const formatsHelp = "  text        gofer's own\n" +
	"  gophermap   a menu to publish; the bookmarks of phetch\n" +
	"  xbel        XML Bookmark Exchange Language: Amfora, elinks, Konqueror\n" +
	"  html        Netscape bookmarks: what web browsers export and import\n" +
	"  lynx        a bookmark file of Lynx, without folders\n" +
	"  bombadillo  the bookmarks in .bombadillo.ini, without folders\n" +
	"  lagrange    bookmarks.ini of Lagrange\n" +
	"  gemtext     a text/gemini page of links\n" +
	"  opml        an outline of links: feed readers"

func noFormat(name string) error {
	return fmt.Errorf("there is no format %q: it is one of %s", name, strings.Join(bookmarkfile.Names(), ", "))
}

func (p *Program) exportBookmarksCommand() *cobra.Command {
	to := "text"
	cmd := &cobra.Command{
		Use:   "export [WORD ...]",
		Short: "write the bookmarks as another program reads them",
		Long: "export writes the bookmarks, or those that hold all of the words, to the standard\n" +
			"output.\n\n" + formatsHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(bookmarkfile.Names(), to) {
				return misuse(cmd, noFormat(to))
			}
			return p.withBookmarks(func(all *bookmarks.Store) error {
				list, err := all.List()
				if err != nil {
					return err
				}
				return bookmarkfile.Write(p.Out, to, holding(list, args))
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", to, "the `FORMAT`")
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(bookmarkfile.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
