import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commandHere } from "@kintsugi/explanation/commands";
import { expect, test } from "vitest";
import { describeCommand, execCommand, explainCommand, getCommand, logsCommand } from "./commands.ts";
import { actionsOnNode, actionsOnPod, actionsOnWorkload } from "./lab-actions.ts";

const pod = { kind: "Pod", namespace: "a", name: "web" };
const states = (["on", "off"] as const).flatMap((power) =>
  (["up", "down"] as const).flatMap((link) =>
    (["running", "stopped"] as const).map((kubelet) => ({ power, link, kubelet })),
  ),
);
const running = { state: { running: {} }, name: "c" };

/** Every command that the page offers for an object. */
const offered: readonly string[] = [
  ...states.flatMap((machine) =>
    [true, false].flatMap((unschedulable) =>
      actionsOnNode("node-1", machine, { spec: { unschedulable } } as never).map(({ command }) => command),
    ),
  ),
  ...actionsOnPod({
    metadata: { namespace: "a", name: "web" },
    spec: { containers: [{ name: "c", resources: { limits: { memory: "1Gi" } } }] },
    status: { containerStatuses: [running] },
  } as never).map(({ command }) => command),
  ...actionsOnWorkload({ ...pod, kind: "Deployment" }, { spec: { replicas: 2 } } as never).map(
    ({ command }) => command,
  ),
  describeCommand(pod),
  getCommand(pod),
  logsCommand(pod, { container: "c", previous: true }),
  execCommand(pod, "c", ["sh"]),
  explainCommand(pod),
];

test.each([...new Set(offered)])("%s names its cluster when it is copied", (command) => {
  expect(commandHere(command, { name: "nw" })).toMatch(/ --name nw( |$)|^kubectl --context kintsugi-nw /);
});

test("the views show cluster commands only through the view that completes them", () => {
  const views = join(import.meta.dirname, "../views");
  const files = readdirSync(views, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".tsx"));
  const bare = files.filter((file) => readFileSync(join(views, file), "utf8").includes("<CommandLine"));
  expect(bare.toSorted()).toEqual([
    "detail/command-line.tsx",
    // The command of a lesson starts its own cluster.
    "playground/lesson-panel.tsx",
    "playground/playground-controls.tsx",
    // The lines of this panel are links.
    "share/share-panel.tsx",
  ]);
});
