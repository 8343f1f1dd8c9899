import { findInteger, type LabelOperator, type LabelRequirement, type Selector, sorted } from "./label-selector.ts";
import { checkLabelValue, checkQualifiedName } from "../values/names.ts";

/** An error in a selector's text. Messages are upstream's. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
}

/**
 * Space for about 500 values. Each value is compared with the labels of every object that is
 * listed, and of every event that is watched.
 */
const tokensMax = 1_000;

/**
 * Parses `app=web,tier in (a,b),!old`.
 * @throws SelectorError with upstream's wording.
 */
export function parseLabelSelector(text: string): Selector {
  const tokens = scan(text);
  if (tokens.count > tokensMax) throw new SelectorError(`a selector of more than ${tokensMax} words and signs`);
  const requirements: LabelRequirement[] = [];
  let token = tokens.peek();
  while (token.type !== "end") {
    if (token.type !== "word" && token.text !== "!") {
      throw new SelectorError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(parseRequirement(tokens));
    const separator = tokens.next();
    if (separator.type === "end") break;
    if (separator.text !== ",") {
      throw new SelectorError(`found '${separator.text}', expected: ',' or 'end of string'`);
    }
    token = tokens.peek();
    if (token.type !== "word" && token.text !== "!") {
      throw new SelectorError(`found '${token.text}', expected: identifier after ','`);
    }
  }
  return { requirements: sorted(requirements) };
}

interface Token {
  /** A word is anything but `= ! ( ) , < >` and blanks; `in` and `notin` are words. */
  type: "word" | "symbol" | "end";
  text: string;
}

interface Tokens {
  readonly count: number;
  peek(): Token;
  next(): Token;
}

const symbols = new Set([")", ",", "!", "==", "=", ">", "<", "!=", "("]);

function scan(text: string): Tokens {
  const tokens: Token[] = [];
  // A run of symbol characters is split into the longest known symbols.
  for (const match of text.matchAll(/==|!=|[=!(),><]|[^\s=!(),><]+/g)) {
    tokens.push({ type: symbols.has(match[0]) ? "symbol" : "word", text: match[0] });
  }
  let position = 0;
  const end: Token = { type: "end", text: "" };
  return { count: tokens.length, peek: () => tokens[position] ?? end, next: () => tokens[position++] ?? end };
}

function parseRequirement(tokens: Tokens): LabelRequirement {
  try {
    return parseBareRequirement(tokens);
  } catch (error) {
    if (error instanceof SelectorError) throw new SelectorError(`unable to parse requirement: ${error.message}`);
    throw error;
  }
}

function parseBareRequirement(tokens: Tokens): LabelRequirement {
  let token = tokens.next();
  const absent = token.text === "!";
  if (absent) token = tokens.next();
  if (token.type !== "word") throw new SelectorError(`found '${token.text}', expected: identifier`);
  const key = token.text;
  refuse("<nil>", key, checkQualifiedName(key));
  const following = tokens.peek();
  if (following.type === "end" || following.text === ",") return { key, operator: absent ? "!" : "exists", values: [] };
  if (absent) return { key, operator: "!", values: [] };
  const operator = parseOperator(tokens);
  const values = operator === "in" || operator === "notin" ? parseSet(tokens) : [parseExactValue(tokens)];
  for (const [index, value] of values.entries()) {
    if ((operator === "gt" || operator === "lt") && findInteger(value) === undefined) {
      const problem = "for 'Gt', 'Lt' operators, the value must be an integer";
      refuse(`values[${index}]`, value, [problem]);
    }
    refuse(`values[${index}][${key}]`, value, checkLabelValue(value));
  }
  return { key, operator, values };
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["in", "in"],
  ["=", "="],
  ["==", "=="],
  [">", "gt"],
  ["<", "lt"],
  ["notin", "notin"],
  ["!=", "!="],
]);

function parseOperator(tokens: Tokens): LabelOperator {
  const token = tokens.next();
  const operator = operators.get(token.text);
  if (operator === undefined) {
    throw new SelectorError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  }
  return operator;
}

/** `(a,b)`; an omitted item is the empty value, as in `(a,)`. Values are unique and sorted. */
function parseSet(tokens: Tokens): string[] {
  const open = tokens.next();
  if (open.text !== "(") throw new SelectorError(`found '${open.text}' expected: '('`);
  const values = new Set<string>();
  let expectsValue = true;
  for (;;) {
    const token = tokens.next();
    if (token.type === "word") {
      if (!expectsValue) throw new SelectorError(`found '${token.text}', expected: ',' or ')'`);
      values.add(token.text);
      expectsValue = false;
    } else if (token.text === "," || token.text === ")") {
      if (expectsValue) values.add("");
      if (token.text === ")") return [...values].toSorted();
      expectsValue = true;
    } else {
      const expected = expectsValue ? "',', ')' or identifier" : "',' or ')'";
      throw new SelectorError(`found '${token.text}', expected: ${expected}`);
    }
  }
}

function parseExactValue(tokens: Tokens): string {
  const token = tokens.peek();
  if (token.type === "end" || token.text === ",") return "";
  tokens.next();
  if (token.type !== "word") throw new SelectorError(`found '${token.text}', expected: identifier`);
  return token.text;
}

function refuse(path: string, value: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new SelectorError(`${path}: Invalid value: ${JSON.stringify(value)}: ${problems.join("; ")}`);
}
