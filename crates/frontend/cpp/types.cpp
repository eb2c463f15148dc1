// Exports types in canonical form: typedefs and other sugar are resolved, except for may_alias.
#include "exporter.h"
#include "clang/AST/Attr.h"

using namespace clang;

uint32_t Exporter::type(QualType Type) {
  if (Type.isNull()) return 0;
  auto Known = TypeIds.find(Type.getAsOpaquePtr());
  if (Known != TypeIds.end()) return Known->second;
  if (Type.isCanonical()) return newType(Type);
  // Entered at the end, because a record below may name the same sugared type again.
  uint32_t Id = sugaredType(Type);
  TypeIds[Type.getAsOpaquePtr()] = Id;
  return Id;
}

/// Drops sugar, but keeps may_alias of a typedef and of the element type.
uint32_t Exporter::sugaredType(QualType Type) {
  QualType Canonical = Type.getCanonicalType();
  uint32_t Plain = type(Canonical), Flags = 0, Element = 0;
  for (QualType Step = Type; const auto *Typedef = Step->getAs<TypedefType>(); Step = Typedef->desugar())
    if (Typedef->getDecl()->hasAttr<MayAliasAttr>()) Flags = TF_MAY_ALIAS;
  QualType Inner;
  if (const auto *Pointer = Type->getAs<PointerType>()) Inner = Pointer->getPointeeType();
  else if (const auto *Array = Type->getAsArrayTypeUnsafe()) Inner = Array->getElementType();
  if (!Inner.isNull() && !Inner.isCanonical()) {
    uint32_t Id = type(Inner);
    if (Unit.types[Id].flags & TF_MAY_ALIAS && Id != type(Inner.getCanonicalType())) Element = Id;
  }
  if (!Flags && !Element) return Plain;
  auto [Slot, New] = AliasingTypes.try_emplace({Canonical.getAsOpaquePtr(), Flags, Element}, 0);
  if (New) {
    Slot->second = Unit.types.size();
    GsType Out{};
    Out.flags = Flags;
    Out.elem = Element;
    Unit.types.push_back(Out);
    AliasingCopies.push_back({Slot->second, Plain});
  }
  return Slot->second;
}

void Exporter::completeAliasingTypes() {
  for (auto [Id, Plain] : AliasingCopies) {
    GsType Out = Unit.types[Plain];
    Out.flags |= Unit.types[Id].flags;
    if (Unit.types[Id].elem) Out.elem = Unit.types[Id].elem;
    Unit.types[Id] = Out;
  }
}

uint32_t Exporter::newType(QualType Canonical) {
  uint32_t Id = Unit.types.size();
  TypeIds[Canonical.getAsOpaquePtr()] = Id; // before its parts: types refer to themselves through records
  Unit.types.emplace_back();
  GsType Out{};
  if (Canonical.isConstQualified()) Out.flags |= TF_CONST;
  if (Canonical.isVolatileQualified()) Out.flags |= TF_VOLATILE;
  Out.spelling = Unit.string(Canonical.getAsString(Context.getPrintingPolicy()));
  fillType(Canonical, Out);
  Unit.types[Id] = Out;
  return Id;
}

static bool hasConstantSize(const Type *T) {
  if (T->isIncompleteType() || T->isFunctionType() || T->isDependentType() || T->isUndeducedType()) return false;
  if (T->isPlaceholderType()) return false;
  for (const ArrayType *A = T->getAsArrayTypeUnsafe(); A; A = A->getElementType()->getAsArrayTypeUnsafe())
    if (!isa<ConstantArrayType>(A)) return false;
  return true;
}

static uint64_t floatBits(const llvm::fltSemantics &Format) {
  if (&Format == &llvm::APFloat::IEEEhalf()) return 16;
  if (&Format == &llvm::APFloat::IEEEsingle()) return 32;
  if (&Format == &llvm::APFloat::IEEEdouble()) return 64;
  if (&Format == &llvm::APFloat::x87DoubleExtended()) return 80;
  if (&Format == &llvm::APFloat::IEEEquad()) return 128;
  return 0;
}

void Exporter::fillType(QualType Canonical, GsType &Out) {
  const Type *T = Canonical.getTypePtr();
  if (hasConstantSize(T)) {
    TypeInfo Info = Context.getTypeInfo(Canonical);
    Out.size_bits = Info.Width;
    Out.align_bits = Info.Align;
  } else {
    Out.flags |= TF_INCOMPLETE;
  }
  Out.kind = Type_Other;
  if (const auto *B = dyn_cast<BuiltinType>(T)) {
    if (B->getKind() == BuiltinType::Void) Out.kind = Type_Void;
    else if (B->getKind() == BuiltinType::Bool) Out.kind = Type_Bool;
    else if (B->getKind() == BuiltinType::NullPtr) {
      Out.kind = Type_Pointer;
      Out.elem = type(Context.VoidTy);
    } else if (B->isInteger()) {
      Out.kind = Type_Int;
      if (B->isSignedInteger()) Out.flags |= TF_SIGNED;
      if (T->isCharType()) Out.flags |= TF_CHAR;
    } else if (B->isFloatingPoint()) {
      Out.kind = Type_Float;
      Out.count = floatBits(Context.getFloatTypeSemantics(Canonical));
    }
  } else if (const auto *Bits = dyn_cast<BitIntType>(T)) {
    Out.kind = Type_Int;
    Out.count = Bits->getNumBits();
    if (Bits->isSigned()) Out.flags |= TF_SIGNED;
  } else if (const auto *Pointer = dyn_cast<PointerType>(T)) {
    Out.kind = Type_Pointer;
    Out.elem = type(Pointer->getPointeeType());
  } else if (const auto *Array = dyn_cast<ArrayType>(T)) {
    Out.kind = Type_IncompleteArray;
    Out.elem = type(Array->getElementType());
    if (const auto *Constant = dyn_cast<ConstantArrayType>(Array)) {
      Out.kind = Type_Array;
      Out.count = Constant->getSize().getZExtValue();
    } else if (const auto *Variable = dyn_cast<VariableArrayType>(Array)) {
      Out.kind = Type_VariableArray;
      Out.count = root(Variable->getSizeExpr());
    }
  } else if (const auto *Function = dyn_cast<FunctionType>(T)) {
    Out.kind = Type_FunctionNoProto;
    Out.elem = type(Function->getReturnType());
    if (Function->getNoReturnAttr()) Out.flags |= TF_NORETURN;
    if (const auto *Proto = dyn_cast<FunctionProtoType>(Function)) {
      Out.kind = Type_Function;
      if (Proto->isVariadic()) Out.flags |= TF_VARIADIC;
      Ids Params;
      for (QualType Param : Proto->param_types()) Params.push_back(type(Param));
      Out.args = Unit.list(Params);
      Out.n_args = Params.size();
    }
  } else if (const auto *Record = dyn_cast<RecordType>(T)) {
    const RecordDecl *D = Record->getAsRecordDecl();
    Out.kind = D->isUnion() ? Type_Union : Type_Struct;
    Out.decl = decl(D);
    if (D->hasAttr<MayAliasAttr>()) Out.flags |= TF_MAY_ALIAS;
  } else if (const auto *Enum = dyn_cast<EnumType>(T)) {
    const auto *D = cast<EnumDecl>(Enum->getAsTagDecl());
    Out.kind = Type_Enum;
    Out.decl = decl(D);
    Out.elem = type(D->getIntegerType().isNull() ? QualType() : D->getIntegerType().getCanonicalType());
    if (D->hasAttr<MayAliasAttr>()) Out.flags |= TF_MAY_ALIAS;
  } else if (const auto *Atomic = dyn_cast<AtomicType>(T)) {
    Out.kind = Type_Atomic;
    Out.elem = type(Atomic->getValueType());
  } else if (const auto *Complex = dyn_cast<ComplexType>(T)) {
    Out.kind = Type_Complex;
    Out.elem = type(Complex->getElementType());
  } else if (const auto *Vector = dyn_cast<VectorType>(T)) {
    Out.kind = Type_Vector;
    Out.elem = type(Vector->getElementType());
    Out.count = Vector->getNumElements();
  }
}
