import { isApiError } from "@kintsugi/api";
import { ConnectionError } from "@kintsugi/client";
import {
  type QuietPeriod,
  type SeededRandomSource,
  RandomOfEach,
  type Fault,
  type FaultableCluster,
  findFault,
  Holds,
  type PlannedFault,
  type RunObserver,
  type Scenario,
  type Undo,
  type World,
} from "@kintsugi/simulation";

export interface FaultPlanDeps {
  cluster: FaultableCluster & { readonly quietPeriod: QuietPeriod };
  randomSource: SeededRandomSource;
  observer?: Pick<RunObserver, "fault"> | undefined;
  /** Finds a fault by its name. Default: among all faults. */
  find?: (name: string) => Fault | undefined;
}

/** The part of a scenario that its faults read. */
type PlannedScenario = Pick<Scenario, "nodes" | "workloads" | "profile" | "faults">;

/**
 * Performs the planned faults at their times, and undoes them. Time continues during a fault,
 * because a fault may itself take time.
 */
export class FaultPlan {
  readonly #scenario: PlannedScenario;
  readonly #find: (name: string) => Fault | undefined;
  readonly #common: Omit<World, "random" | "randomOf"> & { cluster: FaultPlanDeps["cluster"] };
  readonly #randomSource: SeededRandomSource;
  readonly #observer: FaultPlanDeps["observer"];
  readonly #counts = new Map<string, { planned: number; reached: number }>();
  readonly #undo = new Set<Undo>();
  #isOver = false;
  #error: unknown;

  constructor(deps: FaultPlanDeps, scenario: PlannedScenario) {
    const { cluster, randomSource, observer, find = findFault } = deps;
    this.#scenario = scenario;
    this.#find = find;
    this.#observer = observer;
    this.#randomSource = randomSource;
    this.#common = { cluster, scenario, holds: new Holds(), reached: (planned) => this.#reached(planned) };
  }

  get counts(): Readonly<Record<string, FaultCount>> {
    return Object.fromEntries(this.#counts);
  }

  /** An error that a fault should never throw. */
  get error(): unknown {
    return this.#error;
  }

  /** Nodes that a fault has removed permanently. */
  get lostNodes(): ReadonlySet<string> {
    return this.#common.cluster.quietPeriod.lostNodes;
  }

  /** Starts the plan's time; its faults happen as time advances. */
  begin(): void {
    const { clock } = this.#common.cluster;
    for (const planned of this.#scenario.faults) {
      this.#count(planned.fault).planned++;
      clock.after(planned.atMs, () => void this.#strike(planned).catch((error: unknown) => (this.#error ??= error)));
    }
  }

  /** Prevents further faults, and undoes all faults that are not permanent. */
  end(): void {
    this.#isOver = true;
    for (const undo of this.#undo) this.#finish(undo);
  }

  async #strike(planned: PlannedFault): Promise<void> {
    if (this.#isOver) return;
    const fault = this.#find(planned.fault);
    if (!fault) throw new Error(`there is no fault ${planned.fault}`);
    const { quietPeriod } = this.#common.cluster;
    const settle = quietPeriod.disturb();
    const undoing = await refusedIsNothing(fault.inject(this.#worldOf(planned), planned));
    if (undoing === undefined || !fault.lasts || planned.stays) settle();
    if (undoing === undefined) this.#observer?.fault(planned, "misses");
    if (undoing === undefined) return;
    if (!("armed" in undoing)) this.#reached(planned);
    if (!fault.lasts) return;
    if (planned.stays) {
      if (fault.target === "node" && planned.target !== undefined) quietPeriod.lose(planned.target);
      return;
    }
    const undo = async () => {
      await undoing();
      settle();
      this.#observer?.fault(planned, "ends");
    };
    this.#undo.add(undo);
    if (this.#isOver) this.#finish(undo);
    else if (planned.forMs !== undefined) this.#common.cluster.clock.after(planned.forMs, () => this.#finish(undo));
  }

  /**
   * The fault has a random source of its own, so that its draws do not change the draws of the
   * other faults.
   */
  #worldOf({ fault, target = "anything", atMs }: PlannedFault): World {
    const randomSource = new RandomOfEach(this.#randomSource, `${fault} of ${target} at ${atMs} ms for`);
    return { ...this.#common, random: randomSource.of("itself"), randomOf: (name) => randomSource.of(name) };
  }

  #finish(undo: Undo): void {
    if (!this.#undo.delete(undo)) return;
    Promise.resolve(undo()).catch((error: unknown) => (this.#error ??= error));
  }

  #reached(planned: PlannedFault): void {
    this.#count(planned.fault).reached++;
    this.#observer?.fault(planned, "begins");
  }

  #count(fault: string): { planned: number; reached: number } {
    const count = this.#counts.get(fault) ?? { planned: 0, reached: 0 };
    this.#counts.set(fault, count);
    return count;
  }
}

/** The API may reject a fault's request or not respond to it; then the fault does not happen. */
async function refusedIsNothing(injecting: Promise<Undo | undefined> | Undo | undefined): Promise<Undo | undefined> {
  try {
    return await injecting;
  } catch (error) {
    if (isApiError(error) || error instanceof ConnectionError) return undefined;
    throw error;
  }
}

export interface FaultCount {
  readonly planned: number;
  readonly reached: number;
}
