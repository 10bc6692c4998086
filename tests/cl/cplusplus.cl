// C++ for OpenCL 2021: classes, templates, lambdas, references in all address spaces.
//! options -cl-std=CLC++2021
template <typename T, int N> class Stack {
    T item[N];
    int size = 0;

public:
    void push(const T &x) { item[size++] = x; }
    T pop() { return item[--size]; }
    int count() const { return size; }
};

struct Point {
    float x, y;
    Point(float a, float b) : x(a), y(b) {}
    Point operator+(const Point &other) const { return Point(x + other.x, y + other.y); }
};

template <typename T, typename U, typename F> T fold(const U *p, int n, T start, F f)
{
    for (int i = 0; i < n; i++) start = f(start, p[i]);
    return start;
}

constexpr int square(int n) { return n * n; }
__constant int nine = square(3);

//! run k global=64 local=32
//! arg in int[64] = i
//! arg out int[64] -> 3 * i + 9 + (i - i % 32) * 32 + 496 + 32 + 7
kernel void k(global int *in, global int *out)
{
    local int shared[32];
    int i = get_global_id(0);
    Stack<int, 4> stack;
    stack.push(i);
    stack.push(2 * i);
    int thrice = stack.pop() + stack.pop() + stack.count();
    shared[get_local_id(0)] = i;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int bias = 1;
    int sum = fold(shared, 32, 0, [bias](int a, int b) { return a + b + bias; });
    Point p = Point(1, 2) + Point(3, 1);
    auto &place = out[i];
    place = thrice + nine + sum + static_cast<int>(p.x + p.y);
}
