import { type JsonObject, type JsonValue, podKind } from "@kintsugi/api";
import { expect, test } from "vitest";
import { converterOf } from "./table-converter.ts";

const nowMs = 1_700_000_000_000; // 2023-11-14T22:13:20Z
const secondsAgo25 = "2023-11-14T22:12:55Z";
const running = { running: { startedAt: secondsAgo25 } };
const waiting = (reason: string) => ({ waiting: { reason } });
const terminated = (exitCode: number, more: JsonObject = {}) => ({ terminated: { exitCode, ...more } });

function aContainer(name: string, state: JsonObject, more: JsonObject = {}): JsonObject {
  return { name, state, ready: state["running"] !== undefined, restartCount: 0, image: "i", imageID: "", ...more };
}

function restarted(count: number, finishedAt: string): JsonObject {
  return { restartCount: count, lastState: { terminated: { exitCode: 1, finishedAt } } };
}

function aPod(spec: JsonObject, status: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { metadata: { name: "web", creationTimestamp: "2023-11-14T22:08:20Z", ...metadata }, spec, status };
}

const one = { containers: [{ name: "c" }] };
const two = { containers: [{ name: "c" }, { name: "d" }] };
const withInit = { ...one, initContainers: [{ name: "i" }, { name: "j" }] };
const withSidecar = { ...one, initContainers: [{ name: "s", restartPolicy: "Always" }, { name: "i" }] };
const deleting = { deletionTimestamp: "2023-11-14T22:13:00Z" };
const initialized = [{ type: "Initialized", status: "True" }];

const rows: { name: string; pod: JsonObject; cells: [ready: string, status: string, restarts: string] }[] = [
  { name: "a new pod", pod: aPod(one, { phase: "Pending" }), cells: ["0/1", "Pending", "0"] },
  {
    name: "a gated pod",
    pod: aPod(one, {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
    }),
    cells: ["0/1", "SchedulingGated", "0"],
  },
  {
    name: "a pod being created",
    pod: aPod(one, { phase: "Pending", containerStatuses: [aContainer("c", waiting("ContainerCreating"))] }),
    cells: ["0/1", "ContainerCreating", "0"],
  },
  {
    name: "a running pod",
    pod: aPod(one, { phase: "Running", containerStatuses: [aContainer("c", running)] }),
    cells: ["1/1", "Running", "0"],
  },
  {
    name: "a running pod that is not ready",
    pod: aPod(one, { phase: "Running", containerStatuses: [aContainer("c", running, { ready: false })] }),
    cells: ["0/1", "Running", "0"],
  },
  {
    name: "restarts with their age",
    pod: aPod(one, { phase: "Running", containerStatuses: [aContainer("c", running, restarted(3, secondsAgo25))] }),
    cells: ["1/1", "Running", "3 (25s ago)"],
  },
  {
    name: "restarts of all containers, with the age of the last",
    pod: aPod(two, {
      phase: "Running",
      containerStatuses: [
        aContainer("c", running, restarted(3, secondsAgo25)),
        aContainer("d", running, restarted(2, "2023-11-14T22:00:00Z")),
      ],
    }),
    cells: ["2/2", "Running", "5 (25s ago)"],
  },
  {
    name: "no age without restarts",
    pod: aPod(one, { phase: "Running", containerStatuses: [aContainer("c", running, restarted(0, secondsAgo25))] }),
    cells: ["1/1", "Running", "0"],
  },
  {
    name: "a crash loop",
    pod: aPod(one, {
      phase: "Running",
      containerStatuses: [aContainer("c", waiting("CrashLoopBackOff"), restarted(4, secondsAgo25))],
    }),
    cells: ["0/1", "CrashLoopBackOff", "4 (25s ago)"],
  },
  {
    name: "an image that cannot be pulled",
    pod: aPod(one, { phase: "Pending", containerStatuses: [aContainer("c", waiting("ImagePullBackOff"))] }),
    cells: ["0/1", "ImagePullBackOff", "0"],
  },
  {
    name: "a container that failed",
    pod: aPod(one, { phase: "Running", containerStatuses: [aContainer("c", terminated(1, { reason: "Error" }))] }),
    cells: ["0/1", "Error", "0"],
  },
  {
    name: "a container out of memory",
    pod: aPod(one, {
      phase: "Running",
      containerStatuses: [aContainer("c", terminated(137, { reason: "OOMKilled" }))],
    }),
    cells: ["0/1", "OOMKilled", "0"],
  },
  {
    name: "a finished pod",
    pod: aPod(one, {
      phase: "Succeeded",
      containerStatuses: [aContainer("c", terminated(0, { reason: "Completed" }))],
    }),
    cells: ["0/1", "Completed", "0"],
  },
  {
    name: "an exit code without a reason",
    pod: aPod(one, { phase: "Failed", containerStatuses: [aContainer("c", terminated(3))] }),
    cells: ["0/1", "ExitCode:3", "0"],
  },
  {
    name: "a signal without a reason",
    pod: aPod(one, { phase: "Failed", containerStatuses: [aContainer("c", terminated(137, { signal: 9 }))] }),
    cells: ["0/1", "Signal:9", "0"],
  },
  {
    name: "the first container with a reason determines the pod's status",
    pod: aPod(two, {
      phase: "Running",
      containerStatuses: [
        aContainer("c", terminated(1, { reason: "Error" })),
        aContainer("d", waiting("CrashLoopBackOff")),
      ],
    }),
    cells: ["0/2", "Error", "0"],
  },
  {
    name: "a completed container next to a running container, ready",
    pod: aPod(two, {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [aContainer("c", terminated(0, { reason: "Completed" })), aContainer("d", running)],
    }),
    cells: ["1/2", "Running", "0"],
  },
  {
    name: "a completed container next to a running container, not ready",
    pod: aPod(two, {
      phase: "Running",
      containerStatuses: [aContainer("c", terminated(0, { reason: "Completed" })), aContainer("d", running)],
    }),
    cells: ["1/2", "NotReady", "0"],
  },
  { name: "an evicted pod", pod: aPod(one, { phase: "Failed", reason: "Evicted" }), cells: ["0/1", "Evicted", "0"] },
  {
    name: "init containers that have not begun",
    pod: aPod(withInit, {
      phase: "Pending",
      initContainerStatuses: [aContainer("i", waiting("PodInitializing")), aContainer("j", waiting("PodInitializing"))],
    }),
    cells: ["0/1", "Init:0/2", "0"],
  },
  {
    name: "the second init container running",
    pod: aPod(withInit, {
      phase: "Pending",
      initContainerStatuses: [aContainer("i", terminated(0)), aContainer("j", running)],
    }),
    cells: ["0/1", "Init:1/2", "0"],
  },
  {
    name: "an init container in a crash loop",
    pod: aPod(withInit, {
      phase: "Pending",
      initContainerStatuses: [aContainer("i", waiting("CrashLoopBackOff"), restarted(2, secondsAgo25))],
    }),
    cells: ["0/1", "Init:CrashLoopBackOff", "2 (25s ago)"],
  },
  {
    name: "an init container that failed",
    pod: aPod(withInit, {
      phase: "Pending",
      initContainerStatuses: [aContainer("i", terminated(1, { reason: "Error" }))],
    }),
    cells: ["0/1", "Init:Error", "0"],
  },
  {
    name: "an init container's exit code",
    pod: aPod(withInit, { phase: "Pending", initContainerStatuses: [aContainer("i", terminated(2))] }),
    cells: ["0/1", "Init:ExitCode:2", "0"],
  },
  {
    name: "an init container's signal",
    pod: aPod(withInit, { phase: "Pending", initContainerStatuses: [aContainer("i", terminated(137, { signal: 9 }))] }),
    cells: ["0/1", "Init:Signal:9", "0"],
  },
  {
    name: "restarts of init containers are forgotten once they are done",
    pod: aPod(withInit, {
      phase: "Running",
      initContainerStatuses: [
        aContainer("i", terminated(0), restarted(5, secondsAgo25)),
        aContainer("j", terminated(0)),
      ],
      containerStatuses: [aContainer("c", running)],
    }),
    cells: ["1/1", "Running", "0"],
  },
  {
    name: "a sidecar counts as a container",
    pod: aPod(withSidecar, {
      phase: "Running",
      initContainerStatuses: [
        aContainer("s", running, { started: true, ...restarted(1, secondsAgo25) }),
        aContainer("i", terminated(0)),
      ],
      containerStatuses: [aContainer("c", running)],
    }),
    cells: ["2/2", "Running", "1 (25s ago)"],
  },
  {
    name: "a sidecar that runs during initialization",
    pod: aPod(withSidecar, {
      phase: "Pending",
      initContainerStatuses: [aContainer("s", running, { started: true }), aContainer("i", running)],
    }),
    cells: ["1/2", "Init:1/2", "0"],
  },
  {
    name: "a sidecar that crashes after initialization",
    pod: aPod(withSidecar, {
      phase: "Running",
      conditions: initialized,
      initContainerStatuses: [
        aContainer("s", waiting("CrashLoopBackOff"), restarted(2, secondsAgo25)),
        aContainer("i", terminated(0)),
      ],
      containerStatuses: [aContainer("c", running)],
    }),
    cells: ["1/2", "Init:CrashLoopBackOff", "2 (25s ago)"],
  },
  {
    name: "a pod being deleted",
    pod: aPod(one, { phase: "Running", containerStatuses: [aContainer("c", running)] }, deleting),
    cells: ["1/1", "Terminating", "0"],
  },
  {
    name: "a finished pod being deleted",
    pod: aPod(
      one,
      { phase: "Succeeded", containerStatuses: [aContainer("c", terminated(0, { reason: "Completed" }))] },
      deleting,
    ),
    cells: ["0/1", "Completed", "0"],
  },
  {
    name: "a pod being deleted from a lost node",
    pod: aPod(one, { phase: "Running", reason: "NodeLost", containerStatuses: [aContainer("c", running)] }, deleting),
    cells: ["1/1", "Unknown", "0"],
  },
];

test.each(rows)("$name reads $cells", ({ pod, cells }) => {
  const row = converterOf(podKind.table).row(pod, { include: "None", version: "v1", nowMs });
  expect((row["cells"] as JsonValue[]).slice(0, 5)).toEqual(["web", ...cells, "5m"]);
});

test("the columns are those of kubectl get pods -o wide", () => {
  const { columnDefinitions } = converterOf(podKind.table);
  const headers = columnDefinitions.map(({ name, priority }) => [name, priority]);
  expect(headers).toEqual([
    ["Name", 0],
    ["Ready", 0],
    ["Status", 0],
    ["Restarts", 0],
    ["Age", 0],
    ["IP", 1],
    ["Node", 1],
    ["Nominated Node", 1],
    ["Readiness Gates", 1],
  ]);
});

test("the wide cells show a pod's node and address", () => {
  const spec = { ...one, nodeName: "node-1", readinessGates: [{ conditionType: "a" }, { conditionType: "b" }] };
  const status = {
    phase: "Running",
    podIPs: [{ ip: "10.0.0.7" }],
    nominatedNodeName: "node-2",
    conditions: [
      { type: "a", status: "True" },
      { type: "b", status: "False" },
    ],
  };
  expect(wideCells(aPod(spec, status))).toEqual(["10.0.0.7", "node-1", "node-2", "1/2"]);
  expect(wideCells(aPod(one, { phase: "Pending" }))).toEqual(["<none>", "<none>", "<none>", "<none>"]);
});

test("a finished pod's row is marked so that kubectl can hide it", () => {
  const row = (phase: string) =>
    converterOf(podKind.table).row(aPod(one, { phase }), { include: "None", version: "v1", nowMs });
  expect(row("Succeeded")["conditions"]).toMatchObject([{ type: "Completed", status: "True", reason: "Succeeded" }]);
  expect(row("Failed")["conditions"]).toMatchObject([{ type: "Completed", status: "True", reason: "Failed" }]);
  expect(row("Running")).not.toHaveProperty("conditions");
});

function wideCells(pod: JsonObject): JsonValue[] {
  const row = converterOf(podKind.table).row(pod, { include: "None", version: "v1", nowMs });
  return (row["cells"] as JsonValue[]).slice(5);
}
