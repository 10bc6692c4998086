// Floating point of 32 bits, rounded to nearest even, subnormal numbers included.
//
// A sum, a product and both together are one operation, x * y + z, which is computed exactly and rounded once, as everything
// here. Quotients and roots are integers with enough bits, and a last one that says that something is left over.
package float_pkg;
  import simt_pkg::*;

  localparam word_t NAN = 32'h7fc0_0000, INFINITY = 32'h7f80_0000;

  typedef struct packed {
    logic sign, zero, inf, nan;
    logic [23:0] frac;  // its upper bit is 1, if it is not zero
    int exp;            // the number is frac * 2^exp
  } float_t;

  function automatic float_t unpack(word_t w);  /*verilator no_inline_task*/
    float_t f;
    f.sign = w[31];
    f.zero = w[30:0] == 0;
    f.inf = w[30:0] == INFINITY[30:0];
    f.nan = w[30:0] > INFINITY[30:0];
    f.frac = {w[30:23] != 0, w[22:0]};
    f.exp = (w[30:23] == 0 ? 1 : int'(w[30:23])) - 150;
    for (int s = 16; s > 0; s >>= 1)
      if (w[30:23] == 0 && f.frac >> (24 - s) == 0) begin
        f.frac <<= s;
        f.exp -= s;
      end
    return f;
  endfunction

  // m * 2^exp, rounded
  function automatic word_t round(logic sign, int exp, logic [127:0] m);  /*verilator no_inline_task*/
    logic [127:0] rest, half;
    int top = 0, drop;
    word_t kept;
    if (m == 0) return {sign, 31'b0};
    for (int s = 64; s > 0; s >>= 1) if (m >> (top + s) != 0) top += s;
    drop = top - 23 > -149 - exp ? top - 23 : -149 - exp;
    if (drop > 0) begin
      if (drop > 126) return {sign, 31'b0};  // all is gone
      half = 128'd1 << (drop - 1);
      rest = m & ((half << 1) - 1);
      kept = 32'(m >> drop);
      if (rest > half || (rest == half && kept[0])) kept++;
    end else kept = 32'(m) << -drop;
    if (exp + drop + 150 > 254) return {sign, INFINITY[30:0]};
    kept += 32'(exp + drop + 149) << 23;  // a carry into the exponent is right
    return {sign, kept[30:0] > INFINITY[30:0] ? INFINITY[30:0] : kept[30:0]};
  endfunction

  function automatic word_t multiply_add(word_t x, word_t y, word_t z);  /*verilator no_inline_task*/
    float_t a = unpack(x), b = unpack(y), c = unpack(z);
    logic sign = a.sign ^ b.sign;
    logic [127:0] product = 128'(a.frac) * 128'(b.frac), addend = 128'(c.frac);
    int exp = a.exp + b.exp, distance = exp - c.exp;
    if (a.nan || b.nan || c.nan || (a.inf && b.zero) || (a.zero && b.inf)) return NAN;
    if (a.inf || b.inf) return c.inf && c.sign != sign ? NAN : {sign, INFINITY[30:0]};
    if (c.inf) return z;
    if (a.zero || b.zero) return !c.zero ? z : {sign && c.sign, 31'b0};
    if (c.zero) return round(sign, exp, product);
    if (distance > 56) distance = 56;  // the smaller one is only something that is not zero then
    if (distance < -56) distance = -56;
    if (distance >= 0) begin
      product <<= distance;
      exp -= distance;
    end else begin
      addend <<= -distance;
      exp = c.exp + distance;
    end
    if (sign == c.sign) return round(sign, exp, product + addend);
    if (product == addend) return 0;
    return product > addend ? round(sign, exp, product - addend) : round(c.sign, exp, addend - product);
  endfunction

  function automatic word_t divide(word_t x, word_t y);  /*verilator no_inline_task*/
    float_t a = unpack(x), b = unpack(y);
    logic sign = a.sign ^ b.sign;
    logic [50:0] n = {a.frac, 27'b0}, d = 51'(b.frac);
    if (a.nan || b.nan || (a.inf && b.inf) || (a.zero && b.zero)) return NAN;
    if (a.inf || b.zero) return {sign, INFINITY[30:0]};
    if (a.zero || b.inf) return {sign, 31'b0};
    return round(sign, a.exp - b.exp - 28, 128'({n / d, n % d != 0}));
  endfunction

  function automatic word_t square_root(word_t x);  /*verilator no_inline_task*/
    float_t a = unpack(x);
    int shift = a.exp[0] ? 27 : 26;
    logic [51:0] n = 52'(a.frac) << shift, root = 0;
    if (a.nan || (a.sign && !a.zero)) return NAN;
    if (a.zero || a.inf) return x;
    for (logic [51:0] bit_ = 52'd1 << 25; bit_ != 0; bit_ >>= 1) if ((root | bit_) * (root | bit_) <= n) root |= bit_;
    return round(0, ((a.exp - shift) >>> 1) - 1, 128'({root, root * root != n}));
  endfunction

  function automatic word_t to_integer(word_t x, logic is_signed, logic truncates);  /*verilator no_inline_task*/
    float_t a = unpack(x);
    int exp = a.exp + 25;  // of the first of 25 bits behind the point
    logic [63:0] fixed = a.zero ? 0 : exp < 0 ? 1 : exp > 40 ? '1 : 64'(a.frac) << exp;
    logic [63:0] whole = fixed >> 25;
    if (!truncates && (fixed[24:0] > 25'h100_0000 || (fixed[24:0] == 25'h100_0000 && whole[0]))) whole++;
    if (a.nan) return is_signed ? 32'h7fff_ffff : '1;
    if (!is_signed) return a.sign ? 0 : whole > 64'hffff_ffff ? '1 : whole[31:0];
    if (a.sign) return whole > 64'h8000_0000 ? 32'h8000_0000 : -whole[31:0];
    return whole > 64'h7fff_ffff ? 32'h7fff_ffff : whole[31:0];
  endfunction

  // In the order of numbers, in which -0 is below 0.
  function automatic logic below(word_t x, word_t y);
    if (x[31] != y[31]) return x[31];
    return x[31] ? y < x : x < y;
  endfunction

  function automatic word_t float(op_t op, logic [1:0] negate, word_t a, word_t b, word_t c);  /*verilator no_inline_task*/
    float_t x = unpack(a), y = unpack(b);
    logic ordered = !x.nan && !y.nan, both_zero = x.zero && y.zero;
    logic equal = ordered && (a == b || both_zero), less = ordered && !both_zero && below(a, b);
    word_t product = {negate[0], 31'b0}, addend = {negate[1], 31'b0};
    case (op)
      FADD: return multiply_add(a ^ product, 32'h3f80_0000, b ^ addend);
      FMUL: return multiply_add(a, b, {a[31] ^ b[31], 31'b0});
      FMACC: return multiply_add(a ^ product, b, c ^ addend);
      FMADD: return multiply_add(b ^ product, c, a ^ addend);
      FDIV: return divide(a, b);
      FRDIV: return divide(b, a);
      FSQRT: return square_root(a);
      FSGNJ: return {b[31], a[30:0]};
      FSGNJN: return {!b[31], a[30:0]};
      FSGNJX: return {a[31] ^ b[31], a[30:0]};
      FMIN, FMAX: return x.nan ? (y.nan ? NAN : b) : y.nan || below(a, b) == (op == FMIN) ? a : b;
      FEQ: return word_t'(equal);
      FNE: return word_t'(!equal);
      FLT: return word_t'(less);
      FLE: return word_t'(less || equal);
      FGT: return word_t'(ordered && !less && !equal);
      FGE: return word_t'(ordered && !less);
      FCLASS: begin
        if (x.nan) return a[22] ? 32'h200 : 32'h100;
        if (x.inf) return x.sign ? 32'h1 : 32'h80;
        if (x.zero) return x.sign ? 32'h8 : 32'h10;
        if (a[30:23] == 0) return x.sign ? 32'h4 : 32'h20;
        return x.sign ? 32'h2 : 32'h40;
      end
      F_TO_S, F_TO_U: return to_integer(a, op == F_TO_S, 0);
      F_TO_S_RTZ, F_TO_U_RTZ: return to_integer(a, op == F_TO_S_RTZ, 1);
      S_TO_F: return round(a[31], 0, {96'b0, a[31] ? -a : a});
      default: return round(0, 0, {96'b0, a});  // U_TO_F
    endcase
  endfunction
endpackage
