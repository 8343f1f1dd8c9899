import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { newestKubectl } from "../host-abilities.ts";
import type { KubernetesObject, LabCluster } from "../lab-cluster.ts";

/** A Ready pod that was deleted, and the number of other Ready pods at that time. */
export interface ServingRemoval {
  pod: string;
  node: string;
  servingLeft: number;
}

export interface FollowedServing extends AsyncDisposable {
  /** Returns the most pods that existed at the same time and were not terminating. */
  most(): number;
  /** Returns the smallest number of these pods that were Ready. */
  fewestServing(): number;
  removals(): readonly ServingRemoval[];
}

interface PodList {
  metadata: { resourceVersion: string };
  items: KubernetesObject[];
}

export const isServing = ({ metadata, status }: KubernetesObject): boolean =>
  metadata.deletionTimestamp === undefined &&
  status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;

/** Follows the pods with the label `app` change by change, in the order of their revisions. */
export async function followServing(cluster: LabCluster, app: string): Promise<FollowedServing> {
  const path = `/api/v1/namespaces/default/pods?labelSelector=app%3D${app}`;
  const listed = JSON.parse(await cluster.kubectl("get", "--raw", path)) as PodList;
  const pods = new Map(listed.items.map((pod) => [pod.metadata.name, isServing(pod)]));
  const args = ["get", "--raw", `${path}&watch=1&resourceVersion=${listed.metadata.resourceVersion}`];
  const child = spawn(newestKubectl() ?? "", ["--kubeconfig", cluster.kubeconfig, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const serving = () => [...pods.values()].filter(Boolean).length;
  const removals: ServingRemoval[] = [];
  let [most, fewest] = [pods.size, serving()];
  createInterface(child.stdout).on("line", (line) => {
    const { type, object } = JSON.parse(line) as { type: string; object: KubernetesObject };
    const { name, deletionTimestamp } = object.metadata;
    const isGone = type === "DELETED" || deletionTimestamp !== undefined;
    const served = pods.get(name) === true;
    if (isGone) pods.delete(name);
    else pods.set(name, isServing(object));
    if (isGone && served) removals.push({ pod: name, node: object.spec.nodeName ?? "", servingLeft: serving() });
    most = Math.max(most, pods.size);
    fewest = Math.min(fewest, serving());
  });
  return {
    most: () => most,
    fewestServing: () => fewest,
    removals: () => removals,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
    },
  };
}
