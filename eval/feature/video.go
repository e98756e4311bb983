package feature

import (
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// Video is a stack of frames of one shape. The zero Video holds nothing.
type Video struct {
	frames []*raster.Buffer
	meta   *imageMeta
}

// NewVideo makes a video of []*raster.Buffer, which is kept and must not change
// any more, of []Image, or of another Video. Every frame must have the size,
// bands and type of the first. Colour space and bands are given or guessed as
// for NewImage.
func NewVideo(from any, opts ...ImageOption) (Video, error) {
	var frames []*raster.Buffer
	var like any
	switch from := from.(type) {
	case []*raster.Buffer:
		frames = from
		if len(frames) > 0 {
			like = frames[0]
		}
	case []Image:
		frames = make([]*raster.Buffer, len(from))
		for i := range from {
			frames[i] = from[i].pix
		}
		if len(from) > 0 {
			like = from[0]
		}
	case Video:
		frames = from.frames
		if len(frames) > 0 {
			like = from.Frame(0)
		}
	default:
		return Video{}, fmt.Errorf("feature: a video cannot be made of %T, expected []*raster.Buffer, []Image or Video", from)
	}
	if len(frames) == 0 {
		return Video{}, fmt.Errorf("feature: a video has at least one frame")
	}
	head, err := NewImage(like, opts...)
	if err != nil {
		return Video{}, err
	}
	for i, f := range frames {
		if err := checkPixels(fmt.Sprintf("frame %d", i), f); err != nil {
			return Video{}, err
		}
		if a := frames[0]; f.W != a.W || f.H != a.H || f.Bands != a.Bands || f.Type != a.Type {
			return Video{}, fmt.Errorf("feature: frame %d is %d×%d×%d of %v, the first is %d×%d×%d of %v",
				i, f.W, f.H, f.Bands, f.Type, a.W, a.H, a.Bands, a.Type)
		}
	}
	return Video{frames, head.meta}, nil
}

// WrapLike is a video of other frames with the metadata of v: any number of
// any size, with as many bands and of the same type. Nothing is copied, and of
// the frames only the first is looked at.
func (v Video) WrapLike(frames []*raster.Buffer) (Video, error) {
	if len(frames) == 0 || frames[0] == nil || v.meta == nil || v.meta.shape != shapeOf(frames[0]) {
		return Video{}, &LikeError{"video", first(v.frames), first(frames)}
	}
	return Video{frames, v.meta}, nil
}

func first(frames []*raster.Buffer) *raster.Buffer {
	if len(frames) == 0 {
		return nil
	}
	return frames[0]
}

// IsZero reports whether the video holds nothing.
func (v Video) IsZero() bool { return len(v.frames) == 0 }

// Len is the number of frames.
func (v Video) Len() int { return len(v.frames) }

// Frame is the i-th frame; of a video without frames it is the zero Image.
func (v Video) Frame(i int) Image {
	if len(v.frames) == 0 {
		return Image{}
	}
	return Image{v.frames[i], v.meta}
}

// Frames is the pixels of all frames, shared: they must not be changed.
func (v Video) Frames() []*raster.Buffer { return v.frames }

// Size is the canvas of every frame, in pixels.
func (v Video) Size() geom.Size { return v.Frame(0).Size() }

// Space is the colour space.
func (v Video) Space() ColorSpace { return v.Frame(0).Space() }

// Bands describes the bands: a copy.
func (v Video) Bands() []ast.Band { return v.Frame(0).Bands() }
