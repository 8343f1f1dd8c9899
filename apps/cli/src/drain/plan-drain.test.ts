import type { Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { type DrainOptions, type Group, planDrain } from "./plan-drain.ts";

const defaults: DrainOptions = { ignoreDaemonSets: true, deleteEmptyDirData: false, force: false };
const owner = (kind: string, name = "web") => [{ kind, name, uid: "u", apiVersion: "apps/v1", controller: true }];
const pod = (name: string, metadata: Partial<Pod["metadata"]> = {}, more: Partial<Pod> = {}): Pod => ({
  metadata: { name, namespace: "default", ...metadata },
  ...more,
});
const owned = pod("owned", { ownerReferences: owner("ReplicaSet") });
const daemon = pod("daemon", { ownerReferences: owner("DaemonSet", "agent") });
const mirror = pod("mirror", { annotations: { "kubernetes.io/config.mirror": "x" } });
const local = pod(
  "local",
  { ownerReferences: owner("ReplicaSet") },
  { spec: { containers: [], volumes: [{ name: "v", emptyDir: {} }] } },
);
const alone = pod("alone");
const ended = pod("ended", {}, { status: { phase: "Succeeded" } });
const leaving = pod("leaving", { deletionTimestamp: "2026-01-01T00:00:00Z" });

const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);
const texts = (groups: readonly Group[]) => groups.map(({ because, pods }) => `${because}: ${names(pods).join()}`);
const planOf = (pods: readonly Pod[], options: Partial<DrainOptions> = {}, exists = true) =>
  planDrain(pods, { ...defaults, ...options }, () => exists);

describe("the pods of a node that is drained", () => {
  test("are evicted, remain, or are terminating already", () => {
    const plan = planOf([owned, daemon, mirror, ended, leaving]);
    expect(names(plan.evict)).toEqual(["owned", "ended"]);
    expect(names(plan.ending)).toEqual(["leaving"]);
    expect(texts(plan.stay)).toEqual([
      "ignoring DaemonSet-managed Pods: daemon",
      "pods of the node's own manifests: mirror",
    ]);
    expect(plan.refused).toEqual([]);
  });

  test.each<[Pod, Partial<DrainOptions>, string]>([
    [alone, {}, "cannot delete Pods that declare no controller (use --force to override)"],
    [local, {}, "cannot delete Pods with local storage (use --delete-emptydir-data to override)"],
    [daemon, { ignoreDaemonSets: false }, "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)"],
  ])("%# are not evicted without an option", (of, options, because) => {
    const plan = planOf([of, owned], options);
    expect(plan.refused).toEqual([{ because, pods: [of] }]);
  });

  test("are evicted with these options and a warning", () => {
    const plan = planOf([alone, local], { force: true, deleteEmptyDirData: true });
    expect(names(plan.evict)).toEqual(["alone", "local"]);
    expect(texts(plan.warnings)).toEqual([
      "deleting Pods that declare no controller: alone",
      "deleting Pods with local storage: local",
    ]);
  });

  test("of a DaemonSet that no longer exists are evicted only by force", () => {
    expect(texts(planOf([daemon], {}, false).refused)[0]).toContain("whose DaemonSet is gone");
    expect(names(planOf([daemon], { force: true }, false).evict)).toEqual(["daemon"]);
  });
});
