/* Expands the rows of some kinds of isa/insn.def, and nothing for the others.
 *
 * A file that has something for the rows of a kind K defines ROW_K as `~, MACRO`; then ROW(K)(id, expr) is
 * MACRO(id, expr). For a kind without such a definition it is empty. */
#ifndef VENTUS_SIM_ROWS_H
#define VENTUS_SIM_ROWS_H

#define ROW(kind) ROW_CHOOSE(ROW_##kind, ROW_NOTHING, ~)

/* The second of its arguments: MACRO when ROW_K is `~, MACRO`, ROW_NOTHING when it is a word by itself. */
#define ROW_CHOOSE(...)                ROW_SECOND(__VA_ARGS__)
#define ROW_SECOND(first, second, ...) second
#define ROW_NOTHING(id, expr)

#endif
