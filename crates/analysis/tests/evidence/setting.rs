//! Which edges testify: Table 1 (section 6), the shipped default and the variants of section 4.2, as one
//! table.

use crate::graph::Kind;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    Admissible,
    Inadmissible,
    Asserted,
}

/// What the rows of Table 1 differ in.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub name: &'static str,
    /// Then-branches of if-statements and cases of a switch (4.2), and comments at the entry (4.5).
    then: Evidence,
    /// Else-branches of simple if-statements, written ones of cascades, a written `default` (4.2).
    written_else: Evidence,
    /// The unwritten last else of a cascade, a missing `default` (4.2).
    last_else: Evidence,
    /// Relational operators give three branches (4.4).
    pub three_way: bool,
    /// A loop is repeated, or ends later than at the first evaluation of its condition (4.3).
    loop_later: Evidence,
    /// A loop ends at the first evaluation (4.3).
    loop_never: Evidence,
    /// Two pointers are the same; they are not (5).
    same: Evidence,
    separate: Evidence,
    /// Edges inside callees (4.6, 5) and in macro definitions, which 4.6 treats like procedures.
    callees: Evidence,
    /// ev-all
    everything: bool,
}

const A: Evidence = Evidence::Admissible;
const I: Evidence = Evidence::Inadmissible;
const S: Evidence = Evidence::Asserted;

/// Each setting of Table 1 is "as the one before, except" for one column. From ev-0 to ev-9 edges into ERROR
/// nodes are asserted. The last three are not columns of Table 1: what section 4 calls the default (zero
/// iterations inadmissible as in ev-5, but callees inadmissible by 4.6 and separate parameters admissible by
/// 5), and the alternatives of 4.2.
pub const SETTINGS: [Setting; 14] = [
    // name, [then, written else, last else], three-way, [loop later, loop never], [same, separate], callees
    setting("ev-0", [I, I, I], false, [I, I], [I, I], S),
    setting("ev-1", [A, I, I], false, [I, I], [I, I], S),
    setting("ev-2", [A, A, I], false, [I, I], [I, I], S),
    setting("ev-3", [A, A, A], false, [I, I], [I, I], S),
    setting("ev-4", [A, A, A], true, [I, I], [I, I], S),
    setting("ev-5", [A, A, A], true, [A, I], [I, I], S),
    setting("ev-6", [A, A, A], true, [A, A], [I, I], S),
    setting("ev-7", [A, A, A], true, [A, A], [A, A], S),
    setting("ev-8", [A, A, A], true, [A, A], [A, A], I),
    setting("ev-9", [A, A, A], true, [A, A], [A, A], A),
    Setting { everything: true, ..setting("ev-all", [A, A, A], true, [A, A], [A, A], A) },
    setting("default", [A, A, A], true, [A, I], [I, A], I),
    setting("last-else-inadmissible", [A, A, I], true, [A, I], [I, A], I),
    setting("last-else-asserted", [A, A, S], true, [A, I], [I, A], I),
];

/// ev-0 to ev-all: each makes it easier to report.
pub const TABLE_1: usize = 11;

const fn setting(
    name: &'static str,
    [then, written_else, last_else]: [Evidence; 3],
    three_way: bool,
    [loop_later, loop_never]: [Evidence; 2],
    [same, separate]: [Evidence; 2],
    callees: Evidence,
) -> Setting {
    Setting {
        name,
        then,
        written_else,
        last_else,
        three_way,
        loop_later,
        loop_never,
        same,
        separate,
        callees,
        everything: false,
    }
}

/// The facts about an edge on a path that the rules refer to.
pub struct Witness {
    pub kind: Kind,
    /// Inside a callee or a macro definition.
    pub in_callee: bool,
    /// The condition involves a variable that an enclosing loop modifies.
    pub varies: bool,
    /// The condition of the loop is evaluated for the first time since the loop was entered.
    pub first: bool,
}

impl Setting {
    pub fn named(name: &str) -> &'static Setting {
        let found = SETTINGS.iter().find(|setting| setting.name == name);
        found.unwrap_or_else(|| panic!("there is no setting `{name}`"))
    }

    /// The evidence of an edge: the rules of section 4.
    pub fn evidence(&self, witness: &Witness) -> Evidence {
        if self.everything {
            return A;
        }
        match witness.kind {
            // 4.1. ev-8 and ev-9 change "edges inside callees", which Table 1 lists separately from these.
            Kind::Error => S,
            // No column of Table 1 concerns them.
            Kind::Passed | Kind::Comment(false) => I,
            // 4.6: only what the first node of the path dominates is admissible.
            _ if witness.in_callee => self.callees,
            // 4.3, the last paragraph.
            Kind::Then | Kind::WrittenElse | Kind::LastElse if witness.varies => I,
            Kind::Then | Kind::Comment(true) => self.then,
            Kind::WrittenElse => self.written_else,
            Kind::LastElse => self.last_else,
            Kind::LoopEnds if witness.first => self.loop_never,
            Kind::LoopGoesOn | Kind::LoopEnds => self.loop_later,
            Kind::Alias(true) => self.same,
            Kind::Alias(false) => self.separate,
        }
    }
}
