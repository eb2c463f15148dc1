// Exports declarations: functions, variables, records with their layouts, enums.
#include "exporter.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Config/llvm-config.h"
#include <algorithm>

using namespace clang;

/// Lower bound of clang's memory per exported node: 47 bytes in sqlite3.c, more with large headers.
static constexpr size_t BytesPerNode = 40;

/// All redeclarations of an entity share one id, but parameters of a definition and of a prototype are different.
static const Decl *canonical(const Decl *D) { return isa<ParmVarDecl>(D) ? D : D->getCanonicalDecl(); }

uint32_t Exporter::decl(const Decl *D) {
  if (!D) return 0;
  D = canonical(D);
  auto [Slot, New] = DeclIds.try_emplace(D, 0);
  if (!New) return Slot->second;
  uint32_t Id = Unit.decls.size();
  Slot->second = Id; // before its parts: declarations refer to themselves
  Unit.decls.emplace_back();
  GsDecl Out{};
  fill(D, Id, Out);
  Unit.decls[Id] = Out;
  return Id;
}

uint32_t Exporter::field(const FieldDecl *F) {
  decl(F->getParent()); // gives its fields their ids
  return decl(F);
}

void Exporter::setKids(GsDecl &Out, llvm::ArrayRef<uint32_t> Kids) {
  Out.kids = Unit.list(Kids);
  Out.n_kids = Kids.size();
}

void Exporter::common(const Decl *D, GsDecl &Out) {
  Out.at = D->getLocation().getRawEncoding();
  Out.begin = D->getBeginLoc().getRawEncoding();
  Out.end = D->getEndLoc().getRawEncoding();
  if (const auto *Named = dyn_cast<NamedDecl>(D))
    if (Named->getIdentifier()) Out.name = Unit.string(Named->getName());
  if (isMadeUp(D)) Out.flags |= DF_INVALID;
  if (D->isImplicit()) Out.flags |= DF_IMPLICIT;
  if (D->getLocation().isInvalid()) return;
  if (SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation()))) Out.flags |= DF_SYSTEM;
}

/// A name that a system header declares belongs to the system, even if it is declared elsewhere as well.
void Exporter::system(const Decl *First, GsDecl &Out) {
  for (const Decl *D : First->redecls())
    if (D->getLocation().isValid() && SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation()))) Out.flags |= DF_SYSTEM;
}

void Exporter::fill(const Decl *D, uint32_t Id, GsDecl &Out) {
  if (const auto *F = dyn_cast<FunctionDecl>(D)) {
    function(F, Out);
    if (const FunctionDecl *Definition = F->getDefinition())
      if (Definition->getBody()) Bodies.push_back({Id, Definition});
  } else if (const auto *P = dyn_cast<ParmVarDecl>(D)) {
    common(P, Out);
    Out.kind = Decl_Param;
    Out.type = type(P->getType());
    Out.extra = type(P->getOriginalType());
    Out.value = P->getFunctionScopeIndex();
    attributes(P, Out);
  } else if (const auto *V = dyn_cast<VarDecl>(D)) {
    variable(V, Out);
    if (Out.flags & DF_GLOBAL) Unit.globals.push_back(Id);
  } else if (const auto *R = dyn_cast<RecordDecl>(D)) {
    record(R, Id, Out);
  } else if (const auto *E = dyn_cast<EnumDecl>(D)) {
    enumeration(E, Out);
  } else if (const auto *C = dyn_cast<EnumConstantDecl>(D)) {
    common(C, Out);
    Out.kind = Decl_EnumConstant;
    Out.type = type(C->getType());
    Out.value = C->getInitVal().extOrTrunc(64).getSExtValue();
    Out.parent = decl(cast<EnumDecl>(C->getDeclContext()));
  } else if (const auto *T = dyn_cast<TypedefNameDecl>(D)) {
    common(T, Out);
    Out.kind = Decl_Typedef;
    Out.type = type(T->getUnderlyingType());
    attributes(T, Out);
  } else if (isa<LabelDecl>(D)) {
    common(D, Out);
    Out.kind = Decl_Label;
  } else if (const auto *F = dyn_cast<FieldDecl>(D)) { // of a record that clang could not lay out
    common(F, Out);
    Out.kind = Decl_Field;
    Out.type = type(F->getType());
    Out.parent = decl(F->getParent());
    Out.flags |= DF_INVALID;
  } else {
    common(D, Out);
    Out.kind = Decl_Other;
    Out.name = Unit.string(D->getDeclKindName());
  }
}

void Exporter::function(const FunctionDecl *First, GsDecl &Out) {
  const FunctionDecl *Last = First->getMostRecentDecl(); // has the composite type and all attributes
  const FunctionDecl *Definition = First->getDefinition();
  common(Definition ? Definition : Last, Out);
  system(First, Out);
  Out.kind = Decl_Function;
  Out.type = type(Last->getType());
  if (Definition) Out.flags |= DF_DEFINED | DF_COMPLETE;
  if (Last->isNoReturn()) Out.flags |= DF_NORETURN;
  if (Last->isInlined()) Out.flags |= DF_INLINE;
  if (Last->isVariadic()) Out.flags |= DF_VARIADIC;
  if (Last->getStorageClass() == SC_Static) Out.flags |= DF_STATIC;
  if (Last->getStorageClass() == SC_Extern) Out.flags |= DF_EXTERN;
  if (Last->getFormalLinkage() == Linkage::Internal) Out.flags |= DF_INTERNAL;
  if (Last->getBuiltinID()) Out.flags |= DF_BUILTIN;
  Ids Params;
  for (const ParmVarDecl *P : (Definition ? Definition : Last)->parameters()) Params.push_back(decl(P));
  setKids(Out, Params);
  attributes(Last, Out);
}

void Exporter::variable(const VarDecl *First, GsDecl &Out) {
  const VarDecl *Last = First->getMostRecentDecl();
  const VarDecl *Definition = First->getDefinition();
  // A tentative definition may follow declarations that are not definitions (C11 6.9.2p2).
  for (VarDecl *V : First->redecls())
    if (!Definition) Definition = V->getActingDefinition();
  const VarDecl *V = Definition ? Definition : Last;
  common(V, Out);
  system(First, Out);
  Out.kind = Decl_Var;
  Out.type = type(V->getType()->isIncompleteType() ? Last->getType() : V->getType());
  if (Definition) Out.flags |= DF_DEFINED;
  if (V->isStaticLocal()) Out.flags |= DF_STATIC_LOCAL;
  else if (V->hasGlobalStorage()) Out.flags |= DF_GLOBAL;
  if (V->getStorageClass() == SC_Static) Out.flags |= DF_STATIC;
  if (V->getStorageClass() == SC_Extern) Out.flags |= DF_EXTERN;
  if (V->getTLSKind() != VarDecl::TLS_None) Out.flags |= DF_TLS;
  if (V->getFormalLinkage() == Linkage::Internal) Out.flags |= DF_INTERNAL;
  attributes(Last, Out);
  Out.init = root(V->getAnyInitializer());
}

static uint64_t bitWidth(const FieldDecl *F) {
#if LLVM_VERSION_MAJOR >= 20
  return F->getBitWidthValue();
#else
  return F->getBitWidthValue(F->getASTContext());
#endif
}

void Exporter::record(const RecordDecl *First, uint32_t Id, GsDecl &Out) {
  const RecordDecl *R = First->getDefinition() ? First->getDefinition() : First;
  common(R, Out);
  Out.kind = Decl_Record;
  if (R->isUnion()) Out.flags |= DF_UNION;
  if (R->isAnonymousStructOrUnion()) Out.flags |= DF_ANONYMOUS;
  attributes(R, Out);
  if (!R->isCompleteDefinition() || R->isInvalidDecl()) return;
  Out.flags |= DF_COMPLETE | DF_DEFINED;
  if (R->hasFlexibleArrayMember()) Out.flags |= DF_FLEXIBLE;
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(R);
  Out.size_bits = Context.toBits(Layout.getSize());
  Out.align_bits = Context.toBits(Layout.getAlignment());
  Ids Fields;
  for (const FieldDecl *F : R->fields()) {
    Fields.push_back(Unit.decls.size());
    DeclIds[F->getCanonicalDecl()] = Unit.decls.size();
    Unit.decls.emplace_back();
  }
  for (const FieldDecl *F : R->fields()) {
    GsDecl Field{};
    common(F, Field);
    Field.kind = Decl_Field;
    Field.parent = Id;
    Field.type = type(F->getType());
    Field.value = Layout.getFieldOffset(F->getFieldIndex());
    if (F->isAnonymousStructOrUnion()) Field.flags |= DF_ANONYMOUS;
    if (F->isBitField()) {
      Field.flags |= DF_BITFIELD;
      Field.size_bits = bitWidth(F);
    }
    attributes(F, Field);
    Unit.decls[Fields[F->getFieldIndex()]] = Field;
  }
  setKids(Out, Fields);
}

void Exporter::enumeration(const EnumDecl *First, GsDecl &Out) {
  const EnumDecl *E = First->getDefinition();
  common(E ? E : First, Out);
  Out.kind = Decl_Enum;
  attributes(E ? E : First, Out);
  if (!E) return;
  Out.flags |= DF_COMPLETE | DF_DEFINED;
  Out.type = type(E->getIntegerType());
  Ids Constants;
  for (const EnumConstantDecl *C : E->enumerators()) Constants.push_back(decl(C));
  setKids(Out, Constants);
}

void Exporter::run() {
  collectErrors();
  // Growing step by step would copy much, and untouched memory costs nothing.
  Unit.nodes.reserve(Context.getASTAllocatedMemory() / BytesPerNode);
  for (const Decl *D : Context.getTranslationUnitDecl()->decls()) {
    SourceLocation At = SM.getExpansionLoc(D->getLocation());
    if (const auto *F = dyn_cast<FunctionDecl>(D)) {
      // An alias exports a static function, whether or not this unit uses it.
      if (F->hasAttr<AliasAttr>()) decl(F);
      if (!F->isThisDeclarationADefinition()) continue;
      // Functions of headers are exported on first use: openssl has hundreds of them in every unit.
      bool OnDemand = SM.isInSystemHeader(At) || F->isInlined() || F->getFormalLinkage() == Linkage::Internal;
      if (SM.isInMainFile(At) || !OnDemand) decl(F);
    } else if (const auto *V = dyn_cast<VarDecl>(D)) {
      bool IsDefined = V->isThisDeclarationADefinition() != VarDecl::DeclarationOnly;
      if (!SM.isInSystemHeader(At) && (IsDefined || V->hasAttr<AliasAttr>())) decl(V);
    } else if (const auto *Asm = dyn_cast<FileScopeAsmDecl>(D)) {
#if LLVM_VERSION_MAJOR >= 21
      Unit.assembly.push_back(Unit.string(Asm->getAsmString()));
#else
      Unit.assembly.push_back(Unit.string(Asm->getAsmString()->getString()));
#endif
    }
  }
  while (!Bodies.empty()) {
    auto [Id, F] = Bodies.front();
    Bodies.pop_front();
    uint32_t Body = root(F->getBody());
    Unit.decls[Id].init = Body;
    Unit.functions.push_back(Id);
  }
  attachComments();
  completeAliasingTypes();
  markErrors();
}
