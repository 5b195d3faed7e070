package cli

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/internal/userfile/syncstate"
)

func (p *Program) syncCommand() *cobra.Command {
	var quiet bool
	cmd := &cobra.Command{
		Use:   "sync DIR",
		Short: "merge what is read, bookmarked and scored with your other machines",
		Long: "sync merges newsrc files, bookmarks, score rules and what is new on bookmarked pages\n" +
			"with your other machines, over a folder that Syncthing, git, sshfs or the like carries.\n" +
			"Each machine runs it, from cron if you like.\n\n" +
			"What has changed since the last sync counts: an article that was read somewhere is\n" +
			"read everywhere, unless it was marked unread again; the later change of a bookmark\n" +
			"wins; of a rule that two machines have changed both versions stay. Passwords, visits\n" +
			"and settings are not copied. End tin first: it writes over what others have marked.\n\n" +
			"The exit status is 4 if something was left out, such as a damaged file.",
		Example: "  gofer sync ~/Sync/gofer\n" +
			"  */10 * * * *  NNTPSERVER=news.example.org gofer sync -q ~/Sync/gofer",
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.open(nil)
			defer st.close()
			y := &syncer{st: st}
			err := y.sync(cmd.Context(), args[0])
			for _, told := range y.told {
				if !quiet {
					fmt.Fprintln(p.Out, clean.Text(told))
				}
			}
			for _, left := range y.left {
				fmt.Fprintf(p.Err, "gofer: left out: %s\n", line(left))
			}
			switch {
			case err != nil:
				return fmt.Errorf("sync with %s: %w", args[0], err)
			case len(y.left) > 0:
				return reportedError{errLeftOut}
			case len(y.told) == 0 && !quiet:
				fmt.Fprintln(p.Out, "nothing is new")
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print only what was left out")
	return cmd
}

// errLeftOut says that a sync did not merge everything.
var errLeftOut = errors.New("something was left out")

// syncer is one run of the command. Each machine has a file in the folder, which only it
// writes, and its own record of the last sync. That is written last: after an interruption
// all is merged again, and to merge the same twice changes nothing.
type syncer struct {
	st           *state
	dir, local   string // the folder, and that of the record
	machine      string
	base, others syncstate.State // the record, and all that is in the folder
	told         []string
	left         []error
}

// syncPart is what is merged under one lock.
type syncPart struct {
	name, path string // "newsrc host:port" or a kind, and the user's file
	// merge adds what is in the file to base, the part of the last common state, writes
	// what that is together with others into the file, and returns it. At the first time
	// with a file nothing is removed from it.
	merge func(base, others syncstate.State, first bool) (syncstate.State, syncstate.Tally, error)
}

// partOf returns the name of the part that a thing belongs to.
func partOf(key syncstate.Key) string {
	switch key.Kind {
	case syncstate.Group:
		server, _, _ := strings.Cut(key.Name, " ")
		return "newsrc " + strings.TrimSuffix(server, ":119")
	case syncstate.Order:
		return syncstate.Bookmark
	}
	return key.Kind
}

const mergedFile = "merged file" // the kind of the entries with the files of parts, in records only

func (y *syncer) sync(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return err
	}
	if y.st.Dirs.State == "" {
		return errors.New("there is no folder for the record of it: set HOME or XDG_STATE_HOME")
	}
	hash := sha256.Sum256([]byte(dir))
	y.dir, y.local = dir, filepath.Join(y.st.Dirs.Sync(), hex.EncodeToString(hash[:8]))
	if err := os.MkdirAll(y.local, 0o700); err != nil {
		return err
	}
	record := filepath.Join(y.local, "record")
	lock, err := userfile.Lock(ctx, record)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if data, err := userfile.Read(record, syncstate.MaxFile); err != nil {
		return err
	} else if data != nil {
		y.base, y.machine, _, err = syncstate.Decode(data)
		if err != nil {
			y.st.warn(fmt.Errorf("%s: %w; all is merged as for the first time", record, err))
		}
	}
	if y.machine == "" {
		y.machine = newMachine()
	}
	if err := y.readFolder(); err != nil {
		return err
	}
	all, done, err := y.mergeParts(ctx)
	if err == nil {
		err = y.write(ctx, filepath.Join(y.dir, y.machine+".gofer"), all)
	}
	if err == nil {
		err = y.write(ctx, record, done)
	}
	return err
}

// newMachine returns a name that no other machine has.
func newMachine() string {
	host, _ := os.Hostname() // or only the number
	host = regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(host), "-")
	id := make([]byte, 4)
	_, _ = rand.Read(id) // never fails
	return strings.TrimLeft(host[:min(len(host), 40)]+"-"+hex.EncodeToString(id), "-")
}

const maxMachines = 200 // bounds the files in a folder

// readFolder reads the files of all machines. A conflict copy of Syncthing is one as well:
// what it knows, perhaps less, does no harm.
func (y *syncer) readFolder() error {
	entries, err := os.ReadDir(y.dir)
	if err != nil {
		return err
	}
	file := regexp.MustCompile(`^([a-z0-9-]{1,60})(?:\.sync-conflict-[0-9A-Z-]+)?\.gofer$`)
	files := 0
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+y.machine+".gofer.") { // of a run that was killed
			_ = os.Remove(filepath.Join(y.dir, e.Name()))
		}
		m := file.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		if files++; files > maxMachines {
			return fmt.Errorf("it holds more than %d files of machines", maxMachines)
		}
		s, err := readMachine(filepath.Join(y.dir, e.Name()), m[1])
		y.others = syncstate.Joined(y.others, s)
		if err != nil && e.Name() != y.machine+".gofer" { // that is written anew
			y.left = append(y.left, fmt.Errorf("%s: %w", e.Name(), err))
		}
	}
	return nil
}

func readMachine(path, name string) (syncstate.State, error) {
	fi, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // it was carried away
		return nil, nil
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	data, err := userfile.Read(path, syncstate.MaxFile)
	if err != nil {
		return nil, err
	}
	s, machine, skipped, err := syncstate.Decode(data)
	switch {
	case err != nil:
		return nil, err
	case machine != name:
		return nil, fmt.Errorf("it is the file of %q", machine)
	case skipped > 0:
		err = fmt.Errorf("%s without a meaning", english.Plural(skipped, "entry", "entries"))
	}
	return s, err
}

// split returns the entries by their parts.
func split(s syncstate.State) map[string]syncstate.State {
	parts := make(map[string]syncstate.State)
	for key, e := range s {
		name := partOf(key)
		if parts[name] == nil {
			parts[name] = make(syncstate.State)
		}
		parts[name][key] = e
	}
	return parts
}

// mergeParts merges the user's files. It returns what is known of all, and of that what
// the files have.
func (y *syncer) mergeParts(ctx context.Context) (all, done syncstate.State, err error) {
	base, others := split(y.base), split(y.others)
	files := base[mergedFile]
	all, done = syncstate.Joined(), syncstate.Joined()
	for _, part := range y.parts(ctx, base, others) {
		if err := context.Cause(ctx); err != nil {
			return nil, nil, err
		}
		file := syncstate.Key{Kind: mergedFile, Name: part.name}
		merged, counts, err := syncstate.State(nil), syncstate.Tally(nil), usedOtherwise(files, part)
		if err == nil {
			merged, counts, err = part.merge(base[part.name], others[part.name], files[file].Value != part.path)
		}
		if err != nil {
			y.left = append(y.left, fmt.Errorf("%s: %w", part.name, err))
			maps.Copy(all, syncstate.Joined(base[part.name], others[part.name]))
			maps.Copy(done, base[part.name])
			done[file] = files[file]
		} else {
			maps.Copy(all, merged)
			maps.Copy(done, merged)
			done[file] = syncstate.Entry{Value: part.path}
		}
		if len(counts) > 0 && err == nil {
			y.told = append(y.told, part.name+": "+strings.Join(counts, "; "))
		}
		delete(base, part.name)
		delete(others, part.name)
	}
	delete(base, mergedFile)
	delete(others, mergedFile)
	for _, rest := range []map[string]syncstate.State{base, others} { // of newer versions
		for _, s := range rest {
			all = syncstate.Joined(all, s)
		}
	}
	return all, syncstate.Joined(done), nil
}

// usedOtherwise returns an error if the file of a part was merged as that of another
// server, whose articles have other numbers.
func usedOtherwise(files syncstate.State, part syncPart) error {
	for key, e := range files {
		if key.Name != part.name && e.Value == part.path {
			return fmt.Errorf("%s was merged as %s before", part.path, key.Name)
		}
	}
	return nil
}

// write replaces a file of this machine that only the user may read.
func (y *syncer) write(ctx context.Context, path string, s syncstate.State) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	data := s.Encode(y.machine)
	fi, err := os.Lstat(path)
	if err == nil && fi.Mode() == 0o600 {
		if old, err := userfile.Read(path, syncstate.MaxFile); err == nil && string(old) == string(data) {
			return nil
		}
	} else if err == nil { // git makes files for all to read
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return userfile.Replace(path, data)
}
