# Modules of SPIR-V as input of `ventus cc`: results, and what is said of modules that are not for this device.
. "$VENTUS_SOURCE/tests/shell/common"
command -v spirv-as >/dev/null || { echo "spirv-as is not installed: apt install spirv-tools"; exit 77; }

# Standard input: text; $1: the file.
assemble() { spirv-as --target-env spv1.3 - -o "$1" || wrong "$1 does not assemble"; }

head="OpCapability Addresses
      OpCapability Kernel
      OpCapability Int64
      OpMemoryModel Physical32 OpenCL
      OpEntryPoint Kernel %k \"twice\" %gid
      OpExecutionMode %k LocalSize 8 1 1
      OpDecorate %gid BuiltIn GlobalInvocationId
      %file = OpString \"twice.cl\"
      %void = OpTypeVoid
      %uint = OpTypeInt 32 0
      %v3 = OpTypeVector %uint 3
      %in = OpTypePointer Input %v3
      %to = OpTypePointer CrossWorkgroup %uint
      %type = OpTypeFunction %void %to
      %gid = OpVariable %in Input
      %two = OpConstant %uint 2
      %k = OpFunction %void None %type
      %out = OpFunctionParameter %to
      %entry = OpLabel"
body="%ids = OpLoad %v3 %gid
      %i = OpCompositeExtract %uint %ids 0
      %p = OpInBoundsPtrAccessChain %to %out %i
      OpLine %file 7 1
      %x = OpLoad %uint %p
      %y = OpIMul %uint %x %two
      OpStore %p %y
      OpReturn
      OpFunctionEnd"

printf '%s\n%s\n' "$head" "$body" | assemble twice.spv
check 0 "" "$ventus" cc twice.spv -o twice.elf
check 0 "0 2 4 6 8 10 12 14" "$ventus" run twice.elf --global 8 --arg iota:8 --show 0
check 1 "cannot hold" "$ventus" run twice.elf --global 8 --local 4 --arg iota:8
check 1 "line 7" "$ventus" run twice.elf --global 65536 --arg iota:1
check 0 "" "$ventus" cc --compile twice.spv -o twice.o
check 0 "" "$ventus" cc --link twice.o -o linked.elf
check 0 "0 2 4 6 8 10 12 14" "$ventus" run linked.elf --global 8 --arg iota:8 --show 0

# sed's script, and what the compiler says of the module it makes.
refused() {
    printf '%s\n%s\n' "$head" "$body" | sed "$1" | assemble bad.spv
    check 1 "$2" "$ventus" cc bad.spv -o bad.elf
}
refused 's/Physical32/Physical64/' 'OpMemoryModel: the module is for addresses of 64 bits (Physical64)'
refused 's/Int64/Shader/' 'OpCapability: the module needs capability 1,'
refused 's/Physical32 OpenCL/Logical GLSL450/' 'it is not for OpenCL\|has to be Physical32 OpenCL'
refused 's/OpStore %p %y/OpStore %p %ids/' 'OpStore: %[0-9]* has not the type that is needed here'
refused 's/OpIMul %uint %x %two/OpFMul %uint %x %two/' 'OpFMul: %[0-9]* is of no floating-point type'
refused 's/OpIMul %uint %x %two/OpIMul %uint %x %later/; s/OpReturn/%later = OpCopyObject %uint %x\n&/' 'is no value, or comes later'
refused 's/%ids 0/%ids 3/' 'OpCompositeExtract: there is no part 3'
refused 's/OpReturn/OpBranch %two/' 'OpBranch: %[0-9]* is no block of this function'
refused 's/OpReturn//' 'OpFunctionEnd: the last block has no end'
refused '/OpFunctionEnd/d' 'the last function has no end'
refused 's/OpReturn/OpKill/' 'instruction 252 is not one of kernels'

refused 's/^ *%two = /%loop = OpTypePointer CrossWorkgroup %loop\n&/; s/^ *%void/OpTypeForwardPointer %loop CrossWorkgroup\n&/' 'it points to no struct'

# A function that two modules have, once for the program.
once() { # kernel
    printf '%s\n%s\n' "$head" "$body" | sed "s/twice\" /$1\" /
        s/OpMemoryModel/OpCapability Linkage\nOpExtension \"SPV_KHR_linkonce_odr\"\n&/
        s/OpDecorate/OpDecorate %f LinkageAttributes \"once\" LinkOnceODR\n&/
        s/%two = .*/&\n%f_type = OpTypeFunction %uint %uint\n%f = OpFunction %uint None %f_type/
        s/^ *%k = /%fx = OpFunctionParameter %uint\n%fl = OpLabel\n%fr = OpIMul %uint %fx %two\nOpReturnValue %fr\nOpFunctionEnd\n&/
        s/OpIMul %uint %x %two/OpFunctionCall %uint %f %x/" | assemble "$1.spv"
    check 0 "" "$ventus" cc --compile "$1.spv" -o "$1.o"
}
once first
once second
check 0 "" "$ventus" cc --link first.o second.o -o both.elf
check 0 "0 2 4 6 8 10 12 14" "$ventus" run both.elf --kernel second --global 8 --arg iota:8 --show 0

# A function for images of each kind, which OpenCL C calls with its own.
texel() { # dimensions and layers, the type in OpenCL C
    assemble texel.spv <<END
        OpCapability Addresses
        OpCapability Kernel
        OpCapability Linkage
        OpCapability ImageBasic
        OpCapability Image1D
        OpCapability ImageBuffer
        OpMemoryModel Physical32 OpenCL
        OpDecorate %f LinkageAttributes "texel" Export
        %void = OpTypeVoid
        %uint = OpTypeInt 32 0
        %at = OpTypeVector %uint 4
        %float = OpTypeFloat 32
        %rgba = OpTypeVector %float 4
        %image = OpTypeImage %void $1 0 Unknown ReadOnly
        %type = OpTypeFunction %rgba %image %at
        %f = OpFunction %rgba None %type
        %i = OpFunctionParameter %image
        %p = OpFunctionParameter %at
        %entry = OpLabel
        %r = OpImageRead %rgba %i %p
        OpReturnValue %r
        OpFunctionEnd
END
    echo "float4 texel(read_only $2 i, int4 at);
        kernel void k(read_only $2 i, global float4 *out) { *out = texel(i, (int4)(1, 2, 3, 0)); }" >call.cl
    check 0 "" "$ventus" cc --compile texel.spv -o texel.o
    check 0 "" "$ventus" cc --compile call.cl -o call.o
    check 0 "" "$ventus" cc --link texel.o call.o -o texel.elf
}
texel "1D 0 0 0" image1d_t
texel "1D 0 1 0" image1d_array_t
texel "2D 0 0 0" image2d_t
texel "2D 0 1 0" image2d_array_t
texel "3D 0 0 0" image3d_t
texel "Buffer 0 0 0" image1d_buffer_t
texel "2D 1 0 0" image2d_depth_t

# The size of an image is what OpenCL C asks for by coordinate: the code of both is the same.
extent() { # dimensions and layers, the type in OpenCL C, coordinates, what these are in OpenCL C
    assemble extent.spv <<END
        OpCapability Addresses
        OpCapability Kernel
        OpCapability Linkage
        OpCapability ImageBasic
        OpCapability Image1D
        OpMemoryModel Physical32 OpenCL
        OpDecorate %f LinkageAttributes "extent" Export
        %void = OpTypeVoid
        %uint = OpTypeInt 32 0
        %size = OpTypeVector %uint $3
        %image = OpTypeImage %void $1 0 Unknown ReadOnly
        %type = OpTypeFunction %size %image
        %zero = OpConstant %uint 0
        %f = OpFunction %size None %type
        %i = OpFunctionParameter %image
        %entry = OpLabel
        %r = OpImageQuerySizeLod %size %i %zero
        OpReturnValue %r
        OpFunctionEnd
END
    echo "int$3 extent(read_only $2 i); kernel void k(read_only $2 i, global int$3 *out) { *out = extent(i); }" >call.cl
    echo "int$3 extent(read_only $2 i) { return (int$3)($4); }" >extent.cl
    for from in extent.spv extent.cl call.cl; do check 0 "" "$ventus" cc --compile $from -o ${from##*.}.$from.o; done
    for from in spv cl; do
        check 0 "" "$ventus" cc --link $from.extent.$from.o cl.call.cl.o -o extent.elf
        "$ventus" objdump extent.elf | grep '^8' >$from.text
    done
    [ -s cl.text ] && cmp spv.text cl.text || wrong "the size of $2 has other code than in OpenCL C"
}
extent "2D 0 0 0" image2d_t 2 "get_image_width(i), get_image_height(i)"
extent "2D 0 1 0" image2d_array_t 3 "get_image_width(i), get_image_height(i), (int)get_image_array_size(i)"
extent "3D 0 0 0" image3d_t 3 "get_image_width(i), get_image_height(i), get_image_depth(i)"
extent "1D 0 1 0" image1d_array_t 2 "get_image_width(i), (int)get_image_array_size(i)"

head -c 40 twice.spv >cut.spv
check 1 "SPIR-V" "$ventus" cc cut.spv -o bad.elf
head -c 202 twice.spv >odd.spv
check 1 "cut off" "$ventus" cc odd.spv -o bad.elf
exit $status
