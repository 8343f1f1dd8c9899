import { expect, test } from "vitest";
import { findInEnvFile } from "./env-file.ts";

// The rows are those of upstream's test (pkg/kubelet/util/env).
test.each<[string, string, string, string | undefined]>([
  ["leading whitespace", "   KEY1='val1'\n\t\tKEY2='val2'\nKEY3='val3'\n", "KEY2", "val2"],
  ["blank lines and comments", "# comment\n\nKEY1='foo'\n   # another\n \nKEY2='bar'\n", "KEY2", "bar"],
  ["a key that is missing", "KEY1='foo'\n", "KEY3", undefined],
  ["a hash in a value", "KEY1='foo#notcomment'\n", "KEY1", "foo#notcomment"],
  ["spaces in a value", "KEY1='   foo bar   '", "KEY1", "   foo bar   "],
  ["an empty value", "KEY1='foo'\nKEY2=''\n", "KEY2", ""],
  ["equals in a value", "KEY1='foo=bar=baz'", "KEY1", "foo=bar=baz"],
  ["a comment after a value", "KEY2='bar' # comment\n", "KEY2", "bar"],
  ["a dollar, a backslash and double quotes", `KEY1='$VAR $(A) a\\b "c"'`, "KEY1", `$VAR $(A) a\\b "c"`],
  ["several lines", "KEY1='one\n  two\n\n # three'\nKEY2='bar'\n", "KEY1", "one\n  two\n\n # three"],
  ["the key after a value of several lines", "KEY1='one\ntwo'\nKEY2='bar'\n", "KEY2", "bar"],
  ["lines that end with CR LF", "KEY1='foo'\r\nKEY2='bar'\r\n", "KEY2", "bar"],
  ["a fault after the key", "KEY1='foo'\nnonsense\n", "KEY1", "foo"],
])("%s", (_what, text, key, value) => {
  expect(findInEnvFile(text, key)).toBe(value);
});

test.each([
  ["KEY1 = 'val1'\nKEY2='val2'", /line 1: whitespace before '=' is not allowed/],
  ["KEY1= 'val1'\nKEY2='val2'", /line 1: whitespace after '=' is not allowed/],
  ["='foo'\nKEY2='bar'", /at line 1/],
  ["KEY1='foo'\nINVALID_LINE\nKEY2='bar'", /at line 2/],
  ["KEY1='foo'\nKEY2=bar\n", /line 2: value must be enclosed in single quotes/],
  [`KEY1='foo'\nKEY2="bar"\n`, /line 2: value must be enclosed in single quotes/],
  ["KEY2='foo''bar'", /unexpected content after closing quote/],
  ["KEY2='bar'baz\n", /unexpected content after closing quote/],
  ["KEY1='foo'\nKEY2='bar\nKEY3='baz'\n", /line 3: unexpected content after closing quote/],
  ["KEY1='a\nb'\nKEY2='bar", /line 3: the single quote is not closed/],
])("%j is rejected", (text, message) => {
  expect(() => findInEnvFile(text, "KEY2")).toThrow(message);
});
