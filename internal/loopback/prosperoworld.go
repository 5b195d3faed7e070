package loopback

import (
	"fmt"
	"io/fs"
	"net"
	"strings"
)

// startProspero starts the Prospero server of the world. Its root is made of
// two directories that union links join: one whose objects it sends itself, and
// one of links to the other servers.
func (w *World) startProspero(files fs.FS) (err error) {
	w.Prospero, err = StartProspero()
	if err = w.serve("PROSPERO", w.Prospero, err); err != nil {
		return err
	}
	w.offer(w.Prospero.URL(""), "A Prospero directory")
	own := prosperoHost(w.Prospero.Addr())
	var list strings.Builder
	link := func(kind, target, name, host, hsoname string, attributes ...string) {
		fmt.Fprintf(&list, "LINK  %s %s %s %s ASCII %s 0\n", kind, target, prosperoQuoted(name), host, prosperoQuoted(hsoname))
		for _, a := range attributes {
			list.WriteString("ATTRIBUTE " + a + "\n")
		}
	}
	done := func(hsoname string) {
		w.Prospero.Directory(hsoname, list.String())
		list.Reset()
	}
	link("L", "DIRECTORY", "many", own, "/pros/many", "LINK FIELD MENU-ITEM-DESCRIPTION 'a thousand links'")
	link("U", "DIRECTORY", "texts", own, "/pros/texts")
	link("U", "DIRECTORY", "elsewhere", own, "/pros/elsewhere")
	link("L", "SYMBOLIC", "home", "INTERNET-D demo-system", "/home")
	link("L", "NULL", "private", own, "/pros/private")
	done("")

	texts, err := fs.ReadDir(files, "gopher/library/history")
	if err != nil {
		return err
	}
	for _, e := range texts {
		data, err := fs.ReadFile(files, "gopher/library/history/"+e.Name())
		if err != nil || strings.Contains(string(data), "@") || e.Name() == "gophermap" {
			continue
		}
		object := "/pros/texts/" + e.Name()
		w.Prospero.Contents(object, data)
		link("L", "FILE", e.Name(), own, object,
			fmt.Sprintf("OBJECT INTRINSIC SIZE SEQUENCE %d' bytes'", len(data)),
			"OBJECT INTRINSIC LAST-MODIFIED SEQUENCE "+worldDate.Format("20060102150405Z"),
			"OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''",
			"OBJECT INTRINSIC ACCESS-METHOD SEQUENCE AFTP "+prosperoHost(w.FTP.Addr())+" ASCII "+prosperoQuoted("/pub/texts/"+e.Name())+" BINARY")
	}
	done("/pros/texts")

	gopher, archive, telnet := prosperoHost(w.Gopher.Addr()), prosperoHost(w.FTP.Addr()), prosperoHost(w.Telnet.Addr())
	link("L", "EXTERNAL", "gopher hole", gopher, "", "CACHED FIELD ACCESS-METHOD GOPHER '' '' ASCII '' 1")
	link("L", "EXTERNAL", "read me.txt", archive, "/README", "CACHED FIELD ACCESS-METHOD AFTP '' '' '' '' TEXT")
	link("L", "EXTERNAL", "session", telnet, "", "CACHED FIELD ACCESS-METHOD TELNET '' '' '' '' 'type help'")
	link("L", "EXTERNAL", "local file", own, "/etc/motd", "CACHED FIELD ACCESS-METHOD LOCAL '' '' '' ''")
	link("L", "DIRECTORY", "filtered", own, "/pros/many", "LINK FIELD FILTER FILTER DIRECTORY POST SERVER PREDEFINED short ARGS 10")
	done("/pros/elsewhere")

	for i := range 1000 {
		name := fmt.Sprintf("link-%04d", i)
		link("L", "DIRECTORY", name, own, "")
	}
	done("/pros/many")
	return nil
}

// prosperoHost is host:port as Prospero writes it, with the host type.
func prosperoHost(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	return "INTERNET-D " + host + "(" + port + ")"
}
