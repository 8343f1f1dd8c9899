import { type Node, nodes, type Pod, pods, type Service, services } from "@kintsugi/api";
import { createEventRecorder, createInformer, type EventRecorder, type Informer } from "@kintsugi/client";
import { WakeUps } from "./base/wake-ups.ts";
import type { KubeletDeps } from "./kubelet-deps.ts";
import type { KubeletOptions } from "./kubelet-options.ts";
import type { NodeContext, ReservedResources } from "./model/node-context.ts";
import { PodEvents } from "./model/pod-events.ts";
import { nodeContextOf } from "./node-context-of.ts";
import { NodePressure } from "./node/eviction/node-pressure.ts";
import { withEvictionReserve } from "./node/registration/node-object.ts";
import { PodRoster } from "./pods/work/pod-roster.ts";
import { KernelOomWatcher } from "./runtime/observation/kernel-oom-watcher.ts";
import { Pleg } from "./runtime/observation/pleg.ts";
import { SelfFence } from "./pods/work/self-fence.ts";
import { RuntimeHealth } from "./runtime/observation/runtime-health.ts";

/** The parts that all other parts use. They do not depend on parts that are made later. */
export interface KubeletContext extends KubeletDeps {
  readonly node: NodeContext;
  /**
   * The resources that no pod gets: the reserved resources, and the resources that eviction keeps
   * free in addition.
   */
  readonly withheld: ReservedResources;
  readonly nodeEvents: EventRecorder;
  readonly events: PodEvents;
  readonly copies: ApiCopies;
  readonly health: RuntimeHealth;
  readonly pleg: Pleg;
  /** Undefined where the kernel's log is not read. */
  readonly kernelOom: KernelOomWatcher | undefined;
  readonly pressure: NodePressure;
  readonly wakeUps: WakeUps;
  readonly roster: PodRoster;
  readonly fence: SelfFence;
}

/**
 * Copies of the API's objects: the pods of this node, its Node, and the Services, whose addresses
 * its pods get.
 */
interface ApiCopies {
  readonly pods: Informer<Pod>;
  readonly node: Informer<Node>;
  readonly services: Informer<Service>;
}

export async function createContext(deps: KubeletDeps, options: KubeletOptions): Promise<KubeletContext> {
  const { clock, runtime, log, metrics, kernelLog } = deps;
  const { nodeName } = options;
  const facts = await deps.machine.facts();
  const withheld = withEvictionReserve(options.reserved, options.eviction.thresholds, facts);
  const health = new RuntimeHealth({ runtime, clock, log });
  const node = nodeContextOf({ ...deps, health }, options, { facts, withheld });
  const nodeEvents = createEventRecorder(deps, { component: "kubelet", host: nodeName });
  const events = new PodEvents(nodeEvents);
  const roster = new PodRoster();
  return {
    ...deps,
    node,
    withheld,
    nodeEvents,
    events,
    copies: createCopies(deps, options),
    health,
    pleg: new Pleg({ runtime, clock, log, metrics }, options.pleg),
    kernelOom: kernelLog && new KernelOomWatcher({ clock, log, kernelLog, nodeEvents }, options),
    pressure: new NodePressure(),
    wakeUps: new WakeUps(),
    roster,
    fence: new SelfFence({ ...deps, events, roster }, { nodeName, ...options.lease }),
  };
}

function createCopies(
  { client, clock, random, changes, log, makeInformer = createInformer }: KubeletDeps,
  { nodeName }: KubeletOptions,
): ApiCopies {
  const deps = { client, clock, random, changes, log };
  const indexes = { uid: ({ metadata }: Pod) => [metadata.uid ?? ""] };
  return {
    pods: makeInformer(deps, { type: pods, nodeName, indexes }),
    node: makeInformer(deps, { type: nodes, nodeName }),
    // The bus does not deliver Services by node, so they are read by one HTTP watch.
    services: makeInformer({ client, clock, random, log }, { type: services }),
  };
}
