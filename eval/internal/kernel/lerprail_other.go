//go:build !amd64

package kernel

import "github.com/rewarp/rewarp/ast/raster"

func lerpRailsOf[T raster.Sample](_ Set, _, _ int) (l lerpRails) { return l }

func interpolateAlong[T raster.Sample](_ lerpRail, _, _ []T, _, _ int, _ *rail, _, _ []int32, _ ahead) bool {
	return false
}
