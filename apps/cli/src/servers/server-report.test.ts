import { expect, test } from "vitest";
import { etcdRole } from "./server-report.ts";

const metrics = (hasLeader: number, isLeader: number) => `# HELP etcd_server_has_leader Whether or not a leader exists.
# TYPE etcd_server_has_leader gauge
etcd_server_has_leader ${hasLeader}
etcd_server_is_leader ${isLeader}
`;

test.each([
  ["leader", metrics(1, 1)],
  ["member", metrics(1, 0)],
  ["without leader", metrics(0, 0)],
  ["without leader", ""],
  ["silent", undefined],
])("a member of etcd is shown as %s", (role, text) => {
  expect(etcdRole(text)).toBe(role);
});
