// Recorders that run while clang reads the source, and the export of its position tables afterwards.
#pragma once
#include "tables.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include <memory>

/// Names of the macros used, with the position of each use.
std::unique_ptr<clang::PPCallbacks> recordMacros(GsUnit &Unit);

/// Annotations and suppressions; other comments are dropped.
class CommentRecorder final : public clang::CommentHandler {
public:
  explicit CommentRecorder(GsUnit &Unit) : Unit(Unit) {}
  bool HandleComment(clang::Preprocessor &PP, clang::SourceRange Range) override;

private:
  GsUnit &Unit;
};

/// Warnings and errors.
class DiagnosticRecorder final : public clang::DiagnosticConsumer {
public:
  explicit DiagnosticRecorder(GsUnit &Unit) : Unit(Unit) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &Info) override;

private:
  GsUnit &Unit;
};

/// Writes entries, files, line starts and #line directives, and sorts the macro uses.
void exportSourceMap(GsUnit &Unit, const clang::SourceManager &SM);
