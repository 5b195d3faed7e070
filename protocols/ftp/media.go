package ftp

import (
	"path"

	"gofer/protocols"
)

// kindOf is what an entry leads to as far as it is known: the type that the
// listing tells, else what the suffix promises, its own or that of what a link
// points to.
func kindOf(e entry) protocols.Kind {
	switch e.kind {
	case directory:
		return protocols.Directory
	case special:
		return protocols.Other
	}
	if _, kind := protocols.BySuffix(e.name); kind != protocols.Other {
		return kind
	}
	if e.kind == link && e.target != "" {
		_, kind := protocols.BySuffix(path.Base(e.target))
		return kind
	}
	if e.kind == file {
		return protocols.Binary
	}
	return protocols.Other
}
