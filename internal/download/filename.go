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

// maxName is the longest name of FileName, in octets, with room for a number and suffixes.
const maxName = 200

// maxKept is the longest name that stays unchanged.
const maxKept = 255 - len("(9999)") - len(recordSuffix)

// FileName proposes a file name for u: the result of its method FileName() string, or
// else its host, made harmless. The name has no separator of any system and no control or
// invisible character, does not begin with a dot, a dash or a tilde, is not reserved by a
// system, and has 1 to 200 octets.
func FileName(u urlcore.URL) string {
	last, ext := "", ""
	if f, ok := u.(interface{ FileName() string }); ok {
		last = f.FileName()
	}
	if protocols.KindOf(u) == protocols.Article {
		ext = ".eml"
	}
	addr, _ := urlcore.Addr(u)
	host, _, _ := net.SplitHostPort(addr)
	for _, s := range []string{last, host} {
		if name := harmless(s, ext); name != "" {
			return name
		}
	}
	return harmless("download", ext)
}

// harmless makes s a file name that ends in ext, or returns "".
func harmless(s, ext string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r >= 0x2400 && r <= 0x2421 || r == utf8.RuneError {
			return '_'
		}
		return r
	}, clean.Text(s))
	// Cleaned again, because a combining mark may have lost its character.
	s = clean.Text(trimEnd(strings.TrimLeftFunc(s, func(r rune) bool {
		return r == '.' || r == '-' || r == '~' || unicode.IsSpace(r)
	})))
	if strings.Trim(s, "_ ") == "" {
		return ""
	}
	if ext != "" && !strings.HasSuffix(s, ext) {
		s += ext
	}
	if reserved(s) {
		s = "_" + s
	}
	return shorten(s, maxName)
}

// shorten cuts a name before its extension, to at most limit octets.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	stem, ext := splitExt(s)
	if len(ext) > 20 {
		stem, ext = s, ""
	}
	return trimEnd(cut(stem, limit-len(ext))) + ext
}

// cut returns the characters of s that have together at most n octets.
func cut(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// trimEnd removes dots and blanks at the end.
func trimEnd(s string) string {
	return strings.TrimRightFunc(s, func(r rune) bool { return r == '.' || unicode.IsSpace(r) })
}

// reserved reports whether name is the name of a Windows device.
func reserved(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	stem = strings.TrimRight(stem, " ")
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CLOCK$", "CONIN$", "CONOUT$":
		return true
	}
	return len(stem) == 4 && (stem[:3] == "COM" || stem[:3] == "LPT") && stem[3] >= '0' && stem[3] <= '9'
}

// splitExt splits before the suffix, such as ".gz" or ".tar.gz".
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

// Numbered returns name.ext for 0, and else name(1).ext, name(2).ext and so on.
func Numbered(name string, n int) string {
	if n == 0 {
		return name
	}
	stem, ext := splitExt(name)
	return stem + "(" + strconv.Itoa(n) + ")" + ext
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// fold normalizes a path for a system, a runtime.GOOS, whose file systems ignore case and
// Unicode composition.
func fold(system, path string) string {
	if system != "windows" && system != "darwin" && system != "ios" {
		return path
	}
	return strings.ToLower(norm.NFC.String(path))
}

// treeName returns the name of a file in a tree: unchanged if possible, with the dot or
// dash at its beginning. Octets that are not UTF-8 are kept where file names are octets.
func treeName(name string) string {
	const x = "x" // blanks at the ends are kept too
	text := name
	if runtime.GOOS != "darwin" {
		text = strings.ToValidUTF8(name, x)
	}
	safe := clean.Text(x + text + x)
	if safe == x+text+x && runtime.GOOS != "windows" && len(name) <= maxKept && name != "." && name != ".." && name != "" &&
		!strings.ContainsAny(name, "/\x00") {
		return name
	}
	lead := ""
	if len(name) > 1 && name[0] == '.' && name[1] != '.' {
		lead = "."
	}
	if safe = harmless(name, ""); safe == "" {
		return "unnamed"
	}
	return lead + safe
}

// maxItemName is the longest name of an item in a mirror, in octets.
const maxItemName = 120

// longestName returns the length of the longest name in a directory of a mirror. The names get
// shorter with the depth, so that the paths of DefaultDepth menus stay below the lengths that
// systems and gophermaps have.
func longestName(dir string) int { return min(maxItemName, max(24, (900-len(dir))/8)) }

// itemName returns the name of an item in the directory of its menu: the title, or the
// last part of the selector if only that is a name with an extension.
func itemName(u urlcore.Gopher, title string) string {
	title, _, _ = strings.Cut(strings.Trim(title, " /-=*_~<>|"), "   ") // from here on columns: date and size
	// In selectors of gophernicus these have a meaning; pygopherd takes no selector with "..".
	plain := strings.NewReplacer("#", "_", "%", "_", "?", "_", "..", "__")
	last := harmless(plain.Replace(u.FileName()), "")
	name := cmp.Or(harmless(plain.Replace(title), ""), last, FileName(u))
	switch own := extension(last); {
	case u.Type == '1', extension(name) != "":
	case own != "":
		if !strings.EqualFold(filepath.Ext(name), own) {
			name = last
		}
	case name != last:
		if ext := typeExtensions[u.Type]; !strings.EqualFold(filepath.Ext(name), ext) {
			name += ext
		}
	}
	return shorten(name, maxItemName)
}

// served returns the name of an item, changed if a server of the mirror would answer with something
// else than the octets of the file: gophernicus runs queries and the files in cgi-bin, refuses a
// gophertag, and describes its status; pygopherd reads menus, forms, abstracts and programs from
// files.
func served(name string) string {
	if name == "cgi-bin" || name == "gophertag" || strings.HasPrefix(name, "server-status") {
		return "_" + name
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".q", ".qry", ".gophermap", ".abstract", ".keywords", ".ask", ".3d", ".tal", ".pyg":
		return name + "_"
	}
	return name
}

// typeExtensions are the extensions of documents with unspecific names, by item type.
var typeExtensions = map[byte]string{'0': ".txt", '4': ".hqx", '6': ".uue", 'g': ".gif", 'h': ".html", 'M': ".eml", 'P': ".pdf"}

// extension returns the extension of a file name: a dot and at most four letters and
// digits, not only digits. Prose and the number of a version have none.
func extension(name string) string {
	ext := filepath.Ext(name)
	word := strings.ToLower(strings.TrimPrefix(ext, "."))
	if len(word) > 4 || strings.Contains(name, " ") || strings.Trim(word, "0123456789") == "" || strings.Trim(word, alphanumeric) != "" {
		return ""
	}
	return ext
}

const alphanumeric = "abcdefghijklmnopqrstuvwxyz0123456789"

// names assigns unique, harmless names to the items of a tree.
type names struct {
	system string          // the operating system
	used   map[string]bool // folded paths
	next   map[string]int  // the next number of a name that is taken, by its folded path
	menus  bool            // each directory has a gophermap
}

func newNames(system string) names {
	return names{system: system, used: make(map[string]bool), next: make(map[string]int)}
}

// in returns the path of name in dir. It adds a number to a name that is taken, perhaps in
// another case or by an unfinished file.
func (n names) in(dir, name string) string {
	name = treeName(name)
	key := fold(n.system, join(dir, name))
	for i := n.next[key]; ; i++ {
		path := join(dir, Numbered(name, i))
		if n.take(path) {
			if i > 0 {
				n.next[key] = i + 1
			}
			return path
		}
	}
}

// inDirectory returns the paths of the items in dir that have these names at the server. They do not
// depend on the order of the names. A name that needs no change stays as it is. Items with equal changed
// names, or with names that are equal for the system, get numbers made of their octets: no item gets the
// path that another one had in an earlier listing.
func (n names) inDirectory(dir string, serverNames []string) []string {
	paths, order := make([]string, len(serverNames)), make([]int, len(serverNames))
	changed := make([]bool, len(serverNames))
	for i, name := range serverNames {
		order[i], paths[i] = i, treeName(name)
		changed[i] = paths[i] != name
	}
	slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(serverNames[i], serverNames[j]) })
	wanted := make(map[string]int) // how many items want a path, by the folded path
	var numbered []int
	for _, change := range []bool{false, true} {
		for k, i := range order {
			if changed[i] == change && (k == 0 || serverNames[i] != serverNames[order[k-1]]) {
				wanted[fold(n.system, paths[i])]++
			}
		}
		for _, i := range order {
			if changed[i] == change && (wanted[fold(n.system, paths[i])] > 1 || !n.take(join(dir, paths[i]))) {
				numbered = append(numbered, i)
			}
		}
	}
	for _, i := range numbered {
		octets := crc32.ChecksumIEEE([]byte(serverNames[i]))
		if paths[i] = Numbered(paths[i], 1000+int(octets%9000)); !n.take(join(dir, paths[i])) {
			_, paths[i] = path.Split(n.in(dir, serverNames[i]))
		}
	}
	for i := range paths {
		paths[i] = join(dir, paths[i])
	}
	return paths
}

// take reserves a path. It returns false if the path is taken, or if one of the path and a taken
// path has the name of the unfinished file of the other.
func (n names) take(path string) bool {
	key := fold(n.system, path)
	base := key[strings.LastIndexByte(key, '/')+1:]
	if n.used[key] || n.menus && (base == gophermap || base == gophermap+partSuffix) {
		return false
	}
	for _, suffix := range []string{partSuffix, recordSuffix} {
		if stem, ok := strings.CutSuffix(key, suffix); n.used[key+suffix] || ok && n.used[stem] {
			return false
		}
	}
	n.used[key] = true
	return true
}
