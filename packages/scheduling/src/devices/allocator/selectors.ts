import type { PooledDevice } from "./pool.ts";

/** The cost that the expressions of one decision may still have together. */
export interface SelectorBudget {
  costLeft: number;
}

/** True for a device that is selected; a fault if the expression has no value for it. */
export type SelectorVerdict = boolean | { readonly fault: string };

/** A compiled expression. It returns "exhausted" if it would cost more than the budget has. */
export type SelectorProgram = (device: PooledDevice, budget: SelectorBudget) => SelectorVerdict | "exhausted";

/**
 * Compiles the CEL expression of a selector. A port: this package knows no CEL, so that pages that
 * explain decisions need not load it.
 */
export type CompileSelector = (expression: string) => SelectorProgram | { readonly fault: string };

/**
 * A character takes up to 15 µs to compile, which is the time of so many units of an evaluation:
 * the longest expression takes six tenths of a decision's budget.
 */
const costPerCharacter = 60;

type KeptProgram = SelectorProgram | { readonly fault: string };

/** Programs that are kept: clusters have a handful of classes, and claims that are alike. */
const programsMax = 256;
/** Verdicts that are kept for one device: claims may have an expression each. */
const verdictsPerDeviceMax = 64;

/** An expression, and whose it is: the namespace of a claim, or "" for a class. */
export interface OwnedExpression {
  readonly expression: string;
  readonly owner: string;
}

/**
 * The verdicts of selectors on devices. A device's attributes never change, because each write of a
 * slice creates new objects. A verdict is therefore kept as long as its device. Owners share the
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
    // The pod's next decision has the budget for it.
    if (budget.costLeft < 0) return "exhausted";
    const made = this.#compile(expression);
    const program = typeof made === "function" ? made : { fault: `CEL compile error: ${made.fault}` };
    this.#programs.keep(asked, program);
    return program;
  }
}

/** Keeps values by expression. Where there is no room, the owner of the most loses its oldest. */
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

  /** The newcomer counts with the place that it is to have. */
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
