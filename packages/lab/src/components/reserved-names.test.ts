import { expect, test } from "vitest";
import { newClusterSpec } from "../cluster/cluster-spec.ts";
import { planServers } from "../settings/control-plane/servers.ts";
import { planNewNodes } from "../settings/nodes/new-nodes.ts";
import { certificateRequests } from "./certificate-requests.ts";

const spec = newClusterSpec({
  name: "c",
  nodeCount: 1,
  profile: "fast",
  apiPort: 1,
  subnet: 64,
  createdAtMs: 0,
  servers: planServers(3) ?? [],
});
const ofNodes = new Set(spec.nodes.map(({ name }) => name));
const ofControlPlane = Object.keys(certificateRequests(spec)).filter((name) => !ofNodes.has(name));

test("services and servers have reserved identities", () => {
  expect(ofControlPlane).toEqual(expect.arrayContaining(["csi-controller", "api-server-3"]));
});

test.each([...ofControlPlane, "front-proxy-ca", "front-proxy-client"])(
  "no node can be named %s, whose certificate it would overwrite",
  (name) => {
    expect(() => planNewNodes([], [{ name }])).toThrow(/files of the control plane have this name/);
  },
);
