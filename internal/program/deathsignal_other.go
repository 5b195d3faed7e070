//go:build unix && !linux && !freebsd

package program

import "syscall"

func setParentDeathSignal(*syscall.SysProcAttr) {}
