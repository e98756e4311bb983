//go:build cgo

#include "gdal_bind.h"

#include <cpl_conv.h>
#include <stdlib.h>

// The mask goes into the file itself, which GDAL before 3.9 does only if told.
// The option is the thread's own, and put back within this call.
static CPLErr add_mask(GDALDatasetH ds) {
	static const char key[] = "GDAL_TIFF_INTERNAL_MASK";
	const char *now = CPLGetThreadLocalConfigOption(key, NULL);
	char *was = now ? CPLStrdup(now) : NULL;
	CPLSetThreadLocalConfigOption(key, "YES");
	CPLErr status = GDALCreateDatasetMaskBand(ds, GMF_PER_DATASET);
	CPLSetThreadLocalConfigOption(key, was);
	CPLFree(was);
	return status;
}

int rw_check_options(const char *driver, const char *const *options, rw_error *err) {
	rw_begin(err);
	GDALDriverH drv = GDALGetDriverByName(driver);
	return rw_end(err, drv != NULL && GDALValidateCreationOptions(drv, (CSLConstList)options));
}

rw_dataset *rw_create(const char *driver, const char *path, int w, int h, int n, int type, const char *const *options,
                      const double *geo, const char *wkt, const char *const *names, const int *has_nodata,
                      const double *nodata, int with_mask, int alpha, int alpha_mask,
                      rw_error *err) {
	rw_dataset *d = calloc(1, sizeof *d);
	if (d == NULL) {
		rw_no_memory(err);
		return NULL;
	}
	rw_begin(err);
	d->alpha_mask = alpha_mask;
	GDALDriverH drv = GDALGetDriverByName(driver);
	d->ds = drv ? GDALCreate(drv, path, w, h, n, type, (CSLConstList)options) : NULL;
	int ok = d->ds != NULL;
	if (ok && alpha > 0)
		ok = GDALSetRasterColorInterpretation(GDALGetRasterBand(d->ds, alpha), GCI_AlphaBand) == CE_None;
	if (ok && geo != NULL)
		ok = GDALSetGeoTransform(d->ds, (double *)geo) == CE_None;
	if (ok && wkt != NULL)
		ok = GDALSetProjection(d->ds, wkt) == CE_None;
	for (int i = 0; ok && i < n; i++) {
		GDALRasterBandH b = GDALGetRasterBand(d->ds, i + 1);
		if (names[i][0] != 0)
			GDALSetDescription(b, names[i]);
		if (has_nodata[i])
			ok = GDALSetRasterNoDataValue(b, nodata[i]) == CE_None;
	}
	if (ok && with_mask)
		ok = add_mask(d->ds) == CE_None;
	if (!rw_end(err, ok)) {
		rw_error ignored;
		rw_begin(&ignored);
		if (d->ds != NULL)
			GDALClose(d->ds);
		rw_end(&ignored, 1);
		free(d);
		return NULL;
	}
	return d;
}

int rw_write(rw_dataset *d, int x, int y, int w, int h, int n, int type, void *data, int mask_type, void *mask,
             const int *cancel) {
	GSpacing size = GDALGetDataTypeSizeBytes(type);
	GDALRasterIOExtraArg arg;
	INIT_RASTERIO_EXTRA_ARG(arg);
	arg.pfnProgress = rw_progress;
	arg.pProgressData = (void *)cancel;
	rw_begin(&d->err);
	CPLErr status =
	    GDALDatasetRasterIOEx(d->ds, GF_Write, x, y, w, h, data, w, h, type, n, NULL, size * n, size * n * w, size, &arg);
	if (status == CE_None && mask != NULL) {
		GDALRasterBandH first = GDALGetRasterBand(d->ds, 1);
		GDALRasterBandH m = d->alpha_mask ? GDALGetRasterBand(d->ds, d->alpha_mask) : GDALGetMaskBand(first);
		status = GDALRasterIOEx(m, GF_Write, x, y, w, h, mask, w, h, mask_type, 0, 0, &arg);
	}
	return rw_end(&d->err, status == CE_None);
}

int rw_copy(const char *driver, const char *from, const char *to, const char *const *options, const int *cancel,
            rw_error *err) {
	rw_begin(err);
	GDALDriverH drv = GDALGetDriverByName(driver);
	GDALDatasetH src = GDALOpenEx(from, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
	GDALDatasetH dst = NULL;
	if (drv != NULL && src != NULL)
		dst = GDALCreateCopy(drv, to, src, FALSE, (char **)options, rw_progress, (void *)cancel);
	if (dst != NULL) {
		GDALFlushCache(dst);
		GDALClose(dst);
	}
	if (src != NULL)
		GDALClose(src);
	return rw_end(err, dst != NULL);
}
