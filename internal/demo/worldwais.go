package demo

import (
	"io/fs"
	"path"
	"strings"
)

// worldWAIS is the name of the World's WAIS database.
const worldWAIS = "hole"

// pictureTypes maps the suffixes of picture files to WAIS types.
var pictureTypes = map[string]string{".gif": "GIF", ".png": "PNG", ".jpg": "JPEG"}

// worldDatabase returns the WAIS database: the texts and pictures of the Gopher server.
func worldDatabase(replace *strings.Replacer) (WAISDatabase, error) {
	d := WAISDatabase{
		Name:        worldWAIS,
		Description: "The texts and pictures of the demonstration world's Gopher hole.\nSearch for gopher, or for lighthouse.",
	}
	err := fs.WalkDir(worldFiles, "world/gopher", func(name string, e fs.DirEntry, err error) error {
		typ := pictureTypes[path.Ext(name)]
		if path.Ext(name) == ".txt" {
			typ = "TEXT"
		}
		if err != nil || e.IsDir() || typ == "" {
			return err
		}
		data, err := worldFiles.ReadFile(name)
		if err != nil {
			return err
		}
		name = strings.TrimPrefix(name, "world/gopher/")
		doc := WAISDocument{Name: name, Headline: strings.ReplaceAll(name, "/", " "), Date: worldDate.Format("20060102"), Types: []string{typ}}
		text := string(data)
		if typ == "TEXT" {
			text = replace.Replace(text)
			if title, _, _ := strings.Cut(strings.TrimSpace(text), "\n"); !strings.Contains(title, "  ") {
				doc.Headline = title
			}
		}
		doc.Content = map[string]string{typ: text}
		d.Documents = append(d.Documents, doc)
		return nil
	})
	return d, err
}
