// Attaches annotations to the declarations that follow them.
#include "exporter.h"
#include "clang/Basic/SourceManager.h"
#include <algorithm>

using namespace clang;
using llvm::StringRef;

/// Is the text white space and comments only?
static bool isBlank(StringRef Text) {
  for (Text = Text.ltrim(); !Text.empty(); Text = Text.ltrim()) {
    size_t End = StringRef::npos;
    if (Text.starts_with("//")) End = Text.find('\n');
    else if (Text.starts_with("/*")) End = Text.find("*/", 2);
    if (End == StringRef::npos) return false;
    Text = Text.drop_front(Text[End] == '*' ? End + 2 : End);
  }
  return true;
}

bool Exporter::standsDirectlyBefore(const GsComment &C, SourceLocation Begin) {
  auto [CommentFile, End] = SM.getDecomposedLoc(SourceLocation::getFromRawEncoding(C.end));
  auto [File, At] = SM.getDecomposedLoc(Begin);
  return CommentFile == File && End <= At && isBlank(SM.getBufferData(File).slice(End, At));
}

/// Consecutive comments all belong to the declaration after them.
void Exporter::attachComments() {
  if (Unit.comments.empty()) return;
  auto &Comments = Unit.comments;
  std::sort(Comments.begin(), Comments.end(), [](const GsComment &A, const GsComment &B) { return A.begin < B.begin; });
  for (const Decl *D : Context.getTranslationUnitDecl()->decls()) {
    const auto *F = dyn_cast<FunctionDecl>(D);
    if (!F || F->getBeginLoc().isInvalid()) continue;
    auto Id = DeclIds.find(F->getCanonicalDecl());
    if (Id == DeclIds.end()) continue;
    SourceLocation Begin = SM.getExpansionLoc(F->getBeginLoc());
    auto Comment = std::upper_bound(Comments.begin(), Comments.end(), Begin.getRawEncoding(),
                                    [](uint32_t At, const GsComment &C) { return At < C.begin; });
    while (Comment != Comments.begin() && standsDirectlyBefore(*--Comment, Begin)) {
      Ids Names;
      for (const ParmVarDecl *P : F->parameters()) Names.push_back(Unit.string(P->getName()));
      Comment->decl = Id->second;
      Comment->params = Unit.list(Names);
      Comment->n_params = Names.size();
      Begin = SourceLocation::getFromRawEncoding(Comment->begin);
    }
  }
}
