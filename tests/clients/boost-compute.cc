// packages: libboost-dev libboost-filesystem-dev
// flags: -lboost_filesystem -lOpenCL -Wno-deprecated-declarations
// checks: transform, sort, scan, reduce, count, unique and set operations, against the same of the C++ library
#define CL_TARGET_OPENCL_VERSION        120
#define BOOST_COMPUTE_USE_OFFLINE_CACHE 0
#include "client.h"
#include <algorithm>
#include <boost/compute.hpp>
#include <numeric>

namespace compute = boost::compute;

namespace
{

std::vector<int> host(const compute::vector<int> &from, compute::command_queue &queue)
{
    std::vector<int> to(from.size());
    compute::copy(from.begin(), from.end(), to.begin(), queue);
    return to;
}

} // namespace

int main()
{
    compute::device device = compute::system::default_device();
    compute::context context(device);
    compute::command_queue queue(context, device);

    std::vector<int> want(5003);
    auto fill = client::numbers<float>(want.size());
    for (size_t i = 0; i < want.size(); i++) want[i] = int(fill[i] * 700);
    compute::vector<int> data(want.begin(), want.end(), queue), other(want.size(), context);

    compute::transform(data.begin(), data.end(), other.begin(), compute::lambda::_1 * 3 - 1, queue);
    std::vector<int> tripled(want.size());
    std::transform(want.begin(), want.end(), tripled.begin(), [](int x) { return x * 3 - 1; });
    client::require(host(other, queue) == tripled, "transform");

    compute::inclusive_scan(data.begin(), data.end(), other.begin(), queue);
    std::vector<int> sums(want.size());
    std::partial_sum(want.begin(), want.end(), sums.begin());
    client::require(host(other, queue) == sums, "inclusive_scan");

    int total = 0;
    compute::reduce(data.begin(), data.end(), &total, compute::plus<int>(), queue);
    client::require(total == sums.back(), "reduce");
    client::require(long(compute::count_if(data.begin(), data.end(), compute::lambda::_1 > 100, queue)) ==
                        std::count_if(want.begin(), want.end(), [](int x) { return x > 100; }),
                    "count_if");

    compute::sort(data.begin(), data.end(), queue);
    std::sort(want.begin(), want.end());
    client::require(host(data, queue) == want, "sort");

    auto end = compute::unique(data.begin(), data.end(), queue);
    want.erase(std::unique(want.begin(), want.end()), want.end());
    data.erase(end, data.end(), queue);
    client::require(host(data, queue) == want, "unique");

    std::vector<int> even, both;
    for (int x = -700; x < 700; x += 2) even.push_back(x);
    compute::vector<int> evens(even.begin(), even.end(), queue), common(even.size(), context);
    auto last = compute::set_intersection(data.begin(), data.end(), evens.begin(), evens.end(), common.begin(), queue);
    common.erase(last, common.end(), queue);
    std::set_intersection(want.begin(), want.end(), even.begin(), even.end(), std::back_inserter(both));
    client::require(host(common, queue) == both, "set_intersection");
    puts("7 algorithms");
}
