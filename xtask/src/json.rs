//! Reads and writes JSON with errors as text, as the rest of xtask has them.

use serde::de::DeserializeOwned;
pub(crate) use serde_json::Value;

/// Reads one JSON value.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|e| format!("malformed JSON: {e}"))
}

/// The elements of an array; nothing for any other value.
pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The strings of an array of strings.
pub(crate) fn strings(value: &Value) -> Vec<String> {
    items(value).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
