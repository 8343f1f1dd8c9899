import type { PooledDevice } from "./pool.ts";

/** The remaining cost budget of the expressions of one decision. */
export interface SelectorBudget {
  costLeft: number;
}

/** True for a selected device; a fault if the expression has no value for the device. */
export type SelectorVerdict = boolean | { readonly fault: string };

/** A compiled expression. It returns "exhausted" if it would exceed the budget. */
export type SelectorProgram = (device: PooledDevice, budget: SelectorBudget) => SelectorVerdict | "exhausted";

/**
 * Compiles the CEL expression of a selector. It is a port because this package does not include
 * CEL, so that pages that explain decisions need not load it.
 */
export type CompileSelector = (expression: string) => SelectorProgram | { readonly fault: string };

/**
 * Budget units that compiling a character costs: it takes up to 15 µs, which is the time of this
 * many units of an evaluation. The longest expression takes six tenths of a decision's budget.
 */
const costPerCharacter = 60;

type KeptProgram = SelectorProgram | { readonly fault: string };

/** Limit on cached programs: clusters have a handful of classes, and similar claims. */
const programsMax = 256;
/** Limit on cached verdicts for one device: each claim may have its own expression. */
const verdictsPerDeviceMax = 64;

/** An expression and its owner: the namespace of a claim, or "" for a class. */
export interface OwnedExpression {
  readonly expression: string;
  readonly owner: string;
}

/**
 * The verdicts of selectors on devices. A device's attributes never change, because each write of a
 * slice creates new objects. A verdict is therefore cached as long as its device. Owners share the
 * entries, so that a claim with many expressions never removes a verdict of another namespace.
 */
export class DeviceSelectors {
  readonly #compile: CompileSelector;
  readonly #programs = new SharedPlaces<KeptProgram>(programsMax);
  readonly #verdicts = new WeakMap<PooledDevice, SharedPlaces<SelectorVerdict>>();

  constructor(compile: CompileSelector) {
    this.#compile = compile;
  }

  verdict(asked: OwnedExpression, device: PooledDevice, budget: SelectorBudget): SelectorVerdict | "exhausted" {
    // A cached result costs one map lookup, because a claim can request many devices.
    if (--budget.costLeft < 0) return "exhausted";
    const known = this.#verdicts.get(device);
    const earlier = known?.get(asked.expression);
    if (earlier !== undefined) return earlier;
    const program = this.#programOf(asked, budget);
    if (program === "exhausted") return program;
    const verdict = typeof program === "function" ? program(device, budget) : program;
    if (verdict === "exhausted") return verdict;
    const verdicts = known ?? new SharedPlaces<SelectorVerdict>(verdictsPerDeviceMax);
    verdicts.keep(asked, verdict);
    if (known === undefined) this.#verdicts.set(device, verdicts);
    return verdict;
  }

  #programOf(asked: OwnedExpression, budget: SelectorBudget): KeptProgram | "exhausted" {
    const { expression } = asked;
    const known = this.#programs.get(expression);
    if (known !== undefined) return known;
    budget.costLeft -= expression.length * costPerCharacter;
    // The pod's next decision has enough budget for the expression.
    if (budget.costLeft < 0) return "exhausted";
    const made = this.#compile(expression);
    const program = typeof made === "function" ? made : { fault: `CEL compile error: ${made.fault}` };
    this.#programs.keep(asked, program);
    return program;
  }
}

/**
 * Caches values by expression. When the cache is full, the oldest entry of the owner with the most
 * entries is dropped.
 */
class SharedPlaces<T> {
  readonly #max: number;
  readonly #places = new Map<string, { readonly owner: string; readonly value: T }>();

  constructor(max: number) {
    this.#max = max;
  }

  get(expression: string): T | undefined {
    return this.#places.get(expression)?.value;
  }

  keep({ expression, owner }: OwnedExpression, value: T): void {
    if (this.#places.size >= this.#max) this.#removeOldestOf(this.#largestOwner(owner));
    this.#places.set(expression, { owner, value });
  }

  /** The new entry counts as an entry of its owner. */
  #largestOwner(newcomer: string): string {
    const counts = new Map([[newcomer, 1]]);
    for (const { owner } of this.#places.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    let largest = newcomer;
    for (const [owner, count] of counts) if (count > (counts.get(largest) ?? 0)) largest = owner;
    return largest;
  }

  #removeOldestOf(of: string): void {
    for (const [expression, { owner }] of this.#places) {
      if (owner !== of) continue;
      this.#places.delete(expression);
      return;
    }
  }
}
