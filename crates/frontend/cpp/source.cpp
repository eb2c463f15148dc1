// Exports files, lines, macro uses and expansions: the tables behind the source map.
#include "source.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Token.h"
#include "clang/Basic/SourceManagerInternals.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>

using namespace clang;
using llvm::StringRef;

namespace {
class MacroRecorder final : public PPCallbacks {
public:
  explicit MacroRecorder(GsUnit &Unit) : Unit(Unit) {}
  void MacroExpands(const Token &Name, const MacroDefinition &Definition, SourceRange, const MacroArgs *) override {
    const MacroInfo *Info = Definition.getMacroInfo();
    SourceLocation At = Info ? Info->getDefinitionLoc() : SourceLocation();
    Unit.macros.push_back({Name.getLocation().getRawEncoding(), Unit.string(Name.getIdentifierInfo()->getName()),
                           At.getRawEncoding()});
  }

private:
  GsUnit &Unit;
};
} // namespace

std::unique_ptr<PPCallbacks> recordMacros(GsUnit &Unit) { return std::make_unique<MacroRecorder>(Unit); }

bool CommentRecorder::HandleComment(Preprocessor &PP, SourceRange Range) {
  const SourceManager &SM = PP.getSourceManager();
  if (!Range.getBegin().isFileID()) return false;
  auto [File, Begin] = SM.getDecomposedLoc(Range.getBegin());
  uint32_t Length = Range.getEnd().getRawEncoding() - Range.getBegin().getRawEncoding();
  StringRef Text = SM.getBufferData(File).substr(Begin, Length);
  bool Speaks = Text.starts_with("/*@") || Text.starts_with("//@") || Text.contains("gainsay-ignore") ||
                Text.contains("NOLINT");
  if (Speaks && !SM.isInSystemHeader(Range.getBegin()))
    Unit.comments.push_back(
        {Range.getBegin().getRawEncoding(), Range.getEnd().getRawEncoding(), Unit.string(Text), 0, 0, 0});
  return false;
}

void DiagnosticRecorder::HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) {
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  if (Level < DiagnosticsEngine::Warning) return;
  llvm::SmallString<128> Text;
  Info.FormatDiagnostic(Text);
  uint32_t Number = Level == DiagnosticsEngine::Warning ? 2 : Level == DiagnosticsEngine::Error ? 3 : 4;
  Unit.diags.push_back({Number, Info.getLocation().getRawEncoding(), Unit.string(Text)});
}

namespace {
class SourceMapWriter {
public:
  SourceMapWriter(GsUnit &Unit, const SourceManager &SM) : Unit(Unit), SM(SM) {}

  void write() {
    unsigned Count = SM.local_sloc_entry_size();
    Unit.entries.reserve(Count);
    for (unsigned I = 0; I < Count; I++) {
      const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
      Unit.entries.push_back(Entry.isFile() ? file(Entry) : expansion(Entry));
    }
    lineDirectives();
    std::sort(Unit.macros.begin(), Unit.macros.end(),
              [](const GsMacro &A, const GsMacro &B) { return A.at < B.at; });
  }

private:
  static GsEntry expansion(const SrcMgr::SLocEntry &Entry) {
    const SrcMgr::ExpansionInfo &Info = Entry.getExpansion();
    return {uint32_t(Entry.getOffset()),
            0xffffffff,
            Info.getSpellingLoc().getRawEncoding(),
            Info.getExpansionLocStart().getRawEncoding(),
            Info.getExpansionLocEnd().getRawEncoding(),
            Info.isMacroArgExpansion()};
  }

  GsEntry file(const SrcMgr::SLocEntry &Entry) {
    FileID Id = SM.getFileID(SourceLocation::getFromRawEncoding(Entry.getOffset()));
    const SrcMgr::FileInfo &Info = Entry.getFile();
    GsFile File{};
    StringRef Name = SM.getBufferOrFake(Id).getBufferIdentifier();
    if (auto Ref = SM.getFileEntryRefForID(Id)) Name = Ref->getName();
    File.name = Unit.string(Name);
    if (SrcMgr::isSystem(Info.getFileCharacteristic())) File.flags |= FF_SYSTEM;
    if (Id == SM.getMainFileID()) File.flags |= FF_MAIN;
    if (Name == "<scratch space>") File.flags |= FF_SCRATCH;
    else std::tie(File.lines, File.n_lines) = lineStarts(Id, Info.getContentCache());
    File.included_at = Info.getIncludeLoc().getRawEncoding();
    uint32_t Index = Unit.files.size();
    FileIndex[Id] = Index;
    Unit.files.push_back(File);
    return {uint32_t(Entry.getOffset()), Index, 0, 0, 0, 0};
  }

  /// A header that is included many times has one table.
  std::pair<uint32_t, uint32_t> lineStarts(FileID Id, const SrcMgr::ContentCache &Content) {
    auto [Slot, New] = LinesOf.try_emplace(&Content);
    if (New) {
      SM.getLineNumber(Id, 0); // makes clang compute the cache
      auto Starts = Content.SourceLineCache.getLines();
      Slot->second = {uint32_t(Unit.lines.size()), uint32_t(Starts.size())};
      Unit.lines.insert(Unit.lines.end(), Starts.begin(), Starts.end());
    }
    return Slot->second;
  }

  void lineDirectives() {
    if (!SM.hasLineTable()) return;
    auto &Table = const_cast<SourceManager &>(SM).getLineTable();
    for (const auto &[Id, Entries] : Table)
      for (const LineEntry &Entry : Entries) {
        auto Index = FileIndex.find(Id);
        if (Index == FileIndex.end()) continue;
        uint32_t Name = Entry.FilenameID == -1 ? 0 : Unit.string(Table.getFilename(Entry.FilenameID));
        Unit.directives.push_back(
            {Index->second, Entry.FileOffset, Entry.LineNo, Name, SrcMgr::isSystem(Entry.FileKind)});
      }
    std::sort(Unit.directives.begin(), Unit.directives.end(), [](const GsLineDirective &A, const GsLineDirective &B) {
      return std::pair(A.file, A.offset) < std::pair(B.file, B.offset);
    });
  }

  GsUnit &Unit;
  const SourceManager &SM;
  llvm::DenseMap<FileID, uint32_t> FileIndex;
  llvm::DenseMap<const SrcMgr::ContentCache *, std::pair<uint32_t, uint32_t>> LinesOf;
};
} // namespace

void exportSourceMap(GsUnit &Unit, const SourceManager &SM) { SourceMapWriter(Unit, SM).write(); }
