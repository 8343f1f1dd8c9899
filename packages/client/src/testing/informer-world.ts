import { type ApiObject, type Pod, pods } from "@kintsugi/api";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { createInProcessClient } from "../in-process/in-process-client.ts";
import { createInformer } from "../informer/create-informer.ts";
import type { Informer, InformerOptions } from "../informer/informer.ts";
import { MemoryApi } from "./memory-api.ts";
import { MemoryBus } from "./memory-bus.ts";

/**
 * Maintains a copy of the objects from the informer's changes alone, and records each change that
 * was invalid when it arrived.
 */
export function replicate(informer: Informer<Pod>) {
  const known = new Map<string, Pod>();
  const faults: unknown[] = [];
  informer.onChange((change) => {
    const key = change.object.metadata.name ?? "";
    const before = known.get(key);
    const expected = change.type === "added" ? undefined : change.object.metadata.uid;
    if (before?.metadata.uid !== expected) faults.push(change);
    if (change.type === "modified" && change.before !== before) faults.push(change);
    if (change.type === "deleted") known.delete(key);
    else known.set(key, change.object);
  });
  return { known, faults };
}

interface Step {
  do: string;
  name?: string;
  node?: string;
  seed?: number;
}

/** An informer's surroundings, with injected faults: a server, a stream of changes, and time. */
export function startWorld(seed = 7) {
  const clock = new VirtualClock();
  const random = new SeededRandom(seed);
  const api = new MemoryApi({ clock, random }, [pods]);
  const bus = new MemoryBus(api.log);
  const client = createInProcessClient({ handler: api, clock, random }, { identity: { name: "tester", groups: [] } });
  const stop = new AbortController();
  const running: Promise<void>[] = [];

  const start = (options: InformerOptions<Pod>) => {
    const informer = createInformer<Pod>({ client, clock, random, changes: bus }, options);
    running.push(informer.run(stop.signal));
    return informer;
  };
  const follow = async (options: Partial<InformerOptions<Pod>> = {}) => {
    const informer = start({ type: pods, ...options });
    await informer.waitForSync(stop.signal);
    await clock.settle();
    return informer;
  };
  const put = (name: string, node?: string) => {
    const before = api.log.find("pods", "default", name) as Pod | undefined;
    const nodeName = before?.spec?.nodeName ?? node;
    api.log.put("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", uid: before?.metadata.uid ?? random.uuid() },
      spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
    } as ApiObject);
  };
  const remove = (name: string) => {
    const before = api.log.find("pods", "default", name);
    if (before !== undefined) api.log.delete("pods", before);
  };
  const lastOfNode = () =>
    Math.max(
      0,
      ...(api.log.list("pods") as Pod[])
        .filter(({ spec }) => spec?.nodeName === "n1")
        .map((pod) => Number(pod.metadata.resourceVersion)),
    );

  const perform = async (step: Step, informers: readonly Informer<Pod>[]) => {
    const chaos = new SeededRandom(step.seed ?? 0);
    const actions: Record<string, () => unknown> = {
      put: () => put(step.name ?? "", step.node),
      "create-unbound": () => put(step.name ?? ""),
      remove: () => remove(step.name ?? ""),
      deliver: () => bus.deliverAll(),
      "deliver-badly": () => bus.deliver((messages) => mangled(messages, chaos)),
      mark: () => bus.mark(),
      notice: () => informers[1]?.noticeRevision(lastOfNode()),
      drop: () => bus.drop(),
      interrupt: () => bus.interrupt(),
      settle: () => clock.settle(),
      second: () => clock.advance(1_000),
      minute: () => clock.advance(60_000),
      "bus-down": () => {
        bus.isDown = true;
        bus.interrupt();
      },
      "bus-up": () => (bus.isDown = false),
      "api-down": () => {
        api.isDown = true;
        api.endWatches(true);
      },
      "api-up": () => (api.isDown = false),
      "end-watches": () => api.endWatches(),
      "break-watches": () => api.endWatches(true),
      compact: () => api.log.compact(),
      restore: () => {
        api.log.jump(1_000_000);
        bus.historyId = `history-${api.log.revision}`;
      },
      "hide-objects": () => (bus.withObjects = false),
      "show-objects": () => (bus.withObjects = true),
    };
    await actions[step.do]?.();
    if (!step.do.startsWith("put")) await clock.settle();
  };

  /**
   * Ends all faults, and gives every informer the time and the signals by which lost messages are
   * detected.
   */
  const heal = async (informers: readonly Informer<Pod>[]) => {
    api.isDown = false;
    bus.isDown = false;
    for (let i = 0; i < 8; i++) {
      await clock.advance(15_000);
      bus.mark();
      // A deletion is also the last change of a node's pods. The server returns its revision in the
      // answer to the Lease renewal.
      informers[1]?.noticeRevision(api.log.lastRevisionOf("pods"));
      bus.deliverAll();
    }
    await clock.advance(15_000);
  };

  return {
    clock,
    api,
    bus,
    start,
    follow,
    put,
    remove,
    perform,
    heal,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await clock.settle();
      await Promise.all(running);
    },
  };
}

/** Some messages are lost, some arrive twice, some are delayed, and the order is arbitrary. */
function mangled(messages: unknown[], chaos: SeededRandom): unknown[] {
  const taken = messages.splice(0);
  const delivered: unknown[] = [];
  for (const message of taken) {
    const fate = chaos.integer(6);
    if (fate === 0) continue;
    if (fate === 1) messages.push(message);
    else delivered.splice(chaos.integer(delivered.length + 1), 0, message, ...(fate === 2 ? [message] : []));
  }
  return delivered;
}

export function names(informer: Informer<Pod>): string[] {
  return informer
    .list()
    .map((pod) => pod.metadata.name ?? "")
    .toSorted();
}

export function byName(a: ApiObject, b: ApiObject): number {
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
