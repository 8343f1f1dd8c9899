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
  expect(await told("get rs,pods,po -o name")).toMatch(/^replicaset\.apps\/web\n(pod\/web-\S+\n?){6}$/);
  expect(await told("get all")).toMatch(
    /^NAME .*\n(pod\/web-.*\n){6}(\n.*\nservice\/.*\n)?\nNAME .*\nreplicaset\.apps\/web /,
  );
  expect(await told("get jobs,cronjobs")).toBe("No resources found in default namespace.");
  expect(await told("get pods,nothing")).toContain('the server doesn\'t have a resource type "nothing"');
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
  const misspelt = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndatum: {}";
  expect((await run("apply", misspelt)).lines).toEqual([
    "Error from server: failed to create typed patch object (/a; /v1, Kind=ConfigMap): .datum: field not declared in schema",
  ]);
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

test("a drain evicts the pods that it found, although the node is uncordoned at the same time", async () => {
  const lines = ["drain node-1", "uncordon node-1"];
  const commands = lines.map((text) => ({ atMs: 10_000, text }));
  const { story } = await recordScenario(readRequest(requestWith(commands), texts), commands);
  const { changes, fromMs } = story();
  const removed = changes.filter(({ kind, is, atMs }) => kind === "pods" && is === "removed" && atMs < fromMs + 60_000);
  // Two of the six pods were on the node, and their successors stay wherever they are.
  expect(removed).toHaveLength(2);
}, 240_000);

test("the output of an applied container is in its log", async () => {
  const yaml =
    "apiVersion: v1\nkind: Pod\nmetadata: { name: hello }\nspec: { containers: [{ name: main, image: busybox, command: [sh, -c, 'echo hello; sleep 600'] }] }";
  const commands = [{ atMs: 1_000, text: "apply", yaml }];
  const held = await HeldRun.open(readRequest(requestWith(commands), texts), { atMs: 10_000, commands });
  expect((await held.run({ atMs: 10_000, text: "logs hello" })).lines).toEqual(["hello"]);
  await held.close();
}, 240_000);

const workloads = `apiVersion: apps/v1
kind: Deployment
metadata: { name: shop }
spec:
  replicas: 2
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec: { containers: [{ name: main, image: "shop:1" }] }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: sweep }
spec:
  schedule: 0 0 1 1 *
  jobTemplate:
    spec:
      template:
        spec: { restartPolicy: Never, containers: [{ name: main, image: busybox, command: [sh, -c, "echo swept"] }] }
`;

test("workloads are patched, rolled back, labeled and restarted, and nodes are tainted", async () => {
  const commands = [{ atMs: 1_000, text: "apply", yaml: workloads }];
  const atMs = 30_000;
  const held = await HeldRun.open(readRequest(requestWith(commands), texts), { atMs, commands });
  const run = (text: string) => held.run({ atMs, text });
  const told = async (text: string) => (await run(text)).lines.join("\n");
  expect(await told("-n default rollout status deployment/shop")).toBe('deployment "shop" successfully rolled out');
  expect(await told("rollout undo deployment/shop")).toMatch(/^error: no rollout history found/);
  expect(await told("set image deployment/shop mian=shop:2")).toBe(
    'error: unable to find container named "mian"; its containers are main',
  );
  expect(await run("set image deployment/shop main=shop:2")).toEqual({
    lines: ["deployment.apps/shop image updated"],
    isChange: true,
  });
  // Time passes while the drain waits.
  await run("drain node-1 --ignore-daemonsets --force");
  expect(await told("rollout history deployment/shop")).toMatch(/REVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>/);
  expect(await told("rollout undo deployment/shop")).toBe("deployment.apps/shop rolled back");
  expect(await told("get deployment shop -o yaml")).toContain("image: shop:1");
  expect(await told("rollout pause deployment/shop")).toBe("deployment.apps/shop paused");
  expect(await told("rollout restart deployment/shop")).toMatch(/^error: can't restart paused deployment/);
  expect(await told("rollout resume deployment/shop")).toBe("deployment.apps/shop resumed");
  expect(await told("rollout restart deployment/shop")).toBe("deployment.apps/shop restarted");
  expect(await run("rollout status deployment/shop")).toMatchObject({ isChange: false });

  const patch = `kubectl -n default patch deployment/shop -p='{"spec":{"replicas":3}}'`;
  expect(await told(patch)).toBe("deployment.apps/shop patched");
  expect(await told(patch)).toBe("deployment.apps/shop patched (no change)");
  expect(await told(`patch deployment/shop --type=json -p='[{"op":"remove","path":"/spec/x"}]'`)).toMatch(
    /^Error from server \(Invalid\)/,
  );

  expect(await told("taint node node-3 a=b:NoSchedule")).toBe("node/node-3 tainted");
  expect(await told("taint node node-3 a=c:NoSchedule")).toMatch(/^error: node node-3 already has a taint\(s\)/);
  expect(await told("taint node node-3 a=c:NoSchedule --overwrite")).toBe("node/node-3 tainted");
  expect(await told("taint node node-3 a:NoSchedule-")).toBe("node/node-3 untainted");
  expect(await told("taint node node-3 a-")).toBe('error: taint "a" not found');

  expect(await told("label deployment shop tier=front")).toBe("deployment.apps/shop labeled");
  expect(await told("label deployment shop tier=back")).toBe(
    "error: 'tier' already has a value (front), and --overwrite is false",
  );
  expect(await told("get deployments -l tier=front --show-labels")).toMatch(/LABELS\nshop .* tier=front$/);
  expect(await told("annotate deployment shop note=new")).toBe("deployment.apps/shop annotated");

  expect(await told("create job now --from=cronjob/sweep")).toBe("job.batch/now created");
  expect(await told("get jobs")).toMatch(/now +/);
  expect(await told("get pods -A --field-selector=spec.nodeName=node-3")).toMatch(/^NAME|^No resources/);
  expect(await told("logs deployment/shop")).toMatch(/^Found \d pods, using pod\/shop-|nothing/);
  await held.close();
}, 240_000);

test("a person may ask for 500 pods at once", async () => {
  const commands = [{ atMs: 10_000, text: "scale rs web --replicas=500" }];
  const { report, story } = await recordScenario(
    readRequest({ ...requestWith(commands), settings: ["profile=kubernetes", "run=65s"] }, texts),
    commands,
  );
  expect(report.failure).toBeUndefined();
  expect(
    story()
      .pods?.find(({ workload }) => workload === "web")
      ?.samples.at(-1)?.wanted,
  ).toBe(500);
}, 240_000);
