import {
  countedNoun,
  findCondition,
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
  type Pod,
  type StatefulSet,
  controllerRevisionHashLabel,
} from "@kintsugi/api";
import { isSilent, silentNodeRemedies, waitingForNodeCondition } from "@kintsugi/rules";
import type { ExplainedReason } from "../explanation.ts";
import { kintsugiCommand, kubectlCommand } from "../words/commands.ts";
import { claimReasons } from "../others/claim.ts";
import { listed, aboutObject } from "../words/phrases.ts";
import { sinceOf } from "../words/times.ts";
import { findIn, type World } from "../world.ts";
import { availabilityReasons, podsOf, reasonsOfPods } from "./pods-of.ts";
import { refusalReasons } from "./refused.ts";

export function statefulSetReasons(set: StatefulSet, world: World): ExplainedReason[] {
  const pods = podsOf(set, world);
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const silent = silentReasons(set, pods, world);
  const others = pods.filter((pod) => !silent.some(({ about }) => about.name === pod.metadata.name));
  return [
    ...silent,
    ...refusalReasons(set, "StatefulSet", world),
    ...orderReasons(set, pods, world),
    ...updateReasons(set, pods),
    ...reasonsOfPods(others, world),
    ...unboundClaims(set, pods, world),
    ...availabilityReasons(set, { kind: "StatefulSet", pods, minReadySeconds }, world),
  ];
}

/** Pods that were deleted on a node that does not answer. Another pod must not have their names. */
function silentReasons(set: StatefulSet, pods: readonly Pod[], world: World): ExplainedReason[] {
  const stated = findCondition(set.status?.conditions, waitingForNodeCondition);
  return pods.filter(isPodTerminating).flatMap((pod): ExplainedReason[] => {
    const node = findIn(world, "nodes", { name: pod.spec?.nodeName ?? "" });
    if (node === undefined || !isSilent(node)) return [];
    const about = aboutObject("Pod", pod);
    const nodeName = node.metadata.name ?? "";
    const commands = silentNodeRemedies(nodeName, about);
    const ready = findCondition(node.status?.conditions, "Ready");
    return [
      {
        code: "WaitsForSilentNode",
        about,
        because: `Pod ${about.name} is not replaced: it may still run on node ${nodeName}, which does not respond, and two pods of one name must never run.`,
        ...sinceOf(stated?.lastTransitionTime ?? ready?.lastTransitionTime),
        awaits: `node ${nodeName} to be ready again, or to be declared off`,
        next: `The StatefulSet ${set.metadata.name ?? ""} creates ${about.name} again, on another node if necessary.`,
        remedies: [
          {
            does: "Declare that a killed node of this lab is off",
            command: kintsugiCommand("node", "fence", nodeName),
          },
          { does: "Declare that another machine is off, if it certainly is", command: commands.taintNode },
          { does: "Delete the node, if it will not return", command: commands.deleteNode },
          { does: "Force-delete the pod, if its containers have certainly stopped", command: commands.deletePod },
        ],
      },
    ];
  });
}

/**
 * Ordered pods start one after the other: the first pod that is not ready blocks the later pods.
 */
function orderReasons(set: StatefulSet, pods: readonly Pod[], world: World): ExplainedReason[] {
  const { spec } = set;
  if (spec?.podManagementPolicy === "Parallel") return [];
  const first = spec?.ordinals?.start ?? 0;
  const wanted = spec?.replicas ?? 1;
  const names = Array.from(
    { length: Math.min(wanted, 10_000) },
    (_, index) => `${set.metadata.name ?? ""}-${first + index}`,
  );
  const byName = new Map(pods.map((pod) => [pod.metadata.name ?? "", pod]));
  const missing = names.filter((name) => !byName.has(name));
  const [next] = missing;
  if (next === undefined) return [];
  const holder = names.slice(0, names.indexOf(next)).find((name) => {
    const pod = byName.get(name);
    return pod !== undefined && !isPodAvailable(pod, spec?.minReadySeconds ?? 0, world.nowMs);
  });
  if (holder === undefined) return [];
  const about = aboutObject("StatefulSet", set);
  return [
    {
      code: "WaitsForOrdinal",
      about,
      because: `${listed(missing)} ${missing.length === 1 ? "is" : "are"} not created yet, because pods start in order and ${holder} is not ready.`,
      awaits: `${holder} to be ready`,
      next: `The StatefulSet creates ${next}.`,
      remedies: [
        {
          does: "See why that pod is not ready",
          command: kintsugiCommand("explain", "pod", holder, "-n", about.namespace),
        },
      ],
    },
  ];
}

/** Pods that keep an old template because of the update strategy. */
function updateReasons(set: StatefulSet, pods: readonly Pod[]): ExplainedReason[] {
  const { spec, status } = set;
  const update = status?.updateRevision ?? "";
  const old = pods.filter(
    (pod) => !isPodTerminal(pod) && (pod.metadata.labels?.[controllerRevisionHashLabel] ?? update) !== update,
  );
  if (old.length === 0 || update === "") return [];
  const about = aboutObject("StatefulSet", set);
  const names = listed(old.map(({ metadata }) => metadata.name ?? ""));
  const have = `${countedNoun(old.length, "pod")} (${names}) ${old.length === 1 ? "has" : "have"} an older template`;
  if (spec?.updateStrategy?.type === "OnDelete") {
    const because = `${have}: the strategy OnDelete replaces a pod only when it is deleted.`;
    const command = kubectlCommand(about.namespace, "delete", "pod", old[0]?.metadata.name ?? "");
    return [
      {
        code: "WaitsForUpdate",
        about,
        because,
        awaits: "these pods to be deleted",
        remedies: [{ does: "Replace one of them", command }],
      },
    ];
  }
  const partition = spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  const ordinalOf = (pod: Pod) => Number(/-(\d+)$/.exec(pod.metadata.name ?? "")?.[1] ?? 0);
  if (partition > 0 && old.every((pod) => ordinalOf(pod) < partition)) {
    const because = `${have}: the partition ${partition} allows updates only of pods with this or a higher number.`;
    const patch = '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}}';
    const command = kubectlCommand(about.namespace, "patch", `statefulset/${about.name}`, `-p=${patch}`);
    return [
      {
        code: "WaitsForUpdate",
        about,
        because,
        awaits: "a lower partition",
        remedies: [{ does: "Update all pods", command }],
      },
    ];
  }
  const unready = pods.filter((pod) => !isPodReady(pod)).map(({ metadata }) => metadata.name ?? "");
  const because = `${have}; they are replaced one after the other, from the highest number down.`;
  const awaits = unready.length === 0 ? "the controller's next step" : `${listed(unready)} to be ready`;
  return [{ code: "Progressing", about, because, awaits }];
}

/**
 * Claims of the set's templates without a volume, if their pods do not exist to report the missing
 * volume.
 */
function unboundClaims(set: StatefulSet, pods: readonly Pod[], world: World): ExplainedReason[] {
  const { namespace = "" } = set.metadata;
  const names = (set.spec?.volumeClaimTemplates ?? []).flatMap(({ metadata }) =>
    pods.map((pod) => `${metadata?.name ?? ""}-${pod.metadata.name ?? ""}`),
  );
  return names.flatMap((name) => {
    const claim = findIn(world, "persistentvolumeclaims", { namespace, name });
    return claim === undefined || claim.metadata.deletionTimestamp !== undefined ? [] : claimReasons(claim, world);
  });
}
