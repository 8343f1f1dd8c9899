import type { Node } from "@kintsugi/api";
import { storedTypes } from "@kintsugi/api/testing";
import { createInProcessClient } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { createTerminal } from "../output/terminal.ts";
import { stepUntilUsable } from "./wait-for-cluster.ts";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const cordoned = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

function aNode(name: string, ready: string, ...taints: { key: string; effect: string }[]): Node {
  const at = "2026-01-01T00:00:00Z";
  const condition = { type: "Ready", status: ready, reason: "", message: "", lastTransitionTime: at };
  return { metadata: { name, uid: name }, spec: { taints }, status: { conditions: [condition] } } as Node;
}

function startWaiting(names: readonly string[]) {
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const api = new MemoryApi({ clock, random }, storedTypes);
  const identity = { name: "admin", groups: [] };
  const client = createInProcessClient({ handler: api, clock, random }, { identity });
  const said: string[] = [];
  const stderr = { write: (text: string) => said.push(text) };
  const terminal = createTerminal({ clock, stdout: stderr, stderr }, { colour: false, quiet: false });
  const signal = new AbortController().signal;
  const outcome = { ended: false, error: undefined as Error | undefined };
  void stepUntilUsable({ clock, signal, terminal, cluster: "nw" }, client, { names, waitMs: 5_000 }).then(
    () => (outcome.ended = true),
    (error: Error) => (outcome.error = error),
  );
  const put = (node: Node) => api.log.put("nodes", node);
  const putAccount = () => api.log.put("serviceaccounts", { metadata: { name: "default", namespace: "default" } });
  return { clock, outcome, said, put, putAccount };
}

describe("a cluster that starts is usable", () => {
  test("when its nodes are Ready and their taints are removed, and not earlier", async () => {
    const { clock, outcome, said, put, putAccount } = startWaiting(["a", "b"]);
    putAccount();
    put(aNode("a", "True"));
    put(aNode("b", "False", notReady));
    await clock.advance(1000);
    put(aNode("b", "True", notReady));
    await clock.advance(1000);
    expect(outcome.ended).toBe(false);
    put(aNode("b", "True"));
    await clock.advance(1000);
    expect(outcome).toEqual({ ended: true, error: undefined });
    expect(said.join("")).toContain("Nodes 2/2 Ready");
  });

  test("although a user has cordoned one of its nodes", async () => {
    const { clock, outcome, put, putAccount } = startWaiting(["a"]);
    putAccount();
    put(aNode("a", "True", cordoned));
    await clock.advance(1000);
    expect(outcome.ended).toBe(true);
  });

  test("when pods that name no ServiceAccount are accepted", async () => {
    const { clock, outcome, put, putAccount } = startWaiting(["a"]);
    put(aNode("a", "True"));
    await clock.advance(1000);
    expect(outcome.ended).toBe(false);
    putAccount();
    await clock.advance(1000);
    expect(outcome.ended).toBe(true);
  });

  test("or the error names the missing part and the place to inspect", async () => {
    const { clock, outcome, put } = startWaiting(["a", "b", "c"]);
    put(aNode("a", "True"));
    put(aNode("b", "True", notReady));
    await clock.advance(6_000);
    expect(outcome.error?.message).toBe(
      "after 5 s no pod can be bound to these nodes: b (Ready, but still tainted node.kubernetes.io/not-ready), c (not Ready); " +
        "see `kintsugi status --name nw`, their kubelets' logs and the controller-manager's",
    );
  });

  test("or the error names the missing account", async () => {
    const { clock, outcome, put } = startWaiting(["a"]);
    put(aNode("a", "True"));
    await clock.advance(6_000);
    expect(outcome.error?.message).toContain('there is no ServiceAccount "default" in the namespace "default"');
  });
});
