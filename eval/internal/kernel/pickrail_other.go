//go:build !amd64

package kernel

import "github.com/rewarp/rewarp/ast/raster"

func railPickOf(_ Set, _, _ int) railPick { return nil }

func pickAlong[T raster.Sample](_ railPick, _, _ []T, _ *rail, _, _ []int32, _ int, _ ahead) bool {
	return false
}

func stream[T raster.Sample](dst, src []T) { copy(dst, src) }
