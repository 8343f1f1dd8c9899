import { type ControllerRevision, type Deployment, deployments } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import {
  compareRevisionNumbers,
  planRevision,
  planTruncation,
  revisionHashLabel,
  withCollisions,
} from "./plan-revision.ts";
import { revisionDataOf, isSameRevision, templateOf } from "./revision-data.ts";

const withImage = (image: string): Deployment => ({
  metadata: { name: "web", namespace: "default", uid: "uid-of-web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image }] } },
  },
});

/** The revision that is created for a template, with another number. */
function aRevision(image: string, number: number): ControllerRevision {
  const step = planRevision(withImage(image), deployments, []);
  if (step.do !== "create") throw new Error("the history is empty");
  return { ...step.revision, revision: number };
}

describe("the data of a revision", () => {
  test("is upstream's patch, byte for byte as kubectl marshals the present template", () => {
    expect(JSON.stringify(aRevision("busybox:1", 1).data)).toBe(
      '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"web"}},"spec":{"containers":[{"image":"busybox:1","name":"main"}]}}}}',
    );
  });

  test("restores the template", () => {
    const { template } = withImage("busybox:1").spec ?? {};
    const revision = { metadata: {}, revision: 1, data: revisionDataOf(template ?? {}) };
    expect(templateOf(revision)).toEqual(template);
  });

  test("is equal if the server omits the nulls or orders its keys differently", () => {
    const one = aRevision("busybox:1", 1);
    const { metadata, spec } = templateOf(one);
    const other = { ...one, data: { spec: { template: { spec, metadata, $patch: "replace" } } } };
    expect(isSameRevision(one, other)).toBe(true);
    expect(isSameRevision(one, aRevision("busybox:2", 1))).toBe(false);
  });

  test.each([undefined, {}, { spec: null }, { spec: { template: [] } }, { spec: { template: "x" } }])(
    "that no controller has written is rejected: %j",
    (data) => {
      const revision = { metadata: { name: "web-1" }, revision: 1, data } as unknown as ControllerRevision;
      expect(() => templateOf(revision)).toThrow("controller revision web-1 records no pod template");
    },
  );
});

describe("the revision of the present template", () => {
  test("is created first, owned by the workload and with its labels and annotations", () => {
    const set = withImage("busybox:1");
    set.metadata.annotations = { "kubernetes.io/change-cause": "first" };
    const step = planRevision(set, deployments, []);
    expect(step).toMatchObject({
      do: "create",
      revision: {
        revision: 1,
        metadata: {
          namespace: "default",
          annotations: { "kubernetes.io/change-cause": "first" },
          labels: { app: "web", [revisionHashLabel]: expect.stringMatching(/^[a-z0-9]+$/) },
          ownerReferences: [{ kind: "Deployment", name: "web", uid: "uid-of-web", controller: true }],
        },
      },
    });
    expect(step.revision.metadata.name).toBe(`web-${step.revision.metadata.labels?.[revisionHashLabel]}`);
  });

  test("remains as long as the template does", () => {
    const revisions = [aRevision("busybox:1", 1), aRevision("busybox:2", 2)];
    expect(planRevision(withImage("busybox:2"), deployments, revisions)).toEqual({
      do: "keep",
      revision: revisions[1],
    });
  });

  test("is an old revision under a new number after a rollback", () => {
    const revisions = [aRevision("busybox:1", 1), aRevision("busybox:2", 5)];
    expect(planRevision(withImage("busybox:1"), deployments, revisions)).toEqual({
      do: "renumber",
      revision: revisions[0],
      number: 6,
    });
  });

  test("follows the highest number and ignores numbers that cannot be incremented", () => {
    const after = (number: number) =>
      planRevision(withImage("busybox:2"), deployments, [aRevision("busybox:1", number)]).revision.revision;
    expect([after(7), after(Number.MAX_SAFE_INTEGER)]).toEqual([8, Number.MAX_SAFE_INTEGER]);
  });

  test("has another name for every collision, within the length limit", () => {
    const set = { ...withImage("busybox:1"), metadata: { name: "w".repeat(253) } };
    const names = [0, 1, 2].map((count) => withCollisions(aRevision("busybox:1", 1), set, count).metadata.name ?? "");
    expect(new Set(names).size).toBe(3);
    expect(names.every((name) => name.length <= 253)).toBe(true);
  });
});

test("revisions are ordered by number, age and name", () => {
  const of = (name: string, revision: number, creationTimestamp: string) => ({
    metadata: { name, creationTimestamp },
    revision,
  });
  const sorted = [
    of("a", 1, "2026-01-01T00:00:02Z"),
    of("c", 2, "2026-01-01T00:00:01Z"),
    of("b", 2, "2026-01-01T00:00:02Z"),
    of("d", 2, "2026-01-01T00:00:02Z"),
  ];
  expect(sorted.toReversed().toSorted(compareRevisionNumbers)).toEqual(sorted);
});

test.each([
  ["revisions beyond the limit, oldest first", 1, ["1", "2"]],
  ["nothing within the limit", 3, []],
  ["everything but revisions in use", 0, ["1", "2", "4"]],
  ["nothing if the limit is negative", -1, []],
])("the history drops %s", (_name, revisionHistoryLimit, expected) => {
  const revisions = ["1", "2", "3", "4", "5"].map((name, i) => ({ metadata: { name }, revision: i }));
  const owner = { metadata: {}, spec: { selector: {}, template: {}, revisionHistoryLimit } };
  const lost = planTruncation(owner, revisions, ({ metadata }) => ["3", "5"].includes(metadata.name ?? ""));
  expect(lost.map(({ metadata }) => metadata.name)).toEqual(expected);
});
