//go:build cgo

package gdalio

/*
#cgo pkg-config: gdal
#include <stdlib.h>
#include <cpl_conv.h>
#include <cpl_string.h>
#include "gdal_bind.h"
*/
import "C"

import (
	"strings"
	"sync"
	"unsafe"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// register makes the drivers known, once a process. It is all that the package
// does to the process unasked.
var register = sync.OnceFunc(func() { C.rw_init() })

func errorOf(e *C.rw_error) error {
	text := strings.Join(strings.Fields(C.GoString(&e.text[0])), " ")
	if text == "" {
		text = "GDAL failed without saying why"
	}
	return libError(text)
}

// gdalType is the type code of t. Before GDAL 3.7 there is no int8: the bytes
// go through as uint8.
func gdalType(t raster.DataType) C.int {
	switch t {
	case raster.Uint8, raster.Int8:
		if t == raster.Int8 && hasInt8 {
			return gdtInt8
		}
		return C.GDT_Byte
	case raster.Uint16:
		return C.GDT_UInt16
	case raster.Int16:
		return C.GDT_Int16
	case raster.Uint32:
		return C.GDT_UInt32
	case raster.Int32:
		return C.GDT_Int32
	case raster.Float32:
		return C.GDT_Float32
	case raster.Float64:
		return C.GDT_Float64
	}
	return C.GDT_Unknown
}

// gdtInt8 is GDT_Int8, which headers before 3.7 do not name.
const gdtInt8 = 14

const hasInt8 = C.GDAL_VERSION_NUM >= 3070000

func dataType(b *C.rw_band) raster.DataType {
	switch b._type {
	case C.GDT_Byte:
		if b.signed_byte != 0 {
			return raster.Int8
		}
		return raster.Uint8
	case C.GDT_UInt16:
		return raster.Uint16
	case C.GDT_Int16:
		return raster.Int16
	case C.GDT_UInt32:
		return raster.Uint32
	case C.GDT_Int32:
		return raster.Int32
	case C.GDT_Float32:
		return raster.Float32
	case C.GDT_Float64:
		return raster.Float64
	}
	if hasInt8 && b._type == gdtInt8 {
		return raster.Int8
	}
	return raster.Unknown
}

func role(interp C.int) colorRole {
	switch interp {
	case C.GCI_RedBand:
		return colorRed
	case C.GCI_GreenBand:
		return colorGreen
	case C.GCI_BlueBand:
		return colorBlue
	case C.GCI_AlphaBand:
		return colorAlpha
	}
	return colorOther
}

// cStrings is a NULL-terminated array of C strings, NULL when there are none.
type cStrings struct{ p **C.char }

func newCStrings(list []string) cStrings {
	if len(list) == 0 {
		return cStrings{}
	}
	p := (**C.char)(C.calloc(C.size_t(len(list)+1), C.size_t(unsafe.Sizeof(uintptr(0)))))
	for i, s := range list {
		unsafe.Slice(p, len(list))[i] = C.CString(s)
	}
	return cStrings{p}
}

func (c cStrings) free() {
	if c.p == nil {
		return
	}
	for _, s := range unsafe.Slice(c.p, c.len()) {
		C.free(unsafe.Pointer(s))
	}
	C.free(unsafe.Pointer(c.p))
}

func (c cStrings) len() int {
	n := 0
	for p := c.p; p != nil && *p != nil; p = (**C.char)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(uintptr(0)))) {
		n++
	}
	return n
}

func (c cStrings) strings() []string {
	var list []string
	for _, s := range unsafe.Slice(c.p, c.len()) {
		list = append(list, C.GoString(s))
	}
	return list
}

type handle struct{ d *C.rw_dataset }

func libOpen(path string, drivers, options []string) (dataset, error) {
	register()
	p, dr, op := C.CString(path), newCStrings(drivers), newCStrings(options)
	defer C.free(unsafe.Pointer(p))
	defer dr.free()
	defer op.free()
	var e C.rw_error
	d := C.rw_open(p, dr.p, op.p, &e)
	if d == nil {
		return nil, errorOf(&e)
	}
	return &handle{d}, nil
}

func libIdentify(path string) string {
	register()
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	return C.GoString(C.rw_identify(p))
}

func (h *handle) describe(maxBands int) (*info, error) {
	r := &h.d.info
	if r.band == nil && C.rw_describe(h.d, C.int(maxBands)) == 0 {
		return nil, errorOf(&h.d.err)
	}
	in := &info{
		driver: C.GoString(r.driver),
		size:   geom.Size{W: int(r.w), H: int(r.h)},
		block:  geom.Size{W: int(r.block_w), H: int(r.block_h)},
		count:  int(r.bands),
	}
	if r.band == nil {
		return in, nil
	}
	for k := range int(r.levels) {
		s := unsafe.Slice(r.level_size, 2*r.levels)[2*k:]
		in.levels = append(in.levels, geom.Size{W: int(s[0]), H: int(s[1])})
	}
	in.bands = make([]bandInfo, in.count)
	for i := range in.bands {
		b := &unsafe.Slice(r.band, in.count)[i]
		in.bands[i] = bandInfo{
			name:       C.GoString(b.name),
			typ:        dataType(b),
			typeName:   C.GoString(C.GDALGetDataTypeName(C.GDALDataType(b._type))),
			signedByte: b.signed_byte != 0,
			noData:     float64(b.nodata),
			hasNoData:  b.has_nodata != 0,
			color:      role(b.interp),
			mask:       maskKind(b.mask),
		}
	}
	if r.has_geo != 0 {
		in.geo = new([6]float64)
		for i, v := range r.geo {
			in.geo[i] = float64(v)
		}
	}
	in.srs = C.GoString(r.wkt)
	return in, nil
}

func (h *handle) files() []string {
	list := C.rw_files(h.d)
	defer C.CSLDestroy(list)
	return cStrings{list}.strings()
}

func (h *handle) read(r *readRequest) error {
	ok := C.rw_read(h.d, C.int(r.level), C.int(r.x), C.int(r.y), C.int(r.w), C.int(r.h),
		C.int(len(r.bands)), (*C.int)(unsafe.Pointer(unsafe.SliceData(r.bands))), gdalType(r.typ),
		unsafe.Pointer(unsafe.SliceData(r.data)), (*C.uchar)(unsafe.SliceData(r.mask)), (*C.int)(unsafe.Pointer(r.cancel)))
	if ok == 0 {
		return errorOf(&h.d.err)
	}
	return nil
}

func (h *handle) write(r *writeRequest) error {
	ok := C.rw_write(h.d, C.int(r.x), C.int(r.y), C.int(r.w), C.int(r.h), C.int(r.bands), gdalType(r.typ),
		unsafe.Pointer(unsafe.SliceData(r.data)), gdalType(r.maskType), unsafe.Pointer(unsafe.SliceData(r.mask)),
		(*C.int)(unsafe.Pointer(r.cancel)))
	if ok == 0 {
		return errorOf(&h.d.err)
	}
	return nil
}

func (h *handle) close() error {
	var e C.rw_error
	ok := C.rw_close(h.d, &e)
	h.d = nil
	if ok == 0 {
		return errorOf(&e)
	}
	return nil
}

// libInflate goes through GDAL, which has the fastest inflater that it was built
// with.
func libInflate(dst, src []byte) int {
	if len(dst) == 0 || len(src) == 0 {
		return -1
	}
	return int(C.rw_inflate(unsafe.Pointer(&dst[0]), C.size_t(len(dst)), unsafe.Pointer(&src[0]), C.size_t(len(src))))
}

func libCheckOptions(driver string, options []string) error {
	d, op := C.CString(driver), newCStrings(options)
	defer C.free(unsafe.Pointer(d))
	defer op.free()
	var e C.rw_error
	if C.rw_check_options(d, op.p, &e) == 0 {
		return errorOf(&e)
	}
	return nil
}

func libCreate(c *creation) (canvas, error) {
	register()
	driver, path := C.CString(c.driver), C.CString(c.path)
	options, names := newCStrings(c.options), newCStrings(c.names)
	defer C.free(unsafe.Pointer(driver))
	defer C.free(unsafe.Pointer(path))
	defer options.free()
	defer names.free()
	var wkt *C.char
	if c.srs != "" {
		wkt = C.CString(c.srs)
		defer C.free(unsafe.Pointer(wkt))
	}
	var geo *C.double
	if c.geo != nil {
		geo = (*C.double)(&c.geo[0])
	}
	has := make([]C.int, len(c.hasNoData))
	for i, b := range c.hasNoData {
		if b {
			has[i] = 1
		}
	}
	mask := C.int(0)
	if c.mask {
		mask = 1
	}
	var e C.rw_error
	d := C.rw_create(driver, path, C.int(c.size.W), C.int(c.size.H), C.int(len(c.names)), gdalType(c.typ), options.p,
		geo, wkt, names.p, unsafe.SliceData(has), (*C.double)(unsafe.SliceData(c.noData)), mask, C.int(c.alpha), C.int(c.alphaMask), &e)
	if d == nil {
		return nil, errorOf(&e)
	}
	return &handle{d}, nil
}

func libCopy(driver, from, to string, options []string, cancel *int32) error {
	d, f, t, op := C.CString(driver), C.CString(from), C.CString(to), newCStrings(options)
	defer C.free(unsafe.Pointer(d))
	defer C.free(unsafe.Pointer(f))
	defer C.free(unsafe.Pointer(t))
	defer op.free()
	var e C.rw_error
	if C.rw_copy(d, f, t, op.p, (*C.int)(unsafe.Pointer(cancel)), &e) == 0 {
		return errorOf(&e)
	}
	return nil
}

func libDrivers() []Driver {
	register()
	var list []Driver
	for i := C.int(0); ; i++ {
		var name, long, ext, types *C.char
		var create, createCopy C.int
		if C.rw_driver(i, &name, &long, &ext, &types, &create, &createCopy) == 0 {
			return list
		}
		if name == nil {
			continue
		}
		list = append(list, Driver{
			Name:       C.GoString(name),
			LongName:   C.GoString(long),
			Extensions: strings.Fields(C.GoString(ext)),
			Create:     create != 0,
			CreateCopy: createCopy != 0,
			types:      strings.Fields(C.GoString(types)),
		})
	}
}

func libVersion() string {
	key := C.CString("RELEASE_NAME")
	defer C.free(unsafe.Pointer(key))
	return C.GoString(C.GDALVersionInfo(key))
}

func libCacheMax() int64 { return int64(C.GDALGetCacheMax64()) }

func libSetCacheMax(bytes int64) { C.GDALSetCacheMax64(C.GIntBig(bytes)) }

func libConfigOption(name string) (string, bool) {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	v := C.CPLGetConfigOption(n, nil)
	return C.GoString(v), v != nil
}

// libSetConfigOption unsets the option when value is nil.
func libSetConfigOption(name string, value *string) {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	var v *C.char
	if value != nil {
		v = C.CString(*value)
		defer C.free(unsafe.Pointer(v))
	}
	C.CPLSetConfigOption(n, v)
}
