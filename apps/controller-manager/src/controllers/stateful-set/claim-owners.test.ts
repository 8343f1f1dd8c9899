import { type OwnerReference, type StatefulSet } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod } from "../../testing/test-cluster.ts";
import { planClaimOwners } from "./claim-owners.ts";

type Policy = "Retain" | "Delete";

function ownersAfter(
  [whenDeleted, whenScaled]: [Policy, Policy],
  ordinal: number,
  ownerReferences: OwnerReference[] = [],
): string[] | undefined {
  const set: StatefulSet = {
    metadata: { name: "db", uid: "uid-of-db" },
    spec: {
      replicas: 1,
      selector: {},
      template: {},
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
    },
  };
  const member = { pod: aPod(`db-${ordinal}`), ordinal };
  const planned = planClaimOwners(set, member, { metadata: { name: `data-db-${ordinal}`, ownerReferences } });
  return planned?.map(({ kind, uid, controller }) => `${kind} ${uid}${controller === true ? "" : " (no controller)"}`);
}

const ofSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  name: "db",
  uid: "uid-of-db",
  controller: true,
  blockOwnerDeletion: true,
};
const ofPod = (ordinal: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  name: `db-${ordinal}`,
  uid: `uid-of-db-${ordinal}`,
  controller: true,
  blockOwnerDeletion: true,
});

describe("the owners of a claim are", () => {
  test.each<[string, [Policy, Policy], number, OwnerReference[], string[] | undefined]>([
    ["absent if all claims are retained", ["Retain", "Retain"], 0, [], undefined],
    ["the set if deleting the set deletes the claim", ["Delete", "Retain"], 0, [], ["StatefulSet uid-of-db"]],
    ["the set even for a pod that a scale-down removes", ["Delete", "Retain"], 3, [], ["StatefulSet uid-of-db"]],
    ["absent for a desired pod if scaling deletes the claim", ["Retain", "Delete"], 0, [], undefined],
    ["the pod if scaling deletes the claim", ["Retain", "Delete"], 3, [], ["Pod uid-of-db-3"]],
    ["the set for a desired pod if both delete the claim", ["Delete", "Delete"], 0, [], ["StatefulSet uid-of-db"]],
    [
      "the pod for a pod beyond the replicas if both delete the claim",
      ["Delete", "Delete"],
      3,
      [ofSet],
      ["Pod uid-of-db-3"],
    ],
    ["the set again after scaling up", ["Delete", "Delete"], 0, [ofPod(0)], ["StatefulSet uid-of-db"]],
    ["absent again if the policy retains the claim", ["Retain", "Retain"], 0, [ofSet], []],
    ["correct already", ["Delete", "Retain"], 0, [ofSet], undefined],
    [
      "a controller if the reference did not name a controller",
      ["Delete", "Retain"],
      0,
      [{ ...ofSet, controller: false }],
      ["StatefulSet uid-of-db"],
    ],
  ])("%s", (_name, policy, ordinal, references, expected) => {
    expect(ownersAfter(policy, ordinal, references)).toEqual(expected);
  });

  test("not changed if they name an earlier set or pod of the name", () => {
    expect(ownersAfter(["Delete", "Delete"], 3, [{ ...ofPod(3), uid: "earlier" }])).toBeUndefined();
    expect(ownersAfter(["Delete", "Delete"], 0, [{ ...ofSet, uid: "earlier" }])).toBeUndefined();
  });

  test("not added next to another controller", () => {
    const other = { apiVersion: "x/v1", kind: "Backup", name: "b", uid: "b", controller: true };
    expect(ownersAfter(["Delete", "Delete"], 0, [other])).toBeUndefined();
    expect(ownersAfter(["Delete", "Delete"], 0, [other, ofSet])).toEqual(["Backup b"]);
  });
});
