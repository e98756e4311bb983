package gdalio

import "github.com/rewarp/rewarp/eval"

// ReadsPastGDAL reports whether a level's blocks are read from the file itself.
func ReadsPastGDAL(s eval.Source, level int) bool { return s.(*source).past().has(level) }
