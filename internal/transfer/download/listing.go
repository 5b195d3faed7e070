package download

import (
	"gofer/protocols"
	"gofer/urlcore"
)

// Listed is an item of a listed tree.
type Listed struct {
	URL    urlcore.URL
	Path   string // relative to the directory of the tree, with slashes; safe; "" for the directory itself
	IsList bool   // a directory or menu
	Size   int64  // -1 if unknown
}

// Listing returns the items of an Item in the state Counted: the directories or menus in the order of their reading, then
// the files.
func (item *Item) Listing() []Listed {
	tree := item.tree
	list := make([]Listed, 0, 1+len(tree.Dirs)+len(tree.menus)+len(tree.Files))
	if len(tree.menus) == 0 {
		list = append(list, Listed{URL: item.status.URL, IsList: true, Size: -1})
	}
	for _, m := range tree.menus {
		list = append(list, Listed{m.url, m.path, true, -1})
	}
	for _, d := range tree.Dirs {
		list = append(list, Listed{d.URL, d.Path, true, -1})
	}
	for _, f := range tree.Files {
		list = append(list, Listed{f.URL, f.Path, false, f.Size})
	}
	return list
}

// Place renames the complete file at partPath to path. Unless overwrite is set, there must be no file at path.
func Place(partPath, path string, overwrite bool) error {
	if overwrite {
		return moveToName(partPath, path, forceAll)
	}
	return moveToName(partPath, path, forceNothing)
}

// CheckFree returns the error of [Place] for a path that has a file already.
func CheckFree(path string, overwrite bool) error {
	if !overwrite && exists(path) {
		return protocols.LocalError("save "+path, errFileExists)
	}
	return nil
}
