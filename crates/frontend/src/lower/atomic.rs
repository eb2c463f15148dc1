//! Atomic operations: loads and stores of objects that other threads may change at any time.

use super::function::FunctionCx;
use super::place::{Memory, Place};
use super::types::pointee;
use crate::clang::ast::{BinaryOp as CBinary, NodeId};
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{BinaryOp, Expr, UnaryOp};
use gainsay_ir::types::Type;

impl FunctionCx<'_> {
    /// clang gives the operands in the order pointer, memory order, value, ...
    pub(super) fn atomic(&mut self, id: NodeId, name: &str, operands: &[NodeId], ty: Type) -> Expr {
        let operation = name.trim_start_matches("__c11_atomic_").trim_start_matches("__atomic_");
        let target = operands.first().and_then(|&p| pointee(self.unit, self.unit.type_of(p)));
        let (Some(target), [pointer, order, rest @ ..]) = (target, operands) else {
            return self.unknown_atomic(id, operands, ty);
        };
        let known = matches!(
            (operation, rest.len()),
            ("load" | "load_n", 0)
                | ("exchange" | "exchange_n", 1)
                | ("fetch_add" | "fetch_sub" | "fetch_and" | "fetch_or" | "fetch_xor" | "fetch_nand", 1)
                | ("add_fetch" | "sub_fetch" | "and_fetch" | "or_fetch" | "xor_fetch" | "nand_fetch", 1)
        );
        // The generic __atomic_load and __atomic_exchange pass values through pointers.
        let generic = name.starts_with("__atomic_") && matches!(operation, "load" | "exchange");
        if !known || generic || !self.is_scalar_type(target) || rest.iter().any(|&arg| !self.is_scalar(arg)) {
            return self.unknown_atomic(id, operands, ty);
        }
        let address = self.value(*pointer);
        self.effects(*order);
        let operand = rest.first().map(|&arg| self.value(arg));
        self.at(id);
        let memory = self.memory(address, target);
        let mut place = Place::Memory(Memory { pointer: Some(address), volatile: true, ..memory });
        let old = self.load(&place);
        place.forget_checks();
        let Some(operand) = operand else { return old };
        let new = match operation.trim_start_matches("fetch_").trim_end_matches("_fetch") {
            "exchange" | "exchange_n" => operand,
            "add" if self.ty(old) == Type::Ptr => self.moved(old, operand, CBinary::Add),
            "sub" if self.ty(old) == Type::Ptr => self.moved(old, operand, CBinary::Sub),
            "add" => self.binary(BinaryOp::Add, old, operand),
            "sub" => self.binary(BinaryOp::Sub, old, operand),
            "and" => self.binary(BinaryOp::And, old, operand),
            "or" => self.binary(BinaryOp::Or, old, operand),
            "xor" => self.binary(BinaryOp::Xor, old, operand),
            _ => {
                let both = self.binary(BinaryOp::And, old, operand);
                self.unary(UnaryOp::Not, both)
            }
        };
        let new = self.store(&place, new);
        if operation.ends_with("_fetch") { new } else { old }
    }

    /// Atomic operations without a result.
    pub(super) fn atomic_store(&mut self, id: NodeId, name: &str, operands: &[NodeId]) {
        let target = operands.first().and_then(|&p| pointee(self.unit, self.unit.type_of(p)));
        match (name, operands, target) {
            ("__c11_atomic_init", [pointer, value], Some(target))
            | ("__c11_atomic_store" | "__atomic_store_n", [pointer, _, value], Some(target))
                if self.is_scalar_type(target) && self.is_scalar(*value) =>
            {
                let address = self.value(*pointer);
                let value = self.value(*value);
                self.at(id);
                let memory = self.memory(address, target);
                self.store(
                    &Place::Memory(Memory { pointer: Some(address), volatile: true, ..memory }),
                    value,
                );
            }
            _ => {
                self.unknown_builtin(id, operands, Gap::Atomic);
            }
        }
    }

    fn moved(&mut self, pointer: Expr, bytes: Expr, op: CBinary) -> Expr {
        let bytes = self.resize(bytes, true, self.pointer_bits());
        let bytes = if op == CBinary::Sub { self.unary(UnaryOp::Neg, bytes) } else { bytes };
        self.binary(BinaryOp::PtrAdd, pointer, bytes)
    }

    fn unknown_atomic(&mut self, id: NodeId, operands: &[NodeId], ty: Type) -> Expr {
        match self.unknown_builtin(id, operands, Gap::Atomic) {
            Some(value) if self.ty(value) == ty => value,
            _ => self.unknown(ty),
        }
    }
}
