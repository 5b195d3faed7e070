// Notices writes the licenses of the modules that gofer is linked with, or the software bill of
// materials of a program. It is not part of gofer.
//
//	notices licenses             writes docs/licenses.txt to standard output
//	notices sbom PROGRAM VERSION writes a CycloneDX 1.6 document about a built program
package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// systems lists the systems that gofer is built for. Some modules are linked on one system only.
var systems = []string{"linux", "darwin", "windows", "freebsd", "openbsd", "netbsd"}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == "licenses":
		return writeLicenses(w)
	case len(args) == 3 && args[0] == "sbom":
		return writeSBOM(w, args[1], args[2])
	}
	return errors.New("usage: notices licenses | notices sbom PROGRAM VERSION")
}

// module is a module and the folder of its sources.
type module struct{ Path, Version, Dir string }

// listLinkedModules returns the modules that gofer is linked with on a system, without gofer itself.
func listLinkedModules(system string) ([]module, error) {
	info, _ := debug.ReadBuildInfo() // always present in a program built with modules
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", info.Main.Path)
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w", system, err)
	}
	var all []module
	for line := range strings.Lines(string(out)) {
		if fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(fields) == 3 {
			all = append(all, module{fields[0], fields[1], fields[2]})
		}
	}
	return all, nil
}

// licenseFile matches the names of files with license terms. Every copy of gofer must contain these terms.
var licenseFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|patents)`)

// readLicenses returns the texts of the license files in a folder.
func readLicenses(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, e := range entries {
		if !licenseFile.MatchString(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		data = bytes.ReplaceAll(bytes.TrimSpace(data), []byte("\r\n"), []byte("\n"))
		texts = append(texts, string(data))
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("%s has no license file", dir)
	}
	return strings.Join(texts, "\n\n"), nil
}

// writeLicenses writes the licenses of gofer, of Go and of all linked modules. Modules with
// the same text share one section.
func writeLicenses(w io.Writer) error {
	goRoot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	modules := []module{{"The standard library of Go", "", strings.TrimSpace(string(goRoot))}}
	for _, system := range systems {
		found, err := listLinkedModules(system)
		if err != nil {
			return err
		}
		modules = append(modules, found...)
	}
	slices.SortFunc(modules[1:], func(a, b module) int { return cmp.Compare(a.Path, b.Path) })
	names := make(map[string][]string) // names of modules by license text
	var texts []string
	for _, m := range slices.Compact(modules) {
		text, err := readLicenses(m.Dir)
		if err != nil {
			return err
		}
		if names[text] == nil {
			texts = append(texts, text)
		}
		names[text] = append(names[text], strings.TrimSpace(m.Path+" "+m.Version))
	}
	own, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s\n\ngofer is linked with the following modules.\n", bytes.TrimSpace(own))
	rule := strings.Repeat("=", 72)
	for _, text := range texts {
		fmt.Fprintf(w, "\n%s\n%s\n%s\n\n%s\n", rule, strings.Join(names[text], "\n"), rule, text)
	}
	return nil
}

// component is a CycloneDX component.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

// writeSBOM writes a CycloneDX document about the modules in the build information of a Go
// program. It contains neither a time nor a random number, so that the same program gives the
// same document.
func writeSBOM(w io.Writer, path, version string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	parts := []component{{"library", "std", strings.TrimPrefix(info.GoVersion, "go"), "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, component{"library", m.Path, m.Version, "pkg:golang/" + m.Path + "@" + m.Version})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"component": component{"application", "gofer", version, "pkg:golang/" + info.Main.Path + "@" + version}},
		"components": parts,
	})
}
