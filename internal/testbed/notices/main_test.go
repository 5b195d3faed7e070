package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gofer/docs"
	"gofer/internal/testbed/fetchtest"
)

// TestLicenses checks that docs/licenses.txt contains the license of each module that is linked
// on this system. .ci/dist checks all systems and the texts.
func TestLicenses(t *testing.T) {
	modules, err := listLinkedModules(runtime.GOOS)
	fetchtest.NoError(t, err)
	if len(modules) < 20 {
		t.Errorf("got %d modules, want at least 20", len(modules))
	}
	for _, m := range modules {
		text, err := readLicenses(m.Dir)
		fetchtest.NoError(t, err)
		if !strings.Contains(docs.Licenses, "\n"+m.Path+" "+m.Version+"\n") || !strings.Contains(docs.Licenses, text) {
			t.Errorf("docs/licenses.txt lacks %s %s: go run ./internal/testbed/notices licenses >docs/licenses.txt", m.Path, m.Version)
		}
	}
	if _, err := readLicenses(t.TempDir()); err == nil {
		t.Error("readLicenses of an empty folder: got no error")
	}
}

func TestSBOM(t *testing.T) {
	self, err := os.Executable()
	fetchtest.NoError(t, err)
	var b bytes.Buffer
	fetchtest.NoError(t, run([]string{"sbom", self, "1.2"}, &b))
	var doc struct {
		BOMFormat  string
		Metadata   struct{ Component component }
		Components []component
	}
	fetchtest.NoError(t, json.Unmarshal(b.Bytes(), &doc))
	if doc.BOMFormat != "CycloneDX" || doc.Metadata.Component.Name != "gofer" || doc.Metadata.Component.Version != "1.2" ||
		doc.Components[0].Name != "std" {
		t.Errorf("got %s\nwant a CycloneDX document of gofer 1.2 with the component std", b.String())
	}
	if run([]string{"sbom", filepath.Join(t.TempDir(), "none"), "1"}, &b) == nil || run(nil, &b) == nil {
		t.Error("run with a missing program, or without arguments: got no error")
	}
}
