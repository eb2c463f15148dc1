// The file system as clang sees it, with a record of what clang looked for.
#pragma once
#include "tables.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <map>
#include <string>

class ProbedFileSystem final : public llvm::vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &Path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &Path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &Dir, std::error_code &Error) override;
#if LLVM_VERSION_MAJOR >= 20
  bool exists(const llvm::Twine &Path) override { return bool(status(Path)); }
#endif

  /// Fills the table of probes.
  void exportTo(GsUnit &Unit) const;

private:
  friend class ProbedFile;
  std::string absolute(const llvm::Twine &Path) const;
  void note(const std::string &Path, uint32_t Kind);
  void noteHash(const std::string &Path, uint32_t Kind, llvm::StringRef Contents);

  std::map<std::string, GsProbe> Probes; // `path` is set when exported
};
