// Constant expressions: clang evaluates them, and the largest constant subtree carries the value.
#include "exporter.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

static constexpr uint32_t Known = NF_INT | NF_FLOAT;

void Exporter::setInteger(GsNode &Out, const llvm::APSInt &Value) {
  if (Value.isUnsigned() ? Value.isIntN(64) : Value.isSignedIntN(64)) {
    Out.value = int64_t(Value.extOrTrunc(64).getZExtValue());
  } else if (Value.getBitWidth() <= 128) {
    Out.value = Unit.string(llvm::toString(static_cast<const llvm::APInt &>(Value.extOrTrunc(128)), 16, false));
    Out.flags |= NF_WIDE;
  } else {
    return;
  }
  Out.flags |= NF_INT;
}

void Exporter::setFloat(GsNode &Out, const llvm::APFloat &Value) {
  bool Inexact = false;
  llvm::APFloat Double = Value;
  Double.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &Inexact);
  if (Inexact) return;
  Out.value = Double.bitcastToAPInt().getZExtValue();
  Out.flags |= NF_FLOAT;
}

void Exporter::evaluate(const Expr *E, GsNode &Out) {
  if (E->isValueDependent() || Out.flags & Known) return;
  Expr::EvalResult Result;
  llvm::APFloat Float(0.0);
  if (E->getType()->isIntegralOrEnumerationType()) {
    if (E->EvaluateAsInt(Result, Context)) setInteger(Out, Result.Val.getInt());
  } else if (E->getType()->isRealFloatingType()) {
    if (E->EvaluateAsFloat(Float, Context)) setFloat(Out, Float);
  }
}

/// clang silently folds shifts by too much; they must stay visible as undefined behaviour.
static bool isShiftInRange(const BinaryOperator *Shift, const GsNode &Amount, ASTContext &Context) {
  unsigned Width = Context.getIntWidth(Shift->getType());
  return Amount.flags & NF_INT && !(Amount.flags & NF_WIDE) && uint64_t(Amount.value) < Width;
}

bool Exporter::isFoldable(const Expr *E, const Draft &D) {
  if (!D.foldable || D.kids.empty() || D.node.flags & Known || E->isValueDependent()) return false;
  if (!E->getType()->isIntegralOrEnumerationType() && !E->getType()->isRealFloatingType()) return false;
  for (uint32_t Kid : D.kids)
    if (!Kid || !(Unit.nodes[Kid].flags & Known || Pending.count(Kid))) return false;
  const auto *Binary = dyn_cast<BinaryOperator>(E);
  if (!Binary || !Binary->isShiftOp()) return true;
  fold(D.kids[1]);
  return isShiftInRange(Binary, Unit.nodes[D.kids[1]], Context);
}

/// The value of a case label, even if clang folds parts that are not constants: `1 ? 2 : x`, `(long)(void *)1`.
uint32_t Exporter::label(const Expr *E) {
  uint32_t Id = root(E);
  if (Id) evaluate(E, Unit.nodes[Id]);
  return Id;
}

void Exporter::fold(uint32_t Node) {
  auto Candidate = Pending.find(Node);
  if (Candidate == Pending.end()) return;
  const Expr *E = Candidate->second;
  Pending.erase(Candidate);
  evaluate(E, Unit.nodes[Node]);
}
