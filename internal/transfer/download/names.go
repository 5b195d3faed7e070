package download

import (
	"maps"
	"runtime"

	"gofer/internal/transfer/mirror"
	"gofer/urlcore"
)

// serverNames returns the Names for the server of u.
func (m *Manager) serverNames(u urlcore.URL) mirror.Names {
	n := mirror.Names{Raw: m.RawNames}
	if m.ReadingOf != nil {
		n.Chosen = m.ReadingOf(u).Charset
	}
	return n
}

// ProposeName is like [FileName], but the name of a file in a tree of files is decoded. The parameter shown is its name on
// a page, or "".
func ProposeName(u urlcore.URL, shown string, names *mirror.Names) string {
	return fileName(u, func(name string) string {
		if shown != "" && !names.Raw {
			return shown
		}
		names.LearnName(name)
		return names.Shown(name)
	})
}

// writeNames writes the index of the names at the server if a name is not UTF-8.
func (s *treeSaver) writeNames() error {
	tree := s.item.tree
	if m := s.updateOptions(); tree.polite || m != nil && m.Plan != nil || s.item.m.RawNames {
		return nil
	}
	earlier := mirror.ReadNames(s.root)
	if len(earlier)+len(tree.octets) == 0 {
		return nil
	}
	// An item in the listing may be another one than that of the earlier index.
	maps.DeleteFunc(earlier, func(path, _ string) bool { return tree.names.used[foldPath(runtime.GOOS, path)] })
	mirror.KeepNames(tree.octets, earlier, s.root)
	return s.writeFile(indexName, mirror.EncodeNames(tree.octets))
}
