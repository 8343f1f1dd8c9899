import { type ApiObject, controllerOf, isApiError, isMirrorPod, isPodTerminal, type Pod, pods } from "@kintsugi/api";
import { markNode } from "./change-objects.ts";
import { type KubectlCommand, UnusableCommand } from "../kubectl-command.ts";
import { type KubectlWorld, type KubectlAnswer, told } from "../kubectl-world.ts";
import { call } from "../read-objects.ts";

/** Delay after which kubectl retries a refused eviction. */
const retryMs = 5_000;
/** Interval at which the pods of a node are inspected. */
const lookMs = 1_000;

type Drain = Extract<KubectlCommand, { is: "drain" }>;

/**
 * Cordons a node and evicts its pods as `kubectl drain` does, until they are gone or the timeout
 * has passed. Later pods stay, because a user may uncordon the node before the drain ends.
 * @throws ApiError, UnusableCommand
 */
export async function drainLikeKubectl(
  command: Drain,
  world: KubectlWorld,
  { forMs }: { forMs: number },
): Promise<KubectlAnswer> {
  const { clock, signal } = world;
  const lines = [await markNode(command.node, { unschedulable: true }, world)];
  const onNode = await podsOn(command.node, world);
  const refusal = refusedPods(onNode, command);
  if (refusal !== undefined) throw new UnusableCommand(refusal);
  const toEvict = new Set(onNode.filter(hasToGo).map(({ metadata }) => metadata.uid));
  const untilMs = clock.monotonicMs() + forMs;
  const asked = new Map<string, number>();
  const refusedOnce = new Set<string>();
  for (;;) {
    const left = (await podsOn(command.node, world)).filter(({ metadata }) => toEvict.has(metadata.uid));
    if (left.length === 0) return told([...lines, `node/${command.node} drained`]);
    for (const pod of left) {
      const { namespace = "", name = "" } = pod.metadata;
      if (pod.metadata.deletionTimestamp !== undefined) continue;
      if (clock.monotonicMs() < (asked.get(name) ?? 0)) continue;
      asked.set(name, clock.monotonicMs() + retryMs);
      if (!refusedOnce.has(name)) lines.push(`evicting pod ${namespace}/${name}`);
      const because = await evict(pod, world);
      if (because === undefined || refusedOnce.has(name)) continue;
      refusedOnce.add(name);
      lines.push(`error when evicting pods/"${name}" -n "${namespace}" (will retry after 5s): ${because}`);
    }
    if (clock.monotonicMs() >= untilMs || signal.aborted)
      return told([...lines, `${left.length} pods are left; the drain continues as time passes`]);
    await clock.sleep(lookMs);
  }
}

async function podsOn(node: string, world: KubectlWorld): Promise<Pod[]> {
  const path = `/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${node}`)}`;
  const { items } = (await call(world, path)) as { items: Pod[] };
  return items;
}

function hasToGo(pod: Pod): boolean {
  return !isMirrorPod(pod) && !isOfDaemonSet(pod);
}

function isOfDaemonSet(pod: ApiObject): boolean {
  return controllerOf(pod)?.kind === "DaemonSet";
}

/** kubectl's sentence about pods that are deleted only with a flag; undefined without such pods. */
function refusedPods(onNode: readonly Pod[], command: Drain): string | undefined {
  const reasons = onNode.flatMap((pod) => {
    const because = refusalOf(pod, command);
    return because === undefined ? [] : [`${because}: ${pod.metadata.namespace}/${pod.metadata.name}`];
  });
  return reasons.length === 0 ? undefined : `unable to drain node "${command.node}": ${reasons.join("; ")}`;
}

function refusalOf(pod: Pod, { ignoresDaemonSets, deletesEmptyDirs, force }: Drain): string | undefined {
  if (isMirrorPod(pod) || isPodTerminal(pod)) return undefined;
  if (isOfDaemonSet(pod))
    return ignoresDaemonSets ? undefined : "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)";
  const hasLocalData = (pod.spec?.volumes ?? []).some(({ emptyDir }) => emptyDir !== undefined);
  if (hasLocalData && !deletesEmptyDirs)
    return "cannot delete Pods with local storage (use --delete-emptydir-data to override)";
  if (controllerOf(pod) === undefined && !force)
    return "cannot delete Pods that declare no controller (use --force to override)";
  return undefined;
}

async function evict({ metadata }: Pod, { client }: KubectlWorld): Promise<string | undefined> {
  const { namespace = "", name = "" } = metadata;
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name } };
  try {
    await client.create(pods, eviction as Pod, { subresource: "eviction", namespace, name });
    return undefined;
  } catch (error) {
    if (isApiError(error, "NotFound")) return undefined;
    if (!isApiError(error)) throw error;
    return error.message;
  }
}
