// Package rewarp rewrites trees of delayed raster operations and runs them.
//
// A tree says what to do to images on disk: load, crop, warp, overview,
// dequantize, concat. Nothing is read until it is evaluated. Before that the
// tree is rewritten into one of the same meaning that reads the fewest pixels
// and resamples once.
//
//	session, err := rewarp.Open(ctx)
//	defer session.Close()
//
//	tree, err := ast.FromURI("image.tif", "").Scale(0.5).Crop(image.Rect(0, 0, 128, 128)).Node()
//	plan, err := session.Plan(ctx, tree)
//	err = rewarp.Save(ctx, plan, "out.tif", rewarp.SaveOptions{})
//
// This package only wires the defaults together. The parts are packages of
// their own:
//
//   - ast has the nodes, their builders, tree files and metadata;
//   - rewrite is the engine: rules, passes, pipelines;
//   - rules has the built-in rules;
//   - eval compiles trees to plans and runs them;
//   - gdalio reads and writes rasters through GDAL, and eval/imagefile some
//     formats without it; gdalio/vrt exchanges trees with VRT, GDAL's command
//     lines and delayed_image;
//   - eval/feature takes masks, boxes and points through the tree of an image;
//   - script reads trees and rules from Starlark;
//   - rewrite/rewritetest tries to break rules and custom nodes.
//
// Programs to start from are in examples, and what stays the same between
// releases is in docs/compatibility.md.
package rewarp
