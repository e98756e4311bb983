package script_test

import "flag"

// rewriting reports whether the flag of package datadriven is set.
func rewriting() bool {
	f := flag.Lookup("rewrite")
	return f != nil && f.Value.String() == "true"
}
