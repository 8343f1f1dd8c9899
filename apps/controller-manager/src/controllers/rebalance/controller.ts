import {
  deployments,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  statefulSets,
  csiNodes,
  storageClasses,
  volumeAttachments,
} from "@kintsugi/api";
import { referenceTo } from "@kintsugi/controller";
import { type MoveNote, observeWorld, Rebalancer } from "@kintsugi/rebalance";
import { type ControllerContext, defineController } from "../../context.ts";
import { indexedPods, indexedReplicaSets, indexedReplicationControllers } from "../../shared/indexed-kinds.ts";
import { rebalanceOptions } from "./options.ts";
import { rebalanceRole } from "@kintsugi/rules";

/**
 * A plan inspects all pods, and a move follows only after a steady minute, so a shorter interval
 * has no benefit.
 */
const periodMs = 5_000;

/**
 * This project's controller, which is off without `--rebalance`: after a node has returned or
 * joined, crowded pods of one owner move one at a time to nodes that the scheduler scores higher.
 */
export const rebalanceController = defineController({
  name: "rebalance",
  options: rebalanceOptions,
  roles: [rebalanceRole],
  events: "rebalance-controller",
  reads: [
    nodes,
    indexedPods,
    namespaces,
    podDisruptionBudgets,
    persistentVolumeClaims,
    persistentVolumes,
    storageClasses,
    csiNodes,
    volumeAttachments,
    indexedReplicaSets,
    indexedReplicationControllers,
    statefulSets,
    deployments,
  ],
  needs: { what: "--rebalance", of: ({ options }) => (options.rebalance ? true : undefined) },
  create(context) {
    const { client, clock, metrics, log } = context;
    const ended = metrics.counter({
      name: "kintsugi_rebalance_moves_total",
      help: "Number of pods that were moved, by outcome.",
      labels: ["outcome"],
    });
    const rebalancer = new Rebalancer(
      { client, nowMs: () => clock.nowMs(), note: noteTo(context) },
      optionsOf(context),
    );
    // The API may be unreachable for a while. The next attempt reads the progress of this attempt
    // from the record.
    const attempt = (signal: AbortSignal) =>
      rebalancer.step(observeWorld(readObjects(context)), signal).catch((error: unknown) => {
        if (!signal.aborted) log.error("rebalance step failed", { error });
      });
    return {
      periodic: {
        periodMs,
        work: async (signal) => {
          const step = await attempt(signal);
          if (step === undefined) return;
          if (step.is === "waiting" || step.is === "nothing") return;
          if (step.is !== "evicted") ended.add(1, { outcome: step.is });
          const { pod, node } = "move" in step ? { pod: step.move.pod.metadata.name, node: step.move.node } : {};
          log.info("rebalance step", { step: step.is, pod, node, note: "note" in step ? step.note : undefined });
        },
      },
    };
  },
});

type Context = ControllerContext<typeof rebalanceOptions>;

function optionsOf({ options }: Context) {
  return {
    namespace: "",
    includeStateful: options.rebalanceIncludeStateful,
    scoreMargin: options.rebalanceScoreMargin,
    settleMs: options.rebalanceSettleMs,
    cooldownMs: options.rebalanceCooldownMs,
    readyWithinMs: options.rebalanceReadyWithinMs,
  };
}

function readObjects({ informers }: Context) {
  return {
    nodes: informers.of(nodes).list(),
    pods: informers.of(pods).list(),
    namespaces: informers.of(namespaces).list(),
    budgets: informers.of(podDisruptionBudgets).list(),
    claims: informers.of(persistentVolumeClaims).list(),
    volumes: informers.of(persistentVolumes).list(),
    storageClasses: informers.of(storageClasses).list(),
    csiNodes: informers.of(csiNodes).list(),
    attachments: informers.of(volumeAttachments).list(),
    replicaSets: informers.of(replicaSets).list(),
    replicationControllers: informers.of(replicationControllers).list(),
    statefulSets: informers.of(statefulSets).list(),
    deployments: informers.of(deployments).list(),
  };
}

function noteTo({ recordEvent }: Context): (note: MoveNote) => void {
  return ({ reason, owner, pod, message }) => {
    const type = reason === "Rebalanced" ? "Normal" : "Warning";
    if (pod !== undefined) recordEvent({ about: referenceTo(pods, pod), type, reason, message });
    recordEvent({ about: referenceTo(owner.type, owner.object), type, reason, message });
  };
}
