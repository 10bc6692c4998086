/* Modules of SPIR-V in the place of a source. */
#ifndef VENTUS_SPIRV_H
#define VENTUS_SPIRV_H

#include "compiler/core/cc.h"

/* Are these bytes a module of SPIR-V? */
bool spirv_is(const void *bytes, size_t size);
/* Reads one, in the place of the front end. Ends with CC_FAILED when it is not valid or not for this device. */
LLVMModuleRef spirv_run(struct cc *cc, const char *bytes, size_t size);

#endif
