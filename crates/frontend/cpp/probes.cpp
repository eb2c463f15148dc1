// Records what a unit depends on: files that were read, files that were looked for and not found, and directories.
#include "probes.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstring>

using namespace llvm;

/// Hashes the bytes that are read, so that a file that changes meanwhile is not confused with its later state.
class ProbedFile final : public vfs::File {
public:
  ProbedFile(std::unique_ptr<vfs::File> Inner, ProbedFileSystem &Files, std::string Path)
      : Inner(std::move(Inner)), Files(Files), Path(std::move(Path)) {}
  ErrorOr<vfs::Status> status() override { return Inner->status(); }
  ErrorOr<std::string> getName() override { return Inner->getName(); }
  ErrorOr<std::unique_ptr<MemoryBuffer>> getBuffer(const Twine &Name, int64_t FileSize, bool RequiresNullTerminator,
                                                   bool IsVolatile) override {
    auto Buffer = Inner->getBuffer(Name, FileSize, RequiresNullTerminator, IsVolatile);
    if (Buffer) Files.noteHash(Path, PROBE_READ, (*Buffer)->getBuffer());
    else Files.note(Path, PROBE_UNSTEADY);
    return Buffer;
  }
  std::error_code close() override { return Inner->close(); }

private:
  std::unique_ptr<vfs::File> Inner;
  ProbedFileSystem &Files;
  std::string Path;
};

std::string ProbedFileSystem::absolute(const Twine &Path) const {
  SmallString<256> Result;
  Path.toVector(Result);
  (void)makeAbsolute(Result);
  return Result.str().str();
}

/// Kinds only increase: a file that was found and is read later counts as read.
void ProbedFileSystem::note(const std::string &Path, uint32_t Kind) {
  auto [Slot, New] = Probes.try_emplace(Path, GsProbe{0, Kind, {}});
  uint32_t &Known = Slot->second.kind;
  if (New || Known == Kind || Known == PROBE_UNSTEADY) return;
  const bool StillFile = Known == PROBE_READ && Kind == PROBE_FILE;
  const bool StillDirectory = Known == PROBE_LISTED && Kind == PROBE_DIRECTORY;
  const bool More = (Known == PROBE_FILE && Kind == PROBE_READ) || (Known == PROBE_DIRECTORY && Kind == PROBE_LISTED);
  if (More) Known = Kind;
  else if (!StillFile && !StillDirectory) Known = PROBE_UNSTEADY;
}

void ProbedFileSystem::noteHash(const std::string &Path, uint32_t Kind, StringRef Contents) {
  BLAKE3 Hasher;
  Hasher.update(Contents);
  auto Hash = Hasher.final<32>();
  auto Known = Probes.find(Path);
  const bool Again = Known != Probes.end() && Known->second.kind == Kind;
  if (Again && std::memcmp(Known->second.hash, Hash.data(), Hash.size()) != 0) {
    Known->second.kind = PROBE_UNSTEADY;
    return;
  }
  note(Path, Kind);
  std::memcpy(Probes[Path].hash, Hash.data(), Hash.size());
}

ErrorOr<vfs::Status> ProbedFileSystem::status(const Twine &Path) {
  auto Status = ProxyFileSystem::status(Path);
  const uint32_t Kind = !Status                    ? PROBE_MISSING
                        : Status->isDirectory()    ? PROBE_DIRECTORY
                        : Status->isRegularFile()  ? PROBE_FILE
                                                   : PROBE_UNSTEADY;
  note(absolute(Path), Kind);
  return Status;
}

ErrorOr<std::unique_ptr<vfs::File>> ProbedFileSystem::openFileForRead(const Twine &Path) {
  std::string Name = absolute(Path);
  auto File = ProxyFileSystem::openFileForRead(Path);
  if (!File) {
    // A directory, or a file without read permission, exists nevertheless.
    auto Status = ProxyFileSystem::status(Path);
    note(Name, !Status ? PROBE_MISSING : Status->isDirectory() ? PROBE_DIRECTORY : PROBE_UNSTEADY);
    return File;
  }
  auto Status = (*File)->status();
  const bool Regular = Status && Status->isRegularFile();
  note(Name, Regular ? PROBE_FILE : Status && Status->isDirectory() ? PROBE_DIRECTORY : PROBE_UNSTEADY);
  return std::unique_ptr<vfs::File>(std::make_unique<ProbedFile>(std::move(*File), *this, std::move(Name)));
}

vfs::directory_iterator ProbedFileSystem::dir_begin(const Twine &Dir, std::error_code &Error) {
  std::string Name = absolute(Dir);
  std::vector<std::string> Names;
  std::error_code Failed;
  auto At = ProxyFileSystem::dir_begin(Dir, Failed);
  const bool Missing = bool(Failed);
  for (; !Failed && At != vfs::directory_iterator(); At.increment(Failed))
    Names.push_back(sys::path::filename(At->path()).str());
  std::sort(Names.begin(), Names.end());
  std::string All;
  for (const std::string &Each : Names) All.append(Each).push_back('\0');
  if (Missing) (void)status(Dir);
  else if (Failed) note(Name, PROBE_UNSTEADY);
  else noteHash(Name, PROBE_LISTED, All);
  return ProxyFileSystem::dir_begin(Dir, Error);
}

void ProbedFileSystem::exportTo(GsUnit &Unit) const {
  for (const auto &[Path, Probe] : Probes) {
    Unit.probes.push_back(Probe);
    Unit.probes.back().path = Unit.string(Path);
  }
}
