// One C helper for each action of the Go side, so that an action costs one cgo
// crossing, and so that GDAL's error handler, which belongs to a thread, is
// pushed and popped inside a single call.

#ifndef REWARP_GDAL_BIND_H
#define REWARP_GDAL_BIND_H

#include <gdal.h>

#define RW_TEXT 2048

// What GDAL reported during one call. failures counts errors of class
// CE_Failure and above; text holds the first of them, or the last warning if there is none.
typedef struct {
	int failures, kept;
	char text[RW_TEXT];
} rw_error;

// Where the validity of a band comes from.
enum { RW_MASK_NONE, RW_MASK_DATASET, RW_MASK_BAND, RW_MASK_ALPHA };

typedef struct {
	int type;        // GDALDataType
	int signed_byte; // GDT_Byte whose bits are an int8
	int has_nodata;
	double nodata;
	int interp;      // GDALColorInterp
	int mask;        // RW_MASK_…
	const char *name;
} rw_band;

typedef struct {
	const char *driver; // short name
	int w, h, bands, block_w, block_h;
	int levels;
	int *level_size; // w, h of each level
	rw_band *band;
	int alpha;       // number of the alpha band, 0 if none
	int has_geo;
	double geo[6];
	const char *wkt;
} rw_info;

// An open dataset. It is used by one thread at a time, and so is its error.
typedef struct {
	GDALDatasetH ds;
	rw_error err;
	rw_info info;
	int *map;       // scratch: band numbers of one read
	int map_len;
	int alpha_mask; // writing: number of the band that takes the mask, 0 if the mask band does
} rw_dataset;

void rw_init(void);

// A call that can fail stands between rw_begin and rw_end, which tells whether
// it went well: ok is set and GDAL reported no failure.
void rw_begin(rw_error *e);
int rw_end(rw_error *e, int ok);
int rw_end_lenient(int ok); // the result alone decides
void rw_no_memory(rw_error *e);
int CPL_STDCALL rw_progress(double done, const char *msg, void *cancel);

rw_dataset *rw_open(const char *path, const char *const *drivers, const char *const *options, rw_error *err);
// The short name of the driver that recognizes a raster, NULL where none does.
const char *rw_identify(const char *path);

int rw_describe(rw_dataset *d, int max_bands);
char **rw_files(rw_dataset *d);
int rw_close(rw_dataset *d, rw_error *err);

// Reads w × h pixels at (x, y) of a level, pixel-interleaved, into data of the
// given type, and, where mask is not NULL, the validity of each sample.
int rw_read(rw_dataset *d, int level, int x, int y, int w, int h, int n, const int *bands, int type, void *data,
            unsigned char *mask, const int *cancel);

// Inflates the zlib stream src. Returns the bytes written, −1 where dst is too
// small or src is broken.
long rw_inflate(void *dst, size_t dst_len, const void *src, size_t src_len);

// GDAL itself only warns of a creation option that it does not know.
int rw_check_options(const char *driver, const char *const *options, rw_error *err);

rw_dataset *rw_create(const char *driver, const char *path, int w, int h, int n, int type, const char *const *options,
                      const double *geo, const char *wkt, const char *const *names, const int *has_nodata,
                      const double *nodata, int with_mask, int alpha, int alpha_mask, rw_error *err);

// Writes w × h pixels at (x, y), pixel-interleaved, and, where mask is not
// NULL, one mask sample of mask_type a pixel.
int rw_write(rw_dataset *d, int x, int y, int w, int h, int n, int type, void *data, int mask_type, void *mask,
             const int *cancel);

int rw_copy(const char *driver, const char *from, const char *to, const char *const *options, const int *cancel,
            rw_error *err);

int rw_driver(int i, const char **name, const char **long_name, const char **extensions, const char **types, int *create,
              int *create_copy);

#endif
