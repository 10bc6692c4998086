// packages: libqgis-dev qgis-common python3-gdal python3-numpy g++ pkg-config
// checks: slope, aspect, hillshade and ruggedness of a landscape on the device are those on the host
// clang-format off
// flags: -fPIC -I/usr/include/qgis -I/usr/include/gdal -lqgis_analysis -lqgis_core -lgdal -lOpenCL -I/usr/include/x86_64-linux-gnu/qt5 -I/usr/include/x86_64-linux-gnu/qt5/QtCore -I/usr/include/x86_64-linux-gnu/qt5/QtGui -I/usr/include/x86_64-linux-gnu/qt5/QtXml -I/usr/include/x86_64-linux-gnu/qt5/QtWidgets -I/usr/include/x86_64-linux-gnu/qt5/QtNetwork -lQt5Core
// clang-format on
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <gdal_priv.h>
#include <qgsapplication.h>
#include <qgsaspectfilter.h>
#include <qgshillshadefilter.h>
#include <qgsopenclutils.h>
#include <qgsruggednessfilter.h>
#include <qgsslopefilter.h>

namespace
{

constexpr int WIDTH = 150, HEIGHT = 100;

void write_landscape(const char *name)
{
    auto *file = GetGDALDriverManager()->GetDriverByName("GTiff")->Create(name, WIDTH, HEIGHT, 1, GDT_Float32, nullptr);
    double transform[] = {0, 10, 0, 0, 0, -10};
    std::vector<float> heights;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            heights.push_back(
                float(100 + 50 * std::sin(x / 9.0) * std::cos(y / 7.0) + x * 0.8 + (x * 31 + y * 17) % 7 * 0.4));
    file->SetGeoTransform(transform);
    if (file->GetRasterBand(1)->RasterIO(GF_Write, 0, 0, WIDTH, HEIGHT, heights.data(), WIDTH, HEIGHT, GDT_Float32, 0,
                                         0))
        std::printf("%s cannot be written\n", name);
    GDALClose(file);
}

std::vector<float> read(const char *name)
{
    std::vector<float> values(WIDTH * HEIGHT);
    auto *file = static_cast<GDALDataset *>(GDALOpen(name, GA_ReadOnly));
    if (file->GetRasterBand(1)->RasterIO(GF_Read, 0, 0, WIDTH, HEIGHT, values.data(), WIDTH, HEIGHT, GDT_Float32, 0, 0))
        std::printf("%s cannot be read\n", name);
    GDALClose(file);
    return values;
}

std::unique_ptr<QgsNineCellFilter> filter(int which, const QString &output)
{
    const QString input = "landscape.tif";
    switch (which) {
    case 0: return std::make_unique<QgsSlopeFilter>(input, output, "GTiff");
    case 1: return std::make_unique<QgsAspectFilter>(input, output, "GTiff");
    case 2: return std::make_unique<QgsRuggednessFilter>(input, output, "GTiff");
    default: return std::make_unique<QgsHillshadeFilter>(input, output, "GTiff", 300, 40);
    }
}

// Largest difference between the device's picture and the host's, in parts of the range of the host's. In the last row
// QGIS computes something else on devices.
double distance(int which)
{
    for (bool device : {false, true}) {
        QgsOpenClUtils::setEnabled(device);
        if (filter(which, device ? "device.tif" : "host.tif")->processRaster(nullptr)) return INFINITY;
    }
    std::vector<float> host = read("host.tif"), device = read("device.tif");
    double largest = 0, low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < host.size() - WIDTH; i++) {
        largest = std::fmax(largest, std::fabs(host[i] - device[i]));
        low = std::fmin(low, host[i]), high = std::fmax(high, host[i]);
    }
    return high > low ? largest / (high - low) : INFINITY;
}

} // namespace

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QgsApplication application(argc, argv, false);
    QgsApplication::setPrefixPath("/usr", true);
    QgsApplication::initQgis();
    QgsOpenClUtils::setSourcePath("/usr/share/qgis/resources/opencl_programs");
    if (!QgsOpenClUtils::available()) {
        std::printf("no device\n");
        return 1;
    }
    std::printf("on %s\n", QgsOpenClUtils::activeDeviceInfo(QgsOpenClUtils::Info::Name).toUtf8().constData());
    GDALAllRegister();
    write_landscape("landscape.tif");
    double worst = 0;
    for (int which = 0; which < 4; which++) {
        double d = distance(which);
        std::printf("filter %d: %g\n", which, d);
        worst = std::fmax(worst, d);
    }
    std::printf("4 filters, largest difference %.1g of the range\n", worst);
    return worst > 1e-4;
}
