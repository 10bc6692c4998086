/* Texts of programs whose lanes part: a prologue, branches, and what they leave behind to be compared. */
#ifndef NATIVE_PATHS_H
#define NATIVE_PATHS_H

/* x20 is the data, v31 the address of each work-item's word there, v1 to v3 are words from there, v4 is the lane's
 * number, v5 one to eight, v6 its lowest bit, v7 the next one, v13 is 0. */
#define START \
    " lui x20, 0x90000\n vid.v v4\n csrr x5, CSR_TID\n vadd.vx v31, v4, x5\n vsll.vi v31, v31, 2\n" \
    " vadd.vx v31, v31, x20\n vlw12.v v1, 0(v31)\n vlw12.v v2, 512(v31)\n vlw12.v v3, 1024(v31)\n" \
    " vand.vi v5, v4, 7\n vadd.vi v5, v5, 1\n vand.vi v6, v4, 1\n vsrl.vi v7, v4, 1\n vand.vi v7, v7, 1\n vmv.v.i " \
    "v13, 0\n"
#define SAVE \
    " lui x30, 0x4\n vadd.vx v30, v31, x30\n vsw12.v v1, 0(v30)\n vsw12.v v2, 512(v30)\n vsw12.v v3, 1024(v30)\n" \
    " vsw12.v v5, 1536(v30)\n endprg\n"

/* Lanes in which `registers` are equal do `then`, others `otherwise`; they meet at `label`, a join. */
#define WAY_TO(label) "1: auipc x8, %pcrel_hi(" label ")\n setrpc x0, x8, %pcrel_lo(1b)\n"
#define IF(label, registers, then, otherwise) \
    WAY_TO(label) \
    " vbeq " registers ", " label "_then\n" otherwise " j " label "\n" label "_then:" then label ": join\n"

#endif
