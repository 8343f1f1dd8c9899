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

/** A character takes 5 µs to compile, which is the time of so many units of an evaluation. */
const costPerCharacter = 20;

/** Programs that are kept: clusters have a handful of classes, and claims that are alike. */
const programsMax = 256;
/** Verdicts that are kept for one device: claims may have an expression each. */
const verdictsPerDeviceMax = 64;

/**
 * The verdicts of selectors on devices. A device's attributes never change: a slice that is written
 * anew has new objects, so a verdict is kept as long as the device is.
 */
export class DeviceSelectors {
  readonly #compile: CompileSelector;
  readonly #programs = new Map<string, SelectorProgram | { readonly fault: string }>();
  readonly #verdicts = new WeakMap<PooledDevice, Map<string, SelectorVerdict>>();

  constructor(compile: CompileSelector) {
    this.#compile = compile;
  }

  verdict(expression: string, device: PooledDevice, budget: SelectorBudget): SelectorVerdict | "exhausted" {
    // A cached result costs one map lookup, because a claim can request many devices.
    if (--budget.costLeft < 0) return "exhausted";
    const known = this.#verdicts.get(device);
    const earlier = known?.get(expression);
    if (earlier !== undefined) return earlier;
    const program = this.#programOf(expression, budget);
    if (budget.costLeft < 0) return "exhausted";
    const verdict = typeof program === "function" ? program(device, budget) : program;
    if (verdict === "exhausted") return verdict;
    const verdicts = known ?? new Map<string, SelectorVerdict>();
    keep(verdicts, { key: expression, value: verdict, max: verdictsPerDeviceMax });
    if (known === undefined) this.#verdicts.set(device, verdicts);
    return verdict;
  }

  #programOf(expression: string, budget: SelectorBudget): SelectorProgram | { readonly fault: string } {
    const known = this.#programs.get(expression);
    if (known !== undefined) return known;
    budget.costLeft -= expression.length * costPerCharacter;
    const made = this.#compile(expression);
    const program = typeof made === "function" ? made : { fault: `CEL compile error: ${made.fault}` };
    keep(this.#programs, { key: expression, value: program, max: programsMax });
    return program;
  }
}

/** Puts an entry into the map, in the place of the oldest where there is no room. */
function keep<T>(map: Map<string, T>, { key, value, max }: { key: string; value: T; max: number }): void {
  if (map.size >= max) {
    for (const oldest of map.keys()) {
      map.delete(oldest);
      break;
    }
  }
  map.set(key, value);
}
