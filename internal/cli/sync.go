package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
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
		Short: "merge read articles, bookmarks and score rules with your other machines",
		Long: "sync merges newsrc files, bookmarks, score rules and the known links of bookmarked pages\n" +
			"with your other machines, through a folder shared by Syncthing, git, sshfs or the like.\n" +
			"Run it on each machine, for example from cron.\n\n" +
			"Changes since the last sync are merged: an article that was read on one machine is read\n" +
			"on all, unless it was marked unread again; the last change of a bookmark wins; if two\n" +
			"machines changed a rule, both versions stay. Passwords, visits and settings are not\n" +
			"copied. Quit tin first: it overwrites marks made by other programs.\n\n" +
			"The exit code is 4 if something was left out, such as a damaged file.",
		Example: "  gofer sync ~/Sync/gofer\n" +
			"  */10 * * * *  NNTPSERVER=news.example.org gofer sync -q ~/Sync/gofer",
		Args: checkArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.openState(nil)
			defer st.close()
			y := &syncer{st: st}
			err := y.sync(cmd.Context(), args[0])
			for _, message := range y.messages {
				if !quiet {
					fmt.Fprintln(p.Out, clean.Text(message))
				}
			}
			for _, left := range y.leftOut {
				fmt.Fprintf(p.Err, "gofer: left out: %s\n", errorLine(left))
			}
			switch {
			case err != nil:
				return fmt.Errorf("sync with %s: %w", args[0], err)
			case len(y.leftOut) > 0:
				return reportedError{errLeftOut}
			case len(y.messages) == 0 && !quiet:
				fmt.Fprintln(p.Out, "nothing new")
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print only the files and lines left out")
	return cmd
}

// errLeftOut reports that sync did not merge everything.
var errLeftOut = errors.New("something was left out")

// maxSyncFile bounds the file of a machine and the record of the last sync, in octets.
const maxSyncFile = 128 << 20

// syncer is one run of gofer sync. Each machine writes one file to the folder and keeps its own
// record of the last sync. The record is written last: after an interruption all files are merged
// again, with the same result.
type syncer struct {
	st       *state
	record   syncRecord
	others   syncstate.State // the merged states of all files in the folder
	all      syncstate.State // the merged state of this machine and the others
	messages []string
	leftOut  []error
}

// syncRecord is the state of a machine at its last sync with a folder.
type syncRecord struct {
	Machine string            `json:"machine"` // the name of this machine's file in the folder
	Files   map[string]string `json:"files"`   // maps the paths of the merged files to their kinds
	State   syncstate.State   `json:"state"`
}

func (y *syncer) sync(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return err
	}
	if y.st.Dirs.State == "" {
		return errors.New("no folder for the sync record: set HOME or XDG_STATE_HOME")
	}
	hash := sha256.Sum256([]byte(dir))
	path := filepath.Join(y.st.Dirs.Sync(), hex.EncodeToString(hash[:8])+".json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock, err := userfile.Lock(ctx, path)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	data, err := userfile.Read(path, maxSyncFile)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &y.record); err != nil && data != nil {
		y.st.warn(fmt.Errorf("%s: %w; syncing as for the first time", path, err))
		y.record = syncRecord{}
	}
	if err := y.readFolder(dir); err != nil {
		return err
	}
	if y.record.Machine == "" {
		y.record = syncRecord{newMachineName(), make(map[string]string), make(syncstate.State)}
	}
	y.all = syncstate.Join(y.record.State, y.others)
	y.mergeFiles(ctx)
	if err := replaceJSON(ctx, filepath.Join(dir, y.record.Machine+".gofer"), y.all); err != nil {
		return err
	}
	return replaceJSON(ctx, path, y.record)
}

// newMachineName returns the host name with a random suffix, because hosts may share a name.
func newMachineName() string {
	host, _ := os.Hostname() // after an error the suffix alone is unique
	host = regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(host), "-")
	return strings.TrimLeft(host[:min(len(host), 40)]+"-"+strings.ToLower(rand.Text()[:8]), "-")
}

// readFolder reads the files of all machines. It also reads Syncthing's conflict copies, because merging old
// states does no harm.
func (y *syncer) readFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) == 0 && y.record.Machine != "" {
		return errors.New("the folder is empty, but had files at the last sync: mount it, or create a file in it")
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".gofer") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		data, err := userfile.Read(filepath.Join(dir, e.Name()), maxSyncFile)
		var s syncstate.State
		if err == nil {
			s, err = syncstate.Decode(data)
		}
		if err == nil {
			y.others = syncstate.Join(y.others, s)
		} else if e.Name() != y.record.Machine+".gofer" { // this run replaces the file of this machine
			y.leftOut = append(y.leftOut, fmt.Errorf("%s: damaged or incomplete: %w", e.Name(), err))
		}
	}
	return nil
}

// merge merges one of the user's files. After an error the file counts as not merged.
func (y *syncer) merge(ctx context.Context, kind, path string, merge func(*syncstate.Merge) error) {
	oldKind := y.record.Files[path]
	m := &syncstate.Merge{Base: y.record.State, Others: y.others, First: oldKind == ""}
	err := context.Cause(ctx)
	if err == nil && oldKind != "" && oldKind != kind { // the kind of a newsrc file names the server; another server has other article numbers
		err = fmt.Errorf("%s was merged as the file of %s before", path, oldKind)
	}
	if err == nil {
		err = merge(m)
	}
	if err != nil {
		y.leftOut = append(y.leftOut, fmt.Errorf("%s: %w", kind, err))
		return
	}
	maps.Copy(y.all, m.Result)
	maps.Copy(y.record.State, m.Result)
	if y.record.Files[path] = kind; m.Sent+m.Received > 0 {
		y.messages = append(y.messages, fmt.Sprintf("%s: %s sent, %d received", kind, english.Plural(m.Sent, "change", ""), m.Received))
	}
}

// replaceJSON writes value to a file that only the user may read, unless the file is up to date.
func replaceJSON(ctx context.Context, path string, value any) error {
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if old, err := userfile.Read(path, maxSyncFile); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return userfile.Replace(path, data)
}
