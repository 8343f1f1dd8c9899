import type { SeededRandom } from "@kintsugi/clock/simulated";

/** Programs of one more character each, and programs that a matcher tries in many ways. */
const patterns = ["a*", "(a{1,30}){1,30}", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "[a-z]{1,900}", "("];

/** The lengths of literals. */
const lengths = [1, 1, 1, 1, 1, 1, 1, 40, 40, 2_000];

/**
 * CEL expressions that are mostly well-typed, and whose results grow: by texts that are joined,
 * replaced and split, lists in lists, and patterns.
 */
export class CelGrammar {
  readonly #random: SeededRandom;
  /** Names of texts in scope. */
  readonly #texts: string[];
  #names = 0;

  /** `text` is an expression of a text that a user writes: "object.data.key". */
  constructor(random: SeededRandom, text: string) {
    this.#random = random;
    this.#texts = [text];
  }

  /** An expression that is true or false, `depth` functions deep. */
  truth(depth: number): string {
    if (depth <= 0) return this.#one(["true", `${this.#text(0)}.size() > 3`]);
    const inner = depth - 1;
    switch (this.#random.integer(6)) {
      case 0:
        return `${this.#text(inner)}.matches('${this.#one(patterns)}')`;
      case 1:
        return this.#ofItems(inner, (items, name) => `${items}.all(${name}, ${this.truth(inner)})`);
      case 2:
        return this.#ofItems(inner, (items, name) => `${items}.exists(${name}, ${this.truth(inner)})`);
      case 3:
        return `${this.truth(inner)} && ${this.truth(inner)}`;
      case 4:
        return this.#bind(inner, () => this.truth(inner));
      default:
        return `${this.#text(inner)}.size() > ${this.#list(inner)}.size()`;
    }
  }

  #text(depth: number): string {
    if (depth <= 0) return this.#random.integer(2) === 0 ? this.#one(this.#texts) : this.#literal();
    const inner = depth - 1;
    switch (this.#random.integer(7)) {
      case 0:
        return `${this.#text(inner)}.replace(${this.#one(["'a'", "''", "'aa'"])}, ${this.#text(inner)})`;
      case 1:
        return `(${this.#text(inner)} + ${this.#text(inner)})`;
      case 2:
        return `${this.#list(inner)}.join(${this.#text(inner)})`;
      case 3:
        return `'%s%s%s'.format([${this.#text(inner)}, ${this.#text(0)}, ${this.#text(0)}])`;
      case 4:
        return `${this.#text(inner)}.${this.#one(["lowerAscii()", "trim()", "substring(0)"])}`;
      case 5:
        return `${this.#text(inner)}.find('${this.#one(patterns)}')`;
      default:
        return this.#bind(inner, (name) => `(${Array.from({ length: 5 }, () => name).join(" + ")})`);
    }
  }

  #list(depth: number): string {
    if (depth <= 0) return `[${Array.from({ length: 5 }, () => this.#text(0)).join(", ")}]`;
    const inner = depth - 1;
    switch (this.#random.integer(4)) {
      case 0:
        return `${this.#text(inner)}.split(${this.#one(["''", "'a'"])})`;
      case 1:
        return this.#ofItems(inner, (items, name) => `${items}.map(${name}, ${this.#text(inner)})`);
      case 2:
        return `(${this.#list(inner)} + ${this.#list(inner)})`;
      default:
        return `${this.#text(inner)}.findAll('${this.#one(patterns)}')`;
    }
  }

  #literal(): string {
    return `'${"a".repeat(this.#one(lengths))}'`;
  }

  #bind(depth: number, body: (name: string) => string): string {
    const value = this.#text(depth);
    return this.#inScope((name) => `cel.bind(${name}, ${value}, ${body(name)})`);
  }

  #ofItems(depth: number, make: (items: string, name: string) => string): string {
    const items = this.#list(depth);
    return this.#inScope((name) => make(items, name));
  }

  #inScope(make: (name: string) => string): string {
    const name = `x${this.#names++}`;
    this.#texts.push(name);
    const made = make(name);
    this.#texts.pop();
    return made;
  }

  #one<T>(values: readonly T[]): T {
    return values[this.#random.integer(values.length)] as T;
  }
}

/** `count` times the text of a pattern that has few characters and a large program. */
export function patternOf(random: SeededRandom, count: number): string {
  const part = patterns[random.integer(patterns.length)] ?? "";
  return `^${part.repeat(count)}$`;
}
