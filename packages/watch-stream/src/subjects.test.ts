import { expect, test } from "vitest";
import {
  changeSubject,
  clusterFilter,
  escapeToken,
  marksSubject,
  nodeFilter,
  resourceFilter,
  resourceRoot,
} from "./subjects.ts";

const pods = { cluster: "lab", group: "", resource: "pods" };
const leases = { cluster: "lab", group: "coordination.k8s.io", resource: "leases" };

test.each([
  [
    changeSubject(resourceRoot(pods), { nodeName: "node-1", namespace: "default", name: "web-0" }),
    "lab.watch.core.pods.node-1.default.web-0",
  ],
  [
    changeSubject(resourceRoot(pods), { nodeName: "", namespace: "default", name: "web-0" }),
    "lab.watch.core.pods._.default.web-0",
  ],
  [
    changeSubject(resourceRoot(leases), { nodeName: "node.a", namespace: "kube-node-lease", name: "node.a" }),
    "lab.watch.coordination=2Ek8s=2Eio.leases.node=2Ea.kube-node-lease.node=2Ea",
  ],
  [marksSubject("my lab"), "my=20lab.watch.marks"],
  [resourceFilter(pods), "lab.watch.core.pods.>"],
  [nodeFilter(leases, "node-1"), "lab.watch.coordination=2Ek8s=2Eio.leases.node-1.*.*"],
  [clusterFilter("my lab"), "my=20lab.watch.>"],
])("subject %s", (subject, expected) => {
  expect(subject).toBe(expected);
});

test.each([
  ["system:node", "system=3Anode"],
  ["*", "=2A"],
  [">", "=3E"],
  ["a b", "a=20b"],
  ["ü", "=C3=BC"],
  ["a=b", "a=3Db"],
  ["\r\n", "=0D=0A"],
])("%j is escaped, so that no name can widen a filter or break a line", (text, expected) => {
  expect(escapeToken(text)).toBe(expected);
});

test("a part that is itself an underscore differs from an absent part", () => {
  expect(changeSubject(resourceRoot(pods), { nodeName: "_", namespace: "_", name: "_" })).toBe(
    "lab.watch.core.pods.=5F.=5F._",
  );
});

test("a very long name is shortened so that the line fits the server's limit", () => {
  const subject = changeSubject(resourceRoot(pods), {
    nodeName: "n".repeat(253),
    namespace: "x".repeat(63),
    name: ":".repeat(5000),
  });
  expect(subject.length).toBeLessThan(1024);
});
