import type { LifecycleHandler } from "@kintsugi/api";
import { expect, test } from "vitest";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { Hooks } from "./hooks.ts";
import type { ProbeOutcome } from "./prober.ts";
import { aPod, scripted } from "../../testing/builders.ts";
import { ScriptedProber } from "../../simulated/scripted-prober.ts";
import { withNode } from "../../testing/test-node.ts";

const second = 1000;

test.each<[string, LifecycleHandler, ProbeOutcome, string]>([
  [
    "a command",
    { exec: { command: ["sh", "-c", "exit 1"] } },
    { kind: "failure", output: "no\n" },
    'Exec lifecycle hook ([sh -c exit 1]) for Container "c" in Pod "p_default" failed - message: "no\\n"',
  ],
  [
    "a request",
    { httpGet: { port: 1, path: "/x" } },
    { kind: "failure", output: "refused" },
    'HTTP lifecycle hook (/x) for Container "c" in Pod "p_default" failed - error: refused',
  ],
  [
    "a connection",
    { tcpSocket: { port: 1 } },
    { kind: "success" },
    'invalid handler for Container "c" in Pod "p_default": tcpSocket is not supported in hooks',
  ],
])("a failed %s hook states the reason", async (_, handler, outcome, because) => {
  const [clock, prober] = [new VirtualClock(), new ScriptedProber()];
  prober.answer(() => outcome);
  const hooked = {
    pod: aPod(),
    container: { name: "c", lifecycle: { postStart: handler } },
    containerId: "1",
    podIps: [],
  };
  const { signal } = new AbortController();
  expect(await new Hooks({ clock, prober }).postStart(hooked, signal)).toBe(because);
});

test("a container whose postStart hook fails is killed and restarted", () =>
  withNode(async (node) => {
    node.prober.answer(() => ({ kind: "failure", output: "no" }));
    const postStart = { exec: { command: ["false"] } };
    await node.createPod("p", { containers: [scripted("c", "run", { lifecycle: { postStart } })] });
    await node.clock.advance(3 * second);
    expect(await node.running()).toEqual([]);
    expect(await node.events()).toContainEqual(expect.stringMatching(/^FailedPostStartHook: PostStartHook failed/));
    node.prober.answer(() => ({ kind: "success" }));
    await node.clock.advance(20 * second);
    expect(await node.running()).toEqual(["p/c#2"]);
  }));

test("an http hook sends its request and ignores the response", () =>
  withNode(async (node) => {
    node.prober.answer(() => ({ kind: "failure", output: "HTTP probe failed with statuscode: 500", answered: true }));
    const postStart = { httpGet: { port: 80, path: "/started" } };
    await node.createPod("p", { containers: [scripted("c", "run", { lifecycle: { postStart } })] });
    await node.clock.advance(3 * second);
    expect((await node.pod("p")).status).toMatchObject({ phase: "Running", containerStatuses: [{ ready: true }] });
  }));
