// Exports expressions.
#include "exporter.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

static UnaryOp unaryOp(UnaryOperatorKind Op) {
  switch (Op) {
  case UO_PostInc: return Unary_PostInc;
  case UO_PostDec: return Unary_PostDec;
  case UO_PreInc: return Unary_PreInc;
  case UO_PreDec: return Unary_PreDec;
  case UO_AddrOf: return Unary_AddrOf;
  case UO_Deref: return Unary_Deref;
  case UO_Plus: return Unary_Plus;
  case UO_Minus: return Unary_Minus;
  case UO_Not: return Unary_BitNot;
  case UO_LNot: return Unary_LogicalNot;
  case UO_Real: return Unary_Real;
  case UO_Imag: return Unary_Imag;
  case UO_Extension: case UO_Coawait: return Unary_Extension;
  }
  llvm_unreachable("clang has no other unary operators");
}

/// A compound assignment is exported with its arithmetic operator.
static BinaryOp binaryOp(BinaryOperatorKind Op) {
  switch (Op) {
  case BO_Mul: case BO_MulAssign: return Binary_Mul;
  case BO_Div: case BO_DivAssign: return Binary_Div;
  case BO_Rem: case BO_RemAssign: return Binary_Rem;
  case BO_Add: case BO_AddAssign: return Binary_Add;
  case BO_Sub: case BO_SubAssign: return Binary_Sub;
  case BO_Shl: case BO_ShlAssign: return Binary_Shl;
  case BO_Shr: case BO_ShrAssign: return Binary_Shr;
  case BO_And: case BO_AndAssign: return Binary_BitAnd;
  case BO_Xor: case BO_XorAssign: return Binary_BitXor;
  case BO_Or: case BO_OrAssign: return Binary_BitOr;
  case BO_LT: return Binary_Lt;
  case BO_GT: return Binary_Gt;
  case BO_LE: return Binary_Le;
  case BO_GE: return Binary_Ge;
  case BO_EQ: return Binary_Eq;
  case BO_NE: return Binary_Ne;
  case BO_LAnd: return Binary_LogicalAnd;
  case BO_LOr: return Binary_LogicalOr;
  case BO_Assign: return Binary_Assign;
  case BO_Comma: return Binary_Comma;
  case BO_PtrMemD: case BO_PtrMemI: case BO_Cmp: break; // C++ only
  }
  llvm_unreachable("not an operator of C");
}

static ::CastKind castKind(clang::CastKind Kind) {
  switch (Kind) {
  case CK_NoOp: return Cast_NoOp;
  case CK_LValueToRValue: return Cast_LValueToRValue;
  case CK_BitCast: return Cast_BitCast;
  case CK_LValueBitCast: return Cast_LValueBitCast;
  case CK_ArrayToPointerDecay: return Cast_ArrayToPointer;
  case CK_FunctionToPointerDecay: return Cast_FunctionToPointer;
  case CK_BuiltinFnToFnPtr: return Cast_BuiltinToPointer;
  case CK_NullToPointer: return Cast_NullToPointer;
  case CK_IntegralToPointer: return Cast_IntegralToPointer;
  case CK_PointerToIntegral: return Cast_PointerToIntegral;
  case CK_PointerToBoolean: return Cast_PointerToBool;
  case CK_ToVoid: return Cast_ToVoid;
  case CK_IntegralCast: return Cast_IntegralCast;
  case CK_IntegralToBoolean: return Cast_IntegralToBool;
  case CK_IntegralToFloating: return Cast_IntegralToFloating;
  case CK_FloatingToIntegral: return Cast_FloatingToIntegral;
  case CK_FloatingToBoolean: return Cast_FloatingToBool;
  case CK_FloatingCast: return Cast_FloatingCast;
  case CK_BooleanToSignedIntegral: return Cast_BooleanToSignedIntegral;
  case CK_ToUnion: return Cast_ToUnion;
  case CK_AtomicToNonAtomic: return Cast_AtomicToNonAtomic;
  case CK_NonAtomicToAtomic: return Cast_NonAtomicToAtomic;
  case CK_VectorSplat: return Cast_Vector;
  case CK_FloatingRealToComplex: case CK_FloatingComplexToReal: case CK_FloatingComplexToBoolean:
  case CK_FloatingComplexCast: case CK_FloatingComplexToIntegralComplex: case CK_IntegralRealToComplex:
  case CK_IntegralComplexToReal: case CK_IntegralComplexToBoolean: case CK_IntegralComplexCast:
  case CK_IntegralComplexToFloatingComplex: return Cast_Complex;
  default: return Cast_Other;
  }
}

void Exporter::expression(const Expr *E, Draft &Out) {
  GsNode &N = Out.node;
  Ids &Kids = Out.kids;
  auto Transparent = [&](NodeKind Kind, const Expr *Inner) {
    N.kind = Kind;
    Kids = {node(Inner)};
    Out.foldable = true;
  };
  switch (E->getStmtClass()) {
  case Stmt::IntegerLiteralClass: case Stmt::CharacterLiteralClass: case Stmt::FloatingLiteralClass:
  case Stmt::ImaginaryLiteralClass: case Stmt::StringLiteralClass: case Stmt::PredefinedExprClass:
  case Stmt::CXXBoolLiteralExprClass: case Stmt::CXXNullPtrLiteralExprClass:
    literal(E, Out);
    break;
  case Stmt::UnaryOperatorClass: case Stmt::BinaryOperatorClass: case Stmt::CompoundAssignOperatorClass:
  case Stmt::ConditionalOperatorClass: case Stmt::BinaryConditionalOperatorClass: case Stmt::OpaqueValueExprClass:
  case Stmt::ImplicitCastExprClass: case Stmt::CStyleCastExprClass: case Stmt::UnaryExprOrTypeTraitExprClass:
    operation(E, Out);
    break;
  case Stmt::InitListExprClass: case Stmt::ImplicitValueInitExprClass: case Stmt::NoInitExprClass:
  case Stmt::DesignatedInitUpdateExprClass: case Stmt::CompoundLiteralExprClass:
    initialiser(E, Out);
    break;
  case Stmt::DeclRefExprClass: {
    const ValueDecl *D = cast<DeclRefExpr>(E)->getDecl();
    N.kind = Node_DeclRef;
    N.ref = decl(D);
    if (const auto *Constant = dyn_cast<EnumConstantDecl>(D)) setInteger(N, Constant->getInitVal());
    break;
  }
  case Stmt::ParenExprClass: Transparent(Node_Paren, cast<ParenExpr>(E)->getSubExpr()); break;
  case Stmt::ConstantExprClass: Transparent(Node_Constant, cast<ConstantExpr>(E)->getSubExpr()); break;
  case Stmt::ChooseExprClass: Transparent(Node_Choose, cast<ChooseExpr>(E)->getChosenSubExpr()); break;
  case Stmt::GenericSelectionExprClass:
    N.kind = Node_Generic;
    if (!cast<GenericSelectionExpr>(E)->isResultDependent())
      Transparent(Node_Generic, cast<GenericSelectionExpr>(E)->getResultExpr());
    break;
  case Stmt::CallExprClass: {
    const auto *Call = cast<CallExpr>(E);
    N.kind = Node_Call;
    Kids.push_back(node(Call->getCallee()));
    for (const Expr *Argument : Call->arguments()) Kids.push_back(node(Argument));
    const FunctionDecl *F = Call->getDirectCallee();
    N.ref = decl(F);
    if (F && F->getBuiltinID()) {
      N.flags |= NF_BUILTIN;
      evaluate(E, N);
    }
    break;
  }
  case Stmt::MemberExprClass: {
    const auto *Member = cast<MemberExpr>(E);
    N.kind = Node_Member;
    if (Member->isArrow()) N.flags |= NF_ARROW;
    Kids = {node(Member->getBase())};
    if (const auto *F = dyn_cast<FieldDecl>(Member->getMemberDecl())) N.ref = field(F);
    break;
  }
  case Stmt::ArraySubscriptExprClass:
    N.kind = Node_Index;
    Kids = {node(cast<ArraySubscriptExpr>(E)->getBase()), node(cast<ArraySubscriptExpr>(E)->getIdx())};
    break;
  case Stmt::OffsetOfExprClass: {
    const auto *OffsetOf = cast<OffsetOfExpr>(E);
    N.kind = Node_OffsetOf;
    N.ref = type(OffsetOf->getTypeSourceInfo()->getType());
    for (unsigned I = 0; I < OffsetOf->getNumExpressions(); I++) Kids.push_back(node(OffsetOf->getIndexExpr(I)));
    evaluate(E, N);
    break;
  }
  case Stmt::VAArgExprClass:
    N.kind = Node_VaArg;
    Kids = {node(cast<VAArgExpr>(E)->getSubExpr())};
    break;
  case Stmt::StmtExprClass:
    N.kind = Node_StmtExpr;
    Kids = {node(cast<StmtExpr>(E)->getSubStmt())};
    break;
  case Stmt::AddrLabelExprClass:
    N.kind = Node_AddrLabel;
    N.ref = decl(cast<AddrLabelExpr>(E)->getLabel());
    break;
  case Stmt::AtomicExprClass:
    N.kind = Node_Atomic;
    N.ref = Unit.string(cast<AtomicExpr>(E)->getOpAsString());
    children(E, Out);
    break;
  case Stmt::ConvertVectorExprClass: case Stmt::ShuffleVectorExprClass: case Stmt::ExtVectorElementExprClass:
    N.kind = Node_Vector;
    N.ref = Unit.string(E->getStmtClassName());
    children(E, Out);
    break;
  case Stmt::TypeTraitExprClass:
    N.kind = Node_TypeTrait;
    evaluate(E, N);
    break;
  case Stmt::SourceLocExprClass:
    N.kind = Node_SourceLocation;
    evaluate(E, N);
    break;
  case Stmt::RecoveryExprClass: case Stmt::CXXDependentScopeMemberExprClass: // the latter: a member of broken source
    N.kind = Node_Recovery;
    N.flags |= NF_ERRORS;
    N.ref = Unit.string(Lexer::getSourceText(CharSourceRange::getTokenRange(E->getSourceRange()), SM, Context.getLangOpts()));
    children(E, Out);
    break;
  default:
    N.kind = Node_Other;
    N.ref = Unit.string(E->getStmtClassName());
    children(E, Out);
  }
}

void Exporter::literal(const Expr *E, Draft &Out) {
  GsNode &N = Out.node;
  bool Unsigned = E->getType()->isUnsignedIntegerOrEnumerationType();
  if (const auto *Integer = dyn_cast<IntegerLiteral>(E)) {
    N.kind = Node_IntLiteral;
    setInteger(N, llvm::APSInt(Integer->getValue(), Unsigned));
  } else if (const auto *Character = dyn_cast<CharacterLiteral>(E)) {
    N.kind = Node_CharLiteral;
    llvm::APInt Value(64, Character->getValue());
    setInteger(N, llvm::APSInt(Value.trunc(Context.getIntWidth(E->getType())), Unsigned));
  } else if (const auto *Boolean = dyn_cast<CXXBoolLiteralExpr>(E)) { // C23 true
    N.kind = Node_IntLiteral;
    setInteger(N, llvm::APSInt(llvm::APInt(1, Boolean->getValue()), true));
  } else if (isa<CXXNullPtrLiteralExpr>(E)) { // C23 nullptr
    N.kind = Node_IntLiteral;
    N.flags |= NF_INT;
  } else if (const auto *Float = dyn_cast<FloatingLiteral>(E)) {
    N.kind = Node_FloatLiteral;
    N.ref = Unit.string(llvm::toString(Float->getValue().bitcastToAPInt(), 16, false));
    setFloat(N, Float->getValue());
  } else if (const auto *String = dyn_cast<StringLiteral>(E)) {
    N.kind = Node_StringLiteral;
    N.op = String->getCharByteWidth();
    N.ref = Unit.string(String->getBytes());
  } else if (const auto *Imaginary = dyn_cast<ImaginaryLiteral>(E)) {
    N.kind = Node_ImaginaryLiteral;
    Out.kids = {node(Imaginary->getSubExpr())};
  } else {
    N.kind = Node_Predefined;
    Out.kids = {node(cast<PredefinedExpr>(E)->getFunctionName())};
  }
}

void Exporter::operation(const Expr *E, Draft &Out) {
  GsNode &N = Out.node;
  if (const auto *Unary = dyn_cast<UnaryOperator>(E)) {
    N.kind = Node_Unary;
    N.op = unaryOp(Unary->getOpcode());
    Out.kids = {node(Unary->getSubExpr())};
    Out.foldable = Unary->isArithmeticOp() || Unary->getOpcode() == UO_Extension;
  } else if (const auto *Assign = dyn_cast<CompoundAssignOperator>(E)) {
    N.kind = Node_CompoundAssign;
    N.op = binaryOp(Assign->getOpcode());
    N.ref = type(Assign->getComputationLHSType());
    N.value = type(Assign->getComputationResultType());
    Out.kids = {node(Assign->getLHS()), node(Assign->getRHS())};
  } else if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    N.kind = Node_Binary;
    N.op = binaryOp(Binary->getOpcode());
    Out.kids = {node(Binary->getLHS()), node(Binary->getRHS())};
    Out.foldable = !Binary->isAssignmentOp() && !Binary->isCommaOp();
  } else if (const auto *Conditional = dyn_cast<ConditionalOperator>(E)) {
    N.kind = Node_Conditional;
    Out.kids = {node(Conditional->getCond()), node(Conditional->getTrueExpr()), node(Conditional->getFalseExpr())};
    Out.foldable = true;
  } else if (const auto *Gnu = dyn_cast<BinaryConditionalOperator>(E)) {
    N.kind = Node_BinaryConditional;
    uint32_t Common = root(Gnu->getCommon());
    OpaqueValues[Gnu->getOpaqueValue()] = Common;
    Out.kids = {Common, node(Gnu->getCond()), node(Gnu->getTrueExpr()), node(Gnu->getFalseExpr())};
  } else if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(E)) {
    N.kind = Node_Opaque;
    auto Known = OpaqueValues.find(Opaque);
    N.ref = Known != OpaqueValues.end() ? Known->second : root(Opaque->getSourceExpr());
  } else if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    N.kind = Node_Cast;
    N.op = castKind(Cast->getCastKind());
    if (isa<ExplicitCastExpr>(Cast)) N.flags |= NF_EXPLICIT;
    if (Cast->getCastKind() == CK_ToUnion) N.ref = field(Cast->getTargetUnionField());
    Out.kids = {node(Cast->getSubExpr())};
    Out.foldable = true;
  } else {
    const auto *Trait = cast<UnaryExprOrTypeTraitExpr>(E);
    bool Align = Trait->getKind() == UETT_AlignOf || Trait->getKind() == UETT_PreferredAlignOf;
    N.kind = Align || Trait->getKind() == UETT_SizeOf ? Node_SizeOf : Node_Other;
    N.op = Align;
    N.ref = N.kind == Node_SizeOf ? type(Trait->getTypeOfArgument()) : Unit.string(E->getStmtClassName());
    Out.kids = {Trait->isArgumentType() ? 0 : node(Trait->getArgumentExpr())};
    evaluate(E, N);
  }
}

void Exporter::initialiser(const Expr *E, Draft &Out) {
  GsNode &N = Out.node;
  Ids &Kids = Out.kids;
  if (const auto *List = dyn_cast<InitListExpr>(E)) {
    if (const InitListExpr *Semantic = List->getSemanticForm()) List = Semantic;
    N.kind = Node_InitList;
    for (const Expr *Init : List->inits()) Kids.push_back(node(Init));
    if (List->hasArrayFiller()) {
      N.flags |= NF_FILLER;
      Kids.push_back(node(List->getArrayFiller()));
    }
    if (const FieldDecl *F = List->getInitializedFieldInUnion()) N.ref = field(F);
  } else if (isa<ImplicitValueInitExpr>(E)) {
    N.kind = Node_ImplicitZero;
  } else if (isa<NoInitExpr>(E)) {
    N.kind = Node_NoInit;
  } else if (const auto *Update = dyn_cast<DesignatedInitUpdateExpr>(E)) {
    N.kind = Node_DesignatedUpdate;
    Kids = {node(Update->getBase()), node(Update->getUpdater())};
  } else {
    const auto *Literal = cast<CompoundLiteralExpr>(E);
    N.kind = Node_CompoundLiteral;
    if (Literal->isFileScope()) N.flags |= NF_FILE_SCOPE;
    Kids = {node(Literal->getInitializer())};
  }
}
