// packages: libclblast-dev
// flags: -lclblast -lOpenCL
// checks: products, sums and a triangular solve of matrices with halves of blocks left over, against loops of the host
#define CL_TARGET_OPENCL_VERSION 120
#include "client.h"
#include <clblast.h>

using clblast::Layout;
using clblast::StatusCode;
using clblast::Transpose;

namespace
{

constexpr size_t m = 67, n = 45, k = 83;

void done(StatusCode code, const char *what) { client::require(code == StatusCode::kSuccess, what); }

template <typename T> void product(client::Device &device, const char *what)
{
    auto a = client::numbers<T>(m * k), b = client::numbers<T>(k * n), c = client::numbers<T>(m * n);
    client::Buffer<T> da(device, a), db(device, b), dc(device, c);
    done(clblast::Gemm(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, m, n, k, T(2), da(), 0, k, db(), 0, n, T(3),
                       dc(), 0, n, &device.queue),
         what);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            T sum = 0;
            for (size_t x = 0; x < k; x++) sum += a[i * k + x] * b[x * n + j];
            c[i * n + j] = 2 * sum + 3 * c[i * n + j];
        }
    client::same(dc.read(), c, what);
}

template <typename T> void row_times_matrix(client::Device &device, const char *what)
{
    auto a = client::numbers<T>(m * n), x = client::numbers<T>(m), y = client::numbers<T>(n);
    client::Buffer<T> da(device, a), dx(device, x), dy(device, y);
    done(clblast::Gemv(Layout::kRowMajor, Transpose::kYes, m, n, T(1), da(), 0, n, dx(), 0, 1, T(1), dy(), 0, 1,
                       &device.queue),
         what);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++) y[j] += a[i * n + j] * x[i];
    client::same(dy.read(), y, what);
}

// x in L x = b, for a lower triangle whose diagonal is far from 0; b is made of a known x.
template <typename T> void solve(client::Device &device, const char *what)
{
    auto a = client::numbers<T>(m * m), x = client::numbers<T>(m * n);
    std::vector<T> b(m * n);
    for (size_t i = 0; i < m; i++) {
        a[i * m + i] = T(m);
        for (size_t j = 0; j < n; j++)
            for (size_t l = 0; l <= i; l++) b[i * n + j] += a[i * m + l] * x[l * n + j];
    }
    client::Buffer<T> da(device, a), db(device, b);
    done(clblast::Trsm(Layout::kRowMajor, clblast::Side::kLeft, clblast::Triangle::kLower, Transpose::kNo,
                       clblast::Diagonal::kNonUnit, m, n, T(1), da(), 0, m, db(), 0, n, &device.queue),
         what);
    client::same(db.read(), x, what);
}

template <typename T> void dot(client::Device &device, const char *what)
{
    auto x = client::numbers<T>(m * n), y = client::numbers<T>(m * n);
    client::Buffer<T> dx(device, x), dy(device, y), result(device, {T(0)});
    done(clblast::Dot<T>(m * n, result(), 0, dx(), 0, 1, dy(), 0, 1, &device.queue), what);
    T sum = 0;
    for (size_t i = 0; i < m * n; i++) sum += x[i] * y[i];
    client::same(result.read(), {sum}, what);
}

} // namespace

int main()
{
    client::Device device;
    product<float>(device, "sgemm");
    product<double>(device, "dgemm");
    row_times_matrix<float>(device, "sgemv");
    row_times_matrix<double>(device, "dgemv");
    solve<float>(device, "strsm");
    dot<float>(device, "sdot");
    dot<double>(device, "ddot");
    puts("7 routines");
}
