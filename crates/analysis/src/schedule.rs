//! The order in which functions are summarised: callees first, functions that call each other together.

/// The strongly connected components of a graph (Tarjan), each after all that it leads to; nothing here recurses. The
/// order is a function of the numbers alone.
pub fn components(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut index = vec![UNSEEN; successors.len()];
    let mut low = vec![0; successors.len()];
    let mut on_stack = vec![false; successors.len()];
    let (mut stack, mut open, mut found) = (Vec::new(), Vec::<(usize, usize)>::new(), Vec::new());
    let mut count = 0;
    for root in 0..successors.len() {
        if index[root] != UNSEEN {
            continue;
        }
        open.push((root, 0));
        while let Some(&mut (node, ref mut next)) = open.last_mut() {
            if *next == 0 {
                (index[node], low[node]) = (count, count);
                count += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            let target = successors[node].get(*next).copied();
            *next += 1;
            match target {
                Some(target) if index[target] == UNSEEN => open.push((target, 0)),
                Some(target) if on_stack[target] => low[node] = low[node].min(index[target]),
                Some(_) => {}
                None => {
                    open.pop();
                    if let Some(&(caller, _)) = open.last() {
                        low[caller] = low[caller].min(low[node]);
                    }
                    if low[node] == index[node] {
                        let start = stack.iter().rposition(|&other| other == node).unwrap_or(0);
                        let mut component = stack.split_off(start);
                        component.iter().for_each(|&member| on_stack[member] = false);
                        component.sort();
                        found.push(component);
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callees_come_first() {
        let calls = vec![vec![1], vec![2, 3], vec![1], vec![], vec![4, 0]];
        assert_eq!(components(&calls), [vec![3], vec![1, 2], vec![0], vec![4]]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let calls: Vec<Vec<usize>> =
            (0..100_000).map(|i| if i < 99_999 { vec![i + 1] } else { vec![] }).collect();
        assert_eq!(components(&calls).len(), 100_000);
    }
}
