/* Nodes of debug metadata. LLVM's C interface has functions for a few of their fields and shows operands of nodes of
 * any kind; which operand is what, LLVM's own sources say (DebugInfoMetadata.h), and here alone is it repeated. */
#include "compiler/debug/debug.h"

#include <string.h>

enum { SCOPE_FILE, SCOPE_PARENT, SCOPE_NAME, SUBPROGRAM_TYPE = 4 };

static const char FLAG[] = "ventus.debug";

void debug_request(struct cc *cc)
{
    LLVMValueRef yes = LLVMConstInt(LLVMInt32TypeInContext(cc->context), 1, false);
    LLVMAddModuleFlag(cc->module, LLVMModuleFlagBehaviorWarning, FLAG, sizeof FLAG - 1, LLVMValueAsMetadata(yes));
}

bool debug_requested(struct cc *cc) { return LLVMGetModuleFlag(cc->module, FLAG, sizeof FLAG - 1) != NULL; }

uint32_t node_operands(struct cc *cc, LLVMMetadataRef node)
{
    return LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(cc->context, node));
}

static struct pair *find_pair(const struct pairs *p, LLVMMetadataRef a, LLVMMetadataRef b)
{
    uint64_t h = (uintptr_t)a * 0x9e3779b97f4a7c15u ^ (uintptr_t)b * 0xc2b2ae3d27d4eb4fu;
    uint32_t i = (uint32_t)(h >> 32) & (p->size - 1);
    while (p->list[i].a && (p->list[i].a != a || p->list[i].b != b)) i = (i + 1) & (p->size - 1);
    return &p->list[i];
}

uint32_t *pair_number(struct cc *cc, struct pairs *p, LLVMMetadataRef a, LLVMMetadataRef b)
{
    if (2 * (p->n + 1) > p->size) {
        struct pairs larger = {.n = p->n, .size = p->size ? 2 * p->size : 64};
        larger.list = cc_alloc(cc, larger.size * sizeof *larger.list);
        for (uint32_t i = 0; i < p->size; i++)
            if (p->list[i].a) *find_pair(&larger, p->list[i].a, p->list[i].b) = p->list[i];
        *p = larger;
    }
    struct pair *found = find_pair(p, a, b);
    p->n += !found->a;
    found->a = a;
    found->b = b;
    return &found->number;
}

LLVMMetadataRef node_operand(struct cc *cc, LLVMMetadataRef node, unsigned i)
{
    if (!node || i >= node_operands(cc, node)) return NULL;
    LLVMValueRef operand = LLVMGetOperand(LLVMMetadataAsValue(cc->context, node), i);
    return operand ? LLVMValueAsMetadata(operand) : NULL;
}

const char *node_text(struct cc *cc, LLVMMetadataRef node, unsigned i)
{
    unsigned n = 0;
    LLVMMetadataRef text = node_operand(cc, node, i);
    const char *p = text ? LLVMGetMDString(LLVMMetadataAsValue(cc->context, text), &n) : NULL;
    return p ? cc_printf(cc, "%.*s", (int)n, p) : "";
}

const char *subprogram_name(struct cc *cc, LLVMMetadataRef subprogram) { return node_text(cc, subprogram, SCOPE_NAME); }

LLVMMetadataRef subprogram_type(struct cc *cc, LLVMMetadataRef subprogram)
{
    return node_operand(cc, subprogram, SUBPROGRAM_TYPE);
}

const char *node_field(struct cc *cc, LLVMMetadataRef node, const char *field)
{
    char *text = LLVMPrintValueToString(LLVMMetadataAsValue(cc->context, node));
    const char *p = strstr(text, field), *word = "";
    if (p) {
        p += strlen(field);
        word = cc_printf(cc, "%.*s", (int)strcspn(p, ",)"), p);
    }
    LLVMDisposeMessage(text);
    return word;
}

LLVMMetadataRef scope_parent(struct cc *cc, LLVMMetadataRef scope) { return node_operand(cc, scope, SCOPE_PARENT); }

/* clang reads the source from its standard input and knows no name of it. */
static const char *file_name(struct cc *cc, const char *name)
{
    if (strcmp(name, "<stdin>")) return name;
    return cc->source_name ? cc->source_name : "<source>";
}

void file_text(struct cc *cc, LLVMMetadataRef file, const char **folder, const char **name)
{
    unsigned n;
    *folder = *name = "";
    if (!file) return;
    const char *p = LLVMDIFileGetDirectory(file, &n);
    *folder = cc_printf(cc, "%.*s", (int)n, p ? p : "");
    p = LLVMDIFileGetFilename(file, &n);
    *name = file_name(cc, cc_printf(cc, "%.*s", (int)n, p ? p : ""));
}
