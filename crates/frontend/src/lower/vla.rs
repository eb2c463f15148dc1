//! Variable-length arrays: sizes are fixed where the type is declared.

use super::function::{FunctionCx, Local};
use crate::clang::ast::{DeclId, NodeId, Type as CType, TypeId};
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{BinaryOp, CmdKind, Expr, VarData};
use gainsay_ir::types::Type;

impl FunctionCx<'_> {
    /// Evaluates and saves the counts in a variably modified type.
    pub(super) fn hold_vla_counts(&mut self, ty: TypeId) {
        match self.unit.ty(ty) {
            CType::VariableArray { elem, count } => {
                if let Some(count) = count {
                    self.hold_vla_count(count);
                }
                self.hold_vla_counts(elem);
            }
            CType::Pointer(elem) | CType::Array { elem, .. } | CType::IncompleteArray(elem) => {
                self.hold_vla_counts(elem);
            }
            _ => {}
        }
    }

    fn hold_vla_count(&mut self, count: NodeId) {
        let signed = self.unit.is_signed(self.unit.type_of(count));
        let value = self.value(count);
        self.at(count);
        let value = self.resize(value, signed, self.pointer_bits());
        let var = match self.vla_counts.get(&count) {
            Some(&var) => var,
            None => self.temp(Type::Int(self.pointer_bits())),
        };
        self.vla_counts.insert(count, var);
        self.assign(var, value);
    }

    /// Size of a type in bytes, an integer of the pointer's width.
    pub(super) fn size(&mut self, ty: TypeId) -> Expr {
        match self.unit.ty(ty) {
            CType::VariableArray { elem, count } => {
                let count = count.and_then(|count| self.vla_counts.get(&count).copied());
                let count = match count {
                    Some(var) => self.read(var),
                    None => {
                        // `[*]`, or a type whose declaration was not lowered.
                        self.gap(Gap::Expression);
                        self.unknown(Type::Int(self.pointer_bits()))
                    }
                };
                let step = self.size(elem);
                self.binary(BinaryOp::Mul, count, step)
            }
            CType::Array { elem, count } if super::types::is_variable_array(self.unit, elem) => {
                let step = self.size(elem);
                let count = self.word(count);
                self.binary(BinaryOp::Mul, count, step)
            }
            CType::Void | CType::Function { .. } => self.word(1),
            _ => match self.unit.size_of(ty) {
                Some(size) => self.word(size),
                None => {
                    self.gap(Gap::Expression);
                    self.unknown(Type::Int(self.pointer_bits()))
                }
            },
        }
    }

    pub(super) fn declare_variable_array(&mut self, decl: DeclId, ty: TypeId) {
        let dst = match self.local(decl) {
            Some(Local::Dynamic(var)) => var,
            _ => {
                let name = self.unique_name(self.unit.name(decl));
                let var = self.function.vars.push(VarData { name, ty: Type::Ptr, written_by_user: false });
                self.set_local(decl, Local::Dynamic(var));
                var
            }
        };
        let size = self.size(ty);
        self.check_vla_size(size);
        self.emit(CmdKind::Alloca { dst, size });
    }
}
