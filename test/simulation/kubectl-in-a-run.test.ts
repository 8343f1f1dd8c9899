import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { HeldRun, readRequest, recordScenario } from "@kintsugi/simulator/factory";
import type { AddedCommand, PlayRequest } from "@kintsugi/story";
import { expect, test } from "vitest";

const path = fileURLToPath(new URL("../../apps/simulator/scenarios/node-dead.yaml", import.meta.url));
const texts = new Map([["node-dead", readFileSync(path, "utf8")]]);

function requestWith(commands: readonly AddedCommand[]): PlayRequest {
  return { scenario: "node-dead", faults: [], settings: ["profile=kubernetes"], commands };
}

test("commands in a paused run see its time, and a change is simulated in the next run", async () => {
  const atMs = 120_000;
  const held = await HeldRun.open(readRequest(requestWith([]), texts), { atMs, commands: [] });
  const run = async (text: string, yaml?: string) => held.run({ atMs, text, ...(yaml === undefined ? {} : { yaml }) });
  const told = async (text: string) => (await run(text)).lines.join("\n");
  expect(await told("get nodes")).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION\nnode-1 +Ready .*\nnode-2 +NotReady /);
  expect(await told("get pods -o name")).toMatch(/^(pod\/web-\S+\n?){6}$/);
  expect(await told("get pod nothing")).toBe('Error from server (NotFound): pods "nothing" not found');
  expect(await told("describe node node-2")).toMatch(/Name: +node-2[\s\S]*Taints:[\s\S]*unreachable[\s\S]*Events:/);
  expect(await told("explain pod.spec.tolerations")).toContain("FIELD: tolerations <[]Toleration>");
  expect(await told("events --for node/node-2")).toContain("NodeNotReady");
  expect(await held.complete({ atMs, text: "cordon node-" })).toEqual(["node-1", "node-2", "node-3"]);
  const scaled = await run("scale rs web --replicas=3");
  expect(scaled).toEqual({ lines: ["replicaset.apps/web scaled"], isChange: true });
  expect(await told("get rs web")).toMatch(/web +3 /);
  expect(await told("drain node-1")).toMatch(
    /^node\/node-1 cordoned\nevicting pod default\/web-\S+\nerror when evicting .*Cannot evict pod as it would violate/,
  );
  const pod =
    "apiVersion: v1\nkind: Pod\nmetadata: { name: hello }\nspec: { containers: [{ name: main, image: busybox, command: [sh, -c, 'echo hello; sleep 600'] }] }";
  expect((await run("apply", pod)).lines).toEqual(["pod/hello serverside-applied"]);
  expect((await run("apply", "kind: [")).lines[0]).toMatch(/^error: /);
  await held.close();

  const commands = [
    { atMs, text: "scale rs web --replicas=8" },
    { atMs, text: "cordon node-1" },
  ];
  const before = await recordScenario(readRequest(requestWith([]), texts));
  const { report, story } = await recordScenario(readRequest(requestWith(commands), texts), commands);
  expect(report.failure).toBeUndefined();
  const wanted = story().pods?.find(({ workload }) => workload === "web")?.samples;
  const beginMs = story().fromMs;
  expect(wanted?.findLast(({ atMs: ms }) => ms < beginMs + atMs)?.wanted).toBe(6);
  expect(wanted?.at(-1)?.wanted).toBe(8);
  expect(report.digest).not.toBe(before.report.digest);
}, 240_000);

test("the output of an applied container is in its log", async () => {
  const yaml =
    "apiVersion: v1\nkind: Pod\nmetadata: { name: hello }\nspec: { containers: [{ name: main, image: busybox, command: [sh, -c, 'echo hello; sleep 600'] }] }";
  const commands = [{ atMs: 1_000, text: "apply", yaml }];
  const held = await HeldRun.open(readRequest(requestWith(commands), texts), { atMs: 10_000, commands });
  expect((await held.run({ atMs: 10_000, text: "logs hello" })).lines).toEqual(["hello"]);
  await held.close();
}, 240_000);
