import {
  isConditionTrue,
  isPodReady,
  isPodTerminating,
  type Node,
  nodes,
  type Pod,
  pods,
  replicaSets,
} from "@kintsugi/api";
import { type Client, createInformer, type Informer, type InformerChange } from "@kintsugi/client";
import type { CommandContext } from "../base/command.ts";
import type { Terminal } from "../output/terminal.ts";

/** A live copy of the demo's pods and of all nodes, which can wait for their events. */
export interface ClusterView {
  pods(): readonly Pod[];
  nodes(): readonly Node[];
  onPod(handler: (change: InformerChange<Pod>) => void): () => void;
  onNode(handler: (change: InformerChange<Node>) => void): () => void;
  /**
   * Resolves when `holds` returns true, which is checked after every change. @throws when `holds`
   * does not return true within `waitMs`.
   */
  until(what: string, waitMs: number, holds: () => boolean): Promise<void>;
}

export const demoNamespace = "default";

/** Follows the cluster until the signal aborts. */
export async function openClusterView(
  context: CommandContext,
  client: Client,
  signal: AbortSignal,
): Promise<ClusterView> {
  const { clock, random } = context;
  const podInformer = createInformer(
    { client, clock, random },
    { type: pods, namespace: demoNamespace, labelSelector: "app=web" },
  );
  const nodeInformer = createInformer({ client, clock, random }, { type: nodes });
  for (const informer of [podInformer, nodeInformer] as Informer<Pod | Node>[]) {
    void informer.run(signal).catch(() => {});
    await informer.waitForSync(signal);
  }
  return {
    pods: () => podInformer.list(),
    nodes: () => nodeInformer.list(),
    onPod: (handler) => podInformer.onChange(handler),
    onNode: (handler) => nodeInformer.onChange(handler),
    until(what, waitMs, holds) {
      // A new handler is called immediately for all existing objects, before `finish` is possible.
      if (holds()) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const look = () => {
          if (!holds()) return;
          finish();
          resolve();
        };
        const timer = clock.after(waitMs, () => {
          finish();
          reject(new Error(`not seen within ${Math.round(waitMs / 1000)} s: ${what}`));
        });
        const onAbort = () => {
          finish();
          reject(context.signal.reason as Error);
        };
        const stops = [podInformer.onChange(look), nodeInformer.onChange(look)];
        const finish = () => {
          timer.cancel();
          context.signal.removeEventListener("abort", onAbort);
          for (const stop of stops) stop();
        };
        context.signal.addEventListener("abort", onAbort, { once: true });
      });
    },
  };
}

/** Pods that serve: Ready, and not terminating. */
export function servingPods(view: ClusterView): Pod[] {
  return view.pods().filter((pod) => isPodReady(pod) && !isPodTerminating(pod));
}

export function podsOn(view: ClusterView, node: string): Pod[] {
  return view.pods().filter((pod) => pod.spec?.nodeName === node);
}

export function isReadyNode(view: ClusterView, name: string): boolean {
  const node = view.nodes().find((candidate) => candidate.metadata.name === name);
  return isConditionTrue(node?.status?.conditions, "Ready");
}

/** Removes the demo's web servers. A failure is shown, but is not an error. */
export async function removeWebServers(client: Client, terminal: Terminal): Promise<void> {
  await client.delete(replicaSets, { namespace: demoNamespace, name: "web" }).catch((error: unknown) => {
    terminal.say(`   The web servers could not be removed: ${(error as Error).message}`);
  });
}
