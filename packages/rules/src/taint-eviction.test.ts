import { formatTimestamp, type Taint, type Toleration } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aNode, aPod } from "./testing/objects.ts";
import { exposedForMs, planEviction, troubleOf } from "./taint-eviction.ts";

const nowMs = 1_767_225_600_000;
const noExecute = (key: string, value?: string): Taint => ({ key, effect: "NoExecute", ...(value ? { value } : {}) });
const tolerate = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

const cases: { name: string; taints: Taint[]; tolerations?: Toleration[]; atMs: number | undefined }[] = [
  { name: "no taints: the pod remains", taints: [], atMs: undefined },
  { name: "a NoSchedule taint evicts no pod", taints: [{ key: "a", effect: "NoSchedule" }], atMs: undefined },
  { name: "not tolerated: immediately", taints: [noExecute("a")], atMs: Number.NEGATIVE_INFINITY },
  { name: "tolerated without end: never", taints: [noExecute("a")], tolerations: [tolerate("a")], atMs: undefined },
  {
    name: "tolerated for a while: after that time",
    taints: [noExecute("a")],
    tolerations: [tolerate("a", 300)],
    atMs: 301_000,
  },
  { name: "a negative time counts as zero", taints: [noExecute("a")], tolerations: [tolerate("a", -5)], atMs: 1000 },
  {
    name: "of two taints the shorter toleration counts",
    taints: [noExecute("a"), noExecute("b")],
    tolerations: [tolerate("a", 300), tolerate("b", 20)],
    atMs: 21_000,
  },
  {
    name: "one untolerated taint is enough",
    taints: [noExecute("a"), noExecute("b")],
    tolerations: [tolerate("a", 300)],
    atMs: Number.NEGATIVE_INFINITY,
  },
  {
    name: "of two tolerations of one taint the first counts, as in upstream's GetMatchingTolerations",
    taints: [noExecute("a")],
    tolerations: [tolerate("a", 300), tolerate("a", 5)],
    atMs: 301_000,
  },
  {
    name: "a toleration of everything covers everything",
    taints: [noExecute("a"), noExecute("b", "x")],
    tolerations: [{ operator: "Exists" }],
    atMs: undefined,
  },
  {
    name: "another value is another taint",
    taints: [noExecute("a", "x")],
    tolerations: [{ key: "a", value: "y", effect: "NoExecute" }],
    atMs: Number.NEGATIVE_INFINITY,
  },
];

describe("the time of a pod's eviction", () => {
  test.each(cases)("$name", ({ taints, tolerations, atMs }) => {
    const pod = aPod("p", tolerations ? { tolerations } : {});
    expect(planEviction(pod, aNode("n", { taints }), () => 1000)?.atMs).toBe(atMs);
  });
});

describe("the time that a pod has been exposed", () => {
  const at = (ms: number) => formatTimestamp(ms);
  const old = aPod("p", { createdMs: nowMs - 3_600_000 });
  test.each([
    { name: "counts from when the taint was added", pod: old, added: nowMs - 60_000, exposed: 59_000 },
    {
      name: "does not begin before the pod existed",
      pod: aPod("p", { createdMs: nowMs - 5000 }),
      added: nowMs - 60_000,
      exposed: 4000,
    },
    { name: "is zero for a taint from the future", pod: old, added: nowMs + 3_600_000, exposed: 0 },
    { name: "is zero for a taint of this second", pod: old, added: nowMs - 700, exposed: 0 },
  ])("$name", ({ pod, added, exposed }) => {
    expect(exposedForMs(pod, { key: "a", effect: "NoExecute", timeAdded: at(added) }, nowMs)).toBe(exposed);
  });

  test("is zero for a taint without a time", () => {
    expect(exposedForMs(old, { key: "a", effect: "NoExecute" }, nowMs)).toBe(0);
  });

  test("continues when not-ready becomes unreachable", () => {
    const keys = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].map((key) =>
      troubleOf(noExecute(key)),
    );
    expect(new Set(keys).size).toBe(1);
  });
});
