import { parseTimestamp, type PodStatus } from "@kintsugi/api";
import { expect, test } from "vitest";
import type { BoundPod } from "../../model/bound-pod.ts";
import type { ObservedPod } from "../../model/observed-pod.ts";
import { aContainer, aPod, exited, instance, noVerdicts, observed } from "../../testing/builders.ts";
import { podStatus, type PodStatusInput } from "./pod-status.ts";

const nowMs = parseTimestamp("2026-01-01T00:00:10Z");

function status(pod: BoundPod, seen: ObservedPod, rest: Partial<PodStatusInput> = {}): PodStatus {
  const previous = pod.status ?? {};
  return podStatus({
    pod,
    observed: seen,
    previous,
    failureOf: () => undefined,
    probes: noVerdicts,
    nodeIps: ["192.168.0.1"],
    nowMs,
    backoffResetMs: 600_000,
    over: false,
    ...rest,
  });
}

const nothing: ObservedPod = { ...observed(), sandboxes: [] };
const never = aPod({ restartPolicy: "Never" });
const onFailure = aPod({ restartPolicy: "OnFailure" });
const two = aPod({ containers: [aContainer("a"), aContainer("b")], restartPolicy: "Never" });
const ok = { exitCode: 0 };

test.each<[string, BoundPod, ObservedPod, string]>([
  ["nothing yet", aPod(), nothing, "Pending"],
  ["a sandbox only", aPod(), observed(), "Pending"],
  ["a running container", aPod(), observed([instance("c")]), "Running"],
  ["a crashed container that will restart", aPod(), observed([exited("c")]), "Running"],
  ["a succeeded container that will restart", aPod(), observed([exited("c", ok)]), "Running"],
  ["a crashed container, OnFailure", onFailure, observed([exited("c")]), "Running"],
  ["a succeeded container, OnFailure", onFailure, observed([exited("c", ok)]), "Succeeded"],
  ["a crashed container, Never", never, observed([exited("c")]), "Failed"],
  ["a succeeded container, Never", never, observed([exited("c", ok)]), "Succeeded"],
  ["a succeeded and a running container", two, observed([exited("a", ok), instance("b")]), "Running"],
  ["a succeeded and a failed container", two, observed([exited("a", ok), exited("b")]), "Failed"],
  ["a running init container", aPod({ initContainers: [aContainer("i")] }), observed([instance("i")]), "Pending"],
  [
    "a failed init container, Never",
    aPod({ initContainers: [aContainer("i")], restartPolicy: "Never" }),
    observed([exited("i")]),
    "Failed",
  ],
  [
    "a crashed container whose own policy restarts it, Never",
    aPod({ restartPolicy: "Never", containers: [aContainer("c", { restartPolicy: "OnFailure" })] }),
    observed([exited("c")]),
    "Running",
  ],
  [
    "a crashed container whose own policy does not restart it, Always",
    aPod({ containers: [aContainer("c", { restartPolicy: "Never" })] }),
    observed([exited("c")]),
    "Failed",
  ],
  ["a failed init container, Always", aPod({ initContainers: [aContainer("i")] }), observed([exited("i")]), "Pending"],
])("a pod with %s", (_, pod, seen, phase) => {
  expect(status(pod, seen).phase).toBe(phase);
});

test("a final phase is kept, regardless of the runtime's report", () => {
  const failed = aPod({}, { status: { phase: "Failed", reason: "Evicted" } });
  expect(status(failed, observed([instance("c")]))).toMatchObject({ phase: "Failed", reason: "Evicted" });
});

test("a crash shows as the state, and the previous crash as the last state", () => {
  const first = exited("c", { attempt: 0, exitCode: 7, finishedAtMs: nowMs - 5000, startedAtMs: nowMs - 6000 });
  const [container] =
    status(aPod(), observed([instance("c", { attempt: 1, startedAtMs: nowMs }), first])).containerStatuses ?? [];
  expect(container).toMatchObject({
    restartCount: 1,
    containerID: "containerd://c-1",
    state: { running: { startedAt: "2026-01-01T00:00:10Z" } },
    lastState: {
      terminated: { exitCode: 7, reason: "Error", containerID: "containerd://c-0", finishedAt: "2026-01-01T00:00:05Z" },
    },
  });
});

test("a container in back-off is waiting, and its end becomes the last state", () => {
  const failureOf = () => ({ reason: "CrashLoopBackOff", message: "back-off 10s" });
  const [container] =
    status(aPod(), observed([exited("c", { exitCode: 137, reason: "OOMKilled" })]), { failureOf }).containerStatuses ??
    [];
  expect(container?.state).toEqual({ waiting: { reason: "CrashLoopBackOff", message: "back-off 10s" } });
  expect(container?.lastState?.terminated).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
});

test("a container that ran and cannot be found is reported as ended, and is counted", () => {
  const running = {
    name: "c",
    ready: true,
    restartCount: 2,
    image: "",
    imageID: "",
    state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
  };
  const pod = aPod({}, { status: { phase: "Running", containerStatuses: [running] } });
  const said = status(pod, observed());
  expect(said.containerStatuses?.[0]).toMatchObject({
    restartCount: 3,
    state: { waiting: { reason: "ContainerCreating" } },
    lastState: { terminated: { reason: "ContainerStatusUnknown", exitCode: 137 } },
  });
  // The restart counts once: the next status does not count it again.
  expect(status(pod, observed(), { previous: said }).containerStatuses?.[0]?.restartCount).toBe(3);
});

test("a container whose newest instance is lost is counted from its earlier status and not from an older instance", () => {
  const first = exited("c", { attempt: 1, exitCode: 4 });
  const before = status(aPod(), observed([instance("c", { attempt: 2 }), first]));
  expect(before.containerStatuses).toMatchObject([{ restartCount: 2, state: { running: {} } }]);
  const lost = status(aPod(), observed([first]), { previous: before });
  expect(lost.containerStatuses).toMatchObject([
    { restartCount: 3, lastState: { terminated: { reason: "ContainerStatusUnknown", exitCode: 137 } } },
  ]);
  const next = status(aPod(), observed([instance("c", { attempt: 3 }), first]), { previous: lost });
  const { lastState } = lost.containerStatuses?.[0] ?? {};
  expect(next.containerStatuses).toMatchObject([{ restartCount: 3, state: { running: {} }, lastState }]);
});

test("conditions state the unready containers, and change their time only when they change", () => {
  const before = status(two, observed([instance("a"), instance("b")]));
  expect(before.conditions?.every(({ status: value }) => value === "True")).toBe(true);
  const after = status(two, observed([instance("a"), exited("b", ok)]), { previous: before, nowMs: nowMs + 60_000 });
  expect(after.conditions).toMatchObject([
    { type: "PodReadyToStartContainers", status: "True", lastTransitionTime: "2026-01-01T00:00:10Z" },
    { type: "Initialized", status: "True" },
    {
      type: "Ready",
      status: "False",
      reason: "ContainersNotReady",
      message: "containers with unready status: [b]",
      lastTransitionTime: "2026-01-01T00:01:10Z",
    },
    { type: "ContainersReady", status: "False" },
    { type: "PodScheduled", status: "True" },
  ]);
});

test("other writers' conditions and a nomination are kept, and readiness gates delay a pod's readiness", () => {
  const gated = aPod(
    { readinessGates: [{ conditionType: "example.com/in-rotation" }] },
    { status: { nominatedNodeName: "node-2", conditions: [{ type: "DisruptionTarget", status: "True" }] } },
  );
  const said = status(gated, observed([instance("c")]));
  expect(said.nominatedNodeName).toBe("node-2");
  expect(said.conditions?.find(({ type }) => type === "DisruptionTarget")).toBeDefined();
  expect(said.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
    status: "False",
    reason: "ReadinessGatesNotReady",
    message: 'corresponding condition of pod readiness gate "example.com/in-rotation" does not exist.',
  });
});

test("a probed container is ready when its probe reports it, and started when its startup probe does", () => {
  const probe = { tcpSocket: { port: 1 } };
  const pod = aPod({ containers: [aContainer("c", { readinessProbe: probe, startupProbe: probe })] });
  const ask = (startup: "success" | "unknown", readiness: "success" | "failure") => {
    const probes = { ...noVerdicts, startup: () => startup, readiness: () => readiness };
    const { ready, started } = status(pod, observed([instance("c")]), { probes }).containerStatuses?.[0] ?? {};
    return { ready, started };
  };
  expect(ask("unknown", "success")).toEqual({ ready: false, started: false });
  expect(ask("success", "failure")).toEqual({ ready: false, started: true });
  expect(ask("success", "success")).toEqual({ ready: true, started: true });
});

test("a pod on the host's network has the host's addresses", () => {
  const host = { network: "node", pid: "container", ipc: "pod" } as const;
  const said = status(aPod({ hostNetwork: true }), observed([instance("c")], { ip: "", namespaces: host }));
  expect(said).toMatchObject({ podIP: "192.168.0.1", hostIP: "192.168.0.1" });
});

test.each([
  [{}, "BestEffort"],
  [{ requests: { cpu: "100m" } }, "Burstable"],
  [{ limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1000m", memory: "1024Mi" } }, "Guaranteed"],
  // The API's defaults turn limits into requests; without them it is upstream's ComputePodQOS.
  [{ limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1" } }, "Burstable"],
  [{ limits: { cpu: "1" } }, "Burstable"],
])("resources %j make a pod %s", (resources, qosClass) => {
  expect(status(aPod({ containers: [aContainer("c", { resources })] }), nothing).qosClass).toBe(qosClass);
});

test("a container's user is in the status if the runtime reports it", () => {
  const user = { uid: 1000, gid: 2000, supplementalGroups: [2000, 3000] };
  const of = (seen: ObservedPod) => status(aPod(), seen).containerStatuses?.[0];
  expect(of(observed([instance("c", { user })]))?.user).toEqual({ linux: user });
  expect(of(observed([instance("c")]))).not.toHaveProperty("user");
});
