import { formatTimestamp, isPodActive, type Pod, replicaSets } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod, aReplicaSet } from "../../testing/test-cluster.ts";
import { adopted, planClaims, released } from "./plan-claims.ts";

const nowMs = 1_767_225_600_000;
const set = aReplicaSet("web", 3);
const names = (list: readonly Pod[]) => list.map((pod) => pod.metadata.name);

describe("claims", () => {
  const claimant = { owner: set, selector: set.spec?.selector };
  const other = aReplicaSet("other", 1);
  const candidates = [
    aPod("mine", { owner: set }),
    aPod("mine-relabelled", { owner: set, labels: {} }),
    aPod("mine-ending", { owner: set, deletedMs: nowMs }),
    aPod("orphan"),
    aPod("orphan-ending", { deletedMs: nowMs }),
    aPod("orphan-failed", { phase: "Failed" }),
    aPod("orphan-of-another-kind", { labels: { app: "db" } }),
    aPod("theirs", { owner: other }),
  ];

  test("keep owned objects, adopt matching orphans, and release objects that do not match", () => {
    const { keep, adopt, release } = planClaims(claimant, candidates, isPodActive);
    expect([names(keep), names(adopt), names(release)]).toEqual([
      ["mine", "mine-ending"],
      ["orphan"],
      ["mine-relabelled"],
    ]);
  });

  test("of a set that is being deleted do not change objects", () => {
    const deleting = { ...set, metadata: { ...set.metadata, deletionTimestamp: formatTimestamp(nowMs) } };
    const { keep, adopt, release } = planClaims({ ...claimant, owner: deleting }, candidates, isPodActive);
    expect([names(keep), adopt, release]).toEqual([["mine", "mine-ending"], [], []]);
  });

  test("add and remove exactly one owner reference", () => {
    const foreign = { apiVersion: "v1", kind: "Node", name: "n", uid: "n" };
    const pod = { ...aPod("p"), metadata: { name: "p", ownerReferences: [foreign] } };
    const owners = adopted(pod, set, replicaSets);
    expect(owners).toEqual([
      foreign,
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "web",
        uid: "uid-of-web",
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(released({ ...pod, metadata: { ownerReferences: owners } }, set)).toEqual([foreign]);
  });
});
