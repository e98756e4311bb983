// Package feature holds what belongs to one picture, typed: the image, masks
// of labels, boxes, points, polygons, and a video as a stack of frames. One
// tree is applied to all of them at once:
//
//	pipeline, err := feature.NewPipeline(session, func(x ast.Node) (ast.Node, error) {
//		return ast.From(x).Rotate(0.3).Crop(window).Node()
//	})
//	out, report, err := pipeline.Apply(ctx, feature.Sample{
//		Image: img, Masks: []feature.Mask{mask}, Boxes: []feature.Boxes{boxes},
//	})
//
// The image is resampled once, masks with nearest (or mode), and geometry is
// mapped by the exact composite transform and clipped to what shows.
//
// There are two ways to a typed feature. The New functions take anything
// reasonable, look at all of it, and guess metadata that is not given. The
// WrapLike methods attach the metadata of a reference to a buffer that is
// there already: they copy nothing, allocate nothing, and check only what
// takes constant time. Features are small values that share their buffers;
// neither they nor this package change a buffer after it was wrapped.
//
// Coordinates are continuous, x to the right and y down, in pixels; pixel
// (i, j) covers [i, i+1) × [j, j+1).
package feature
