//go:build cgo

#include "gdal_bind.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// libjpeg fills up what a JPEG lacks with gray, and only warns.
static int made_up_pixels(const char *msg) {
	return strstr(msg, "remature end of JPEG") != NULL || strstr(msg, "remature end of data segment") != NULL ||
	       strstr(msg, "bad Huffman code") != NULL;
}

// Keeps the first two failures that differ: the cause, and what GDAL could not
// do for it. What follows is about the wreck.
static void CPL_STDCALL on_error(CPLErr class, CPLErrorNum num, const char *msg) {
	rw_error *e = CPLGetErrorHandlerUserData();
	(void)num;
	if (class == CE_Warning && msg != NULL && made_up_pixels(msg))
		class = CE_Failure;
	if (e == NULL || msg == NULL || class < CE_Warning || (class == CE_Warning && e->failures > 0))
		return;
	if (class == CE_Warning || e->failures == 0)
		e->text[0] = 0;
	if (class >= CE_Failure)
		e->failures++;
	if (e->failures > 1 && (e->kept > 1 || strstr(e->text, msg) != NULL))
		return;
	e->kept = e->failures > 1 ? 2 : 1;
	size_t used = strlen(e->text);
	snprintf(e->text + used, sizeof e->text - used, "%s%s", used > 0 ? "; " : "", msg);
}

void rw_begin(rw_error *e) {
	e->failures = e->kept = 0;
	e->text[0] = 0;
	CPLErrorReset();
	CPLPushErrorHandlerEx(on_error, e);
}

int rw_end(rw_error *e, int ok) {
	CPLPopErrorHandler();
	CPLErrorReset();
	return ok && e->failures == 0;
}

// Ends a call whose result alone decides: GDAL may report a failure of
// something that it tried and then did without.
int rw_end_lenient(int ok) {
	CPLPopErrorHandler();
	CPLErrorReset();
	return ok;
}

int CPL_STDCALL rw_progress(double done, const char *msg, void *arg) {
	(void)done, (void)msg;
	return arg == NULL || !__atomic_load_n((const int *)arg, __ATOMIC_RELAXED);
}

void rw_no_memory(rw_error *e) {
	e->failures = 1;
	strcpy(e->text, "out of memory");
}

void rw_init(void) {
	rw_error e;
	rw_begin(&e);
	GDALAllRegister();
	rw_end(&e, 1);
}

rw_dataset *rw_open(const char *path, const char *const *drivers, const char *const *options, rw_error *err) {
	rw_dataset *d = calloc(1, sizeof *d);
	if (d == NULL) {
		rw_no_memory(err);
		return NULL;
	}
	rw_begin(err);
	d->ds = GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, drivers, options, NULL);
	if (!rw_end_lenient(d->ds != NULL)) {
		free(d);
		return NULL;
	}
	return d;
}

const char *rw_identify(const char *path) {
	rw_error e;
	rw_begin(&e);
	GDALDriverH d = GDALIdentifyDriverEx(path, GDAL_OF_RASTER, NULL, NULL);
	rw_end_lenient(1);
	return d ? GDALGetDriverShortName(d) : NULL;
}

static int find_alpha(GDALDatasetH ds, int n) {
	for (int i = n; i >= 1; i--)
		if (GDALGetRasterColorInterpretation(GDALGetRasterBand(ds, i)) == GCI_AlphaBand)
			return i;
	return 0;
}

// A mask made from each band's own nodata value is no mask here, since the
// reader of the samples compares them itself. One made from NODATA_VALUES
// (pixel invalid where all bands match) is.
static int mask_kind(GDALRasterBandH b, int number, int alpha) {
	int f = GDALGetMaskFlags(b);
	if (!(f & GMF_ALL_VALID) && !(f & GMF_ALPHA) && (!(f & GMF_NODATA) || (f & GMF_PER_DATASET)))
		return f & GMF_PER_DATASET ? RW_MASK_DATASET : RW_MASK_BAND;
	return alpha != 0 && alpha != number ? RW_MASK_ALPHA : RW_MASK_NONE;
}

// A level counts when every band has it in the same size.
static int count_levels(GDALDatasetH ds, int n, int *size, int max) {
	int levels = max;
	for (int i = 1; i <= n; i++) {
		GDALRasterBandH b = GDALGetRasterBand(ds, i);
		int have = GDALGetOverviewCount(b);
		levels = have < levels ? have : levels;
		for (int k = 0; k < levels; k++) {
			GDALRasterBandH o = GDALGetOverview(b, k);
			int w = o ? GDALGetRasterBandXSize(o) : 0, h = o ? GDALGetRasterBandYSize(o) : 0;
			if (i == 1)
				size[2 * k] = w, size[2 * k + 1] = h;
			if (w < 1 || h < 1 || w != size[2 * k] || h != size[2 * k + 1])
				levels = k;
		}
	}
	return levels;
}

static void describe_band(GDALRasterBandH b, rw_band *r) {
	const char *pixel_type = GDALGetMetadataItem(b, "PIXELTYPE", "IMAGE_STRUCTURE");
	r->type = GDALGetRasterDataType(b);
	r->signed_byte = r->type == GDT_Byte && pixel_type != NULL && EQUAL(pixel_type, "SIGNEDBYTE");
	if (r->type != GDT_Int64 && r->type != GDT_UInt64)
		r->nodata = GDALGetRasterNoDataValue(b, &r->has_nodata);
	r->interp = GDALGetRasterColorInterpretation(b);
	r->name = GDALGetDescription(b);
}

// The strings belong to the dataset. More than max_bands bands are counted, not
// described.
int rw_describe(rw_dataset *d, int max_bands) {
	rw_info *r = &d->info;
	rw_begin(&d->err);
	GDALDriverH driver = GDALGetDatasetDriver(d->ds);
	r->driver = driver ? GDALGetDriverShortName(driver) : NULL;
	r->w = GDALGetRasterXSize(d->ds), r->h = GDALGetRasterYSize(d->ds), r->bands = GDALGetRasterCount(d->ds);
	if (r->bands < 1 || r->bands > max_bands)
		return rw_end_lenient(1);
	GDALRasterBandH first = GDALGetRasterBand(d->ds, 1);
	GDALGetBlockSize(first, &r->block_w, &r->block_h);
	int levels = GDALGetOverviewCount(first);
	levels = levels < 0 ? 0 : levels;
	r->level_size = calloc(2 * levels + 1, sizeof *r->level_size);
	r->band = calloc(r->bands, sizeof *r->band);
	if (r->level_size == NULL || r->band == NULL) {
		rw_no_memory(&d->err);
		return rw_end_lenient(0);
	}
	r->levels = count_levels(d->ds, r->bands, r->level_size, levels);
	r->alpha = find_alpha(d->ds, r->bands);
	for (int i = 0; i < r->bands; i++) {
		GDALRasterBandH b = GDALGetRasterBand(d->ds, i + 1);
		describe_band(b, &r->band[i]);
		r->band[i].mask = mask_kind(b, i + 1, r->alpha);
		// NODATA_VALUES overrides what each band declares for itself.
		int f = GDALGetMaskFlags(b);
		if ((f & GMF_NODATA) && (f & GMF_PER_DATASET))
			r->band[i].has_nodata = 0;
	}
	r->has_geo = GDALGetGeoTransform(d->ds, r->geo) == CE_None;
	r->wkt = GDALGetProjectionRef(d->ds);
	return rw_end_lenient(1);
}

char **rw_files(rw_dataset *d) {
	rw_begin(&d->err);
	char **list = GDALGetFileList(d->ds);
	rw_end_lenient(1);
	return list;
}

// Closing writes what is still cached, so its failures matter when writing.
// GDALFlushCache and GDALClose return nothing in GDAL 3.6: the handler tells.
int rw_close(rw_dataset *d, rw_error *err) {
	rw_begin(err);
	GDALFlushCache(d->ds);
	GDALClose(d->ds);
	free(d->info.level_size);
	free(d->info.band);
	free(d->map);
	free(d);
	return rw_end(err, 1);
}

static GDALRasterBandH level_band(GDALDatasetH ds, int number, int level) {
	GDALRasterBandH b = GDALGetRasterBand(ds, number);
	return b != NULL && level > 0 ? GDALGetOverview(b, level - 1) : b;
}

// Finds the one dataset whose bands are the level's bands, so that they can be
// read together: a block with all its bands is then decoded once.
static GDALDatasetH level_dataset(rw_dataset *d, int level, int n, const int *bands) {
	if (level == 0) {
		memcpy(d->map, bands, n * sizeof *bands);
		return d->ds;
	}
	GDALDatasetH common = NULL;
	for (int i = 0; i < n; i++) {
		GDALRasterBandH b = level_band(d->ds, bands[i], level);
		GDALDatasetH ds = b ? GDALGetBandDataset(b) : NULL;
		if (ds == NULL || ds == d->ds || (common != NULL && ds != common))
			return NULL;
		common = ds;
		d->map[i] = GDALGetBandNumber(b);
		if (d->map[i] < 1 || d->map[i] > GDALGetRasterCount(ds) || GDALGetRasterBand(ds, d->map[i]) != b ||
		    GDALGetRasterXSize(ds) != GDALGetRasterBandXSize(b) || GDALGetRasterYSize(ds) != GDALGetRasterBandYSize(b))
			return NULL;
	}
	return common;
}

static int same_size(GDALRasterBandH a, GDALRasterBandH b) {
	return GDALGetRasterBandXSize(a) == GDALGetRasterBandXSize(b) && GDALGetRasterBandYSize(a) == GDALGetRasterBandYSize(b);
}

// The band to read the validity of a band at a level from. It has the size of
// the level, or, where the file reduced the samples but not the mask, is the
// full mask.
static GDALRasterBandH mask_band(rw_dataset *d, int number, int level) {
	if (d->info.band[number - 1].mask == RW_MASK_ALPHA)
		return level_band(d->ds, d->info.alpha, level);
	GDALRasterBandH full = GDALGetMaskBand(GDALGetRasterBand(d->ds, number));
	GDALRasterBandH b = level_band(d->ds, number, level);
	if (level == 0 || b == NULL || full == NULL)
		return full;
	int f = GDALGetMaskFlags(b);
	if (!(f & (GMF_ALL_VALID | GMF_NODATA))) {
		GDALRasterBandH m = GDALGetMaskBand(b);
		if (m != NULL && same_size(m, b))
			return m;
	}
	for (int k = 0; k < GDALGetOverviewCount(full); k++) {
		GDALRasterBandH m = GDALGetOverview(full, k);
		if (m != NULL && same_size(m, b))
			return m;
	}
	return full;
}

static CPLErr read_mask(GDALRasterBandH m, GDALRasterBandH b, int x, int y, int w, int h, unsigned char *out, int step,
                        GDALRasterIOExtraArg *progress) {
	GDALRasterIOExtraArg arg = *progress;
	int sx = x, sy = y, sw = w, sh = h;
	if (!same_size(m, b)) {
		double fx = (double)GDALGetRasterBandXSize(m) / GDALGetRasterBandXSize(b);
		double fy = (double)GDALGetRasterBandYSize(m) / GDALGetRasterBandYSize(b);
		arg.eResampleAlg = GRIORA_NearestNeighbour;
		arg.bFloatingPointWindowValidity = TRUE;
		arg.dfXOff = x * fx, arg.dfYOff = y * fy, arg.dfXSize = w * fx, arg.dfYSize = h * fy;
		sx = (int)floor(arg.dfXOff), sy = (int)floor(arg.dfYOff);
		sw = (int)ceil(arg.dfXOff + arg.dfXSize - 1e-9) - sx, sh = (int)ceil(arg.dfYOff + arg.dfYSize - 1e-9) - sy;
		sw = sx + sw > GDALGetRasterBandXSize(m) ? GDALGetRasterBandXSize(m) - sx : sw;
		sh = sy + sh > GDALGetRasterBandYSize(m) ? GDALGetRasterBandYSize(m) - sy : sh;
	}
	int type = GDALGetRasterDataType(m);
	if (type == GDT_Byte || type == GDT_UInt16 || type == GDT_UInt32)
		return GDALRasterIOEx(m, GF_Read, sx, sy, sw, sh, out, w, h, GDT_Byte, step, (GSpacing)step * w, &arg);
	// An alpha band of another type: as bytes, what is below 0 or a small
	// fraction would become 0, which it is not.
	double *v = malloc((size_t)w * h * sizeof *v);
	if (v == NULL)
		return CE_Failure;
	CPLErr status = GDALRasterIOEx(m, GF_Read, sx, sy, sw, sh, v, w, h, GDT_Float64, 0, 0, &arg);
	for (size_t p = 0; status == CE_None && p < (size_t)w * h; p++)
		out[p * step] = v[p] != 0 ? 255 : 0;
	free(v);
	return status;
}

static CPLErr read_masks(rw_dataset *d, int level, int x, int y, int w, int h, int n, const int *bands,
                         unsigned char *out, GDALRasterIOExtraArg *arg) {
	size_t pixels = (size_t)w * h;
	int read[RW_MASK_ALPHA + 1] = {0}; // 1 + the column that already holds the mask of a kind
	for (int i = 0; i < n; i++) {
		int kind = d->info.band[bands[i] - 1].mask;
		if (kind == RW_MASK_NONE) {
			for (size_t p = 0; p < pixels; p++)
				out[p * n + i] = 255;
		} else if (kind != RW_MASK_BAND && read[kind] != 0) {
			const unsigned char *from = out + read[kind] - 1;
			for (size_t p = 0; p < pixels; p++)
				out[p * n + i] = from[p * n];
		} else {
			GDALRasterBandH m = mask_band(d, bands[i], level), b = level_band(d->ds, bands[i], level);
			if (m == NULL || b == NULL || read_mask(m, b, x, y, w, h, out + i, n, arg) != CE_None)
				return CE_Failure;
			read[kind] = i + 1;
		}
	}
	return CE_None;
}

int rw_read(rw_dataset *d, int level, int x, int y, int w, int h, int n, const int *bands, int type, void *data,
            unsigned char *mask, const int *cancel) {
	GSpacing size = GDALGetDataTypeSizeBytes(type);
	CPLErr status = CE_None;
	rw_begin(&d->err);
	if (d->map_len < n) {
		int *map = realloc(d->map, n * sizeof *map);
		if (map == NULL) {
			rw_no_memory(&d->err);
			return rw_end(&d->err, 0);
		}
		d->map = map, d->map_len = n;
	}
	GDALRasterIOExtraArg arg;
	INIT_RASTERIO_EXTRA_ARG(arg);
	arg.pfnProgress = rw_progress;
	arg.pProgressData = (void *)cancel;
	GDALDatasetH ds = level_dataset(d, level, n, bands);
	if (ds != NULL) {
		status = GDALDatasetRasterIOEx(ds, GF_Read, x, y, w, h, data, w, h, type, n, d->map, size * n, size * n * w, size,
		                               &arg);
	} else {
		for (int i = 0; i < n && status == CE_None; i++) {
			GDALRasterBandH b = level_band(d->ds, bands[i], level);
			status = b == NULL ? CE_Failure
			                   : GDALRasterIOEx(b, GF_Read, x, y, w, h, (char *)data + size * i, w, h, type, size * n,
			                                    size * n * w, &arg);
		}
	}
	if (status == CE_None && mask != NULL)
		status = read_masks(d, level, x, y, w, h, n, bands, mask, &arg);
	return rw_end(&d->err, status == CE_None);
}

long rw_inflate(void *dst, size_t dst_len, const void *src, size_t src_len) {
	size_t n = 0;
	return CPLZLibInflate(src, src_len, dst, dst_len, &n) != NULL ? (long)n : -1;
}

static int yes(GDALDriverH d, const char *key) {
	const char *v = GDALGetMetadataItem(d, key, NULL);
	return v != NULL && CPLTestBool(v);
}

int rw_driver(int i, const char **name, const char **long_name, const char **extensions, const char **types, int *create,
              int *create_copy) {
	if (i >= GDALGetDriverCount())
		return 0;
	GDALDriverH d = GDALGetDriver(i);
	if (!yes(d, GDAL_DCAP_RASTER)) {
		*name = NULL;
		return 1;
	}
	*name = GDALGetDriverShortName(d);
	*long_name = GDALGetDriverLongName(d);
	*extensions = GDALGetMetadataItem(d, GDAL_DMD_EXTENSIONS, NULL);
	if (*extensions == NULL)
		*extensions = GDALGetMetadataItem(d, GDAL_DMD_EXTENSION, NULL);
	*types = GDALGetMetadataItem(d, GDAL_DMD_CREATIONDATATYPES, NULL);
	*create = yes(d, GDAL_DCAP_CREATE);
	*create_copy = yes(d, GDAL_DCAP_CREATECOPY);
	return 1;
}
