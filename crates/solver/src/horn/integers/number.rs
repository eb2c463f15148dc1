//! Arithmetic on translated numbers: texts with bounds.

/// A translated bit-vector: text, and the numbers between which it lies.
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) text: String,
    pub(super) low: i128,
    pub(super) high: i128,
}

pub(super) fn constant(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

pub(super) fn negated(number: Number) -> Number {
    Number { text: format!("(- {})", number.text), low: -number.high, high: -number.low }
}

pub(super) fn product(of: Number, factor: i128) -> Option<Number> {
    let (a, b) = (of.low.checked_mul(factor)?, of.high.checked_mul(factor)?);
    Some(Number { text: format!("(* {} {})", constant(factor), of.text), low: a.min(b), high: a.max(b) })
}

/// Rounded down.
pub(super) fn quotient(of: Number, by: i128) -> Number {
    if by == 1 {
        return of;
    }
    Number {
        text: format!("(div {} {by})", of.text),
        low: of.low.div_euclid(by),
        high: of.high.div_euclid(by),
    }
}

pub(super) fn remainder(of: Number, by: i128) -> Number {
    if of.low >= 0 && of.high < by {
        return of;
    }
    Number { text: format!("(mod {} {by})", of.text), low: 0, high: by - 1 }
}

/// C's division, or its remainder, by a constant.
pub(super) fn towards_zero(of: Number, by: i128, is_quotient: bool) -> Number {
    let size = by.abs();
    let part = |of: Number| if is_quotient { quotient(of, size) } else { remainder(of, size) };
    let up = part(Number { text: of.text.clone(), low: of.low.max(0), high: of.high.max(0) });
    let number = if of.low >= 0 {
        up
    } else {
        let below = Number { text: format!("(- {})", of.text), low: (-of.high).max(0), high: -of.low };
        let down = negated(part(below));
        let text = format!("(ite (>= {} 0) {} {})", of.text, up.text, down.text);
        Number { text, low: down.low.min(up.low), high: up.high.max(down.high) }
    };
    if is_quotient && by < 0 { negated(number) } else { number }
}

/// `of & mask`, where the mask is a run of ones at the low or the high end, or one bit.
pub(super) fn masked(of: Number, mask: u128, width: u32) -> Option<Number> {
    let all = gainsay_term::bits::mask(width);
    let ones = mask.count_ones();
    if mask == all {
        return Some(of);
    }
    if mask == gainsay_term::bits::mask(ones) {
        return Some(remainder(of, 1 << ones));
    }
    let cleared = all & !mask;
    if cleared == gainsay_term::bits::mask(cleared.count_ones()) {
        let by = 1i128 << cleared.count_ones();
        let text = format!("(* {by} (div {} {by}))", of.text);
        return Some(Number { text, low: of.low - (by - 1), high: of.high });
    }
    if ones == 1 {
        let bit = mask as i128;
        let text = format!("(* {bit} (mod (div {} {bit}) 2))", of.text);
        return Some(Number { text, low: 0, high: bit });
    }
    None
}
