import { expect, test } from "vitest";
import { chooseLogs, logFilesIn } from "./log-files.ts";

const files = [
  "api-server.log",
  "kubelet-node-1.log",
  "kubelet-server.log",
  "csi-lab.log",
  "csi-lab-node-1.log",
  "api-server.log.1",
];
const logs = logFilesIn(files, ["node-1", "server"]);

test("the name of a log consists of a program and its machine", () => {
  expect(logs.map(({ program, machine }) => [program, machine])).toEqual([
    ["api-server", undefined],
    ["csi-lab", "node-1"],
    ["csi-lab", undefined],
    ["kubelet", "node-1"],
    ["kubelet", "server"],
  ]);
});

test.each<[string | undefined, string | undefined, string[]]>([
  [
    undefined,
    undefined,
    ["api-server.log", "csi-lab-node-1.log", "csi-lab.log", "kubelet-node-1.log", "kubelet-server.log"],
  ],
  ["kubelet", undefined, ["kubelet-node-1.log", "kubelet-server.log"]],
  ["kubelet@node-1", undefined, ["kubelet-node-1.log"]],
  ["kubelet", "server", ["kubelet-server.log"]],
  [undefined, "node-1", ["csi-lab-node-1.log", "kubelet-node-1.log"]],
])("%s with --node %s selects %j", (program, machine, chosen) => {
  expect(chooseLogs(logs, { program, machine })).toMatchObject(chosen.map((file) => ({ file })));
});

test("a wrong name is reported with the valid names", () => {
  expect(chooseLogs(logs, { program: "kubelt", machine: undefined })).toBe(
    'there is no log of a program "kubelt" (did you mean kubelet?); there are logs of api-server, csi-lab, kubelet',
  );
  expect(chooseLogs(logs, { program: "kubelet", machine: "node-9" })).toBe(
    'there is no such log of "node-9"; there is kubelet on node-1, server',
  );
  expect(chooseLogs(logs, { program: "api-server", machine: "node-1" })).toBe(
    'there is no such log of "node-1"; there is api-server on the host only',
  );
});
