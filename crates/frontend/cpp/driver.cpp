// Turns the driver's arguments into filled tables, and implements the C interface.
#include "exporter.h"
#include "probes.h"
#include "source.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/Stack.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#if LLVM_VERSION_MAJOR >= 22
#include "clang/Driver/CreateInvocationFromArgs.h"
#endif
#include <dlfcn.h>

using namespace clang;
using llvm::StringRef;

namespace {
class Consumer final : public ASTConsumer {
public:
  explicit Consumer(GsUnit &Unit) : Unit(Unit) {}
  void HandleTranslationUnit(ASTContext &Context) override {
    Unit.failure = FAIL_NONE;
    const TargetInfo &Target = Context.getTargetInfo();
    Unit.pointer_bits = Target.getPointerWidth(LangAS::Default);
    Unit.big_endian = Target.isBigEndian();
    Exporter(Unit, Context).run();
    exportSourceMap(Unit, Context.getSourceManager());
    Unit.seal();
  }

private:
  GsUnit &Unit;
};

class Action final : public ASTFrontendAction {
public:
  explicit Action(GsUnit &Unit) : Unit(Unit), Comments(Unit) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler, StringRef) override {
    Compiler.getPreprocessor().addPPCallbacks(recordMacros(Unit));
    Compiler.getPreprocessor().addCommentHandler(&Comments);
    return std::make_unique<Consumer>(Unit);
  }

private:
  GsUnit &Unit;
  CommentRecorder Comments;
};

/// Finds clang's own headers: next to the library in use, or where distributions install them.
std::string findResourceDir(llvm::vfs::FileSystem &Files) {
  const std::string Major = std::to_string(LLVM_VERSION_MAJOR);
  std::vector<std::string> Candidates;
  Dl_info Info;
  llvm::SmallString<256> Library;
  if (dladdr(reinterpret_cast<void *>(&getClangFullVersion), &Info) && Info.dli_fname &&
      !llvm::sys::fs::real_path(Info.dli_fname, Library)) {
    std::string Dir = llvm::sys::path::parent_path(Library).str();
    Candidates.push_back(Dir + "/clang/" + Major);
    Candidates.push_back(Dir + "/../llvm-" + Major + "/lib/clang/" + Major); // Debian: the library is in /usr/lib/<triple>
    Candidates.push_back(Dir + "/../lib/clang/" + Major);
  }
  Candidates.push_back("/usr/lib/llvm-" + Major + "/lib/clang/" + Major);
  Candidates.push_back("/usr/lib/clang/" + Major);
  Candidates.push_back("/usr/lib64/clang/" + Major);
  Candidates.push_back("/usr/local/lib/clang/" + Major);
  llvm::SmallString<256> Real;
  for (const std::string &Candidate : Candidates)
    if (Files.exists(Candidate + "/include/stddef.h") && !llvm::sys::fs::real_path(Candidate, Real))
      return Real.str().str();
  return "";
}

std::shared_ptr<CompilerInvocation> invocation(llvm::ArrayRef<const char *> Arguments, DiagnosticRecorder &Recorder,
                                               IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  CreateInvocationOptions Options;
#if LLVM_VERSION_MAJOR >= 21
  DiagnosticOptions DiagnosticOpts;
  Options.Diags = CompilerInstance::createDiagnostics(*Files, DiagnosticOpts, &Recorder, false);
#else
  Options.Diags = CompilerInstance::createDiagnostics(new DiagnosticOptions(), &Recorder, false);
#endif
  Options.VFS = Files;
  Options.RecoverOnError = true;
  return createInvocation(Arguments, Options);
}

/// Adapts the driver's invocation: the exporter only reads, writes no file, and the process continues afterwards.
void makeHarmless(CompilerInvocation &Invocation) {
  Invocation.getFrontendOpts().DisableFree = false;
  Invocation.getFrontendOpts().ProgramAction = frontend::ParseSyntaxOnly;
  Invocation.getFrontendOpts().OutputFile.clear();
  Invocation.getFrontendOpts().Plugins.clear();
  Invocation.getCodeGenOpts().DisableFree = false;
  Invocation.getDependencyOutputOpts() = DependencyOutputOptions();
  Invocation.getPreprocessorOpts().ImplicitPCHInclude.clear();
  Invocation.getDiagnosticOpts().ErrorLimit = 0;
  Invocation.getDiagnosticOpts().ShowCarets = false; // otherwise "2 errors generated." appears on stderr
  Invocation.getDiagnosticOpts().DiagnosticSerializationFile.clear();
  Invocation.getLangOpts().SpellChecking = false; // invents names
  Invocation.getLangOpts().RecoveryAST = true;
}

void parse(GsUnit &Unit, llvm::ArrayRef<const char *> Given, StringRef Directory) {
  noteBottomOfStack();
  // A working directory per file system, not per process, because several units may be parsed at once.
  IntrusiveRefCntPtr<ProbedFileSystem> Files(new ProbedFileSystem(llvm::vfs::createPhysicalFileSystem()));
  if (!Directory.empty()) Files->setCurrentWorkingDirectory(Directory);
  std::string ResourceDir = findResourceDir(*Files);
  Unit.failure = FAIL_RESOURCE_DIR;
  if (ResourceDir.empty()) return;
  Unit.failure = FAIL_ARGUMENTS;
  if (Given.empty()) return;
  std::string ResourceOption = "-resource-dir=" + ResourceDir;
  std::vector<const char *> Arguments(Given.begin(), Given.end());
  Arguments.insert(Arguments.begin() + 1, ResourceOption.c_str()); // what follows "--" would be a file

  DiagnosticRecorder Recorder(Unit);
  auto Invocation = invocation(Arguments, Recorder, Files);
  if (!Invocation) return;
  Unit.failure = FAIL_INPUT; // until the consumer sees a unit
  Unit.diags.clear();        // the driver's complaints about flags
  makeHarmless(*Invocation);
#if LLVM_VERSION_MAJOR >= 21
  CompilerInstance Compiler(std::move(Invocation));
  Compiler.setVirtualFileSystem(Files);
  Compiler.createDiagnostics(&Recorder, false);
  Compiler.createFileManager();
#else
  CompilerInstance Compiler;
  Compiler.setInvocation(std::move(Invocation));
  Compiler.createDiagnostics(&Recorder, false);
  Compiler.createFileManager(Files);
#endif
  Compiler.getDiagnostics().setFatalsAsError(true); // go on after a missing #include
  Action Export(Unit);
  Compiler.ExecuteAction(Export);
  Files->exportTo(Unit);
}
} // namespace

extern "C" {
GsUnit *gainsay_parse(const char *const *argv, size_t argc, const char *directory) {
  auto *Unit = new GsUnit();
  parse(*Unit, llvm::ArrayRef(argv, argc), directory);
  return Unit;
}

void gainsay_view(const GsUnit *unit, GsView *out) {
#define TABLE(T) out->T = unit->T.data(), out->n_##T = unit->T.size();
  TABLE(nodes) TABLE(lists) TABLE(types) TABLE(decls) TABLE(attrs) TABLE(entries) TABLE(files) TABLE(lines)
  TABLE(macros) TABLE(directives) TABLE(comments) TABLE(diags) TABLE(strs) TABLE(bytes) TABLE(functions) TABLE(globals)
  TABLE(assembly) TABLE(probes)
#undef TABLE
  out->pointer_bits = unit->pointer_bits;
  out->big_endian = unit->big_endian;
  out->n_errors_outside = unit->n_errors_outside;
  out->failure = unit->failure;
}

void gainsay_free(GsUnit *unit) { delete unit; }

void gainsay_abi(uint32_t *sizes, size_t n) {
  const uint32_t Sizes[] = {sizeof(GsNode),  sizeof(GsType),          sizeof(GsDecl),    sizeof(GsAttr),
                            sizeof(GsEntry), sizeof(GsFile),          sizeof(GsMacro),   sizeof(GsLineDirective),
                            sizeof(GsComment), sizeof(GsDiag),        sizeof(GsStr),     sizeof(GsView),
                            sizeof(GsProbe)};
  for (size_t I = 0; I < n && I < sizeof(Sizes) / sizeof(*Sizes); I++) sizes[I] = Sizes[I];
}

const char *gainsay_clang_version(void) { return LLVM_VERSION_STRING; }

const char *gainsay_clang_full_version(void) {
  static const std::string Version = getClangFullVersion();
  return Version.c_str();
}
}
