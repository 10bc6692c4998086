/* The metadata block of a launch (isa/abi.h) as code sees it: loads of its words through CSR_KNL.
 *
 * Work-item functions read it by __ventus_meta, which becomes such a load, or a constant where
 * reqd_work_group_size fixes the value. Called by prepare.c after inlining, and by structs.c. */
#include "compiler/passes/passes.h"

static LLVMTypeRef i32(struct cc *cc) { return LLVMInt32TypeInContext(cc->context); }

void load_is_invariant(struct cc *cc, LLVMValueRef load)
{
    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(cc->context, "invariant.load", 14),
                    LLVMMetadataAsValue(cc->context, LLVMMDNodeInContext2(cc->context, NULL, 0)));
}

LLVMValueRef metadata_word(struct cc *cc, LLVMBuilderRef b, LLVMValueRef offset)
{
    LLVMTypeRef type = LLVMFunctionType(i32(cc), (LLVMTypeRef[]){i32(cc)}, 1, false);
    LLVMValueRef csr = LLVMGetNamedFunction(cc->module, "__ventus_csr");
    if (!csr) csr = LLVMAddFunction(cc->module, "__ventus_csr", type);
    shape_function(cc, csr);
    LLVMValueRef base = LLVMBuildCall2(b, type, csr, (LLVMValueRef[]){LLVMConstInt(i32(cc), CSR_KNL, false)}, 1, "");
    base = LLVMBuildIntToPtr(b, base, LLVMPointerTypeInContext(cc->context, 2), "");
    LLVMValueRef at = LLVMBuildGEP2(b, LLVMInt8TypeInContext(cc->context), base, &offset, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(b, i32(cc), at, "");
    load_is_invariant(cc, load);
    return load;
}

static void lower_meta_call(struct cc *cc, LLVMBuilderRef b, LLVMValueRef call, const uint32_t reqd[3])
{
    LLVMValueRef offset = LLVMGetOperand(call, 0), value = NULL;
    uint64_t n = LLVMIsAConstantInt(offset) ? LLVMConstIntGetZExtValue(offset) : 0;
    LLVMPositionBuilderBefore(b, call);
    if (reqd[0] && n >= ABI_META_LOCAL_SIZE && n < ABI_META_LOCAL_SIZE + 12)
        value = LLVMConstInt(i32(cc), reqd[(n - ABI_META_LOCAL_SIZE) / 4], false);
    else value = metadata_word(cc, b, offset);
    LLVMReplaceAllUsesWith(call, value);
    LLVMInstructionEraseFromParent(call);
}

void metadata_lower(struct cc *cc, LLVMBuilderRef b)
{
    LLVMValueRef meta = LLVMGetNamedFunction(cc->module, "__ventus_meta");
    if (!meta) return;
    for (LLVMUseRef u = LLVMGetFirstUse(meta), next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef call = LLVMGetUser(u);
        uint32_t reqd[3];
        kernel_sizes(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), "reqd_work_group_size", reqd);
        lower_meta_call(cc, b, call, reqd);
    }
}
