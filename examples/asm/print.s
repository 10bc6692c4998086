# Each work-item prints a line. A printing kernel writes records into the print buffer, whose address and size the metadata
# block has, and the host prints them by the formats that .print_format gives them (isa/abi.h draws records and buffer).
#
#   ventus as print.s && ventus run print.elf -g 4
#   work-item 0 of warp 0
#   work-item 1 of warp 0
#   work-item 2 of warp 0
#   work-item 3 of warp 0

        .set    RECORD, 16              # bytes of a record: size, number of the format, two arguments

        .kernel hello
        .print_format 1, "work-item %u of %s\n"
        .print_string 0, "warp 0"
        .print_string 1, "a later warp"

hello:  csrr    t0, CSR_KNL
        lw      t1, 48(t0)              # the print buffer: word 0 counts the bytes that have been reserved,
        lw      t2, 52(t0)              # its size
        csrr    t3, CSR_TID
        vid.v   v1
        vadd.vx v1, v1, t3              # the work-item's number in its group
        csrr    t4, CSR_WID
        snez    t4, t4
        vmv.v.x v2, t4                  # the number of a string
        li      t5, RECORD
        vmv.v.x v3, t5
        vmv.v.x v4, t1
        amoadd.w v5, v3, (v4)           # where its record begins: lanes get places one behind the other
        vadd.vx v6, v5, t5
        vmv.v.x v7, t2
        la      t6, done
        setrpc  zero, t6, 0
        vbltu   v7, v6, done            # no room: a kernel that prints more than this one waits here (isa/abi.h)
        vadd.vx v5, v5, t1
        vsw12.v v3, 0(v5)
        vmv.v.i v8, 1                   # the format's number
        vsw12.v v8, 4(v5)
        vsw12.v v1, 8(v5)
        vsw12.v v2, 12(v5)
        vadd.vi v4, v4, 4               # word 1 counts the bytes of records that are complete
        amoadd.w v5, v3, (v4)
done:   join
        ret
