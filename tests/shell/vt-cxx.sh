# A C++ program with our header has its queue of finished kernels filled; one with the public declaration of
# that function survives the call.
compiler=$(command -v g++ || command -v clang++-19) || { echo "no C++ compiler"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/ours.cpp" <<'END'
#include <vt/ventus_vt.h>
#include <queue>
int main()
{
    vt_device_h h = 0;
    const unsigned endprg = 0x0000400b;
    meta_data m = meta_data();
    std::queue<int> ids;
    if (vt_dev_open(&h) || vt_upload_kernel_bytes(h, &endprg, 4, 0)) return 1;
    m.kernel_size[0] = m.kernel_size[1] = m.kernel_size[2] = m.wf_size = m.wg_size = 1;
    const int order[] = {3, 1, 2};
    for (int i = 0; i < 3; i++) {
        m.kernel_id = order[i];
        if (vt_start(h, &m, 0)) return 2;
    }
    if (vt_finish_all_kernel(h, &ids) || ids.size() != 3) return 3;
    for (int i = 0; i < 3; i++, ids.pop())
        if (ids.front() != order[i]) return 4;
    return vt_dev_close(h) ? 5 : 0;
}
END
cat >"$folder/public.cpp" <<'END'
#include <queue>
extern "C" {
int vt_dev_open(void **);
int vt_finish_all_kernel(void *, std::queue<int> *);
int vt_dev_close(void *);
}
int main()
{
    void *h = 0;
    std::queue<int> ids;
    ids.push(5);
    if (vt_dev_open(&h) || vt_finish_all_kernel(h, &ids) || ids.size() != 1 || ids.front() != 5) return 1;
    return vt_dev_close(h) ? 2 : 0;
}
END
for program in ours public; do
    "$compiler" -Wall -Wextra -Werror -I"$VENTUS_SOURCE" "$folder/$program.cpp" -o "$folder/$program" \
        -L"$VENTUS_BUILD" -lventus-driver -Wl,--allow-shlib-undefined || exit 1
    LD_LIBRARY_PATH=$VENTUS_BUILD $VENTUS_FOREIGN "$folder/$program" || { echo "$program: exit code $?"; exit 1; }
done
