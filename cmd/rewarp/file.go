package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rewarp/rewarp/internal/oserr"
)

// writeFile writes a file whole or not at all: under another name first. What
// is there and no regular file, such as a pipe, is written to as it is.
func writeFile(path string, data []byte) error {
	fi, err := os.Stat(path)
	if err == nil && !fi.Mode().IsRegular() {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return fmt.Errorf("cannot write %s: %w", path, oserr.Cause(err))
		}
		return nil
	}
	perm := fs.FileMode(0o666) // less the umask
	if err == nil {
		perm = fi.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	temporary := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d", filepath.Base(path), os.Getpid()))
	if err := writeNew(temporary, data, perm); err != nil {
		err = fmt.Errorf("cannot write %s: %w", path, oserr.Cause(err))
		if errors.Is(err, fs.ErrNotExist) {
			return &hinted{err, "create the folder first"}
		}
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		os.Remove(temporary)
		return fmt.Errorf("cannot write %s: %w", path, oserr.Cause(err))
	}
	return nil
}

func writeNew(path string, data []byte, perm fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}
