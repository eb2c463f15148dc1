// Marks the results of clang's error recovery, most of which clang does not mark itself: an unknown type becomes `int`,
// an enumerator with an invalid value gets the next number, an initialiser is dropped. Marked functions are not
// lowered.
#include "exporter.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include <algorithm>

using namespace clang;

void Exporter::collectErrors() {
  auto Raw = [&](SourceLocation L) { return SM.getExpansionLoc(L).getRawEncoding(); };
  for (const GsDiag &D : Unit.diags) {
    SourceLocation At = SourceLocation::getFromRawEncoding(D.at);
    if (D.level < 3) continue;
    Errors.push_back(At.isValid() ? Raw(At) : 0);
    while (At.isValid()) {
      At = SM.getIncludeLoc(SM.getFileID(SM.getExpansionLoc(At)));
      if (At.isValid()) BrokenIncludes.push_back(Raw(At));
    }
  }
  if (Errors.empty()) return;
  for (const Decl *D : Context.getTranslationUnitDecl()->decls())
    if (D->getBeginLoc().isValid()) Begins.push_back(Raw(D->getBeginLoc()));
  std::sort(Errors.begin(), Errors.end());
  std::sort(BrokenIncludes.begin(), BrokenIncludes.end());
  std::sort(Begins.begin(), Begins.end());
}

static bool anyWithin(const std::vector<uint32_t> &Positions, uint32_t Begin, uint32_t End) {
  auto First = std::lower_bound(Positions.begin(), Positions.end(), Begin);
  return First != Positions.end() && *First < End;
}

/// Extends to the next declaration, because dropped text lies after what clang considers the end.
bool Exporter::hasErrorWithin(const Decl *D) {
  if (D->getBeginLoc().isInvalid() || D->getEndLoc().isInvalid()) return false;
  if (D->getParentFunctionOrMethod()) return false; // the function itself is marked
  uint32_t Begin = SM.getExpansionLoc(D->getBeginLoc()).getRawEncoding();
  const auto *F = dyn_cast<FunctionDecl>(D);
  if (F && F->doesThisDeclarationHaveABody()) {
    uint32_t Body = SM.getExpansionLoc(F->getBody()->getBeginLoc()).getRawEncoding();
    return anyWithin(Errors, Begin, Body) || anyWithin(BrokenIncludes, Begin, Body);
  }
  uint32_t End = SM.getExpansionRange(D->getEndLoc()).getEnd().getRawEncoding() + 1;
  auto Next = std::upper_bound(Begins.begin(), Begins.end(), End);
  FileID File = SM.getFileID(SM.getExpansionLoc(D->getBeginLoc()));
  uint32_t Limit = SM.getLocForEndOfFile(File).getRawEncoding() + 1;
  if (Next != Begins.end()) Limit = std::min(Limit, *Next);
  return anyWithin(Errors, Begin, std::max(End, Limit)) || anyWithin(BrokenIncludes, Begin, End);
}

bool Exporter::isMadeUp(const Decl *D) {
  if (D->isInvalidDecl()) return true;
  if (Errors.empty() || isa<TranslationUnitDecl>(D)) return false;
  auto [Slot, New] = MadeUp.try_emplace(D, false);
  if (!New) return Slot->second;
  bool Result = hasErrorWithin(D);
  if (const auto *Record = dyn_cast<RecordDecl>(D)) {
    if (const RecordDecl *Definition = Record->getDefinition())
      Result |= Definition != Record && isMadeUp(Definition);
    for (const FieldDecl *Field : Record->fields()) Result |= Field->isInvalidDecl() || isMadeUp(Field->getType());
  } else if (const auto *Field = dyn_cast<FieldDecl>(D)) {
    Result |= isMadeUp(Field->getParent());
  } else if (const auto *Constant = dyn_cast<EnumConstantDecl>(D)) {
    Result |= isMadeUp(cast<EnumDecl>(Constant->getDeclContext()));
  } else if (const auto *Enum = dyn_cast<EnumDecl>(D)) {
    if (const EnumDecl *Definition = Enum->getDefinition()) Result |= Definition != Enum && isMadeUp(Definition);
  } else if (const auto *Typedef = dyn_cast<TypedefNameDecl>(D)) {
    Result |= isMadeUp(Typedef->getUnderlyingType());
  } else if (const auto *Value = dyn_cast<ValueDecl>(D)) {
    Result |= isMadeUp(Value->getType());
    // An undeclared name may be a macro of a header that was not found.
    const auto *F = dyn_cast<FunctionDecl>(D);
    Result |= F && F->isImplicit() && !F->getBuiltinID();
    if (isa<VarDecl>(D) && !isa<ParmVarDecl>(D))
      for (const Decl *Other : D->redecls()) Result |= Other->isInvalidDecl() || hasErrorWithin(Other);
  }
  return MadeUp[D] = Result;
}

/// By value only: a pointer to a record does not depend on the record.
bool Exporter::isMadeUp(QualType Type) {
  if (Errors.empty() || Type.isNull()) return false;
  const clang::Type *T = Type.getTypePtr();
  if (const auto *Typedef = dyn_cast<TypedefType>(T)) return isMadeUp(Typedef->getDecl());
  if (const auto *Tag = dyn_cast<TagType>(T)) return isMadeUp(Tag->getAsTagDecl());
  if (const auto *Pointer = dyn_cast<PointerType>(T)) {
    QualType Inner = Pointer->getPointeeType();
    return !Inner->isRecordType() && isMadeUp(Inner);
  }
  if (const auto *Array = dyn_cast<ArrayType>(T)) return isMadeUp(Array->getElementType());
  if (const auto *Function = dyn_cast<FunctionType>(T)) {
    bool Result = isMadeUp(Function->getReturnType());
    if (const auto *Proto = dyn_cast<FunctionProtoType>(Function))
      for (QualType Param : Proto->param_types()) Result |= isMadeUp(Param);
    return Result;
  }
  QualType Next = Type.getSingleStepDesugaredType(Context);
  return Next.getTypePtr() != T && isMadeUp(Next);
}

bool Exporter::restsOnError(const Expr *E) {
  if (E->containsErrors()) return true;
  if (Errors.empty()) return false;
  if (isMadeUp(E->getType())) return true;
  auto StepIsMadeUp = [&](const Expr *Pointer) {
    const auto *T = Pointer->getType()->getAs<PointerType>();
    return T && isMadeUp(T->getPointeeType());
  };
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) return isMadeUp(Ref->getDecl());
  if (const auto *Member = dyn_cast<MemberExpr>(E)) return isMadeUp(Member->getMemberDecl());
  if (const auto *Trait = dyn_cast<UnaryExprOrTypeTraitExpr>(E)) return isMadeUp(Trait->getTypeOfArgument());
  if (const auto *Offset = dyn_cast<OffsetOfExpr>(E)) return isMadeUp(Offset->getTypeSourceInfo()->getType());
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    return Unary->isIncrementDecrementOp() && StepIsMadeUp(Unary->getSubExpr());
  if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    auto Op = Binary->getOpcode();
    bool Adds = Binary->isAdditiveOp() || Op == BO_AddAssign || Op == BO_SubAssign;
    return Adds && (StepIsMadeUp(Binary->getLHS()) || StepIsMadeUp(Binary->getRHS()));
  }
  return false;
}

/// A body with an error cannot be trusted, because clang drops some ill-formed statements.
void Exporter::markErrors() {
  struct Extent {
    uint32_t begin, body, end;
    const FunctionDecl *function;
  };
  std::vector<Extent> Extents;
  if (Errors.empty()) return;
  auto Raw = [&](SourceLocation L) { return SM.getExpansionLoc(L).getRawEncoding(); };
  for (const Decl *D : Context.getTranslationUnitDecl()->decls())
    if (const auto *F = dyn_cast<FunctionDecl>(D))
      if (F->isThisDeclarationADefinition() && F->getBody())
        Extents.push_back({Raw(F->getBeginLoc()), Raw(F->getBody()->getBeginLoc()), Raw(F->getEndLoc()), F});
  std::sort(Extents.begin(), Extents.end(), [](const Extent &A, const Extent &B) { return A.begin < B.begin; });
  for (const GsDiag &D : Unit.diags) {
    if (D.level < 3) continue;
    bool Inside = false;
    SourceLocation At = SourceLocation::getFromRawEncoding(D.at);
    while (At.isValid() && !Inside) { // outwards: a body may include a file
      uint32_t Position = Raw(At);
      auto Next = std::upper_bound(Extents.begin(), Extents.end(), Position,
                                   [](uint32_t P, const Extent &E) { return P < E.begin; });
      if (Next != Extents.begin() && Position <= std::prev(Next)->end) {
        const Extent &E = *std::prev(Next);
        Inside = Position >= E.body;
        auto Id = DeclIds.find(E.function->getCanonicalDecl());
        if (Id != DeclIds.end()) Unit.decls[Id->second].flags |= Inside ? DF_ERRORS_INSIDE : DF_INVALID;
        if (!Inside) break;
      }
      At = SM.getIncludeLoc(SM.getFileID(SM.getExpansionLoc(At)));
    }
    if (!Inside) Unit.n_errors_outside++;
  }
}
