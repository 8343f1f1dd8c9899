import fc from "fast-check";
import { expect, test } from "vitest";
import { UnusableCommand } from "./kubectl-command.ts";
import { parseCommand } from "./parse-command.ts";

const place = { namespace: "default", allNamespaces: false };

test.each([
  ["get pods", { is: "get", target: { type: "pods", names: [], ...place }, output: "table", selector: "" }],
  [
    "kubectl get po web-0 -n shop -o yaml",
    {
      is: "get",
      target: { type: "po", names: ["web-0"], namespace: "shop", allNamespaces: false },
      output: "yaml",
      selector: "",
    },
  ],
  [
    "get deploy/web deploy/db -A --selector=app=web",
    {
      is: "get",
      target: { type: "deploy", names: ["web", "db"], namespace: "default", allNamespaces: true },
      output: "table",
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
    { is: "logs", namespace: "default", pod: "web-0", container: "main", tailLines: 20, previous: true },
  ],
  ["explain pod.spec.tolerations", { is: "explain", path: ["pod", "spec", "tolerations"] }],
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
  ["a".repeat(1_001), "at most 1000 characters"],
])("%s is rejected with a sentence", (line, sentence) => {
  expect(() => parseCommand(line)).toThrow(UnusableCommand);
  expect(() => parseCommand(line)).toThrow(sentence);
});

test("any line is parsed or rejected", () => {
  const word = fc.constantFrom(
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
