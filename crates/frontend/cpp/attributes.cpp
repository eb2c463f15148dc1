// Exports attributes of declarations as kinds of kinds.def.
#include "exporter.h"
#include "clang/AST/Attr.h"

using namespace clang;

AttrKind attributeKind(const Attr &A) {
  switch (A.getKind()) {
  case attr::NoReturn: case attr::C11NoReturn: case attr::CXX11NoReturn: return Attr_NoReturn;
  case attr::NonNull: return Attr_NonNull;
  case attr::ReturnsNonNull: return Attr_ReturnsNonNull;
  case attr::Restrict: return Attr_Malloc;
  case attr::AllocSize: return Attr_AllocSize;
  case attr::Format: return Attr_Format;
  case attr::Unused: return Attr_Unused;
  case attr::FallThrough: return Attr_Fallthrough;
  case attr::Weak: case attr::WeakRef: return Attr_Weak;
  case attr::Alias: return Attr_Alias;
  case attr::AsmLabel: return Attr_AsmLabel;
  case attr::Constructor: return Attr_Constructor;
  case attr::Destructor: return Attr_Destructor;
  case attr::Cleanup: return Attr_Cleanup;
  case attr::MayAlias: return Attr_MayAlias;
  case attr::TransparentUnion: return Attr_TransparentUnion;
  case attr::WarnUnusedResult: return Attr_WarnUnusedResult;
  case attr::Pure: return Attr_Pure;
  case attr::Const: return Attr_Const;
  case attr::Packed: return Attr_Packed;
  case attr::Aligned: return Attr_Aligned;
  case attr::ReturnsTwice: return Attr_ReturnsTwice;
  case attr::Sentinel: return Attr_Sentinel;
  case attr::Section: case attr::PragmaClangBSSSection: case attr::PragmaClangDataSection:
  case attr::PragmaClangRelroSection: case attr::PragmaClangRodataSection: return Attr_Section;
  case attr::Used: case attr::Retain: return Attr_Used;
  // `warning` has the same kind, but such a function may be called.
  case attr::Error: return cast<ErrorAttr>(A).isError() ? Attr_BuildError : Attr_Other;
  default: return Attr_Other;
  }
}

void Exporter::attributes(const Decl *D, GsDecl &Out) {
  if (!D->hasAttrs()) return;
  llvm::SmallVector<GsAttr, 4> All;
  for (const Attr *A : D->attrs()) {
    GsAttr One{};
    Ids Args;
    One.kind = attributeKind(*A);
    One.at = A->getLocation().getRawEncoding();
    if (A->isInherited()) One.flags |= AF_INHERITED;
    if (A->isImplicit()) One.flags |= AF_IMPLICIT;
    if (const auto *Format = dyn_cast<FormatAttr>(A)) {
      Args = {Unit.string(Format->getType()->getName()), uint32_t(Format->getFormatIdx()),
              uint32_t(Format->getFirstArg())};
    } else if (const auto *NonNull = dyn_cast<NonNullAttr>(A)) {
      for (ParamIdx Index : NonNull->args()) Args.push_back(Index.getASTIndex());
    } else if (const auto *Size = dyn_cast<AllocSizeAttr>(A)) {
      Args.push_back(Size->getElemSizeParam().getASTIndex());
      if (Size->getNumElemsParam().isValid()) Args.push_back(Size->getNumElemsParam().getASTIndex());
    } else if (const auto *Cleanup = dyn_cast<CleanupAttr>(A)) {
      Args.push_back(decl(Cleanup->getFunctionDecl()));
    } else if (const auto *Label = dyn_cast<AsmLabelAttr>(A)) {
      One.text = Unit.string(Label->getLabel());
    } else if (const auto *Alias = dyn_cast<AliasAttr>(A)) {
      One.text = Unit.string(Alias->getAliasee());
    } else if (One.kind == Attr_Other) {
      One.text = Unit.string(A->getSpelling());
    }
    One.args = Unit.list(Args);
    One.n_args = Args.size();
    All.push_back(One);
  }
  Out.attrs = Unit.attrs.size();
  Out.n_attrs = All.size();
  Unit.attrs.insert(Unit.attrs.end(), All.begin(), All.end());
}
