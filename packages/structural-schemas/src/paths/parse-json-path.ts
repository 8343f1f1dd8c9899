export type Step =
  | { kind: "member"; name: string }
  | { kind: "every" }
  /** `..name`: the member of every part; every part itself if the name is empty. */
  | { kind: "deep"; name: string }
  | { kind: "slice"; from: number | undefined; to: number | undefined; by: number }
  | { kind: "union"; steps: readonly Step[] }
  | { kind: "filter"; filter: Filter };

/** `?(@.type=="Ready")`; without an operator, the path has to reach a value. */
export interface Filter {
  path: readonly Step[];
  operator: "==" | "!=" | "<" | "<=" | ">" | ">=" | undefined;
  value: string | number | boolean | undefined;
}

const pathLengthMax = 1024;

/**
 * Reads the path of a field, written without braces: `.spec.ports[0].name`,
 * `.status.conditions[?(@.type=="Ready")].status`, `.metadata.annotations.a\.b/c`.
 * @throws Error that explains why a string is not a path.
 */
export function parseJsonPath(text: string): readonly Step[] {
  if (text.length > pathLengthMax) throw new Error(`path is longer than ${pathLengthMax} characters`);
  return new PathReader(text).read();
}

class PathReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Step[] {
    const steps: Step[] = [];
    if (this.#next() === "$" || this.#next() === "@") this.#at++;
    while (this.#at < this.#text.length) steps.push(...this.#step());
    return steps;
  }

  #next(): string {
    return this.#text[this.#at] ?? "";
  }

  #step(): readonly Step[] {
    if (this.#text.startsWith("..", this.#at)) {
      this.#at += 2;
      return [{ kind: "deep", name: this.#name() }];
    }
    if (this.#next() === ".") {
      this.#at++;
      // A dot alone is the object itself; a dot before brackets has no effect.
      if (this.#next() === "" || this.#next() === "[") return [];
      return [this.#named()];
    }
    if (this.#next() === "[") return [this.#brackets()];
    throw new Error(`unrecognized character in action: ${JSON.stringify(this.#next())}`);
  }

  #named(): Step {
    const name = this.#name();
    if (name === "") throw new Error("unexpected end of a field's name");
    return name === "*" ? { kind: "every" } : { kind: "member", name };
  }

  /** A backslash escapes the next character. */
  #name(): string {
    let name = "";
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#next();
      if (character === "." || character === "[") break;
      if (character === "\\") this.#at++;
      name += this.#next();
    }
    return name;
  }

  #brackets(): Step {
    const end = this.#closing();
    const inside = this.#text.slice(this.#at + 1, end).trim();
    this.#at = end + 1;
    if (inside.startsWith("?(") && inside.endsWith(")"))
      return { kind: "filter", filter: filterOf(inside.slice(2, -1)) };
    const parts = splitOutside(inside, ",").map((part) => bracketStep(part.trim()));
    const [first] = parts;
    if (first === undefined) throw new Error("invalid array index");
    return parts.length === 1 ? first : { kind: "union", steps: parts };
  }

  /** The bracket that closes the bracket at the reader's position, outside of quotes. */
  #closing(): number {
    let quote = "";
    let depth = 0;
    for (let at = this.#at; at < this.#text.length; at++) {
      const character = this.#text[at] ?? "";
      if (quote !== "") {
        if (character === "\\") at++;
        else if (character === quote) quote = "";
      } else if (character === "'" || character === '"') quote = character;
      else if (character === "[") depth++;
      else if (character === "]" && --depth === 0) return at;
    }
    throw new Error("unterminated array");
  }
}

function bracketStep(text: string): Step {
  if (text === "*") return { kind: "every" };
  const quoted = /^'((?:[^'\\]|\\.)*)'$|^"((?:[^"\\]|\\.)*)"$/.exec(text);
  if (quoted !== null) return { kind: "member", name: unescaped(quoted[1] ?? quoted[2] ?? "") };
  const index = /^-?\d{1,9}$/.exec(text);
  if (index !== null) {
    const from = Number(text);
    return { kind: "slice", from, to: from === -1 ? undefined : from + 1, by: 1 };
  }
  const slice = /^(-?\d{1,9})?:(-?\d{1,9})?(?::(\d{1,9}))?$/.exec(text);
  if (slice === null) throw new Error(`invalid array index ${text}`);
  const [, from, to, by] = slice;
  return { kind: "slice", from: numberOf(from), to: numberOf(to), by: Math.max(1, numberOf(by) ?? 1) };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, "$1");
}

const operators = ["==", "!=", "<=", ">=", "<", ">"] as const;

function filterOf(text: string): Filter {
  for (const operator of operators) {
    const parts = splitOutside(text, operator);
    if (parts.length !== 2) continue;
    const [left = "", right = ""] = parts;
    return { path: filterPath(left.trim()), operator, value: literalOf(right.trim()) };
  }
  return { path: filterPath(text.trim()), operator: undefined, value: undefined };
}

function filterPath(text: string): readonly Step[] {
  if (!text.startsWith("@")) throw new Error(`unrecognized filter ${text}`);
  return parseJsonPath(text);
}

function literalOf(text: string): string | number | boolean {
  const quoted = /^'((?:[^'\\]|\\.)*)'$|^"((?:[^"\\]|\\.)*)"$/.exec(text);
  if (quoted !== null) return unescaped(quoted[1] ?? quoted[2] ?? "");
  if (text === "true" || text === "false") return text === "true";
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new Error(`unrecognized value ${text}`);
}

/** Splits at a separator outside of quotes and brackets. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let [quote, depth, start] = ["", 0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (quote !== "") {
      if (character === "\\") at++;
      else if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if (character === "[" || character === "(") depth++;
    else if (character === "]" || character === ")") depth--;
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(start, at));
      at += separator.length - 1;
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}
