package download

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gofer/internal/userfile"
)

// sharedRate is the rate limit of all runs of gofer together that share the folder of the lists. It is in a file there until
// a run ends and leaves no unfinished downloads, so that it also holds for a run that takes the downloads of a killed one.
// Each run that saves files gets an equal part of it.
type sharedRate struct {
	total   int64 // octets per second; 0: no limit
	changed bool  // by SetRate in this run
	saving  int   // number of goroutines that write the file; until they have, the file does not count
}

const (
	rateName = "rate"
	maxRate  = 32 // octets of the file
)

// RateLimit returns the octets per second for all transfers of all runs of gofer together, or 0 if there is no limit.
func (m *Manager) RateLimit() int64 {
	m.init()
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rate.total
}

// SetRate changes the rate limit for all runs of gofer that share the lists: at once in this run, within about a second in
// the others. It holds until this run ends, and longer if unfinished downloads are left.
func (m *Manager) SetRate(octets int64) {
	m.init()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rate.total, m.rate.changed = octets, true
	m.limit.set(octets)
	m.saveRate()
}

// saveRate writes the limit to its file in the background. The caller must have locked the Manager.
func (m *Manager) saveRate() {
	if m.ListFolder == "" || m.closed {
		return
	}
	m.rate.saving++
	m.wg.Go(func() { // without an error: the limit then holds for this run only
		m.mu.Lock()
		total := m.rate.total
		m.mu.Unlock()
		if userfile.MakePrivate(m.ListFolder) == nil {
			_ = userfile.Replace(m.ratePath(), []byte(strconv.FormatInt(total, 10)+"\n"))
		}
		m.mu.Lock()
		m.rate.saving--
		m.mu.Unlock()
	})
}

func (m *Manager) ratePath() string { return filepath.Join(m.ListFolder, rateName) }

// shareRate reads the limit that another run may have changed, and takes the part of this run. The lists of the other
// runs are given. The caller must have locked the Manager.
func (m *Manager) shareRate(others map[string][]entry) {
	if m.ListFolder == "" {
		return
	}
	data, err := userfile.ReadNoFollow(m.ratePath(), maxRate, true)
	octets, numberErr := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	switch {
	case m.rate.saving > 0:
	case err == nil && numberErr == nil:
		m.rate.total = max(octets, 0)
	case m.rate.changed && m.hasEntries(): // another run has removed the file with the last download of another time
		m.saveRate()
	}
	share := m.rate.total
	if share > 0 {
		share = max(share/int64(1+countSaving(others)), 1)
	}
	m.limit.set(share)
}

// countSaving returns the number of lists with running downloads.
func countSaving(lists map[string][]entry) (n int) {
	for _, entries := range lists {
		if slices.ContainsFunc(entries, func(e entry) bool { return e.State == entryStates[Running] }) {
			n++
		}
	}
	return n
}

// forgetRate removes the file with the limit if there are no downloads any more.
func (m *Manager) forgetRate() {
	if m.ListFolder == "" {
		return
	}
	if paths, err := filepath.Glob(filepath.Join(m.ListFolder, "*"+listSuffix)); err == nil && len(paths) == 0 {
		_ = os.Remove(m.ratePath())
	}
}
