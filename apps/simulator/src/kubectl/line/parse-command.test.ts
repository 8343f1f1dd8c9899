import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UnusableCommand } from "../kubectl-command.ts";
import { parseCommand } from "./parse-command.ts";

const everything = { selector: "", fieldSelector: "", showsLabels: false };
const place = { namespace: "default", allNamespaces: false };

test.each([
  ["get pods", { is: "get", target: { type: "pods", names: [], ...place }, output: "table", ...everything }],
  [
    "kubectl get po web-0 -n shop -o yaml",
    {
      is: "get",
      target: { type: "po", names: ["web-0"], namespace: "shop", allNamespaces: false },
      output: "yaml",
      ...everything,
    },
  ],
  [
    "get deploy/web deploy/db -A --selector=app=web",
    {
      is: "get",
      target: { type: "deploy", names: ["web", "db"], namespace: "default", allNamespaces: true },
      output: "table",
      ...everything,
      selector: "app=web",
    },
  ],
  [
    "scale deployment web --replicas 8",
    { is: "scale", target: { type: "deployment", names: ["web"], ...place }, replicas: 8 },
  ],
  ["cordon node/node-1", { is: "cordon", node: "node-1" }],
  [
    "drain node-2 --ignore-daemonsets --force",
    { is: "drain", node: "node-2", ignoresDaemonSets: true, deletesEmptyDirs: false, force: true },
  ],
  ["delete pod web-0 --now", { is: "delete", target: { type: "pod", names: ["web-0"], ...place }, graceSeconds: 1 }],
  [
    "logs pod/web-0 -c main --tail=20 -p",
    {
      is: "logs",
      namespace: "default",
      owner: { type: "pod", name: "web-0" },
      container: "main",
      allContainers: false,
      tailLines: 20,
      previous: true,
    },
  ],
  ["explain pod.spec.tolerations", { is: "explain", path: ["pod", "spec", "tolerations"] }],
  [
    "-n shop --output=wide get pods --field-selector=spec.nodeName=node-1 --show-labels",
    {
      is: "get",
      target: { type: "pods", names: [], namespace: "shop", allNamespaces: false },
      output: "wide",
      selector: "",
      fieldSelector: "spec.nodeName=node-1",
      showsLabels: true,
    },
  ],
  [
    "taint node node-1 node-2 a=b:NoSchedule c- d:NoExecute-",
    {
      is: "taint",
      nodes: ["node-1", "node-2"],
      taints: {
        added: [{ key: "a", value: "b", effect: "NoSchedule" }],
        removed: [{ key: "c" }, { key: "d", effect: "NoExecute" }],
      },
      overwrite: false,
    },
  ],
  [
    "rollout undo deployment/web -nshop",
    { is: "rollout", action: "undo", target: { ...place, type: "deployment", names: ["web"], namespace: "shop" } },
  ],
  [
    `patch pod web-0 --type=json -p='[{"op": "remove", "path": "/a b"}]'`,
    {
      is: "patch",
      target: { type: "pod", names: ["web-0"], ...place },
      form: "json",
      patch: [{ op: "remove", path: "/a b" }],
      subresource: "",
    },
  ],
  [
    "set image deployment/web main=web:2",
    { is: "set", target: { type: "deployment", names: ["web"], ...place }, images: { main: "web:2" } },
  ],
  [
    "label pod web-0 app=db tier- --overwrite",
    {
      is: "label",
      target: { type: "pod", names: ["web-0"], ...place },
      values: { app: "db", tier: null },
      overwrite: true,
    },
  ],
  [
    `annotate node n1 note="it's \\"old\\""`,
    {
      is: "annotate",
      target: { type: "node", names: ["n1"], ...place },
      values: { note: `it's "old"` },
      overwrite: false,
    },
  ],
  ["create job now --from=cronjob/sweep", { is: "create", namespace: "default", job: "now", cronJob: "sweep" }],
  ["apply -f - --server-side", { is: "apply", namespace: "default" }],
])("%s", (line, command) => expect(parseCommand(line)).toEqual(command));

test.each([
  ["", "write a command: get, describe"],
  ["gett pods", 'did you mean "get"?'],
  ["get", "write a kind: get pods"],
  ["get pods -o xml", "--output must be one of wide, name, yaml, json"],
  ["get pods --watch", "get has no flag --watch; its flags here are --namespace"],
  ["get pods -n", "--namespace needs a value"],
  ["scale deployment web", "write the number"],
  ["explain pod web", "the page explains an object in its tab Why"],
  ["scale deployment web --replicas=-1", "--replicas must be a whole number"],
  ["delete pods", "write a name: delete pods NAME"],
  ["get deploy/web pod/x", "write KIND/NAME of one kind"],
  ["drain node-1 node-2", "write one node"],
  ['get "pods', "a quotation mark is not closed"],
  ["taint node node-1 a=b", "the effect of a taint is NoSchedule"],
  ["taint node-1 a=b:NoSchedule", "write the node and the taint"],
  ["rollout deployment/web", "write what to do: rollout status"],
  ["patch pod web-0", "write the patch"],
  ["patch pod web-0 -p={", "--patch must be JSON"],
  ["patch pod web-0 -p={} --type=x", "--type must be one of strategic, merge, json"],
  ["patch pod web-0 -p={} --subresource=../x", "--subresource must be status or scale"],
  ["set image deployment/web main=", "write the image"],
  ["label pod web-0", "write the value"],
  ["create job x", "create makes the Job of a CronJob here"],
  ["-n shop", "write a command"],
  ["a".repeat(1_001), "at most 1000 characters"],
])("%s is rejected with a sentence", (line, sentence) => {
  expect(() => parseCommand(line)).toThrow(UnusableCommand);
  expect(() => parseCommand(line)).toThrow(sentence);
});

test("any line is parsed or rejected", () => {
  const word = fc.constantFrom(
    "taint",
    "node",
    "patch",
    "-p",
    "label",
    "a=b:c-",
    "\\",
    "get",
    "pods",
    "-n",
    "--replicas=",
    "scale",
    "/",
    "constructor",
    "--",
    '"',
    "drain",
    "-o",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.string())), (words) => {
      try {
        parseCommand(words.join(" "));
        return true;
      } catch (error) {
        return error instanceof UnusableCommand;
      }
    }),
  );
});

describe("the command bar accepts each command that an explanation proposes", () => {
  const folder = join(import.meta.dirname, "../../../../../packages/explanation/src");
  const proposed = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .flatMap((file) => [
      ...readFileSync(join(folder, file), "utf8").matchAll(
        /kubectlCommand\(\s*[\w."]+,\s*((?:[^()]|\([^()]*\))*?),?\s*\)/g,
      ),
    ])
    .map(([, words = ""]) => words.replaceAll(/\s+/g, " "))
    .filter((words) => words.startsWith('"') && !words.startsWith('"top"'));

  test("the commands are found", () => expect(proposed.length).toBeGreaterThan(30));

  test.each([...new Set(proposed)])("%s", (words) => {
    const text = words
      .split(/, (?=["`'\w])/)
      .map((word) =>
        /^["'`]/.test(word)
          ? word
              .slice(1, -1)
              .replace("${patch}", "{}")
              .replace("${effect}", "NoExecute")
              .replaceAll(/\$\{[^}]*\}/g, "x")
          : "pod/x",
      )
      .map((word) => (word === "pod/x" && words.startsWith('"taint"') ? "node-1" : word))
      .map((word) => `'${word}'`)
      .join(" ");
    expect(() => parseCommand(`kubectl -n shop ${text}`)).not.toThrow();
  });
});
