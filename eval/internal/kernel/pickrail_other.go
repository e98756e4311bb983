//go:build !amd64

package kernel

import "github.com/rewarp/rewarp/ast/raster"

func railPicksOf(_ Set, _, _ int) (pick, stream railPick) { return nil, nil }

func atLine[T any](_ *T) bool { return false }

func pickAlong[T raster.Sample](_ railPick, _, _ []T, _ *rail, _, _ []int32, _ int, _ ahead) bool {
	return false
}
