// packages: libviennacl-dev libboost-dev
// flags: -DVIENNACL_WITH_OPENCL -lOpenCL -Wno-deprecated-declarations
// checks: vectors, a product of matrices, a sparse system solved by conjugate gradients, and a sum, against the host
#define CL_TARGET_OPENCL_VERSION 120
#include "client.h"
#include <map>
#include <viennacl/compressed_matrix.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/linalg/sum.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/vector.hpp>

namespace
{

template <typename T> std::vector<T> to_host(const viennacl::vector<T> &from)
{
    std::vector<T> to(from.size());
    viennacl::copy(from.begin(), from.end(), to.begin());
    return to;
}

template <typename T> viennacl::vector<T> to_device(const std::vector<T> &from)
{
    viennacl::vector<T> to(from.size());
    viennacl::copy(from.begin(), from.end(), to.begin());
    return to;
}

template <typename T> void vectors()
{
    auto x = client::numbers<T>(1001), y = client::numbers<T>(1001);
    auto dx = to_device(x), dy = to_device(y);
    T dot = viennacl::linalg::inner_prod(dx, dy), sum = viennacl::linalg::sum(dx), want_dot = 0, want_sum = 0;
    dy = T(2) * dx - dy;
    for (size_t i = 0; i < x.size(); i++) {
        want_dot += x[i] * y[i];
        want_sum += x[i];
        y[i] = 2 * x[i] - y[i];
    }
    client::same<T>({dot, sum}, {want_dot, want_sum}, "inner_prod, sum");
    client::same(to_host(dy), y, "2 x - y");
}

template <typename T> void product()
{
    constexpr size_t m = 50, n = 33, k = 41;
    auto a = client::numbers<T>(m * k), b = client::numbers<T>(k * n);
    viennacl::matrix<T> da(m, k), db(k, n), dc(m, n);
    std::vector<std::vector<T>> ha(m, std::vector<T>(k)), hb(k, std::vector<T>(n)), hc(m, std::vector<T>(n));
    std::vector<T> have, want;
    for (size_t i = 0; i < m * k; i++) ha[i / k][i % k] = a[i];
    for (size_t i = 0; i < k * n; i++) hb[i / n][i % n] = b[i];
    viennacl::copy(ha, da);
    viennacl::copy(hb, db);
    dc = viennacl::linalg::prod(da, db);
    viennacl::copy(dc, hc);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            T sum = 0;
            for (size_t x = 0; x < k; x++) sum += ha[i][x] * hb[x][j];
            have.push_back(hc[i][j]);
            want.push_back(sum);
        }
    client::same(have, want, "product of matrices");
}

// -1, 4, -1 along a chain; the right side is made of a known solution.
template <typename T> void sparse()
{
    constexpr unsigned n = 400;
    auto x = client::numbers<T>(n);
    std::vector<std::map<unsigned, T>> rows(n);
    std::vector<T> right(n);
    for (unsigned i = 0; i < n; i++) {
        rows[i][i] = 4;
        if (i > 0) rows[i][i - 1] = -1;
        if (i + 1 < n) rows[i][i + 1] = -1;
        for (auto [column, value] : rows[i]) right[i] += value * x[column];
    }
    viennacl::compressed_matrix<T> matrix(n, n);
    viennacl::copy(rows, matrix);
    viennacl::linalg::cg_tag until(sizeof(T) == sizeof(double) ? 1e-14 : 1e-7, 200);
    viennacl::vector<T> solution = viennacl::linalg::solve(matrix, to_device(right), until);
    client::same(to_host(solution), x, "conjugate gradients");
}

} // namespace

int main()
{
    vectors<float>();
    product<float>();
    sparse<float>();
    vectors<double>();
    product<double>();
    sparse<double>();
    puts("floats and doubles");
}
