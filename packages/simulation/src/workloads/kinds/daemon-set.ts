import { type DaemonSet, daemonSets, isControlledBy } from "@kintsugi/api";
import { isReady } from "../../committed-values.ts";
import type { PodsAtRest, WorkloadKind } from "../workload-kind.ts";

export const daemonSetWorkload: WorkloadKind<DaemonSet> = {
  type: daemonSets,
  make: ({ name }, template) => ({
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name, namespace: "default" },
    spec: { selector: { matchLabels: template.metadata?.labels ?? {} }, template },
  }),
  wantedPods: ({ status }) => status?.desiredNumberScheduled ?? 0,
  rollOut: {
    patch: (template) => ({ spec: { template } }),
    templateOf: ({ spec }) => spec?.template,
    mendsItself: true,
  },
  onLostNodes: "stays",
  unsettled,
  events: ["SuccessfulCreate", "SuccessfulDelete", "FailedDaemonPod"],
};

/**
 * Each node of an idle cluster must have one daemon, because nodes are not tainted and sets do not
 * select nodes. A daemon on a lost node cannot be replaced, and with the default maxUnavailable of
 * one it blocks a rollout, as in upstream, so versions are compared only if no node is lost.
 */
function unsettled(set: DaemonSet, { all, present, nodes, lostNodes }: PodsAtRest): string[] {
  const { metadata, status } = set;
  const { name = "" } = metadata;
  const own = present.filter((pod) => isControlledBy(pod, set));
  const places = own.map(({ spec }) => spec?.nodeName ?? "");
  const eligible = nodes.filter((node) => !lostNodes.has(node));
  const without = eligible.filter((node) => !places.includes(node));
  const twice = places.filter((node, at) => places.indexOf(node) < at);
  const { desiredNumberScheduled = 0, numberReady = 0, updatedNumberScheduled = 0 } = status ?? {};
  const { numberMisscheduled = 0, observedGeneration } = status ?? {};
  // A lost node with a taint that keeps new daemons away counts as having a surplus daemon, unless
  // a user has force-deleted that daemon.
  const isLeft = (node: string) => all.some((pod) => isControlledBy(pod, set) && pod.spec?.nodeName === node);
  const excess = nodes.filter((node) => lostNodes.has(node) && isLeft(node)).length;
  const isTainted = desiredNumberScheduled === eligible.length && numberMisscheduled === excess;
  const isCounted =
    (desiredNumberScheduled === nodes.length || isTainted) &&
    numberReady === own.filter(isReady).length &&
    observedGeneration === metadata.generation;
  const isUpdated = lostNodes.size > 0 || updatedNumberScheduled === nodes.length;
  return [
    ...without.map((node) => `daemon set ${name} has no pod on ${node}`),
    ...twice.map((node) => `daemon set ${name} has two pods on ${node}`),
    ...(isCounted && isUpdated ? [] : [`daemon set ${name} reports ${JSON.stringify(status)}`]),
  ];
}
