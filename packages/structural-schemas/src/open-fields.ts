import type { FieldDescription } from "@kintsugi/api";

/** The fields of an object that may have undeclared fields of one type. */
export class OpenFields extends Map<string, FieldDescription> {
  readonly #others: FieldDescription["type"];

  constructor(declared: Iterable<readonly [string, FieldDescription]>, others: FieldDescription["type"]) {
    super();
    this.#others = others;
    for (const [name, field] of declared) this.set(name, field);
  }

  override get(name: string): FieldDescription {
    return super.get(name) ?? { name, type: this.#others, required: false };
  }

  override has(): boolean {
    return true;
  }
}
