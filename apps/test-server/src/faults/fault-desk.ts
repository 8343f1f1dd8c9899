import { ApiError, badRequest, type ProfileName } from "@kintsugi/api";
import { ConnectionError, inProcessUserAgent } from "@kintsugi/client";
import {
  SeededRandomSource,
  RandomOfEach,
  type Fault,
  type FaultableCluster,
  type FaultSettings,
  faults,
  findFault,
  Holds,
  pick,
  type PlannedFault,
  type Undo,
  type World,
  wrongSettings,
} from "@kintsugi/simulation";

export interface FaultDeskDeps {
  cluster: FaultableCluster;
  nodes: readonly { readonly name: string; readonly zone: string | undefined }[];
}

export interface FaultRequest {
  /** "kill-node"; `faults` in packages/simulation lists them. */
  fault: string;
  /** The node, service, process or zone; if absent, the seed draws a target. */
  target: string | undefined;
  with: FaultSettings;
  /**
   * Time on the cluster's clock after which the fault is undone; if absent, only its handle undoes
   * it.
   */
  forMs: number | undefined;
  /** The same seed always draws the same target. */
  seed: number;
}

/** An injected fault. */
export interface CalledFault {
  readonly name: string;
  readonly fault: string;
  readonly target: string | undefined;
  readonly with: FaultSettings;
  /**
   * "Waiting": the fault's condition has not occurred yet. "Struck": the fault has ended and cannot
   * be undone.
   */
  readonly state: "InForce" | "Waiting" | "Struck";
}

/** Limit on faults in force: a test with more faults has lost its handles. */
const inForceMax = 500;

interface InForce {
  readonly called: Omit<CalledFault, "state">;
  state: CalledFault["state"];
  readonly undo: Undo;
}

/** Injects the faults of the simulation into a cluster, and undoes them by their handles. */
export class FaultDesk {
  readonly #deps: FaultDeskDeps;
  readonly #options: { profile: ProfileName };
  readonly #holds = new Holds();
  readonly #inForce = new Map<string, InForce>();
  #count = 0;

  constructor(deps: FaultDeskDeps, options: { profile: ProfileName }) {
    this.#deps = deps;
    this.#options = options;
  }

  /** The faults that can be injected. Faults of a scenario's workloads have no target here. */
  static get callable(): readonly Fault[] {
    return faults.filter(
      ({ target, name }) =>
        target !== "workload" && target !== "server" && !needsMore.some((word) => name.startsWith(word)),
    );
  }

  list(): readonly CalledFault[] {
    return [...this.#inForce.values()].map(({ called, state }) => ({ ...called, state }));
  }

  /** A fault in force may affect the cluster's own parts, not only outside clients. */
  get hitsCluster(): boolean {
    return [...this.#inForce.values()].some(({ called }) => !hitsClientsAlone(called));
  }

  /** @throws ApiError when there is no such fault or target, or the fault cannot affect it. */
  async call(request: FaultRequest): Promise<CalledFault> {
    const fault = this.#faultOf(request);
    if (this.#inForce.size >= inForceMax)
      throw new ApiError(
        "TooManyRequests",
        `there are ${inForceMax} active faults, which is the limit: undo some of them`,
      );
    const name = `${fault.name}-${++this.#count}`;
    const randomSource = new SeededRandomSource(request.seed);
    // A fault of a named pod looks up the pod's node.
    const target = request.target ?? (request.with["pod"] === undefined ? this.#drawn(fault, randomSource) : undefined);
    const planned: PlannedFault = {
      fault: fault.name,
      atMs: 0,
      with: request.with,
      ...(target !== undefined && { target }),
    };
    const called = { name, fault: fault.name, target, with: request.with };
    let isMet = false;
    const undo = await injected(
      fault,
      this.#worldOf({ fault, randomSource }, () => {
        isMet = true;
        const inForce = this.#inForce.get(name);
        if (inForce) inForce.state = "InForce";
      }),
      planned,
    );
    if (undo === undefined)
      throw new ApiError(
        "Conflict",
        `${fault.name}${target === undefined ? "" : ` of ${target}`} has no target at the moment`,
      );
    if (!fault.lasts) return { ...called, state: "Struck" };
    const state = "armed" in undo && !isMet ? "Waiting" : "InForce";
    this.#inForce.set(name, { called, state, undo });
    if (request.forMs !== undefined)
      this.#deps.cluster.clock.after(request.forMs, () => void this.#undo(name).catch(() => {}));
    return { ...called, state };
  }

  /** @throws ApiError NotFound */
  async undo(name: string): Promise<void> {
    if (this.#inForce.has(name)) return this.#undo(name);
    const names = [...this.#inForce.keys()];
    const has = names.length === 0 ? "none is" : `the active faults are ${names.join(", ")}`;
    throw new ApiError("NotFound", `no fault ${JSON.stringify(name)} is active; ${has}`);
  }

  /** Undoes all faults, the last first. */
  async undoAll(): Promise<number> {
    const names = [...this.#inForce.keys()].reverse();
    for (const name of names) await this.#undo(name);
    return names.length;
  }

  async #undo(name: string): Promise<void> {
    const inForce = this.#inForce.get(name);
    if (inForce === undefined) return;
    this.#inForce.delete(name);
    await inForce.undo();
  }

  /** The number of faults that were ever injected. */
  get callCount(): number {
    return this.#count;
  }

  /** @throws ApiError BadRequest */
  #faultOf({ fault: name, target, with: settings, forMs }: FaultRequest): Fault {
    const fault = findFault(name);
    const known = FaultDesk.callable;
    if (fault === undefined || !known.includes(fault)) {
      const why = fault === undefined ? `there is no fault ${JSON.stringify(name)}` : `${name} needs a scenario`;
      throw badRequest(`${why}; the available faults are ${known.map((each) => each.name).join(", ")}`);
    }
    const [wrong] = wrongSettings(fault, settings);
    if (wrong !== undefined) throw badRequest(`with.${wrong[0]}: ${wrong[1]}`);
    if (forMs !== undefined && !fault.lasts) throw badRequest(`for: ${name} ends immediately, so it has no duration`);
    const targets = this.#targetsOf(fault);
    if (target === undefined || targets.includes(target)) return fault;
    if (targets.length === 0) throw badRequest(`this cluster has no target for ${name}`);
    const shown = targets.slice(0, targetsShownMax).join(", ");
    throw badRequest(`${name} has no target ${JSON.stringify(target)}; its targets are ${shown}`);
  }

  #targetsOf({ target }: Fault): readonly string[] {
    const { nodes } = this.#deps;
    const names = nodes.map(({ name }) => name);
    const services = ["api-server", "scheduler", "controller-manager"];
    switch (target) {
      case "node":
        return names;
      case "service":
        return services;
      case "process":
        return [...services, ...names];
      case "zone":
        return [...new Set(nodes.flatMap(({ zone }) => zone ?? []))];
      case "server":
      case "workload":
      case "none":
        return [];
    }
  }

  /** The seed draws a target, so that the target's name can be reported. */
  #drawn(fault: Fault, randomSource: SeededRandomSource): string | undefined {
    return pick(randomSource.of("target"), this.#targetsOf(fault));
  }

  #worldOf({ fault, randomSource }: { fault: Fault; randomSource: SeededRandomSource }, reached: () => void): World {
    const each = new RandomOfEach(randomSource, fault.name);
    const { cluster, nodes } = this.#deps;
    const scenarioNodes = nodes.map(({ name, zone }) => ({ name, ...(zone !== undefined && { zone }) }));
    return {
      cluster,
      scenario: { nodes: scenarioNodes, workloads: [], profile: this.#options.profile },
      holds: this.#holds,
      random: each.of("itself"),
      randomOf: (name) => each.of(name),
      reached,
    };
  }
}

/**
 * The services and nodes of a test server share one user agent. The setting matches the beginning
 * of a user agent.
 */
function hitsClientsAlone({ fault, with: { userAgent = "" } }: Pick<CalledFault, "fault" | "with">): boolean {
  return fault.startsWith("api-") && !inProcessUserAgent.startsWith(String(userAgent));
}

/**
 * A test server has neither a bus, nor a simulated disk, nor disks of pods, and has a single
 * process of each service.
 */
const needsMore =
  "bus-,slow-consumer,hide-events,herd,second-,load,kill-in-write,power-cut,disk-,sync-,slow-disk,grow-claim,take-snapshot,delete-snapshot,change-attributes,break-device".split(
    ",",
  );
const targetsShownMax = 20;

/** @throws ApiError if the API rejects a fault's request. */
async function injected(fault: Fault, world: World, planned: PlannedFault): Promise<Undo | undefined> {
  try {
    return await fault.inject(world, planned);
  } catch (error) {
    if (error instanceof ConnectionError)
      throw new ApiError("ServiceUnavailable", `the API does not respond: ${error.message}`);
    throw error;
  }
}
