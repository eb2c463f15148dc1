// Exports statements, and the parts that all nodes share: type, extent, flags.
#include "exporter.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/Stack.h"
#include "llvm/Config/llvm-config.h"

using namespace clang;

uint32_t Exporter::node(const Stmt *S) {
  if (!S) return 0;
  if (!isStackNearlyExhausted()) return makeNode(S);
  uint32_t Id = 0; // a sum of a million terms is a tree a million deep
  runWithSufficientStackSpace([] {}, [&] { Id = makeNode(S); });
  return Id;
}

uint32_t Exporter::root(const Stmt *S) {
  uint32_t Id = node(S);
  fold(Id);
  return Id;
}

uint32_t Exporter::makeNode(const Stmt *S) {
  if (const auto *Full = dyn_cast<ExprWithCleanups>(S)) return node(Full->getSubExpr());
  Draft D;
  const auto *E = dyn_cast<Expr>(S);
  if (E) {
    D.node.type = type(E->getType());
    if (E->isLValue()) D.node.flags |= NF_LVALUE;
    if (E->getObjectKind() == OK_BitField) D.node.flags |= NF_BITFIELD;
    if (restsOnError(E)) D.node.flags |= NF_ERRORS;
    expression(E, D);
  } else {
    statement(S, D);
  }
  extent(S, D);
  bool Candidate = E && isFoldable(E, D);
  if (!Candidate)
    for (uint32_t Kid : llvm::ArrayRef(D.kids).take_front(D.node_kids)) fold(Kid);
  D.node.kids = Unit.list(D.kids);
  D.node.n_kids = D.kids.size();
  uint32_t Id = Unit.nodes.size();
  Unit.nodes.push_back(D.node);
  if (Candidate) Pending[Id] = E;
  return Id;
}

void Exporter::children(const Stmt *S, Draft &Out) {
  for (const Stmt *Child : S->children()) Out.kids.push_back(node(Child));
}

void Exporter::statement(const Stmt *S, Draft &Out) {
  GsNode &N = Out.node;
  Ids &Kids = Out.kids;
  switch (S->getStmtClass()) {
  case Stmt::NullStmtClass: N.kind = Node_Null; break;
  case Stmt::CompoundStmtClass:
    N.kind = Node_Compound;
    children(S, Out);
    break;
  case Stmt::DeclStmtClass:
    N.kind = Node_DeclStmt;
    Out.node_kids = 0;
    for (const Decl *D : cast<DeclStmt>(S)->decls())
      if (!isa<StaticAssertDecl, EmptyDecl>(D)) Kids.push_back(decl(D));
    break;
  case Stmt::IfStmtClass: {
    const auto *If = cast<IfStmt>(S);
    N.kind = Node_If;
    Kids = {node(If->getCond()), node(If->getThen()), node(If->getElse())};
    break;
  }
  case Stmt::WhileStmtClass:
    N.kind = Node_While;
    Kids = {node(cast<WhileStmt>(S)->getCond()), node(cast<WhileStmt>(S)->getBody())};
    break;
  case Stmt::DoStmtClass:
    N.kind = Node_Do;
    Kids = {node(cast<DoStmt>(S)->getBody()), node(cast<DoStmt>(S)->getCond())};
    break;
  case Stmt::ForStmtClass: {
    const auto *For = cast<ForStmt>(S);
    N.kind = Node_For;
    Kids = {node(For->getInit()), node(For->getCond()), node(For->getInc()), node(For->getBody())};
    break;
  }
  case Stmt::SwitchStmtClass: {
    const auto *Switch = cast<SwitchStmt>(S);
    N.kind = Node_Switch;
    if (Switch->isAllEnumCasesCovered()) N.flags |= NF_ALL_ENUM_CASES;
    Kids = {node(Switch->getCond()), node(Switch->getBody())};
    break;
  }
  case Stmt::CaseStmtClass: {
    const auto *Case = cast<CaseStmt>(S);
    N.kind = Node_Case;
    Kids = {label(Case->getLHS()), label(Case->getRHS()), node(Case->getSubStmt())};
    break;
  }
  case Stmt::DefaultStmtClass:
    N.kind = Node_Default;
    Kids = {node(cast<DefaultStmt>(S)->getSubStmt())};
    break;
  case Stmt::LabelStmtClass:
    N.kind = Node_Label;
    N.ref = decl(cast<LabelStmt>(S)->getDecl());
    Kids = {node(cast<LabelStmt>(S)->getSubStmt())};
    break;
  case Stmt::GotoStmtClass:
    N.kind = Node_Goto;
    N.ref = decl(cast<GotoStmt>(S)->getLabel());
    break;
  case Stmt::IndirectGotoStmtClass:
    N.kind = Node_IndirectGoto;
    Kids = {node(cast<IndirectGotoStmt>(S)->getTarget())};
    break;
  case Stmt::BreakStmtClass: N.kind = Node_Break; break;
  case Stmt::ContinueStmtClass: N.kind = Node_Continue; break;
  case Stmt::ReturnStmtClass:
    N.kind = Node_Return;
    Kids = {node(cast<ReturnStmt>(S)->getRetValue())};
    break;
  case Stmt::GCCAsmStmtClass: assembly(S, Out); break;
  case Stmt::AttributedStmtClass: {
    const auto *Attributed = cast<AttributedStmt>(S);
    N.kind = Node_Attributed;
    if (!Attributed->getAttrs().empty()) N.ref = attributeKind(*Attributed->getAttrs().front());
    Kids = {node(Attributed->getSubStmt())};
    break;
  }
  default:
    N.kind = Node_Other;
    N.ref = Unit.string(S->getStmtClassName());
    children(S, Out);
  }
}

void Exporter::assembly(const Stmt *S, Draft &Out) {
  const auto *Asm = cast<GCCAsmStmt>(S);
  GsNode &N = Out.node;
  Ids &Kids = Out.kids;
  N.kind = Node_Asm;
#if LLVM_VERSION_MAJOR >= 21
  N.ref = Unit.string(Asm->getAsmString());
#else
  N.ref = Unit.string(Asm->getAsmString()->getString());
#endif
  unsigned Outputs = Asm->getNumOutputs(), Inputs = Asm->getNumInputs();
  N.value = int64_t(Outputs) << 32 | Inputs;
  Out.node_kids = Outputs + Inputs;
  if (Asm->isVolatile()) N.flags |= NF_ASM_VOLATILE;
  if (Asm->isAsmGoto()) N.flags |= NF_ASM_GOTO;
  for (unsigned I = 0; I < Outputs; I++) Kids.push_back(node(Asm->getOutputExpr(I)));
  for (unsigned I = 0; I < Inputs; I++) Kids.push_back(node(Asm->getInputExpr(I)));
  auto Text = [&](const auto &T) { Kids.push_back(Unit.string(std::string(T))); };
  for (unsigned I = 0; I < Outputs; I++) Text(Asm->getOutputConstraint(I));
  for (unsigned I = 0; I < Inputs; I++) Text(Asm->getInputConstraint(I));
  for (unsigned I = 0; I < Asm->getNumClobbers(); I++) {
    Text(Asm->getClobber(I));
    if (std::string(Asm->getClobber(I)) == "memory") N.flags |= NF_ASM_MEMORY;
  }
  N.op = Asm->getNumLabels();
  for (const AddrLabelExpr *Label : Asm->labels()) Kids.push_back(decl(Label->getLabel()));
}

/// Computed from the children, because clang's own answer walks down the tree, which is quadratic on long chains.
void Exporter::extent(const Stmt *S, Draft &Out) {
  GsNode &N = Out.node;
  auto Kid = [&](unsigned I) { return I < Out.kids.size() ? Unit.nodes[Out.kids[I]] : GsNode{}; };
  auto Set = [&](uint32_t At, uint32_t Begin, uint32_t End) {
    N.at = At;
    N.begin = Begin;
    N.end = End;
  };
  auto From = [&](SourceLocation Begin, uint32_t End) {
    Set(Begin.getRawEncoding(), Begin.getRawEncoding(), End);
  };
  switch (N.kind) {
  case Node_Binary: case Node_CompoundAssign:
    Set(cast<BinaryOperator>(S)->getOperatorLoc().getRawEncoding(), Kid(0).begin, Kid(1).end);
    break;
  case Node_Conditional:
    Set(cast<ConditionalOperator>(S)->getQuestionLoc().getRawEncoding(), Kid(0).begin, Kid(2).end);
    break;
  case Node_BinaryConditional:
    Set(cast<BinaryConditionalOperator>(S)->getQuestionLoc().getRawEncoding(), Kid(0).begin, Kid(3).end);
    break;
  case Node_Unary: {
    const auto *Unary = cast<UnaryOperator>(S);
    uint32_t At = Unary->getOperatorLoc().getRawEncoding();
    Set(At, Unary->isPostfix() ? Kid(0).begin : At, Unary->isPostfix() ? At : Kid(0).end);
    break;
  }
  case Node_Cast:
    if (const auto *Explicit = dyn_cast<CStyleCastExpr>(S)) From(Explicit->getLParenLoc(), Kid(0).end);
    else Set(Kid(0).at, Kid(0).begin, Kid(0).end);
    break;
  case Node_Call:
    Set(Kid(0).begin, Kid(0).begin, cast<CallExpr>(S)->getRParenLoc().getRawEncoding());
    break;
  case Node_Member: {
    uint32_t At = cast<MemberExpr>(S)->getMemberLoc().getRawEncoding();
    Set(At, Kid(0).begin, At);
    break;
  }
  case Node_Index: {
    uint32_t Begin = cast<ArraySubscriptExpr>(S)->getLHS() == cast<ArraySubscriptExpr>(S)->getBase()
                         ? Kid(0).begin : Kid(1).begin;
    Set(Begin, Begin, cast<ArraySubscriptExpr>(S)->getRBracketLoc().getRawEncoding());
    break;
  }
  case Node_InitList:
    if (cast<InitListExpr>(S)->getLBraceLoc().isValid())
      From(cast<InitListExpr>(S)->getLBraceLoc(), cast<InitListExpr>(S)->getRBraceLoc().getRawEncoding());
    else if (!Out.kids.empty()) // braces left out
      Set(Kid(0).begin, Kid(0).begin, Kid(Out.kids.size() - 1).end);
    break;
  case Node_DesignatedUpdate: Set(Kid(0).at, Kid(0).begin, Kid(1).end); break;
  case Node_Constant: case Node_ImaginaryLiteral: Set(Kid(0).at, Kid(0).begin, Kid(0).end); break;
  case Node_Opaque: {
    const GsNode &Common = Unit.nodes[N.ref];
    Set(Common.at, Common.begin, Common.end);
    break;
  }
  case Node_If: From(S->getBeginLoc(), Out.kids[2] ? Kid(2).end : Kid(1).end); break;
  case Node_While: case Node_Switch: From(S->getBeginLoc(), Kid(1).end); break;
  case Node_For: From(S->getBeginLoc(), Kid(3).end); break;
  case Node_Case: From(S->getBeginLoc(), Kid(2).end); break;
  case Node_Default: case Node_Label: case Node_Attributed: From(S->getBeginLoc(), Kid(0).end); break;
  case Node_Return:
    From(S->getBeginLoc(), Out.kids[0] ? Kid(0).end : S->getBeginLoc().getRawEncoding());
    break;
  case Node_CompoundLiteral: From(S->getBeginLoc(), Kid(0).end); break;
  default: From(S->getBeginLoc(), S->getEndLoc().getRawEncoding());
  }
}
