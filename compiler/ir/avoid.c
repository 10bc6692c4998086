/* Known faults of hardware that code must not meet: `--avoid` and the build option `-mavoid=`. Selection asks for them.
 * Flags of the module carry the set to where its code is made. */
#include <string.h>

#include "compiler/ir/ir.h"

enum { FLAG_SIZE = 64 };

void avoid_add(struct cc *cc, const char *names)
{
    char why[600];
    uint32_t set;
    if (!quirks_parse_avoided(names, &set, why, sizeof why)) cc_error(cc, CC_BAD_OPTION, NULL, "%s", why);
    cc->avoids |= set;
}

bool avoids(const struct cc *cc, enum quirk quirk) { return cc->avoids >> quirk & 1; }

static size_t flag_of(unsigned quirk, char flag[FLAG_SIZE])
{
    return (size_t)snprintf(flag, FLAG_SIZE, "ventus.avoid.%.40s", quirk_table[quirk].name);
}

void avoid_note(struct cc *cc)
{
    char flag[FLAG_SIZE];
    LLVMValueRef yes = LLVMConstInt(LLVMInt32TypeInContext(cc->context), 1, false);
    for (unsigned q = 0; q < QUIRKS; q++)
        if (avoids(cc, q))
            LLVMAddModuleFlag(cc->module, LLVMModuleFlagBehaviorWarning, flag, flag_of(q, flag),
                              LLVMValueAsMetadata(yes));
}

void avoid_read(struct cc *cc)
{
    char flag[FLAG_SIZE];
    for (unsigned q = 0; q < QUIRKS; q++)
        if (LLVMGetModuleFlag(cc->module, flag, flag_of(q, flag))) cc->avoids |= 1u << q;
}
