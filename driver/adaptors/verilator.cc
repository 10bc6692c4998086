/* A design that Verilator has compiled, as a device library (ventus_backend.h), if its top module has the ports of
 * examples/rtl/simt.sv: a launch, ports to memory, and what completes. MODEL is the class that Verilator has made,
 * MODEL_HEADER its header; examples/rtl/Makefile shows the commands. With MEMORY_AXI defined memory is behind an AXI4
 * port, m_axi_*, else behind a plain one, memory_* and answer_*.
 *
 * Ports are of 32 bits where nothing else is said. `line` is a packed array of 1, 2, 4 ... or 64 words, `vector` one of
 * a word per lane. Outputs are read just before the rising edge of the clock, and inputs change just after it:
 *
 *   clock, reset          one bit each
 *   has_lanes, has_warps, has_slots, has_lds_bytes    constants: what the design is like
 *   launch, launch_*      one bit: a launch begins, behind a reset; the other values stay until its end
 *   done                  one bit: it has ended
 *   fault                 it has ended of fault 1, 2 ... of FAULTS below; fault_pc and fault_word say where
 *   fetch_*               asks for an instruction: valid, id, address. fetched_* answers, in the order of requests
 *                         These ports may be missing with MEMORY_AXI: the design gets instructions there, too
 *   memory_*              loads a line, or stores bytes of one: valid, write, address, data (line), strobe. answer_*
 *                         answers, likewise; stores, too
 *   m_axi_*               AXI4: the channels aw, w, b, ar, r; addresses of 32 bits, data of 32 to 512, ids of up to 32,
 *                         bursts INCR of up to 256 beats of any size. Answers to one id come in order; with shuffle=
 *                         those to others do not, and the channels are not always ready. Other signals do not count
 *   begin_*, end_*        a work-group comes to its slot, or has left it, one of each in a cycle at most
 *   retire_*              an instruction completes, one in a cycle at most
 *   bug, has_bugs         optional: which planted mistake the design makes, 0 none, and how many there are
 *
 * With cosim=1, each instruction that completes is compared with the reference (ventus_cosim.h), and the first
 * difference ends the launch. */
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include MODEL_HEADER
#include <verilated.h>
#ifdef WAVEFORMS
#include <verilated_vcd_c.h>
#endif

#include "ventus_backend.h"
#include "ventus_cosim.h"

namespace
{

constexpr uint32_t PAGE = 4096, MOST_LANES = 32;
constexpr uint64_t STUCK = 100000;           /* cycles in which nothing completes: the design will not go on ... */
constexpr uint64_t ANSWERS = 2 * MOST_LANES; /* ... unless an instruction may wait for so many answers of memory */
const char *const FAULTS[] = {"", "illegal instruction", "an address is not aligned",
                              "an access where there is no memory", "the SIMT stack is full"};

struct options {
    bool cosim = false;
    std::string trace, report, program;
    uint64_t cycles = 0, latency = 1, bug = 0, shuffle = 0;
};

using page = std::array<uint8_t, PAGE>;

/* A line that is on its way to the design. */
struct answer {
    uint64_t due;
    uint32_t id, bytes;
    bool error;
    uint32_t data[64];
};

#ifdef MEMORY_AXI
/* A burst that has been asked for: what is left of it. */
struct burst {
    uint64_t due; /* the first cycle of its answer */
    uint32_t id, address, size, beats;
    bool error;
};

/* What has come of a burst that is written, in the order of the bursts. */
struct beat {
    uint8_t data[64], strobe[8];
    bool is_last;
};

constexpr size_t NONE = SIZE_MAX;
#endif

int fail(char *why, size_t size, const std::string &text)
{
    snprintf(why, size, "%s", text.c_str());
    return 1;
}

/* ---- options ---- */

bool set(options &o, const std::string &name, const std::string &value)
{
    char *end;
    const bool is_hex = value.rfind("0x", 0) == 0;
    const uint64_t number = strtoull(value.c_str(), &end, is_hex ? 16 : 10);
    const bool is_number = !value.empty() && value[0] >= '0' && value[0] <= '9' && !*end;
    if (name == "cosim" && is_number && number <= 1) return o.cosim = number, true;
    if (name == "cycles" && is_number) return o.cycles = number, true;
    if (name == "latency" && is_number && number >= 1 && number <= 100000) return o.latency = number, true;
    if (name == "bug" && is_number) return o.bug = number, true;
#ifdef MEMORY_AXI
    if (name == "shuffle" && is_number) return o.shuffle = number, true;
#endif
    if (name == "report" && !value.empty()) return o.report = value, true;
    if (name == "program" && !value.empty()) return o.program = value, true;
#ifdef WAVEFORMS
    if (name == "trace" && !value.empty()) return o.trace = value, true;
#endif
    return false;
}

const char *const KNOWN = "cosim=0 or 1, report=FILE, program=ELF, cycles=MOST, latency=CYCLES, bug=NUMBER"
#ifdef MEMORY_AXI
                          ", shuffle=SEED"
#endif
#ifdef WAVEFORMS
                          ", trace=FILE"
#endif
    ;

/* False: `wrong` is the first item that is no option. */
bool set_all(options &o, const std::string &list, std::string &wrong)
{
    for (size_t at = 0; at < list.size();) {
        const size_t end = std::min(list.find(',', at), list.size()), equals = list.find('=', at);
        const std::string item = list.substr(at, end - at);
        if (equals >= end || !set(o, list.substr(at, equals - at), list.substr(equals + 1, end - equals - 1)))
            return wrong = item, false;
        at = end + 1;
    }
    return true;
}

/* ---- ports ---- */

/* A design need not have the ports for planted bugs. */
template <class M> auto put_bug(M &m, uint64_t bug, int) -> decltype(m.bug = m.has_bugs, bool())
{
    m.bug = static_cast<uint32_t>(bug);
    return bug <= m.has_bugs;
}
template <class M> bool put_bug(M &, uint64_t bug, long) { return !bug; }

template <class P> void put(P &port, uint32_t value) { port = static_cast<P>(value); }

/* Verilator keeps a port in an integer, or from 65 bits on in an array of words: either way, bit k is bit k % 8 of byte
 * k / 8, on hosts where the lowest byte comes first. */
template <class P> uint8_t *bytes(P &port) { return reinterpret_cast<uint8_t *>(&port); }

} // namespace

struct ventus_backend_device {
    options o;
    VerilatedContext context;
    MODEL model{&context};
#ifdef WAVEFORMS
    VerilatedVcdC waves;
    std::string waveform; /* its file ... */
    int locked = -1;      /* ... which no other process may write meanwhile */
#endif
    std::vector<std::unique_ptr<page>> pages = std::vector<std::unique_ptr<page>>(1u << 20);
    std::vector<bool> changed = std::vector<bool>(1u << 20); /* by the driver, since the reference has them */
    std::vector<bool> stored = std::vector<bool>(1u << 20);  /* by the design in this launch */
    ventus_backend_launch launched{};
    std::string failure; /* why the launch has failed */
    std::deque<answer> fetches, lines;
#ifdef MEMORY_AXI
    std::deque<burst> reads, writes, written; /* asked for; written: those whose data have come */
    std::deque<beat> beats;
    size_t reading = NONE, answering = NONE; /* of `reads` and `written`: what the channels r and b carry */
    std::minstd_rand random;

    void ask_burst(std::deque<burst> &to, burst b, uint32_t type);
    void write_beat();
    uint64_t due();
    size_t choose(const std::deque<burst> &from);
#endif
    uint64_t cycle = 0, begun = 0, last = 0, instructions = 0;
    ventus_cosim *cosim = nullptr;
    ventus_backend_info info{};

    bool lock_waves(std::string &why);
    bool open_waves(std::string &why);
    bool open_reference(std::string &why);
    void close_reference();
    bool begin_reference(std::string &why);
    void reset();
    void tick();
    template <class M> auto fetch(M &m, int) -> decltype(m.fetch_valid, void());
    template <class M> void fetch(M &, long) {}
    template <class M> auto fetched(M &m, int) -> decltype(m.fetched_valid, void());
    template <class M> void fetched(M &, long) {}
    void ask();
    void answer_all();
    void write_line(uint32_t address);
    void compare();
    void compare_end();
    void differs();
    uint8_t *bytes_at(uint32_t address)
    {
        return pages[address / PAGE] ? &(*pages[address / PAGE])[address % PAGE] : nullptr;
    }
    ~ventus_backend_device();
};

using device = ventus_backend_device;

/* ---- the clock, and memory ---- */

void device::tick()
{
    model.clock = 0;
    model.eval();
#ifdef WAVEFORMS
    if (waves.isOpen()) waves.dump(10 * cycle);
#endif
    ask();
    if (cosim) compare();
    if (model.retire_valid) last = cycle, instructions += (model.retire_word & 0x607f) != 0x200b; /* no prefixes */
    model.clock = 1;
    model.eval();
#ifdef WAVEFORMS
    if (waves.isOpen()) waves.dump(10 * cycle + 5);
#endif
    cycle++;
    answer_all();
}

void device::reset()
{
    model.reset = 1;
    model.launch = 0;
    fetches.clear();
    lines.clear();
#ifdef MEMORY_AXI
    reads.clear(), writes.clear(), written.clear(), beats.clear();
    reading = answering = NONE;
    random.seed(static_cast<uint32_t>(o.shuffle));
#endif
    tick();
    tick();
    model.reset = 0;
}

template <class M> auto device::fetch(M &m, int) -> decltype(m.fetch_valid, void())
{
    if (!m.fetch_valid || m.reset) return;
    answer a{cycle + o.latency, static_cast<uint32_t>(m.fetch_id), 4, true, {}};
    if (const uint8_t *from = m.fetch_address % 4 ? nullptr : bytes_at(m.fetch_address))
        memcpy(a.data, from, 4), a.error = false;
    fetches.push_back(a);
}

template <class M> auto device::fetched(M &m, int) -> decltype(m.fetched_valid, void())
{
    m.fetched_valid = !fetches.empty() && fetches.front().due <= cycle;
    if (!m.fetched_valid) return;
    const answer &a = fetches.front();
    put(m.fetched_id, a.id);
    m.fetched_error = a.error;
    m.fetched_data = a.data[0];
    fetches.pop_front();
}

#ifdef MEMORY_AXI

/* What the design asks for in this cycle, and what it takes. */
void device::ask()
{
    MODEL &m = model;
    static_assert(sizeof m.m_axi_rdata >= 4 && sizeof m.m_axi_rdata <= 64 && 64 % sizeof m.m_axi_rdata == 0 &&
                      sizeof m.m_axi_wdata == sizeof m.m_axi_rdata,
                  "the data of AXI4 have 32, 64, 128, 256 or 512 bits");
    static_assert(sizeof m.m_axi_wstrb <= sizeof beat::strobe, "a strobe of AXI4 has a bit for each byte of the data");
    fetch(m, 0);
    if (m.reset) return;
    if (m.m_axi_arvalid && m.m_axi_arready)
        ask_burst(reads, {due(), m.m_axi_arid, m.m_axi_araddr, 1u << m.m_axi_arsize, m.m_axi_arlen + 1u, false},
                  m.m_axi_arburst);
    if (m.m_axi_awvalid && m.m_axi_awready)
        ask_burst(writes, {0, m.m_axi_awid, m.m_axi_awaddr, 1u << m.m_axi_awsize, m.m_axi_awlen + 1u, false},
                  m.m_axi_awburst);
    if (m.m_axi_wvalid && m.m_axi_wready) {
        beat b{};
        memcpy(b.data, bytes(m.m_axi_wdata), sizeof m.m_axi_wdata);
        memcpy(b.strobe, bytes(m.m_axi_wstrb), sizeof m.m_axi_wstrb);
        b.is_last = m.m_axi_wlast;
        beats.push_back(b);
    }
    while (!writes.empty() && !beats.empty()) write_beat();
    if (m.m_axi_rvalid && m.m_axi_rready) {
        burst &r = reads[reading];
        r.address = (r.address & -r.size) + r.size;
        if (!--r.beats) reads.erase(reads.begin() + static_cast<long>(reading)), reading = NONE;
    }
    if (m.m_axi_bvalid && m.m_axi_bready)
        written.erase(written.begin() + static_cast<long>(answering)), answering = NONE;
}

/* When the answer to what is complete now comes. */
uint64_t device::due() { return cycle + o.latency + (o.shuffle ? random() % 16 : 0); }

void device::ask_burst(std::deque<burst> &to, burst b, uint32_t type)
{
    const uint64_t end = static_cast<uint64_t>(b.address & -b.size) + b.beats * b.size;
    if (type != 1 && b.beats > 1) failure = "AXI: a burst that is not INCR";
    else if (b.size > sizeof model.m_axi_rdata) failure = "AXI: beats that are wider than the data";
    else if ((end - 1) / PAGE != b.address / PAGE) failure = "AXI: a burst that crosses a boundary of 4 KiB";
    else to.push_back(b);
}

/* The next beat of the oldest burst. Bytes keep their place in the data, whatever the beat's size. */
void device::write_beat()
{
    burst &w = writes.front();
    const beat &b = beats.front();
    const uint32_t line = w.address & -static_cast<uint32_t>(sizeof model.m_axi_wdata);
    uint8_t *to = bytes_at(line);
    for (uint32_t i = 0; to && i < sizeof model.m_axi_wdata; i++)
        if (b.strobe[i / 8] >> i % 8 & 1) to[i] = b.data[i];
    if (to) stored[line / PAGE] = true;
    else w.error = true;
    w.address = (w.address & -w.size) + w.size;
    w.beats--;
    if (b.is_last != !w.beats) failure = "AXI: wlast is not at the last beat of its burst";
    beats.pop_front();
    if (w.beats) return;
    w.due = due();
    written.push_back(w);
    writes.pop_front();
}

/* The burst that is answered next: the oldest of its id. */
size_t device::choose(const std::deque<burst> &from)
{
    std::vector<size_t> can;
    for (size_t i = 0; i < from.size(); i++) {
        const auto same = [&](const burst &b) { return b.id == from[i].id; };
        if (from[i].due <= cycle && std::none_of(from.begin(), from.begin() + static_cast<long>(i), same))
            can.push_back(i);
    }
    return can.empty() ? NONE : can[o.shuffle ? random() % can.size() : 0];
}

/* What the design gets, behind the edge of the clock. Errors are SLVERR. */
void device::answer_all()
{
    MODEL &m = model;
    fetched(m, 0);
    m.m_axi_arready = !o.shuffle || random() % 4;
    m.m_axi_awready = !o.shuffle || random() % 4;
    m.m_axi_wready = !o.shuffle || random() % 4;
    if (reading == NONE) reading = choose(reads);
    m.m_axi_rvalid = reading != NONE;
    if (m.m_axi_rvalid) {
        const burst &r = reads[reading];
        const uint8_t *from = bytes_at(r.address & -static_cast<uint32_t>(sizeof m.m_axi_rdata));
        put(m.m_axi_rid, r.id);
        m.m_axi_rresp = from ? 0 : 2;
        m.m_axi_rlast = r.beats == 1;
        if (from) memcpy(bytes(m.m_axi_rdata), from, sizeof m.m_axi_rdata);
    }
    if (answering == NONE) answering = choose(written);
    m.m_axi_bvalid = answering != NONE;
    if (!m.m_axi_bvalid) return;
    put(m.m_axi_bid, written[answering].id);
    m.m_axi_bresp = written[answering].error ? 2 : 0;
}

#else

/* What the design asks for in this cycle. */
void device::ask()
{
    fetch(model, 0);
    if (model.reset || !model.memory_valid) return;
    static_assert(sizeof model.memory_data <= sizeof answer::data && PAGE % sizeof model.memory_data == 0,
                  "a line has 1, 2, 4 ... or 64 words");
    answer a{cycle + o.latency, 0, sizeof model.memory_data, true, {}};
    uint8_t *from = model.memory_address % a.bytes ? nullptr : bytes_at(model.memory_address);
    if (from) {
        memcpy(a.data, from, a.bytes);
        a.error = false;
        if (model.memory_write) write_line(model.memory_address);
    }
    lines.push_back(a);
}

void device::write_line(uint32_t address)
{
    uint8_t *to = bytes_at(address);
    const uint8_t *from = bytes(model.memory_data), *strobe = bytes(model.memory_strobe);
    for (uint32_t i = 0; i < sizeof model.memory_data; i++)
        if (strobe[i / 8] >> i % 8 & 1) to[i] = from[i];
    stored[address / PAGE] = true;
}

void device::answer_all()
{
    fetched(model, 0);
    model.answer_valid = !lines.empty() && lines.front().due <= cycle;
    if (!model.answer_valid) return;
    const answer &a = lines.front();
    model.answer_error = a.error;
    memcpy(bytes(model.answer_data), a.data, a.bytes);
    lines.pop_front();
}

#endif

/* Two processes would overwrite each other's waveform: the second one does not begin. Pipes and /dev/null are free. */
bool device::lock_waves(std::string &why)
{
#ifdef WAVEFORMS
    struct stat file;
    locked = ::open(waveform.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (locked < 0) return why = "the waveform cannot be written: " + waveform, false;
    if (fstat(locked, &file) || !S_ISREG(file.st_mode) || !flock(locked, LOCK_EX | LOCK_NB)) return true;
    ::close(locked);
    locked = -1;
    return why = "another process writes the waveform " + waveform + "; with %p in its name each has its own", false;
#endif
    return (void)why, true;
}

/* With the first launch, so that nothing is overwritten by who only asks what the device is like. A second device of
 * the process, as after a launch that was stopped, has a file of its own. */
bool device::open_waves(std::string &why)
{
#ifdef WAVEFORMS
    static std::atomic<unsigned> devices{0};
    if (o.trace.empty() || waves.isOpen()) return true;
    if (waveform.empty()) {
        const unsigned number = ++devices;
        waveform = number == 1 ? o.trace : o.trace + "." + std::to_string(number);
        context.traceEverOn(true);
        model.trace(&waves, 99);
    }
    if (locked < 0 && !lock_waves(why)) return false;
    waves.open(waveform.c_str());
    if (!waves.isOpen()) return why = "the waveform cannot be written: " + waveform, false;
#endif
    (void)why;
    return true;
}

/* ---- lock step ---- */

/* The reference reads what the machine is like from a file. */
bool device::open_reference(std::string &why)
{
    char file[] = "/tmp/ventus-XXXXXX";
    const int fd = mkstemp(file);
    FILE *f = fd < 0 ? nullptr : fdopen(fd, "w");
    if (!f) return why = "no file for the reference's machine can be made in /tmp", false;
    fprintf(f, "sms = %u\nwarps_per_sm = %u\ngroups_per_sm = %u\nthreads_per_warp = %u\nlds_bytes = %u\n", info.sms,
            info.warps_per_sm, info.groups_per_sm, info.threads_per_warp, info.lds_bytes);
    fprintf(f, "vgpr_rows = %u\nsgpr_rows = %u\nprofile = %s\n", info.vgpr_rows, info.sgpr_rows, info.profile);
    fclose(f);
    cosim = ventus_cosim_ref_init(file, VENTUS_COSIM_ALL);
    unlink(file);
    if (!cosim) why = std::string("there is no reference: ") + ventus_cosim_error(nullptr);
    if (cosim && !o.program.empty() && !ventus_cosim_ref_program_load(cosim, o.program.c_str()))
        return why = ventus_cosim_error(cosim), false;
    return cosim;
}

/* One whose launch has not ended is of no use any more: the next launch opens another, which gets all pages. */
void device::close_reference()
{
    if (cosim) ventus_cosim_ref_shutdown(cosim);
    cosim = nullptr;
    for (uint32_t p = 0; p < pages.size(); p++) changed[p] = pages[p] != nullptr;
}

bool device::begin_reference(std::string &why)
{
    if (!cosim && !open_reference(why)) return false;
    const ventus_backend_launch &l = launched;
    ventus_cosim_launch c{};
    c.start_pc = l.start, c.knl = l.metadata;
    std::copy(l.groups, l.groups + 3, c.groups);
    c.warps = l.warps, c.threads_per_warp = l.threads_per_warp, c.work_items = l.work_items;
    c.sgprs = l.sgprs, c.vgprs = l.vgprs, c.lds_bytes = l.lds_bytes;
    c.pds_base = l.pds_base, c.pds_bytes = l.pds_bytes;
    bool good = true;
    for (uint32_t p = 0; p < changed.size() && good; p++) {
        if (changed[p]) good = ventus_cosim_ref_memory_write(cosim, p * PAGE, pages[p]->data(), PAGE);
        changed[p] = false;
    }
    good = good && ventus_cosim_ref_last_groups(cosim, l.last_items, l.last_of) && ventus_cosim_ref_launch(cosim, &c);
    if (!good) why = std::string("the reference: ") + ventus_cosim_error(cosim);
    return good;
}

/* The report's first line and its instruction are the launch's error; all of it goes to standard error, or a file. */
void device::differs()
{
    const std::string report = ventus_cosim_report(cosim);
    if (report.empty()) {
        failure = std::string("the reference: ") + ventus_cosim_error(cosim);
        return;
    }
    FILE *f = o.report.empty() ? nullptr : fopen(o.report.c_str(), "w");
    fputs(report.c_str(), f ? f : stderr);
    if (f) fclose(f);
    failure = report.substr(0, report.find('\n'));
    const size_t at = report.find("\n  instruction ");
    if (at != std::string::npos) failure += ";" + report.substr(at + 2, report.find('\n', at + 1) - at - 2);
}

/* What has happened in this cycle. */
void device::compare()
{
    MODEL &m = model;
    ventus_cosim *c = cosim;
    const uint32_t hart = m.retire_hart;
    if (!failure.empty() || m.reset) return;
    bool good = true;
    if (m.begin_valid) {
        good = ventus_cosim_dut_group_begin(c, 0, m.begin_slot, m.begin_group, m.begin_lds, m.begin_pds);
        for (uint32_t w = 0; w < launched.warps && good; w++)
            good = ventus_cosim_dut_warp_begin(c, m.begin_hart + w, 0, m.begin_slot, w);
    }
    if (good && m.retire_valid) {
        static_assert(sizeof m.retire_v <= 4 * MOST_LANES, "a warp has up to 32 lanes");
        std::array<uint32_t, MOST_LANES> a{}, b{};
        if (m.retire_writes_x) good = ventus_cosim_dut_x_set(c, hart, m.retire_register, m.retire_x);
        if (m.retire_writes_v && good) {
            memcpy(a.data(), bytes(m.retire_v), sizeof m.retire_v);
            good = ventus_cosim_dut_v_set(c, hart, m.retire_register, m.retire_lanes, a.data());
        }
        if (m.retire_memory && good) {
            memcpy(a.data(), bytes(m.retire_addresses), sizeof m.retire_addresses);
            memcpy(b.data(), bytes(m.retire_data), sizeof m.retire_data);
            good = ventus_cosim_dut_bus(c, hart, m.retire_store, m.retire_bytes, m.retire_memory_lanes, a.data(),
                                        b.data());
        }
        good = good && ventus_cosim_dut_simt_set(c, hart, m.retire_mask, m.retire_depth) &&
               ventus_cosim_dut_retire(c, hart, m.retire_pc, m.retire_word);
    }
    if (good && m.end_valid) good = ventus_cosim_dut_group_end(c, 0, m.end_slot);
    if (!good) differs();
}

/* Behind the launch: all that the design has stored. */
void device::compare_end()
{
    bool good = ventus_cosim_ref_launch_end(cosim);
    for (uint32_t p = 0; p < stored.size() && good; p++)
        if (stored[p]) good = ventus_cosim_ref_memory_compare(cosim, p * PAGE, pages[p]->data(), PAGE);
    if (!good) differs();
}

device::~ventus_backend_device()
{
#ifdef WAVEFORMS
    if (waves.isOpen()) waves.close();
    if (locked >= 0) ::close(locked);
#endif
    model.final();
    close_reference();
}

/* ---- the interface of ventus_backend.h, whose caller is C and knows no exceptions ---- */

static int open_device(const ventus_backend_options *options, device **result, char *why, size_t why_size)
try {
    auto d = std::make_unique<device>();
    std::string wrong;
    if (!set_all(d->o, options->text, wrong))
        return fail(why, why_size, "'" + wrong + "' is no option, or has no such value; there are " + KNOWN);
    d->reset();
    if (!put_bug(d->model, d->o.bug, 0)) return fail(why, why_size, "the design has no such bug");
    *result = d.release();
    return 0;
} catch (const std::bad_alloc &) {
    return fail(why, why_size, "the host is out of memory");
}

static void close_device(device *d) { delete d; }

static int describe(device *d, ventus_backend_info *i, char *why, size_t why_size)
{
    std::string wrong;
    i->features = VENTUS_BACKEND_FAULTS | VENTUS_BACKEND_PARTIAL | VENTUS_BACKEND_SLOTS;
    i->sms = 1;
    i->warps_per_sm = d->model.has_warps;
    i->groups_per_sm = d->model.has_slots;
    i->threads_per_warp = d->model.has_lanes;
    i->lds_bytes = d->model.has_lds_bytes;
    i->vgpr_rows = i->warps_per_sm * 256;
    i->sgpr_rows = i->warps_per_sm * 64;
    snprintf(i->profile, sizeof i->profile, "r2.0");
    snprintf(i->name, sizeof i->name, "%s in Verilator", d->model.modelName());
    d->info = *i;
    if (d->o.cosim && !d->open_reference(wrong)) return fail(why, why_size, wrong);
    return 0;
}

static int write_memory(device *d, uint64_t address, const void *from, uint64_t size, char *why, size_t why_size)
try {
    if (address >> 32 || size > (1ull << 32) - address) return fail(why, why_size, "addresses have 32 bits");
    for (uint64_t done = 0; done < size;) {
        const uint64_t at = (address + done) % PAGE, n = std::min<uint64_t>(PAGE - at, size - done);
        auto &p = d->pages[(address + done) / PAGE];
        if (!p) p = std::make_unique<page>();
        memcpy(&(*p)[at], static_cast<const char *>(from) + done, n);
        d->changed[(address + done) / PAGE] = true;
        done += n;
    }
    return 0;
} catch (const std::bad_alloc &) {
    return fail(why, why_size, "the host is out of memory");
}

static int read_memory(device *d, uint64_t address, void *to, uint64_t size, char *why, size_t why_size)
{
    for (uint64_t done = 0; done < size;) {
        const uint64_t at = (address + done) % PAGE, n = std::min<uint64_t>(PAGE - at, size - done);
        if ((address + done) >> 32 || !d->pages[(address + done) / PAGE])
            return fail(why, why_size, "nobody has written it");
        memcpy(static_cast<char *>(to) + done, &(*d->pages[(address + done) / PAGE])[at], n);
        done += n;
    }
    return 0;
}

/* Private memory is there for each work-group that can be resident; what is in it at first is nobody's. */
static void open_private(device *d)
{
    const ventus_backend_launch &l = d->launched;
    const uint64_t bytes = static_cast<uint64_t>(l.pds_bytes) * l.warps * l.threads_per_warp * l.pds_groups;
    for (uint64_t p = l.pds_base / PAGE; bytes && p <= (l.pds_base + bytes - 1) / PAGE && p < d->pages.size(); p++) {
        if (d->pages[p]) continue;
        d->pages[p] = std::make_unique<page>();
        d->changed[p] = true;
    }
}

static int launch(device *d, const ventus_backend_launch *l, char *why, size_t why_size)
try {
    MODEL &m = d->model;
    std::string wrong;
    d->launched = *l;
    d->launched.kernel = "";
    if (l->threads_per_warp != m.has_lanes)
        return fail(why, why_size, "a warp of the design has another number of lanes");
    if (l->warps > m.has_warps || l->lds_bytes > m.has_lds_bytes)
        return fail(why, why_size, "the work-group is too large");
    if (!d->open_waves(wrong)) return fail(why, why_size, wrong);
    open_private(d);
    if (d->o.cosim && !d->begin_reference(wrong)) return d->close_reference(), fail(why, why_size, wrong);
    d->stored.assign(d->stored.size(), false);
    d->failure.clear();
    d->reset();
    m.launch_pc = l->start, m.launch_knl = l->metadata;
    m.launch_groups_x = l->groups[0], m.launch_groups_y = l->groups[1], m.launch_groups_z = l->groups[2];
    m.launch_warps = l->warps, m.launch_items = l->work_items;
    m.launch_last_items = l->last_items, m.launch_last_of = l->last_of;
    m.launch_lds_bytes = l->lds_bytes;
    m.launch_pds_base = l->pds_base, m.launch_pds_bytes = l->pds_bytes,
    m.launch_pds_groups = std::max(l->pds_groups, 1u);
    m.launch = 1;
    d->begun = d->last = d->cycle;
    d->instructions = 0;
    d->tick();
    m.launch = 0;
    return 0;
} catch (const std::bad_alloc &) {
    return fail(why, why_size, "the host is out of memory");
}

/* What has become of the launch, after a cycle. */
static int state_of(device *d, ventus_backend_outcome *out)
{
    MODEL &m = d->model;
    const uint64_t cycles = d->cycle - d->begun;
    out->cycles = cycles;
    if (d->failure.empty() && m.done && d->cosim) d->compare_end();
    if (!d->failure.empty())
        return snprintf(out->text, sizeof out->text, "%s", d->failure.c_str()), VENTUS_BACKEND_FAILED;
    if (m.done) return VENTUS_BACKEND_DONE;
    if (m.fault) {
        const char *what = m.fault < sizeof FAULTS / sizeof *FAULTS ? FAULTS[m.fault] : "a fault that nobody knows";
        snprintf(out->text, sizeof out->text, "%s at 0x%08x, word %08x", what, m.fault_pc, m.fault_word);
        out->pc = m.fault_pc;
        d->close_reference();
        return VENTUS_BACKEND_FAULT;
    }
    if (d->o.cycles && cycles >= d->o.cycles) {
        snprintf(out->text, sizeof out->text, "it has taken %llu cycles", static_cast<unsigned long long>(cycles));
        return VENTUS_BACKEND_TIMEOUT;
    }
    if (d->cycle - d->last > STUCK + ANSWERS * d->o.latency) {
        snprintf(out->text, sizeof out->text, "no instruction has completed for %llu cycles",
                 static_cast<unsigned long long>(d->cycle - d->last));
        return VENTUS_BACKEND_FAILED;
    }
    return VENTUS_BACKEND_RUNS;
}

static int wait(device *d, uint64_t timeout_ns, ventus_backend_outcome *out)
try {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    for (;;) {
        for (int i = 0; i < 256; i++) {
            d->tick();
            const int state = state_of(d, out);
            if (state != VENTUS_BACKEND_RUNS) return state;
        }
        if (clock::now() - begin > std::chrono::nanoseconds(timeout_ns)) return VENTUS_BACKEND_RUNS;
    }
} catch (const std::bad_alloc &) {
    snprintf(out->text, sizeof out->text, "the host is out of memory");
    return VENTUS_BACKEND_FAILED;
}

static uint32_t counters(device *d, ventus_backend_counter *c, uint32_t room)
{
    if (!room) return 0;
    snprintf(c->name, sizeof c->name, "instructions");
    c->value = d->instructions;
    return 1;
}

extern "C" const ventus_backend *ventus_backend_table(void)
{
    static const ventus_backend table = {
        VENTUS_BACKEND_ABI, sizeof table, open_device, close_device, describe, write_memory,
        read_memory,        launch,       wait,        counters,     nullptr /* program */};
    return &table;
}
