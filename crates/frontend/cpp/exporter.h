// Walks clang's AST of one unit and fills the tables. It only exports what clang knows; Rust gives it meaning.
#pragma once
#include "tables.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>
#include <map>

using Ids = llvm::SmallVector<uint32_t, 8>;

/// A node whose children are already in the table.
struct Draft {
  GsNode node{};
  Ids kids;
  /// Number of nodes in `kids`; the others are declarations or strings.
  unsigned node_kids = ~0u;
  /// Constant if all children are constants.
  bool foldable = false;
};

class Exporter {
public:
  Exporter(GsUnit &Unit, clang::ASTContext &Context)
      : Unit(Unit), Context(Context), SM(Context.getSourceManager()) {}
  void run();

private:
  // types.cpp
  uint32_t type(clang::QualType Type);
  uint32_t sugaredType(clang::QualType Type);
  uint32_t newType(clang::QualType Canonical);
  void fillType(clang::QualType Canonical, GsType &Out);
  void completeAliasingTypes();

  // decls.cpp
  uint32_t decl(const clang::Decl *D);
  uint32_t field(const clang::FieldDecl *F);
  void common(const clang::Decl *D, GsDecl &Out);
  void system(const clang::Decl *First, GsDecl &Out);
  void fill(const clang::Decl *D, uint32_t Id, GsDecl &Out);
  void function(const clang::FunctionDecl *F, GsDecl &Out);
  void variable(const clang::VarDecl *V, GsDecl &Out);
  void record(const clang::RecordDecl *R, uint32_t Id, GsDecl &Out);
  void enumeration(const clang::EnumDecl *E, GsDecl &Out);
  void setKids(GsDecl &Out, llvm::ArrayRef<uint32_t> Kids);

  // errors.cpp
  void collectErrors();
  void markErrors();
  bool hasErrorWithin(const clang::Decl *D);
  bool isMadeUp(const clang::Decl *D);
  bool isMadeUp(clang::QualType Type);
  /// Does the expression depend on clang's error recovery?
  bool restsOnError(const clang::Expr *E);

  // comments.cpp
  void attachComments();
  bool standsDirectlyBefore(const GsComment &C, clang::SourceLocation Begin);

  // attributes.cpp
  void attributes(const clang::Decl *D, GsDecl &Out);

  // nodes.cpp
  uint32_t node(const clang::Stmt *S);
  uint32_t makeNode(const clang::Stmt *S);
  /// A node that is not part of a larger constant.
  uint32_t root(const clang::Stmt *S);
  void statement(const clang::Stmt *S, Draft &Out);
  void assembly(const clang::Stmt *S, Draft &Out);
  void extent(const clang::Stmt *S, Draft &Out);
  void children(const clang::Stmt *S, Draft &Out);

  // expressions.cpp
  void expression(const clang::Expr *E, Draft &Out);
  void literal(const clang::Expr *E, Draft &Out);
  void operation(const clang::Expr *E, Draft &Out);
  void initialiser(const clang::Expr *E, Draft &Out);

  // constants.cpp
  uint32_t label(const clang::Expr *E);
  void fold(uint32_t Node);
  bool isFoldable(const clang::Expr *E, const Draft &D);
  void evaluate(const clang::Expr *E, GsNode &Out);
  void setInteger(GsNode &Out, const llvm::APSInt &Value);
  void setFloat(GsNode &Out, const llvm::APFloat &Value);

  GsUnit &Unit;
  clang::ASTContext &Context;
  const clang::SourceManager &SM;
  llvm::DenseMap<void *, uint32_t> TypeIds;
  /// Types that differ from their canonical type by may_alias: (canonical, flags, element).
  std::map<std::tuple<void *, uint32_t, uint32_t>, uint32_t> AliasingTypes;
  /// (aliasing type, its plain type). Copied at the end, because the plain type may be incomplete until then.
  std::vector<std::pair<uint32_t, uint32_t>> AliasingCopies;
  llvm::DenseMap<const clang::Decl *, uint32_t> DeclIds;
  llvm::DenseMap<const clang::OpaqueValueExpr *, uint32_t> OpaqueValues;
  /// Foldable nodes that may become part of a larger constant. Folding at each level would be quadratic.
  llvm::DenseMap<uint32_t, const clang::Expr *> Pending;
  /// Positions of errors, and of includes of files with errors; sorted.
  std::vector<uint32_t> Errors, BrokenIncludes;
  /// Positions where file-scope declarations begin, sorted; filled only if there are errors.
  std::vector<uint32_t> Begins;
  llvm::DenseMap<const clang::Decl *, bool> MadeUp;
  /// Functions whose bodies have not been exported yet.
  std::deque<std::pair<uint32_t, const clang::FunctionDecl *>> Bodies;
};

/// Our kind for clang's attribute.
AttrKind attributeKind(const clang::Attr &A);
