import {
  formatTimestamp,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
  withDisruptionTarget,
  controllerRevisionHashLabel,
} from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod } from "../../testing/test-cluster.ts";
import { podNameLabel } from "./identity.ts";
import { membersOf, planOrdinals } from "./plan-ordinals.ts";

const nowMs = 1_767_225_600_000;

type Spec = NonNullable<StatefulSet["spec"]>;

function aSet(spec: Partial<Spec> = {}, more: Partial<StatefulSet> = {}): StatefulSet {
  return {
    metadata: { name: "db", namespace: "default", uid: "uid-of-db" },
    spec: { replicas: 3, selector: { matchLabels: { app: "db" } }, template: templateOfImage("new"), ...spec },
    ...more,
  };
}

function templateOfImage(image: string) {
  return { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "main", image }] } };
}

type State = "ready" | "pending" | "unready" | "failed" | "succeeded" | "going" | "failed and going" | "fresh";

/** A pod of the set: `old` or `new`, and the state that it is in. */
function member(ordinal: number, state: State = "ready", revision = "new"): Pod {
  const name = `db-${ordinal}`;
  const labels = { app: "db", [podNameLabel]: name, [controllerRevisionHashLabel]: revision };
  const isGoing = state.endsWith("going");
  return aPod(name, {
    labels,
    node: "n1",
    ready: state === "ready" || state === "going" || state === "fresh",
    phase:
      state === "pending"
        ? "Pending"
        : state.startsWith("failed")
          ? "Failed"
          : state === "succeeded"
            ? "Succeeded"
            : "Running",
    ...(isGoing ? { deletedMs: nowMs } : {}),
    readySinceMs: state === "fresh" ? nowMs : nowMs - 3_600_000,
  });
}

/** The planned steps, as words. */
function steps(set: StatefulSet, pods: readonly Pod[], claims: readonly PersistentVolumeClaim[] = []): string[] {
  const plan = planOrdinals(
    {
      set,
      members: membersOf(set, pods),
      current: { name: "old", template: templateOfImage("old") },
      update: { name: "new", template: templateOfImage("new") },
      findClaim: (name) => claims.find(({ metadata }) => metadata.name === name),
    },
    nowMs,
  );
  const words = plan.actions.map((action) => {
    if (action.do === "create") return `create ${action.pod.metadata.name} ${action.pod.spec?.containers[0]?.image}`;
    const { name } = action.member.pod.metadata;
    return action.do === "delete" ? `delete ${name} for ${action.for}` : `${action.do} ${name}`;
  });
  return plan.blockedByClaim === undefined ? words : [...words, `blocked by ${plan.blockedByClaim}`];
}

const parallel = { podManagementPolicy: "Parallel" } as const;
const rolling = (partition: number, maxUnavailable?: number | string) => ({
  updateStrategy: {
    type: "RollingUpdate" as const,
    rollingUpdate: { partition, ...(maxUnavailable === undefined ? {} : { maxUnavailable }) },
  },
});

describe("an ordered set", () => {
  test.each<[string, Pod[], string[]]>([
    ["creates the first pod first", [], ["create db-0 new"]],
    ["waits for a pod that is pending, and for its claims", [member(0, "pending")], ["claims db-0"]],
    ["waits for a pod that is not ready", [member(0, "unready")], []],
    ["continues after a ready pod", [member(0)], ["create db-1 new"]],
    ["fills a gap before it continues", [member(0), member(2)], ["create db-1 new"]],
    ["deletes a pod that has failed", [member(0, "failed"), member(1)], ["delete db-0 for restart"]],
    ["deletes a pod that has succeeded", [member(0), member(1, "succeeded")], ["delete db-1 for restart"]],
    ["waits for a failed pod that is being deleted", [member(0, "failed and going")], []],
    ["creates no second pod while the first is being deleted", [member(0, "going"), member(1), member(2)], []],
    ["is settled", [member(0), member(1), member(2)], []],
  ])("%s", (_name, pods, expected) => {
    expect(steps(aSet(), pods)).toEqual(expected);
  });

  test.each<[string, Pod[], string[]]>([
    ["the highest ordinal first", [member(0), member(1), member(2)], ["delete db-2 for scale"]],
    ["no pod while a pod is being deleted", [member(0), member(1), member(2, "going")], []],
    ["an unhealthy pod itself", [member(0), member(1), member(2, "unready")], ["delete db-2 for scale"]],
    [
      "a healthy pod while another is unhealthy",
      [member(0), member(1, "unready"), member(2)],
      ["delete db-2 for scale"],
    ],
    ["no unhealthy pod before a pod with a lower ordinal", [member(0), member(1, "unready"), member(2, "unready")], []],
    ["no pod before the desired pods are ready", [member(0, "unready"), member(1), member(2)], []],
  ])("scaled down deletes %s", (_name, pods, expected) => {
    expect(steps(aSet({ replicas: 1 }), pods)).toEqual(expected);
  });

  test("counts a pod as available after minReadySeconds", () => {
    expect(steps(aSet({ minReadySeconds: 10 }), [member(0, "fresh")])).toEqual([]);
    expect(steps(aSet({ minReadySeconds: 10 }), [member(0)])).toEqual(["create db-1 new"]);
  });

  test("numbers its pods from the first ordinal", () => {
    const set = aSet({ replicas: 2, ordinals: { start: 5 } });
    expect(steps(set, [])).toEqual(["create db-5 new"]);
    expect(steps(set, [member(5), member(6), member(0)])).toEqual(["delete db-0 for scale"]);
  });

  test("restores a pod's missing identity labels", () => {
    const nameless = member(1);
    nameless.metadata.labels = { app: "db", [controllerRevisionHashLabel]: "new" };
    expect(steps(aSet(), [member(0), nameless, member(2)])).toEqual(["identity db-1"]);
  });

  test("that is being deleted has an empty plan", () => {
    const deletionTimestamp = formatTimestamp(nowMs);
    expect(steps(aSet({}, { metadata: { name: "db", deletionTimestamp } }), [member(0, "failed")])).toEqual([]);
  });
});

/**
 * A pod whose node no longer exists, as the pod garbage collector marks it before it deletes it by
 * force.
 */
function givenUp(ordinal: number): Pod {
  const pod = member(ordinal, "failed");
  const conditions = withDisruptionTarget(pod, { reason: "DeletionByPodGC", message: "m" }, nowMs);
  return { ...pod, status: { ...pod.status, conditions } };
}

test.each<[string, Partial<Spec>]>([
  ["an ordered set", {}],
  ["a parallel set", parallel],
  ["a set of zero replicas", { ...parallel, replicas: 0 }],
])("%s does not delete a pod that the pod garbage collector has marked", (_name, spec) => {
  expect(steps(aSet(spec), [givenUp(0), member(1, "going"), member(2, "going")])).toEqual([]);
});

describe("a parallel set", () => {
  test.each<[string, Partial<Spec>, Pod[], string[]]>([
    ["creates all simultaneously", {}, [], ["create db-0 new", "create db-1 new", "create db-2 new"]],
    ["waits for no pod", {}, [member(0, "unready"), member(2, "going")], ["create db-1 new"]],
    [
      "deletes all simultaneously",
      { replicas: 0 },
      [member(0), member(1, "unready")],
      ["delete db-1 for scale", "delete db-0 for scale"],
    ],
    [
      "recreates ended pods next to others",
      {},
      [member(0, "failed"), member(1, "succeeded"), member(2)],
      ["delete db-0 for restart", "delete db-1 for restart"],
    ],
  ])("%s", (_name, spec, pods, expected) => {
    expect(steps(aSet({ ...parallel, ...spec }), pods)).toEqual(expected);
  });
});

describe("a rolling update", () => {
  const old = (ordinal: number, state: State = "ready") => member(ordinal, state, "old");

  test.each<[string, Partial<Spec>, Pod[], string[]]>([
    ["begins with the highest ordinal", {}, [old(0), old(1), old(2)], ["delete db-2 for update"]],
    ["continues once that pod is ready", {}, [old(0), old(1), member(2)], ["delete db-1 for update"]],
    ["waits until that is ready", {}, [old(0), old(1), member(2, "unready")], []],
    ["keeps ordinals below the partition", rolling(2), [old(0), old(1), member(2)], []],
    ["creates pods below the partition from the old revision", rolling(2), [old(0), member(2)], ["create db-1 old"]],
    [
      "creates pods at and above the partition from the new revision",
      rolling(2),
      [old(0), old(1)],
      ["create db-2 new"],
    ],
    [
      "leaves all updates to the client if the strategy is OnDelete",
      { updateStrategy: { type: "OnDelete" } },
      [old(0), old(1), old(2)],
      [],
    ],
    [
      "recreates pods from the new revision if the strategy is OnDelete",
      { updateStrategy: { type: "OnDelete" } },
      [old(0)],
      ["create db-1 new"],
    ],
    [
      "updates several pods as maxUnavailable allows",
      rolling(0, 2),
      [old(0), old(1), old(2)],
      ["delete db-2 for update", "delete db-1 for update"],
    ],
    [
      "counts pods that are unavailable already",
      { ...rolling(0, 2), ...parallel },
      [old(0), old(1), member(2, "unready")],
      ["delete db-1 for update"],
    ],
    [
      "rounds a percentage down, to at least one",
      rolling(0, "10%"),
      [old(0), old(1), old(2)],
      ["delete db-2 for update"],
    ],
    [
      "replaces a broken pod of the old revision even if maxUnavailable is exhausted",
      { ...rolling(0, 1), ...parallel },
      [old(0, "unready"), member(1), member(2)],
      ["delete db-0 for update"],
    ],
    ["of a parallel set waits behind the pod that it has replaced", parallel, [old(0), old(1), member(2, "going")], []],
  ])("%s", (_name, spec, pods, expected) => {
    expect(
      steps(aSet({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } }, ...spec }), pods),
    ).toEqual(expected);
  });

  test("without a partition creates as many pods of the old revision as still have it", () => {
    const set = aSet({ updateStrategy: { type: "RollingUpdate" } }, { status: { replicas: 3, currentReplicas: 2 } });
    expect(steps(set, [member(2)])).toEqual(["create db-0 old"]);
    expect(steps({ ...set, spec: { ...(set.spec as Spec), ...parallel } }, [])).toEqual([
      "create db-0 old",
      "create db-1 old",
      "create db-2 new",
    ]);
  });
});

describe("claims", () => {
  const volumeClaimTemplates = [{ metadata: { name: "data", labels: { tier: "1" } } }];

  test("are mounted by the pod instead of volumes of their name", () => {
    const template = templateOfImage("new");
    const volumes = [
      { name: "data", emptyDir: {} },
      { name: "tmp", emptyDir: {} },
    ];
    const set = aSet({ volumeClaimTemplates, serviceName: "nginx" });
    const plan = planOrdinals(
      {
        set,
        members: [],
        current: { name: "new", template },
        update: { name: "new", template: { ...template, spec: { ...template.spec, volumes } } },
        findClaim: () => undefined,
      },
      nowMs,
    );
    expect(plan.actions[0]).toMatchObject({
      do: "create",
      pod: {
        metadata: {
          labels: {
            app: "db",
            "statefulset.kubernetes.io/pod-name": "db-0",
            "apps.kubernetes.io/pod-index": "0",
            "controller-revision-hash": "new",
          },
        },
        spec: {
          hostname: "db-0",
          subdomain: "nginx",
          volumes: [
            { name: "data", persistentVolumeClaim: { claimName: "data-db-0" } },
            { name: "tmp", emptyDir: {} },
          ],
        },
      },
    });
  });

  test("of a pod that scaling down has removed block its successor until they no longer exist", () => {
    const set = aSet({
      volumeClaimTemplates,
      persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Retain" },
    });
    const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "db-0", uid: "earlier" }];
    const claim = { metadata: { name: "data-db-0", ownerReferences } };
    expect(steps(set, [], [claim])).toEqual(["blocked by data-db-0"]);
    expect(steps(set, [], [{ metadata: { name: "data-db-0" } }])).toEqual(["create db-0 new"]);
  });
});

test("a pod with a name outside the set's names is not a member", () => {
  const names = ["db-0", "db-01", "db-", "db--1", "db-9999999999", "web-0", "db-1-0", "db-7"];
  const members = membersOf(
    aSet(),
    names.map((name) => aPod(name)),
  );
  expect(members.map(({ ordinal }) => ordinal)).toEqual([0, 7]);
});

describe("a set of 2^31-1 replicas", () => {
  const many = { replicas: 2 ** 31 - 1 };

  test("creates a burst of pods in one pass if it is Parallel, in addition to existing pods", () => {
    const words = steps(aSet({ ...many, ...parallel }), [member(1), member(3, "failed"), member(700)]);
    expect(words).toHaveLength(501);
    expect(words.slice(0, 4)).toEqual([
      "create db-0 new",
      "create db-2 new",
      "delete db-3 for restart",
      "create db-4 new",
    ]);
    expect(words.at(-1)).toBe("create db-501 new");
  });

  test("creates the first missing pod if it is ordered", () => {
    expect(steps(aSet(many), [member(0), member(2)])).toEqual(["create db-1 new"]);
  });

  test("updates the existing pods within the remaining limit", () => {
    const set = aSet({ ...many, ...parallel, ...rolling(0, 2 ** 31 - 2) });
    const words = steps(set, [member(0, "ready", "old"), member(1, "ready", "old")]);
    expect(words.filter((word) => word.startsWith("delete"))).toEqual(["delete db-1 for update"]);
  });

  test("has no pod beyond the largest ordinal", () => {
    const set = aSet({ ...many, ...parallel, ordinals: { start: 2 ** 31 - 2 } });
    expect(steps(set, [])).toEqual(["create db-2147483646 new", "create db-2147483647 new"]);
  });
});
