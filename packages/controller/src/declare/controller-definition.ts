import { strict as assert } from "node:assert";
import { formatKey, keyOf, type Logger, type Metrics, type ResourceType } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { OptionTable, OptionValues } from "@kintsugi/daemon";
import type { RecordEvent } from "../events/event-note.ts";
import type { QueueStarts } from "../queue/queue-starts.ts";
import { QueueController } from "../queue/queue-controller.ts";
import type { Controller } from "../reconciler.ts";
import type { ControllerParts, QueueParts } from "./controller-parts.ts";
import { DeclaredInformers, type Informers, isSameKind, type Reading } from "./informer-pool.ts";
import { runParts } from "./run-parts.ts";

// A controller is one value, and a program's controllers are one flat list of such values:
//
//   name, options, roles     are read to document, configure and authorize the program
//   reads, optional, needs   decide whether the controller can work, and which informers run
//   create                   is called once for each term as leader; it returns the watches that
//                            wake keys and the reconciler

/** The resources of a program before there are informers. */
export interface ControllerInputs {
  client: Client;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** The kinds that the API server serves and that can be listed, watched and deleted. */
  served: readonly ResourceType[];
  /** Events in the name of one component. */
  eventsAs: (component: string) => RecordEvent;
  /** Default: each queue begins with the keys of all existing objects. */
  queueStarts?: QueueStarts | undefined;
}

/** The parts of which one controller consists. */
export type OwnContext<World> = World & {
  /** Records an event in the name of the component that the controller declares. */
  recordEvent: RecordEvent;
  /** Adds a key to the controller's queue outside of its watches. */
  enqueue: (key: string) => void;
};

/**
 * The resources of a program for all controllers, with the settings that one controller declares.
 */
export type WithOptions<Base, Table extends OptionTable> = Base & { options: OptionValues<Table> };

export interface ControllerSpec<Inputs, World, Table extends OptionTable, Given> {
  /** The name in logs: "replicaset". */
  readonly name: string;
  /** The flags that configure the controller. */
  readonly options: Table;
  /** The roles with the rules that the controller needs. */
  readonly roles: readonly NamedRole[];
  /**
   * Returns the fault in the combination of the options, in addition to the limits of each flag. A
   * program with a fault does not start.
   */
  readonly findOptionProblem?: (options: OptionValues<Table>) => string | undefined;
  /** The component that the controller's events name as their source, by upstream's name. */
  readonly events?: string;
  /**
   * The kinds that the controller reads from local copies. The controller is left out if the API
   * server does not serve all of them.
   */
  readonly reads: Readings | ((served: readonly ResourceType[]) => Readings);
  /** Kinds that the controller also reads if the API server serves them. */
  readonly optional?: Readings;
  /** The input without which the controller cannot work, in addition to the kinds that it reads. */
  readonly needs?: Need<WithOptions<Inputs, Table>, Given>;
  create(context: OwnContext<WithOptions<World, Table>>, given: Given): ControllerParts;
}

/** A role of the program. The API server defines the role's rules. */
interface NamedRole {
  readonly name: string;
}

type Readings = readonly (ResourceType | Reading)[];

interface Need<Inputs, Given> {
  /** The name in logs: "--cluster-signing-cert-file". */
  readonly what: string;
  /** Returns undefined if the input is missing; the controller is then left out. */
  of(inputs: Inputs): Given | undefined;
}

/** One entry of a program's flat list of controllers. */
export interface ControllerDefinition<Inputs, World, Table extends OptionTable = OptionTable> {
  readonly name: string;
  readonly options: Table;
  readonly roles: readonly NamedRole[];
  /**
   * The kinds that the controller names itself. A controller that reads all served kinds does not
   * name any.
   */
  readonly kinds: readonly ResourceType[];
  findOptionProblem(options: OptionValues<Table>): string | undefined;
  /** Returns the kinds that it reads and its factory, or the input that is missing. */
  plan(inputs: WithOptions<Inputs, Table>): ControllerPlan<WithOptions<World, Table>>;
}

export type ControllerPlan<World> =
  | { works: false; because: string }
  | { works: true; readings: readonly Reading[]; make(world: World): Controller };

/**
 * Returns the `defineController` of a program whose controllers get these inputs and, once
 * informers exist, these resources.
 */
export function controllerDefiner<Inputs extends ControllerInputs, World extends Inputs & { informers: Informers }>() {
  return <const Table extends OptionTable, Given = undefined>(
    spec: ControllerSpec<Inputs, World, Table, Given>,
  ): ControllerDefinition<Inputs, World, Table> => ({
    name: spec.name,
    options: spec.options,
    roles: spec.roles,
    kinds: [
      // A controller that also reads all served kinds always names some kinds.
      ...asReadings(typeof spec.reads === "function" ? spec.reads([]) : spec.reads),
      ...asReadings(spec.optional ?? []),
    ].map(({ type }) => type),
    findOptionProblem: (options) => spec.findOptionProblem?.(options),
    plan: (inputs) => planController(spec, inputs),
  });
}

function planController<
  Inputs extends ControllerInputs,
  World extends Inputs & { informers: Informers },
  Table extends OptionTable,
  Given,
>(
  spec: ControllerSpec<Inputs, World, Table, Given>,
  inputs: WithOptions<Inputs, Table>,
): ControllerPlan<WithOptions<World, Table>> {
  const { served } = inputs;
  const isServed = ({ type }: Reading) => served.some((each) => isSameKind(each, type));
  const reads = asReadings(typeof spec.reads === "function" ? spec.reads(served) : spec.reads);
  const missing = reads.find((each) => !isServed(each))?.type;
  if (missing !== undefined) return { works: false, because: `${missing.resource} are not served` };
  const given = spec.needs?.of(inputs);
  if (spec.needs !== undefined && given === undefined) return { works: false, because: `no ${spec.needs.what}` };
  const optional = asReadings(spec.optional ?? []);
  return {
    works: true,
    readings: [...reads, ...optional.filter(isServed)],
    make(world) {
      const informers = new DeclaredInformers(world.informers, [...reads, ...optional], spec.name);
      return makeController(spec, { ...world, informers }, given as Given);
    },
  };
}

function asReadings(readings: Readings): Reading[] {
  return readings.map((each) => ("indexes" in each ? each : { type: each, indexes: {} }));
}

function makeController<
  Inputs extends ControllerInputs,
  World extends Inputs & { informers: Informers },
  Table extends OptionTable,
  Given,
>(spec: ControllerSpec<Inputs, World, Table, Given>, world: WithOptions<World, Table>, given: Given): Controller {
  let queue: QueueController | undefined;
  const context: OwnContext<WithOptions<World, Table>> = {
    ...world,
    recordEvent: spec.events === undefined ? refuseEvents(spec.name) : world.eventsAs(spec.events),
    enqueue: (key) => queue?.enqueue(key),
  };
  const parts = spec.create(context, given);
  const queueOf = (each: QueueParts): QueueController => {
    const { keys } = each;
    const allKeys =
      typeof keys === "function"
        ? keys
        : () =>
            world.informers
              .of(keys)
              .list()
              .map((object) => formatKey(keyOf(object)));
    return new QueueController({ ...world, reconciler: each, allKeys }, { ...each, name: each.queue ?? spec.name });
  };
  const queues: { parts: QueueParts; queue: QueueController }[] = [];
  if (parts.reconcile !== undefined) {
    queue = queueOf(parts);
    queues.push({ parts, queue });
  }
  if (parts.also !== undefined) queues.push({ parts: parts.also, queue: queueOf(parts.also) });
  const { periodic } = parts;
  return { name: spec.name, run: (signal) => runParts({ ...world, queues, periodic }, signal) };
}

function refuseEvents(controller: string): RecordEvent {
  return () => assert.fail(`the controller ${controller} records an event and declares no component for it`);
}
