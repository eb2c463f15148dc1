// The flat tables that the exporter passes to Rust. Ids are indices into the tables; id 0 is "none". Positions are
// clang's raw source locations (32 bits), which Rust resolves (ir/src/source_map.rs). src/clang/raw.rs mirrors this
// file; gainsay_abi() lets Rust check the sizes.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define NODE(N) Node_##N,
enum NodeKind : uint16_t {
#include "kinds.def"
};
#define TYPE(N) Type_##N,
enum TypeKind : uint16_t {
#include "kinds.def"
};
#define DECL(N) Decl_##N,
enum DeclKind : uint16_t {
#include "kinds.def"
};
#define UNARY(N) Unary_##N,
enum UnaryOp : uint16_t {
#include "kinds.def"
};
#define BINARY(N) Binary_##N,
enum BinaryOp : uint16_t {
#include "kinds.def"
};
#define CAST(N) Cast_##N,
enum CastKind : uint16_t {
#include "kinds.def"
};
#define ATTR(N) Attr_##N,
enum AttrKind : uint16_t {
#include "kinds.def"
};

// Node flags
enum : uint32_t {
  NF_LVALUE = 1 << 0,
  NF_INT = 1 << 1,      // an integer constant: `value` holds it (sign- or zero-extended to 64 bits)
  NF_WIDE = 1 << 2,     // with NF_INT: over 64 bits, `value` is the string id of its hexadecimal bits
  NF_FLOAT = 1 << 3,    // a float constant that a double holds exactly: `value` is the double's bits
  NF_EXPLICIT = 1 << 4, // cast written by the user
  NF_ARROW = 1 << 5,
  NF_BITFIELD = 1 << 6,
  NF_ERRORS = 1 << 7, // rests on something that clang made up after an error
  NF_FILLER = 1 << 8,
  NF_FILE_SCOPE = 1 << 9,
  NF_ALL_ENUM_CASES = 1 << 10,
  NF_BUILTIN = 1 << 11,
  NF_ASM_VOLATILE = 1 << 12,
  NF_ASM_GOTO = 1 << 13,
  NF_ASM_MEMORY = 1 << 14, // clobbers memory
};
// Type flags
enum : uint32_t { TF_SIGNED = 1, TF_INCOMPLETE = 2, TF_VARIADIC = 4, TF_NORETURN = 8, TF_CHAR = 16, TF_MAY_ALIAS = 32,
                  TF_CONST = 64, TF_VOLATILE = 128 };
// Declaration flags
enum : uint32_t {
  DF_DEFINED = 1 << 0,
  DF_STATIC = 1 << 1,
  DF_EXTERN = 1 << 2,
  DF_INLINE = 1 << 3,
  DF_NORETURN = 1 << 4,
  DF_SYSTEM = 1 << 5,  // declared in a system header
  DF_INVALID = 1 << 6, // there is an error in the declaration, or in what it is made of
  DF_IMPLICIT = 1 << 7,
  DF_VARIADIC = 1 << 8,
  DF_BITFIELD = 1 << 9,
  DF_GLOBAL = 1 << 10, // file scope or block-scope extern
  DF_STATIC_LOCAL = 1 << 11,
  DF_TLS = 1 << 12,
  DF_INTERNAL = 1 << 13, // internal linkage
  DF_COMPLETE = 1 << 15,
  DF_FLEXIBLE = 1 << 16, // record with a flexible array member
  DF_ANONYMOUS = 1 << 17, // anonymous struct or union member
  DF_UNION = 1 << 18,
  DF_BUILTIN = 1 << 19, // clang knows the function as a builtin
  DF_ERRORS_INSIDE = 1 << 20, // there is an error in the body
};
enum : uint32_t { AF_INHERITED = 1, AF_IMPLICIT = 2 };
enum : uint32_t { FF_SYSTEM = 1, FF_MAIN = 2, FF_SCRATCH = 4 };

struct GsNode { uint16_t kind, op; uint32_t flags, type, at, begin, end, kids, n_kids, ref, pad; int64_t value; };
struct GsType { uint16_t kind, pad0; uint32_t flags, elem, decl, args, n_args, spelling, align_bits; uint64_t size_bits, count; };
struct GsDecl { uint16_t kind, pad0; uint32_t flags, name, type, at, begin, end, parent, init, kids, n_kids, attrs, n_attrs, extra; int64_t value; uint64_t size_bits; uint32_t align_bits, pad1; };
struct GsAttr { uint16_t kind, pad0; uint32_t flags, at, text, args, n_args; };
// One clang SLocEntry. File: `file` is an index into files. Expansion: file = 0xffffffff.
struct GsEntry { uint32_t start, file, spelling, begin, end, argument; };
struct GsFile { uint32_t name, flags, included_at, lines, n_lines; };
struct GsMacro { uint32_t at, name, definition; };
struct GsLineDirective { uint32_t file, offset, line, name /* 0: as before */, system; };
// `decl`: the function whose declaration follows directly; `params`: parameter names of that declaration.
struct GsComment { uint32_t begin, end, text, decl, params, n_params; };
struct GsDiag { uint32_t level /* 2 warning, 3 error, 4 fatal */, at, text; };
struct GsStr { uint32_t offset, len; };
struct GsProbe { uint32_t path, kind; uint8_t hash[32]; }; // absolute path, PROBE_*, BLAKE3 where there is something to hash
enum : uint32_t {
  PROBE_MISSING = 0,
  PROBE_DIRECTORY = 1,
  PROBE_FILE = 2,     // is there, was not read
  PROBE_LISTED = 3,   // a directory; hash of its sorted names, each ended by NUL
  PROBE_READ = 4,     // hash of the contents
  PROBE_UNSTEADY = 5, // not the same twice, or no regular file
};

struct GsView {
  const GsNode *nodes; size_t n_nodes;
  const uint32_t *lists; size_t n_lists;      // children, arguments, declaration lists
  const GsType *types; size_t n_types;
  const GsDecl *decls; size_t n_decls;
  const GsAttr *attrs; size_t n_attrs;
  const GsEntry *entries; size_t n_entries;
  const GsFile *files; size_t n_files;
  const uint32_t *lines; size_t n_lines;      // line starts of all files
  const GsMacro *macros; size_t n_macros;     // sorted by `at`
  const GsLineDirective *directives; size_t n_directives;
  const GsComment *comments; size_t n_comments; // annotations (/*@, //@) and suppressions
  const GsDiag *diags; size_t n_diags;
  const GsStr *strs; size_t n_strs;
  const uint8_t *bytes; size_t n_bytes;
  const uint32_t *functions; size_t n_functions; // declarations whose bodies are exported
  const uint32_t *globals; size_t n_globals;     // variables defined in the unit or referred to
  const uint32_t *assembly; size_t n_assembly;   // texts of assembly outside of functions
  const GsProbe *probes; size_t n_probes;        // what was looked for in the file system, by path
  uint32_t pointer_bits, big_endian;
  uint32_t n_errors_outside; // errors that lie in no function body
  uint32_t failure;          // FAIL_*
};
enum : uint32_t {
  FAIL_NONE = 0,
  FAIL_ARGUMENTS = 1,    // the driver could make nothing of the arguments
  FAIL_RESOURCE_DIR = 2, // clang's own headers (stddef.h, ...) were not found
  FAIL_INPUT = 3,        // the file could not be read
};

extern "C" {
struct GsUnit;
GsUnit *gainsay_parse(const char *const *argv, size_t argc, const char *directory);
void gainsay_view(const GsUnit *, GsView *out);
void gainsay_free(GsUnit *);
void gainsay_abi(uint32_t *sizes, size_t n);
const char *gainsay_clang_version(void);
const char *gainsay_clang_full_version(void); // of the library in use, with the distributor's revision
}
