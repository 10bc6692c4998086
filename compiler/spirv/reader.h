/* Private to the reader of SPIR-V (this folder), which is the front end for modules in the place of clang: it makes of
 * one what clang makes of a source. Files may use those that stand before them in this one, and spirv.c all.
 *
 * A module may come from anywhere. Whatever an instruction says of another one is checked before LLVM sees it: LLVM's
 * functions do not check, and an operand of a wrong type would end the process. */
#ifndef VENTUS_SPIRV_READER_H
#define VENTUS_SPIRV_READER_H

#include "compiler/ir/ir.h"
#include "compiler/spirv/spirv.h"

/* Storage classes. */
enum space {
    SPACE_CONSTANT = 0, /* UniformConstant */
    SPACE_INPUT = 1,    /* variables of the machine: what get_global_id and the like return */
    SPACE_LOCAL = 4,    /* Workgroup */
    SPACE_GLOBAL = 5,   /* CrossWorkgroup */
    SPACE_PRIVATE = 7,  /* Function */
    SPACE_GENERIC = 8,
};

struct type {
    uint32_t op;      /* OP_TypeInt, ... */
    LLVMTypeRef llvm; /* NULL for sampled images, which are pairs, and what only other types contain */
    struct type
        *element;   /* of vectors, arrays, pointers (NULL until it is known) and sampled images; a function's result */
    uint32_t count; /* bits of a number, elements, members, parameters; of a pointer, its storage class */
    struct type **members; /* of structs and functions */
    uint64_t size;         /* bytes, at least; 0 for what has no place in memory */
    uint32_t depth;        /* of nesting */
    const char *mangled;   /* how images and the like stand in names of functions */
};

/* What decorations say of an id: the literals of one, in the instruction; NULL if it is not there. */
enum decoration {
    DECORATION_PACKED,
    DECORATION_BUILTIN,
    DECORATION_RESTRICT,
    DECORATION_VOLATILE,
    DECORATION_CONSTANT,
    DECORATION_SATURATED,
    DECORATION_ROUNDING,
    DECORATION_LINKAGE,
    DECORATION_ALIGNMENT,
    DECORATIONS
};
struct decorations {
    const uint32_t *of[DECORATIONS];
    uint32_t parameter; /* bits, by number, of a parameter's attributes */
};

/* Of a kernel. */
struct entry {
    const char *name;
    const uint32_t *size, *hint; /* three each, of its work-groups; NULL: not said */
    bool size_ids, hint_ids;     /* they are ids of constants */
    const uint32_t *vector;      /* VecTypeHint's literal, or NULL */
    struct id **parameters;
    struct entry *next;
};

/* What comes in is known at the function's end. */
struct phi {
    LLVMValueRef value;
    const uint32_t *operands;
    uint32_t noperands, at;
    struct phi *next;
};

enum id_kind { ID_NONE, ID_TYPE, ID_VALUE, ID_FUNCTION, ID_LABEL, ID_STRING, ID_OPENCL, ID_NON_SEMANTIC, ID_GROUP };

struct id {
    enum id_kind kind;
    struct type *type;               /* itself, or of a value or function */
    LLVMValueRef value;              /* also a function; of what each function makes anew, that of its owner */
    bool is_anew;                    /* a variable of the machine, a literal sampler */
    struct id *owner;                /* of these, the function whose value it has */
    uint32_t sampler;                /* a literal sampler's word */
    LLVMValueRef second;             /* a sampled image's sampler */
    LLVMBasicBlockRef block, end;    /* a label's first block, and that of its last instruction */
    const char *name, *text;         /* by OpName; of a string */
    struct decorations *decorations; /* or NULL */
    struct entry *entry;             /* or NULL */
};

struct reader;
/* Reads the instruction of `r`. Returns the value of its result, if it has one that LLVM knows. */
typedef LLVMValueRef read_function(struct reader *r);

/* One row of spirv.def. */
struct op {
    const char *name;
    uint16_t number;
    uint8_t result;    /* RESULT_... */
    uint8_t where;     /* WHERE_... */
    uint16_t operands; /* words behind the result, at least */
    int how;           /* for `read`: what LLVM calls it */
    read_function *read;
};
enum { RESULT_NONE, RESULT_ID, RESULT_TYPED };
enum { WHERE_MODULE, WHERE_FUNCTION, WHERE_BLOCK, WHERE_FOLDED, WHERE_ANY };

enum {
#define OP(number, name, ...) OP_##name = number,
#include "compiler/spirv/spirv.def"
};

struct reader {
    struct cc *cc;
    LLVMBuilderRef b;
    LLVMModuleRef module;
    const uint32_t *words;
    uint32_t nwords, at; /* of the module; where the instruction begins */
    struct id *ids;
    uint32_t bound;

    const struct op *ops;
    size_t nops;

    /* the instruction */
    const struct op *op;
    const uint32_t *operands; /* behind type and result */
    uint32_t noperands;
    uint32_t nwritten; /* the number of the result */
    struct type *type; /* of its result */
    struct id *result;

    struct entry *entries;

    /* the function */
    struct id *function;
    unsigned parameter; /* the next one */
    bool is_body;       /* second pass: instructions of blocks */
    struct id *label;   /* of the block; NULL behind its end */
    struct phi *phis;   /* not complete yet */

    /* names of types of kernel arguments, which translators from OpenCL C leave as strings */
    struct string {
        const char *text;
        struct string *next;
    } * strings;
    LLVMMetadataRef file, scope; /* of the source, if the module says lines */
};

/* ---- spirv/operand.c ---- */
_Noreturn void spirv_error(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The id, or type, of this number; ends with an error if it is none. */
struct id *id_of(struct reader *r, uint32_t number);
struct type *type_of(struct reader *r, uint32_t number);
/* The id, or type, or value that operand `i` names; ends with an error if it is none. */
struct id *operand_id(struct reader *r, uint32_t i);
struct type *operand_type(struct reader *r, uint32_t i);
struct id *operand_value_id(struct reader *r, uint32_t i);
LLVMValueRef operand_value(struct reader *r, uint32_t i);
/* A value that must be of LLVM's type `type`. */
LLVMValueRef operand_of(struct reader *r, uint32_t i, LLVMTypeRef type);
/* A constant integer. */
uint64_t operand_constant(struct reader *r, uint32_t i);
uint64_t constant_of(struct reader *r, uint32_t number);
/* The string that begins at operand `i`; *next is the operand behind it. */
const char *operand_text(struct reader *r, uint32_t i, uint32_t *next);
/* Of an id: NULL if it is not there. */
const uint32_t *decoration(const struct id *id, enum decoration which);
/* NULL: there is none. */
const struct op *op_find(const struct reader *r, uint32_t number);
LLVMTypeRef int_type(struct reader *r, unsigned bits);
LLVMValueRef int_value(struct reader *r, uint64_t value); /* of 32 bits */

/* ---- spirv/module.c: what stands before the functions ---- */
enum linkage { LINKAGE_EXPORT, LINKAGE_IMPORT, LINKAGE_ONCE };
/* The name by which other modules know a function or variable, and how; NULL if they do not. */
const char *linkage_name(const struct reader *r, const struct id *id, enum linkage *how);
/* A parameter that is a pointer to the struct that is passed. */
bool is_by_value(const struct id *parameter);
read_function read_capability, read_memory_model, read_entry_point, read_execution_mode, read_import, read_name,
    read_string, read_decorate, read_decoration_group, read_group_decorate, read_nothing;

/* ---- spirv/type.c ---- */
read_function read_type, read_forward_pointer, read_bool, read_constant, read_composite_constant, read_null,
    read_sampler, read_undef, read_folded;
unsigned space_number(struct reader *r, uint32_t storage);
/* Are there values of the type that LLVM knows? */
bool has_values(const struct type *type);
/* A power of two that memory can be aligned to, or an error. */
unsigned alignment_checked(struct reader *r, uint64_t bytes);

/* ---- spirv/name.c: names of built-in functions ---- */
/* A function of this name; one that is there has to be of this type. */
LLVMValueRef function_add(struct reader *r, const char *name, LLVMTypeRef type);
/* It is to stay a function that is called. */
void function_keep(struct reader *r, LLVMValueRef function);
/* Arguments of a built-in function: values, and the types that stand in its name. */
enum { MAX_ARGUMENTS = 20 };
struct arguments {
    LLVMValueRef value[MAX_ARGUMENTS];
    unsigned n;
    const char *types;
};
/* A type as names of functions have it, without abbreviations; integers are signed or not as `sign` ('s', 'u') says,
 * and pointers point to `qualifiers` of it: K const, V volatile, U7_Atomic. */
const char *type_name_of(struct reader *r, const struct type *type, char sign, const char *qualifiers);
void argument_add(struct reader *r, struct arguments *a, LLVMValueRef value, const char *type);
/* Calls the built-in function `name` with these arguments. */
LLVMValueRef builtin_call(struct reader *r, const char *name, LLVMTypeRef result, const struct arguments *a);

/* ---- spirv/pipe.c ---- */
read_function read_pipe, read_group_pipe, read_is_reservation;

/* ---- spirv/insn.c ---- */
read_function read_binary, read_shift, read_compare, read_unary, read_modulo, read_classify, read_any_all, read_select,
    read_scale, read_convert, read_saturate, read_bitcast, read_extract, read_insert, read_extract_dynamic,
    read_insert_dynamic, read_shuffle, read_construct, read_wide;
/* 0 for scalars. */
unsigned vector_count(LLVMTypeRef type);
LLVMTypeRef scalar_type(LLVMTypeRef type);

/* ---- spirv/memory.c ---- */
read_function read_variable, read_load, read_store, read_copy_memory, read_copy_sized, read_access, read_pointer_access,
    read_pointer_compare, read_pointer_difference, read_size, read_copy;
/* At the beginning of a function that names them: what each function makes anew. */
void anew_begin(struct reader *r);

/* ---- spirv/kernel.c ---- */
read_function read_line, read_no_line;
void kernel_describe(struct reader *r, struct id *function);
/* Lines of the source: of a function that begins, and when all have been read. */
void lines_of_function(struct reader *r);
void lines_end(struct reader *r);

/* ---- spirv/function.c ---- */
read_function read_function_begin, read_parameter, read_label, read_function_end, read_call, read_phi, read_branch,
    read_branch_conditional, read_switch, read_return, read_return_value, read_unreachable;

/* ---- spirv/call.c ---- */
/* The library has some functions for generic pointers, as clang calls them. */
LLVMValueRef generic(struct reader *r, LLVMValueRef pointer);
/* Of a group's functions: by operand `i`, its scope. */
const char *group_name(struct reader *r, uint32_t i);
read_function read_extended, read_group_boolean, read_group_broadcast, read_group_reduce, read_async_copy, read_wait,
    read_barrier, read_memory_barrier, read_atomic, read_builtin, read_generic_cast, read_generic_semantics;

/* ---- spirv/subgroup.c ---- */
read_function read_vote, read_ballot, read_lane_value, read_rotate, read_reduction;

/* ---- spirv/extended.c ---- */
read_function read_bits, read_dot, read_clock;

/* ---- spirv/image.c ---- */
read_function read_sampled_image, read_image, read_image_read, read_image_sample, read_image_write, read_image_size,
    read_image_query;

#endif
