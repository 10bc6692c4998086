// packages: libasl-dev libboost-dev g++
// checks: kernels that ASL makes of expressions, one of them run ten times, give what the host computes
// flags: -w -I/usr/include/ASL -laslacl -laslcommon -lOpenCL
#include <cmath>
#include <cstdio>
#include <vector>

#include <acl/DataTypes/aclArray.h>
#include <acl/Kernels/aclKernel.h>
#include <acl/acl.h>
#include <acl/aclHardware.h>
#include <acl/aclUtilities.h>

namespace
{

constexpr int SIZE = 1000, STEPS = 10;

double distance(const std::vector<float> &have, const std::vector<float> &want)
{
    double largest = 0;
    for (size_t i = 0; i < want.size(); i++)
        largest = std::fmax(largest, std::fabs(have[i] - want[i]) / std::fmax(1, std::fabs(want[i])));
    return largest;
}

} // namespace

int main()
{
    using namespace acl;
    using namespace acl::elementOperators;
    std::printf("%s\n", hardware.getDevicesInfo().c_str());
    std::vector<float> a(SIZE), b(SIZE), want(SIZE), have(SIZE);
    for (int i = 0; i < SIZE; i++) a[i] = i * 0.25f, b[i] = 3 + i % 17;
    Element on_a(new Array<cl_float>(SIZE)), on_b(new Array<cl_float>(SIZE)), on_c(new Array<cl_float>(SIZE));
    copy(a, on_a);
    copy(b, on_b);

    // One kernel made of an expression, and one that is run again and again on what it has made.
    Kernel whole, step;
    whole.addExpression(operatorAssignment(on_c, on_a * on_b + sqrt(on_a) - sin(on_b)));
    step.addExpression(operatorAssignment(on_c, on_c * on_c / (on_b + on_c * on_c) + on_a));
    whole.setup();
    step.setup();
    whole.compute();
    for (int n = 0; n < STEPS; n++) step.compute();
    copy(on_c, have);

    for (int i = 0; i < SIZE; i++) {
        want[i] = a[i] * b[i] + std::sqrt(a[i]) - std::sin(b[i]);
        for (int n = 0; n < STEPS; n++) want[i] = want[i] * want[i] / (b[i] + want[i] * want[i]) + a[i];
    }
    double d = distance(have, want);
    std::printf("%d numbers, largest difference %.1g\n", SIZE, d);
    return d > 1e-5;
}
