package download

import (
	"cmp"
	"hash/crc32"
	"net"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxName is the maximum length, in octets, of a name from FileName. It leaves room for a number and suffixes.
const maxName = 200

// maxUnchanged is the length of the longest name that treeName returns unchanged.
const maxUnchanged = 255 - len("(9999)") - len("~9999"+partSuffix)

// FileName proposes a file name for u. It uses the result of u's method FileName. If u does not have this method, or
// no safe name can be made from the result, it uses the host of u, or else "download". The name is safe on all
// systems: it has no path separator and no control or invisible character, does not begin with a dot, a dash or a
// tilde, is not the name of a device, and has 1 to 200 octets.
func FileName(u urlcore.URL) string { return fileName(u, nil) }

// fileName is like FileName, but decodes the name of a file in a tree of files with shown unless shown is nil.
func fileName(u urlcore.URL, shown func(string) string) string {
	last, ext := "", ""
	if f, ok := u.(interface{ FileName() string }); ok {
		last = f.FileName()
	}
	if _, ok := u.(urlcore.FileURL); ok && shown != nil {
		last = shown(last)
	}
	if protocols.KindOf(u) == protocols.Article {
		ext = ".eml"
	}
	addr, _ := urlcore.Addr(u)
	host, _, _ := net.SplitHostPort(addr)
	for _, s := range []string{last, host} {
		if name := harmlessName(s, ext); name != "" {
			return name
		}
	}
	return harmlessName("download", ext)
}

// notOnWindows are the characters that names must not have on Windows. Names on other systems must not have the slash.
const notOnWindows = `/\:*?"<>|`

// harmlessName changes s to a safe file name that ends in ext. It returns "" if s has no usable characters.
func harmlessName(s, ext string) string {
	unshown := false // the last character was of a kind that is not shown
	s = strings.Map(func(r rune) rune {
		before := unshown
		unshown = r >= 0x2400 && r <= 0x2421 || r == utf8.RuneError
		switch {
		case unshown && before:
			return -1
		case unshown, strings.ContainsRune(notOnWindows, r):
			return '_'
		}
		return r
	}, clean.Text(legible(s)))
	// Clean the name again, because a combining mark may have lost its base character.
	s = clean.Text(trimEnd(strings.TrimLeftFunc(s, func(r rune) bool {
		return r == '.' || r == '-' || r == '~' || unicode.IsSpace(r)
	})))
	if strings.Trim(s, "_ ") == "" {
		return ""
	}
	if ext != "" && !strings.HasSuffix(s, ext) {
		s += ext
	}
	if isReserved(s) {
		s = "_" + s
	}
	return avoidWorkingName(shortenName(s, maxName))
}

// avoidWorkingName changes a name that gofer gives to its own files beside the files of the user, so that no file of a
// server is taken for one of them: an unfinished file, its record in earlier versions, or a file of a mirror.
func avoidWorkingName(name string) string {
	lower := strings.ToLower(name)
	if strings.HasPrefix(lower, ".gofer") {
		name = "_" + name
	}
	if strings.HasSuffix(lower, partSuffix) || strings.HasSuffix(lower, partSuffix+".info") {
		name += "_"
	}
	return name
}

// shortenName shortens a name to at most limit octets. It keeps an extension of at most 20 octets.
func shortenName(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	stem, ext := splitExt(s)
	if len(ext) > 20 {
		stem, ext = s, ""
	}
	return trimEnd(cutOctets(stem, limit-len(ext))) + ext
}

// cutOctets cuts s to at most n octets. It does not split a character.
func cutOctets(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// trimEnd removes dots and blanks from the end of s.
func trimEnd(s string) string {
	return strings.TrimRightFunc(s, func(r rune) bool { return r == '.' || unicode.IsSpace(r) })
}

// isReserved reports whether name is the name of a Windows device.
func isReserved(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	stem = strings.TrimRight(stem, " ")
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CLOCK$", "CONIN$", "CONOUT$":
		return true
	}
	return len(stem) == 4 && (stem[:3] == "COM" || stem[:3] == "LPT") && stem[3] >= '0' && stem[3] <= '9'
}

// splitExt splits a name into its stem and its extension, such as ".gz" or ".tar.gz".
func splitExt(name string) (stem, ext string) {
	ext = filepath.Ext(name)
	stem = name[:len(name)-len(ext)]
	if strings.HasSuffix(stem, ".tar") {
		stem, ext = stem[:len(stem)-len(".tar")], ".tar"+ext
	}
	if stem == "" {
		return name, ""
	}
	return stem, ext
}

// NumberedName adds the number n to a name, as in name(1).ext and name(2).ext. If n is 0, it returns the name
// unchanged.
func NumberedName(name string, n int) string {
	if n == 0 {
		return name
	}
	stem, ext := splitExt(name)
	return stem + "(" + strconv.Itoa(n) + ")" + ext
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// foldPath returns the same path for all paths that may lead to the same file on the given system, a value of
// runtime.GOOS. On Windows and Apple's systems, it ignores case and Unicode composition.
func foldPath(system, path string) string {
	if system != "windows" && system != "darwin" && system != "ios" {
		return path
	}
	return strings.ToLower(norm.NFC.String(path))
}

// treeName returns the local name of a file in a tree. It changes name, the name at the server, only if it must.
// Unlike FileName it keeps a dot or dash at the beginning and, where file systems allow it, octets that are not
// UTF-8.
func treeName(name string) string {
	const x = "x" // protects blanks at the ends of the name
	text := name
	if runtime.GOOS != "darwin" {
		text = strings.ToValidUTF8(name, x)
	}
	if clean.Text(x+text+x) == x+text+x && runtime.GOOS != "windows" && len(name) <= maxUnchanged && name != "." && name != ".." && name != "" &&
		avoidWorkingName(name) == name && isLegible(name) && !strings.ContainsAny(name, "/\x00") {
		return name
	}
	return changedName(name)
}

// changedName returns a name that each system allows in place of name.
func changedName(name string) string {
	lead := ""
	if len(name) > 1 && name[0] == '.' && name[1] != '.' {
		lead = "."
	}
	safe := harmlessName(name, "")
	if safe == "" {
		return "unnamed"
	}
	return avoidWorkingName(lead + safe)
}

// PortableName is the name of a file of a tree that may be unpacked on any system. It changes name, the name at the server, only if
// Windows would not allow it, or take it for a path.
func PortableName(name string) string {
	if strings.ContainsAny(name, notOnWindows) || isReserved(name) || strings.TrimRight(name, ". ") != name {
		return changedName(name)
	}
	return treeName(name)
}

// maxItemName limits the names of items in a mirror, in octets.
const maxItemName = 120

// maxNameIn returns the maximum length of the names in the directory dir of a mirror. Names are shorter if the
// path dir is longer. So the paths of menus at the depth DefaultDepth are not too long for file systems and
// gophermaps.
func maxNameIn(dir string) int { return min(maxItemName, max(24, (900-len(dir))/8)) }

// itemName returns the file name of a menu item: the title of the item, or the last part of its selector if the
// selector has a file name extension and the title has none. If neither has one, the title of a document gets its
// extension from typeExtensions.
func itemName(u urlcore.Gopher, title string) string {
	title, _, _ = strings.Cut(strings.Trim(title, " /-=*_~<>|"), "   ") // columns with a date and size may follow the title
	// Gophernicus interprets "#", "%" and "?" in selectors; pygopherd refuses selectors with "..".
	plain := strings.NewReplacer("#", "_", "%", "_", "?", "_", "..", "__")
	last := harmlessName(plain.Replace(u.FileName()), "")
	name := cmp.Or(harmlessName(plain.Replace(title), ""), last, FileName(u))
	switch ext := extension(last); {
	case u.Type == '1', extension(name) != "":
	case ext != "":
		if !strings.EqualFold(filepath.Ext(name), ext) {
			name = last
		}
	case name != last:
		if ext := typeExtensions[u.Type]; !strings.EqualFold(filepath.Ext(name), ext) {
			name += ext
		}
	}
	return shortenName(name, maxItemName)
}

// servableName changes a name if Gopher servers would not send the content of a file with this name. Gophernicus runs
// files with some extensions and the files in cgi-bin, refuses the file gophertag, and answers server-status with its
// own status. Pygopherd takes files with some extensions for menus, forms, abstracts or programs.
func servableName(name string) string {
	if name == "cgi-bin" || name == "gophertag" || strings.HasPrefix(name, "server-status") {
		return "_" + name
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".q", ".qry", ".gophermap", ".abstract", ".keywords", ".ask", ".3d", ".tal", ".pyg":
		return name + "_"
	}
	return name
}

// typeExtensions maps item types to the extensions for documents whose names have no extension.
var typeExtensions = map[byte]string{'0': ".txt", '4': ".hqx", '6': ".uue", 'g': ".gif", 'h': ".html", 'M': ".eml", 'P': ".pdf"}

// extension returns the extension of a file name, or "". An extension is a dot and at most four letters and
// digits, with at least one letter. Names with blanks have no extension, because they are titles.
func extension(name string) string {
	ext := filepath.Ext(name)
	word := strings.ToLower(strings.TrimPrefix(ext, "."))
	if len(word) > 4 || strings.Contains(name, " ") || strings.Trim(word, "0123456789") == "" || strings.Trim(word, alphanumeric) != "" {
		return ""
	}
	return ext
}

const alphanumeric = "abcdefghijklmnopqrstuvwxyz0123456789"

// names assigns unique and safe names to the items of a tree.
type names struct {
	system   string          // runtime.GOOS
	used     map[string]bool // assigned paths, as foldPath returns them
	next     map[string]int  // the next number to add to a name that is taken, by folded path
	hasMenus bool            // each directory has a gophermap
}

func newNames(system string) names {
	return names{system: system, used: make(map[string]bool), next: make(map[string]int)}
}

// uniquePath reserves and returns a path in dir for an item with the given name. If the name is taken,
// perhaps in another case, uniquePath adds a number to it.
func (n names) uniquePath(dir, name string) string {
	name = treeName(name)
	key := foldPath(n.system, joinPath(dir, name))
	for i := n.next[key]; ; i++ {
		path := joinPath(dir, NumberedName(name, i))
		if n.reserve(path) {
			if i > 0 {
				n.next[key] = i + 1
			}
			return path
		}
	}
}

// uniquePaths reserves and returns paths in dir for the items with the given names at the server. A name is safe if
// treeName does not change it. If several names lead to the same path, and exactly one of them is safe, the safe name
// keeps the path. The others get numbers computed from their octets. The paths thus do not depend on the order of the
// listing. But a new item with a safe name may get the path that another item had in an earlier listing (see
// Tree.takenPaths).
// The function shown returns the text of a name.
func (n names) uniquePaths(dir string, serverNames []string, shown func(string) string) []string {
	paths, order := make([]string, len(serverNames)), make([]int, len(serverNames))
	changed := make([]bool, len(serverNames))
	for i, name := range serverNames {
		order[i], paths[i] = i, treeName(shown(name))
		changed[i] = paths[i] != name
	}
	slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(serverNames[i], serverNames[j]) })
	wanted := make(map[string]int) // the number of items that would get the same path, by folded path
	var numbered []int
	for _, isChanged := range []bool{false, true} {
		for k, i := range order {
			if changed[i] == isChanged && (k == 0 || serverNames[i] != serverNames[order[k-1]]) {
				wanted[foldPath(n.system, paths[i])]++
			}
		}
		for _, i := range order {
			if changed[i] == isChanged && (wanted[foldPath(n.system, paths[i])] > 1 || !n.reserve(joinPath(dir, paths[i]))) {
				numbered = append(numbered, i)
			}
		}
	}
	for _, i := range numbered {
		crc := crc32.ChecksumIEEE([]byte(serverNames[i]))
		if paths[i] = NumberedName(paths[i], 1000+int(crc%9000)); !n.reserve(joinPath(dir, paths[i])) {
			_, paths[i] = path.Split(n.uniquePath(dir, shown(serverNames[i])))
		}
	}
	for i := range paths {
		paths[i] = joinPath(dir, paths[i])
	}
	return paths
}

// reserve reserves a path. It returns false if the path is taken. In a mirror of menus, the names of the gophermaps are
// taken.
func (n names) reserve(path string) bool {
	key := foldPath(n.system, path)
	if n.used[key] || n.hasMenus && key[strings.LastIndexByte(key, '/')+1:] == gophermap {
		return false
	}
	n.used[key] = true
	return true
}
