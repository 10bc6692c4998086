/* Pipes as they lie in device memory: what the OpenCL library makes and the built-in functions work on.
 * Like abi.h, for C and OpenCL C.
 *
 * Packets are numbered in the order in which they are written. The number, from 0 to `numbers` - 1 and then from 0
 * again, says in which slot a packet is: `numbers` is a multiple of the number of slots, and at least twice that. */
#ifndef VENTUS_PIPE_H
#define VENTUS_PIPE_H

#include "isa/abi.h"

/* The head of a pipe. Behind it are its slots, and then, from `first_packet` on, a packet for each. */
struct abi_pipe {
    uint32_t packet_bytes;
    uint32_t slots;                 /* packets that the pipe can hold */
    uint32_t numbers;               /* below 2^31: no number is the complement of another */
    uint32_t first_packet;          /* bytes from the head */
    uint32_t next_read, next_write; /* numbers of the packets that are reserved next; changed by compare and swap */
    uint32_t unused[2];
};

struct abi_slot {
    uint32_t state;    /* the number of the packet that may be written here, or, when it is there, its complement */
    uint32_t reserved; /* how many packets the latest reservation that begins here has */
};

enum { ABI_PIPE_ALIGN = 128 }; /* of the first packet: suits every type */

#endif
