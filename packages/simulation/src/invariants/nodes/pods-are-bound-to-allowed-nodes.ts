import { findUntoleratedTaint, type Node, type Pod, nodes, pods } from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { staleViewMs } from "../observed/stale-view.ts";
import { nameOf } from "../observed/known-objects.ts";
import { podAsksFor } from "./node-preferences.ts";

/** A past state of a node. */
interface Spell {
  readonly node: Node;
  /** The end of this state on the clock of the scheduler's possible knowledge. */
  untilMs: number;
}

const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;

/**
 * The scheduler binds a pod only to a node that allows the pod, as far as the scheduler can have
 * known.
 */
export function podsAreBoundToAllowedNodes({ viewClocks }: InvariantContext): Invariant {
  const spellsOf = new Map<string, Spell[]>();

  return {
    name: "pods-are-bound-to-allowed-nodes",
    never:
      "a pod bound to a node that was cordoned, tainted or excluded by the pod for the last 15 s in which the scheduler was connected",
    observes: [
      onKind(nodes, ({ type, object }) => {
        const { ms } = viewClocks.scheduler;
        const name = object.metadata.name ?? "";
        const spells = (spellsOf.get(name) ?? []).filter(({ untilMs }) => untilMs + staleViewMs >= ms);
        const last = spells.at(-1);
        if (last !== undefined) last.untilMs = Math.min(last.untilMs, ms);
        if (type === "put") spells.push({ node: object, untilMs: Infinity });
        spellsOf.set(name, spells);
      }),
      onKind(pods, ({ type, object, before }, check) => {
        const name = object.spec?.nodeName ?? "";
        // A pod that was created with a nodeName has not been scheduled.
        if (type === "delete" || name === "" || before === undefined || (before.spec?.nodeName ?? "") !== "") return;
        const { ms } = viewClocks.scheduler;
        const possible = (spellsOf.get(name) ?? []).filter(({ untilMs }) => untilMs + staleViewMs >= ms);
        const objections = possible.map(({ node }) => objection(before, node));
        if (objections.includes(undefined)) check(undefined);
        else check(`pod ${nameOf(object)} was bound to ${name}: ${objections.at(-1) ?? "there is no such node"}`);
      }),
    ],
  };
}

/** Explains why the pod cannot be bound to the node. */
function objection(pod: Pod, { spec, metadata }: Node): string | undefined {
  const { tolerations } = pod.spec ?? {};
  if (spec?.unschedulable === true && findUntoleratedTaint([cordon], tolerations)) return "the node is cordoned";
  const taint = findUntoleratedTaint(
    spec?.taints?.filter(({ effect }) => effect !== "PreferNoSchedule"),
    tolerations,
  );
  if (taint) return `the node has the taint ${taint.key}:${taint.effect}`;
  const labels = metadata.labels ?? {};
  return podAsksFor(pod, { name: metadata.name ?? "", labels }) ? undefined : "the pod does not select the node";
}
