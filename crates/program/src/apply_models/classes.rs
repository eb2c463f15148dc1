//! The classes of memory that library functions write on their own, which a unit need not have.

use crate::models::RECORDS;
use gainsay_ir::gc::{Class, ClassData, Unit};
use gainsay_ir::types::Type;
use std::collections::BTreeMap;

/// The records behind `FILE`, by the C library. The first is glibc's, the second that of the BSDs and of macOS.
const STREAMS: &[&str] = &["_IO_FILE", "__sFILE", "__FILE", "_iobuf", "__stdio_file"];

/// Numbers of classes in one unit.
pub struct LibraryClasses {
    pub(super) anything: Class,
    pub(super) char: Class,
    pub(super) int: Class,
    pub(super) pointer: Class,
    pub(super) word: Class,
    pub(super) streams: Vec<Class>,
    /// What `%n` may write, with whatever length.
    pub(super) integers: Vec<Class>,
    /// One for each of [`RECORDS`].
    pub(super) records: Vec<Class>,
}

impl LibraryClasses {
    /// Adds those to the unit that it does not have. A unit that never looks into a `FILE` may still call, for one that
    /// does, what changes it.
    pub fn of(unit: &mut Unit) -> LibraryClasses {
        let named: Vec<&&str> = STREAMS
            .iter()
            .enumerate()
            .filter(|(i, stream)| {
                let is_field = |class: &ClassData| class.field.as_ref().is_some_and(|f| f.record == **stream);
                *i < 2 || unit.classes.values().any(is_field)
            })
            .map(|(_, stream)| stream)
            .collect();
        let word = Type::Int(unit.target.pointer_bits);
        let mut numbers: BTreeMap<ClassData, Class> =
            unit.classes.iter().map(|(class, data)| (data.clone(), class)).collect();
        let mut class =
            |data: ClassData| *numbers.entry(data.clone()).or_insert_with(|| unit.classes.push(data));
        LibraryClasses {
            anything: class(ClassData { ty: None, field: None }),
            char: class(ClassData::of_type(Type::Int(8))),
            int: class(ClassData::of_type(Type::Int(32))),
            pointer: class(ClassData::of_type(Type::Ptr)),
            word: class(ClassData::of_type(word)),
            streams: named.into_iter().map(|stream| class(ClassData::whole_record(stream))).collect(),
            integers: [8, 16, 32, 64].map(|bits| class(ClassData::of_type(Type::Int(bits)))).to_vec(),
            records: RECORDS.iter().map(|record| class(ClassData::whole_record(record))).collect(),
        }
    }
}
