//! Reads and writes of arrays, resolved where the indices decide.

use crate::{Node, Sort, Term, TermPool};

impl TermPool {
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        let mut array = array;
        while let Node::Store(below, at, element) = self.node(array) {
            if at == index {
                return element;
            }
            if !self.are_different(at, index) {
                break;
            }
            array = below;
        }
        let Sort::Array { index: index_width, element } = self.sort(array) else {
            debug_assert!(false, "select from something else than an array");
            return array;
        };
        debug_assert_eq!(index_width, self.width(index), "index of another width");
        self.vector(Node::Select(array, index), element)
    }

    pub fn store(&mut self, array: Term, index: Term, element: Term) -> Term {
        let sort = self.sort(array);
        debug_assert_eq!(
            sort,
            Sort::Array { index: self.width(index), element: self.width(element) },
            "store of another sort"
        );
        if self.node(element) == Node::Select(array, index) {
            return array;
        }
        match self.node(array) {
            Node::Store(below, at, _) if at == index => self.store(below, index, element),
            _ => self.intern(Node::Store(array, index, element), sort),
        }
    }
}
