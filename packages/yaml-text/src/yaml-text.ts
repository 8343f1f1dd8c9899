import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import type { Problem } from "./problem.ts";

export type Path = readonly (string | number)[];

/** A YAML text that keeps the position of every value. */
export class YamlText {
  readonly problems: readonly Problem[];
  readonly #document: Document.Parsed;
  readonly #lines = new LineCounter();

  constructor(text: string) {
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const faults = [...this.#document.errors, ...this.#document.warnings];
    this.problems = faults.map(({ message, pos: [offset] }) => ({ ...this.#position(offset), message }));
  }

  get value(): unknown {
    return this.#document.toJS({ maxAliasCount: 100 }) as unknown;
  }

  /**
   * Returns the position at which the value at the path begins; if it is missing, its parent's
   * position.
   */
  positionOf(path: Path): Pick<Problem, "line" | "column"> {
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? this.#document.contents : this.#document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return this.#position(node.range[0]);
    }
    return { line: 1, column: 1 };
  }

  /** Returns the position of the key itself. */
  positionOfKey(path: Path, key: string): Pick<Problem, "line" | "column"> {
    const parent = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    const pair = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
      : undefined;
    const range = pair && isScalar(pair.key) ? pair.key.range : undefined;
    return range ? this.#position(range[0]) : this.positionOf(path);
  }

  #position(offset: number): { line: number; column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }
}
