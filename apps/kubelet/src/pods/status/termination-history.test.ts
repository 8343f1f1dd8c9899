import { type ContainerStatus, readTerminations } from "@kintsugi/api";
import { expect, test } from "vitest";
import { withTerminations } from "./termination-history.ts";
import { scripted } from "../../testing/builders.ts";
import { withNode } from "../../testing/test-node.ts";

const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, "0")}:00Z`;

function ended(restart: number, more: object = {}) {
  return {
    exitCode: 1,
    reason: "Error",
    startedAt: at(restart),
    finishedAt: at(restart + 1),
    containerID: `containerd://${String(restart).padStart(2, "0")}${"a".repeat(62)}`,
    ...more,
  };
}

function status(
  name: string,
  restartCount: number,
  state: ContainerStatus["state"],
  lastState: ContainerStatus["lastState"] = {},
) {
  const container = { name, restartCount, state, lastState, ready: false, image: "", imageID: "" };
  return { containerStatuses: [container] as ContainerStatus[] };
}

const second = 1000;
const minute = 60 * second;

test("an end is recorded once, whether it is in the state, in the last state or behind a back-off", () => {
  const first = withTerminations(undefined, status("c", 0, { terminated: ended(0) }));
  const entry = {
    container: "c",
    restart: 0,
    exitCode: 1,
    reason: "Error",
    startedAt: at(0),
    finishedAt: at(1),
    id: "00aaaaaaaaaa",
  };
  expect(readTerminations(first)).toEqual([entry]);
  expect(withTerminations(first, status("c", 0, { waiting: {} }, { terminated: ended(0) }))).toBe(first);
  expect(withTerminations(first, status("c", 1, { running: {} }, { terminated: ended(0) }))).toBe(first);
  expect(withTerminations(undefined, status("c", 1, { running: {} }, { terminated: ended(0) }))).toBe(first);
});

test("the last ten ends of each container are kept, newest first", () => {
  let text: string | undefined;
  for (let restart = 0; restart < 13; restart++)
    text = withTerminations(text, status("c", restart, { terminated: ended(restart) }));
  text = withTerminations(text, status("d", 0, { terminated: ended(0, { exitCode: 0, reason: "Completed" }) }));
  const kept = readTerminations(text);
  expect(kept.filter(({ container }) => container === "c").map(({ restart }) => restart)).toEqual([
    12, 11, 10, 9, 8, 7, 6, 5, 4, 3,
  ]);
  expect(kept.filter(({ container }) => container === "d")).toMatchObject([{ reason: "Completed" }]);
});

test("the reason of the kubelet's kill is recorded, and a long termination message is cut", () => {
  const killedBecause = (id: string) => (id.startsWith("00") ? "failed liveness probe" : undefined);
  const text = withTerminations(
    undefined,
    status("c", 0, { terminated: ended(0, { message: "x".repeat(500) }) }),
    killedBecause,
  );
  expect(readTerminations(text)).toMatchObject([{ killed: "failed liveness probe", message: "x".repeat(120) }]);
});

test.each(["", "{", '{"a":1}', "[1,null]"])("an unreadable annotation (%j) is started again", (text) => {
  expect(readTerminations(text)).toEqual([]);
  expect(readTerminations(withTerminations(text, status("c", 0, { terminated: ended(0) })))).toHaveLength(1);
});

test("a pod whose containers have not ended has no history", () => {
  expect(withTerminations(undefined, status("c", 0, { running: {} }))).toBeUndefined();
});

test("a better reason that arrives later replaces the first, and the cause of the kill is kept", () => {
  const killedBecause = () => "failed liveness probe";
  const first = withTerminations(undefined, status("c", 0, { terminated: ended(0) }), killedBecause);
  const oom = status("c", 1, { running: {} }, { terminated: ended(0, { exitCode: 137, reason: "OOMKilled" }) });
  const better = withTerminations(first, oom);
  expect(readTerminations(better)).toMatchObject([
    { restart: 0, exitCode: 137, reason: "OOMKilled", killed: "failed liveness probe" },
  ]);
  expect(readTerminations(better)).toHaveLength(1);
});

test("the pod's status shows a container's earlier end, even after the kubelet has lost it", () =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [scripted("c", "exit:3-after-1s")] });
    await node.clock.advance(20 * second);
    await node.restart();
    await node.clock.advance(minute);
    const { annotations } = (await node.pod("p")).metadata;
    const ends = JSON.parse(annotations?.["kintsugi.dev/terminations"] ?? "[]") as object[];
    expect(ends).toMatchObject(
      [4, 3, 2, 1, 0].map((restart) => ({ container: "c", restart, exitCode: 3, reason: "Error" })),
    );
  }));

test("a container's end after a failed probe is recorded with its cause", () =>
  withNode(async (node) => {
    node.prober.answer(() => ({ kind: "failure", output: "HTTP probe failed with statuscode: 500" }));
    const livenessProbe = { httpGet: { port: 80 }, periodSeconds: 1, failureThreshold: 1 };
    await node.createPod("p", {
      terminationGracePeriodSeconds: 1,
      containers: [scripted("c", "run", { livenessProbe })],
    });
    await node.clock.advance(5 * second);
    const { annotations } = (await node.pod("p")).metadata;
    const ends = JSON.parse(annotations?.["kintsugi.dev/terminations"] ?? "[]") as object[];
    expect(ends.at(-1)).toMatchObject({ restart: 0, killed: "Container c failed liveness probe, will be restarted" });
  }));
