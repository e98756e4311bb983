//go:build !amd64

package kernel

import "github.com/rewarp/rewarp/ast/raster"

func lerp16[T raster.Sample](_ Set, _, _ []T, _, _ int, _ []int32, _, _ []float32) bool { return false }
