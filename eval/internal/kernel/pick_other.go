//go:build !amd64

package kernel

import "github.com/rewarp/rewarp/ast/raster"

func pickVectors[T raster.Sample](_ Set, _, _ []T, _ int, _ []int32) int { return 0 }
