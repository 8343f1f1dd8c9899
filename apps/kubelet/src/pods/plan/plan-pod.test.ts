import type { Container } from "@kintsugi/api";
import { expect, test } from "vitest";
import type { BoundPod } from "../../model/bound-pod.ts";
import { aContainer, aPod, exited, instance, noVerdicts, observed } from "../../testing/builders.ts";
import { resourcesText } from "../../model/allocation.ts";
import { annotationNames } from "../../model/labels.ts";
import type { ObservedContainer, ObservedPod } from "../../model/observed-pod.ts";
import { planPod, type PlanInput } from "./plan-pod.ts";
import type { PodStep } from "./steps.ts";

const options = { initialMs: 10_000, maxMs: 300_000, resetMs: 600_000, floorMs: 1000 };
const nothing: ObservedPod = { ...observed(), sandboxes: [] };

/** "create-sandbox#0", "start c#1 carrying 10000", "hold c 4000", "kill c: …". */
function words(step: PodStep): string {
  switch (step.kind) {
    case "stop-pod":
      return `stop: ${step.because}`;
    case "escalate":
      return `escalate: ${step.container}`;
    case "reset-volumes":
      return "reset-volumes";
    case "create-sandbox":
      return `create-sandbox#${step.attempt}`;
    case "kill-container":
      return `kill ${step.name}: ${step.message}`;
    case "start-container":
      return `start ${step.container.name}#${step.attempt} carrying ${step.carryMs}`;
    case "resize-container":
      return `resize ${step.spec.name} to ${JSON.stringify(step.resources)}`;
    case "hold-container":
      return `hold ${step.name} ${step.remainingMs}`;
  }
}

function plan(pod: BoundPod, seen: ObservedPod, rest: Partial<PlanInput> = {}): string[] {
  return planPod({ pod, observed: seen, probes: noVerdicts, recorded: [], nowMs: 2000, ...rest }, options).map(words);
}

const always = aPod();
const onFailure = aPod({ restartPolicy: "OnFailure" });
const never = aPod({ restartPolicy: "Never" });
const two = aPod({ containers: [aContainer("a"), aContainer("b")] });
const deleting = aPod({}, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });

test.each<[string, BoundPod, ObservedPod, string[]]>([
  [
    "that has nothing gets a sandbox and its containers",
    two,
    nothing,
    ["create-sandbox#0", "start a#0 carrying 0", "start b#0 carrying 0"],
  ],
  ["that runs is not changed", always, observed([instance("c")]), []],
  [
    "whose container has crashed restarts it",
    always,
    observed([exited("c", { carryMs: 0 })]),
    ["start c#1 carrying 10000"],
  ],
  [
    "whose container crashes again waits",
    always,
    observed([exited("c", { attempt: 1, carryMs: 10_000 })]),
    ["hold c 10000"],
  ],
  [
    "restarts one container while the other runs",
    two,
    observed([instance("a"), exited("b", { carryMs: 0 })]),
    ["start b#1 carrying 10000"],
  ],
  [
    "restarts a succeeded container, with policy Always",
    always,
    observed([exited("c", { exitCode: 0, carryMs: 0 })]),
    ["start c#1 carrying 10000"],
  ],
  [
    "does not restart a succeeded container, with policy OnFailure",
    onFailure,
    observed([exited("c", { exitCode: 0 })]),
    ["stop: nothing-to-run"],
  ],
  [
    "restarts a failed container, with policy OnFailure",
    onFailure,
    observed([exited("c", { carryMs: 0 })]),
    ["start c#1 carrying 10000"],
  ],
  ["never restarts, with policy Never", never, observed([exited("c")]), ["stop: nothing-to-run"]],
  [
    "starts a container that was created and never started, with the back-off of a restart",
    always,
    observed([instance("c", { state: "created", carryMs: 0 })]),
    ["start c#1 carrying 10000"],
  ],
  [
    "kills an instance of unknown state before it starts another",
    always,
    observed([instance("c", { state: "unknown" })]),
    ['kill c: Container is in "unknown" state, try killing it before restart', "start c#1 carrying 0"],
  ],
  [
    "whose sandbox died starts again",
    always,
    observed([exited("c", { carryMs: 0 })], { ready: false }),
    ["stop: sandbox-changed", "create-sandbox#1", "start c#1 carrying 10000"],
  ],
  [
    "whose sandbox died under containers in back-off waits with a new sandbox",
    always,
    observed([exited("c", { attempt: 1, carryMs: 10_000 })], { ready: false }),
    ["stop: sandbox-changed", "create-sandbox#1", "hold c 10000"],
  ],
  [
    "that may not restart remains stopped with its sandbox",
    never,
    observed([exited("c")], { ready: false }),
    ["stop: sandbox-changed"],
  ],
  [
    "that succeeded gets no new sandbox",
    onFailure,
    observed([exited("c", { exitCode: 0 })], { ready: false }),
    ["stop: sandbox-changed"],
  ],
  [
    "whose sandbox lost its address starts again",
    always,
    observed([instance("c")], { ip: "" }),
    ["stop: sandbox-changed", "create-sandbox#1", "start c#1 carrying 0"],
  ],
  [
    "whose sandbox died under a running container continues with its earlier back-off",
    always,
    observed([instance("c", { attempt: 2, carryMs: 20_000 })], { ready: false }),
    ["stop: sandbox-changed", "create-sandbox#1", "start c#3 carrying 20000"],
  ],
  ["that is being deleted starts nothing", deleting, observed([exited("c")]), ["stop: nothing-to-run"]],
  [
    "whose image changed restarts with the new image",
    aPod({ containers: [aContainer("c", { image: "busybox:2" })] }),
    observed([instance("c")]),
    ["kill c: Container c definition changed, will be restarted"],
  ],
])("a pod %s", (_, pod, seen, steps) => {
  expect(plan(pod, seen)).toEqual(steps);
});

test("init containers run again in a new sandbox, one after the other", () => {
  const pod = aPod({ initContainers: [aContainer("i"), aContainer("j")] });
  const old = { sandboxId: "sandbox-0", exitCode: 0, carryMs: 0 };
  const now = { id: "sandbox-1", metadata: { name: "p", uid: "u", namespace: "default", attempt: 1 } };
  const before = [exited("c", { ...old, exitCode: 137 }), exited("j", old), exited("i", old)];
  const first = instance("i", { attempt: 1, sandboxId: "sandbox-1" });
  expect(plan(pod, observed([first, ...before], now))).toEqual([]);
  const firstDone = exited("i", { attempt: 1, sandboxId: "sandbox-1", exitCode: 0 });
  expect(plan(pod, observed([firstDone, ...before], now))).toEqual(["start j#1 carrying 10000"]);
});

const rule = (action: "Restart" | "RestartAllContainers", operator: "In" | "NotIn", values: number[]) => ({
  action,
  exitCodes: { operator, values },
});
const ownPolicy = (policy: "Always" | "OnFailure" | "Never", rules?: ReturnType<typeof rule>[]) =>
  aContainer("c", { restartPolicy: policy, ...(rules ? { restartPolicyRules: rules } : {}) });

test.each<[string, BoundPod["spec"]["restartPolicy"], ReturnType<typeof ownPolicy>, number, string[]]>([
  ["own policy Never applies under a pod's Always", "Always", ownPolicy("Never"), 1, ["stop: nothing-to-run"]],
  ["own policy Always applies under a pod's Never", "Never", ownPolicy("Always"), 0, ["start c#1 carrying 10000"]],
  [
    "own policy OnFailure does not restart after a success",
    "Always",
    ownPolicy("OnFailure"),
    0,
    ["stop: nothing-to-run"],
  ],
  [
    "rule restarts a container that its policy would not restart",
    "Never",
    ownPolicy("Never", [rule("Restart", "In", [42])]),
    42,
    ["start c#1 carrying 10000"],
  ],
  [
    "rule for other exits changes nothing",
    "Always",
    ownPolicy("Never", [rule("Restart", "In", [42])]),
    1,
    ["stop: nothing-to-run"],
  ],
  [
    "rule for all but some exits restarts",
    "Never",
    ownPolicy("Never", [rule("Restart", "NotIn", [1, 2])]),
    3,
    ["start c#1 carrying 10000"],
  ],
  [
    "rule for all but some exits ignores these exits",
    "Never",
    ownPolicy("Never", [rule("Restart", "NotIn", [1, 2])]),
    2,
    ["stop: nothing-to-run"],
  ],
])("a container's %s (KEP-5307)", (_, policy, container, exitCode, steps) => {
  const pod = aPod({ restartPolicy: policy ?? "Always", containers: [container] });
  expect(plan(pod, observed([exited("c", { exitCode, carryMs: 0 })]))).toEqual(steps);
});

test("an init container that fails is retried if its rule specifies it, in a pod that never restarts", () => {
  const init = aContainer("i", { restartPolicy: "Never", restartPolicyRules: [rule("Restart", "In", [7])] });
  const pod = aPod({ restartPolicy: "Never", initContainers: [init] });
  expect(plan(pod, observed([exited("i", { exitCode: 7, carryMs: 0 })]))).toEqual(["start i#1 carrying 10000"]);
  expect(plan(pod, observed([exited("i", { exitCode: 8, carryMs: 0 })]))).toEqual(["stop: nothing-to-run"]);
});

test("a pod that never restarts gets a new sandbox for its only restartable container", () => {
  const pod = aPod({
    restartPolicy: "Never",
    containers: [aContainer("a"), aContainer("b", { restartPolicy: "Always" })],
  });
  const dead = observed([exited("a", { exitCode: 137 }), exited("b", { exitCode: 137, carryMs: 0 })], { ready: false });
  expect(plan(pod, dead)).toEqual(["stop: sandbox-changed", "create-sandbox#1", "start b#1 carrying 10000"]);
});

test("a container that fails its liveness probe is killed, and restarted only if its policy specifies it", () => {
  const probes = { ...noVerdicts, liveness: () => "failure" as const };
  expect(plan(always, observed([instance("c")]), { probes })).toEqual([
    "kill c: Container c failed liveness probe, will be restarted",
  ]);
  expect(plan(never, observed([instance("c")]), { probes })).toEqual(["kill c: Container c failed liveness probe"]);
});

test("the restart count continues from the API when the runtime has lost every instance", () => {
  const recorded = [
    {
      name: "c",
      ready: true,
      restartCount: 4,
      image: "",
      imageID: "",
      state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
    },
  ];
  expect(plan(always, observed([]), { recorded })).toEqual(["start c#5 carrying 0"]);
});

test.each<[string, Partial<Container>, ObservedContainer, string[]]>([
  [
    "another image",
    { image: "busybox:other" },
    exited("c", { attempt: 5, carryMs: 160_000 }),
    ["start c#6 carrying 10000"],
  ],
  ["the same image", {}, exited("c", { attempt: 5, carryMs: 160_000 }), ["hold c 160000"]],
  [
    "another image, of the instance that was stopped for it",
    { image: "busybox:other" },
    exited("c", { carryMs: 0 }),
    ["start c#1 carrying 0"],
  ],
  [
    "other resources",
    { resources: { limits: { memory: "64Mi" } } },
    withResources(exited("c", { attempt: 5, carryMs: 160_000 }), { limits: { memory: "32Mi" } }),
    ["start c#6 carrying 10000"],
  ],
  [
    "the same resources",
    { resources: { limits: { memory: "32Mi" } } },
    withResources(exited("c", { attempt: 5, carryMs: 160_000 }), { limits: { memory: "32Mi" } }),
    ["hold c 160000"],
  ],
  [
    "another image, but started and not exited",
    { image: "busybox:other" },
    instance("c", { attempt: 5, carryMs: 160_000 }),
    ["kill c: Container c definition changed, will be restarted"],
  ],
])(
  "the back-off applies to the failed version of a container that crashes in a loop and gets %s",
  (_, change, newest, steps) => {
    expect(plan(aPod({ containers: [aContainer("c", change)] }), observed([newest]))).toEqual(steps);
  },
);

test("another image resets the container's escalation", () => {
  const annotations = { "kintsugi.dev/escalation": "containerRestarts=2,podRestarts=1" };
  const failed = exited("c", { attempt: 3, carryMs: 10_000 });
  failed.annotations["kintsugi.dev/restarts-in-a-row"] = "3";
  const seen = observed([failed], { annotations: { "kintsugi.dev/pod-restarts": "0/0" } });
  const input = { observed: seen, probes: noVerdicts, recorded: [], nowMs: 20_000 };
  const same = aPod({}, { metadata: { annotations } });
  expect(planPod({ pod: same, ...input }, options)[0]).toMatchObject({ kind: "escalate", container: "c" });
  const other = aPod({ containers: [aContainer("c", { image: "busybox:other" })] }, { metadata: { annotations } });
  expect(planPod({ pod: other, ...input }, options)).toMatchObject([
    { kind: "start-container", streak: { restarts: 0, recovered: true } },
  ]);
});

const withInit = aPod({
  initContainers: [aContainer("one"), aContainer("two")],
  containers: [aContainer("c")],
});
const done = { exitCode: 0, carryMs: 0 };

test.each<[string, BoundPod, ObservedPod, string[]]>([
  ["starts with the first init container alone", withInit, nothing, ["create-sandbox#0", "start one#0 carrying 0"]],
  ["waits for the first", withInit, observed([instance("one")]), []],
  ["continues with the second", withInit, observed([exited("one", done)]), ["start two#0 carrying 0"]],
  [
    "runs its containers after the last init container",
    withInit,
    observed([exited("two", done), exited("one", done)]),
    ["start c#0 carrying 0"],
  ],
  ["detects by its containers that the init containers ran", withInit, observed([instance("c")]), []],
  ["retries a failed container", withInit, observed([exited("one", { carryMs: 0 })]), ["start one#1 carrying 10000"]],
  [
    "ends when a container failed that may not be retried",
    aPod({ ...withInit.spec, restartPolicy: "Never" }),
    observed([exited("one")]),
    ["stop: nothing-to-run"],
  ],
])("a pod with init containers %s", (_, pod, seen, steps) => {
  expect(plan(pod, seen)).toEqual(steps);
});

const sidecar = aContainer("side", { restartPolicy: "Always" });
const withSidecar = aPod({ initContainers: [sidecar, aContainer("one")], containers: [aContainer("c")] });

test.each<[string, ObservedPod, string[]]>([
  ["starts it first and continues once it runs", observed([instance("side")]), ["start one#0 carrying 0"]],
  [
    "restarts it while the containers run",
    observed([instance("c"), exited("one", done), exited("side", { carryMs: 0 })]),
    ["start side#1 carrying 10000"],
  ],
  [
    "keeps it running when initialization is complete",
    observed([instance("c"), exited("one", done), instance("side")]),
    [],
  ],
])("a pod with a sidecar %s", (_, seen, steps) => {
  expect(plan(withSidecar, seen)).toEqual(steps);
});

function withResources(container: ObservedContainer, resources: Container["resources"]): ObservedContainer {
  const annotations = { ...container.annotations, [annotationNames.resources]: resourcesText({ resources }) };
  return { ...container, annotations };
}
