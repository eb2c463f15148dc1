// The tables while they are filled. Slot 0 of every table with ids means "none".
#pragma once
#include "abi.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

struct GsUnit {
  std::vector<GsNode> nodes;
  std::vector<uint32_t> lists;
  std::vector<GsType> types;
  std::vector<GsDecl> decls;
  std::vector<GsAttr> attrs;
  std::vector<GsEntry> entries;
  std::vector<GsFile> files;
  std::vector<uint32_t> lines;
  std::vector<GsMacro> macros;
  std::vector<GsLineDirective> directives;
  std::vector<GsComment> comments;
  std::vector<GsDiag> diags;
  std::vector<GsStr> strs;
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> functions, globals, assembly;
  std::vector<GsProbe> probes;
  uint32_t pointer_bits = 0, big_endian = 0, n_errors_outside = 0, failure = FAIL_NONE;

  GsUnit() : nodes(1), types(1), decls(1), strs(1) { StringIds[""] = 0; }

  uint32_t string(llvm::StringRef S) {
    auto [Slot, New] = StringIds.try_emplace(S, uint32_t(strs.size()));
    if (New) {
      strs.push_back({uint32_t(bytes.size()), uint32_t(S.size())});
      bytes.insert(bytes.end(), S.begin(), S.end());
    }
    return Slot->second;
  }

  /// Appends to `lists` and returns the index of the first element.
  uint32_t list(llvm::ArrayRef<uint32_t> Ids) {
    uint32_t First = lists.size();
    lists.insert(lists.end(), Ids.begin(), Ids.end());
    return First;
  }

  /// Called when the export is complete: strings are not looked up any more.
  void seal() { StringIds = llvm::StringMap<uint32_t>(); }

private:
  llvm::StringMap<uint32_t> StringIds;
};
