import { expect, test } from "vitest";
import { InvalidSpec } from "./invalid-spec.ts";
import { withPluginsOfUp } from "./control-plane/admission-plugins.ts";
import {
  argsAppendedTo,
  contradictionsOf,
  flagsGivenTo,
  joinDesired,
  storedBy,
  type DesiredSettings,
} from "./desired-settings.ts";

const files = { cloudGroups: "/run/groups.json", auditLog: "/logs/audit.log" };
const registry = (host: string) => ({ host, endpoints: [`http://${host}`], insecure: true });

test("a flag overrides the file, and flags of kubelets and registries are added to the file's", () => {
  const file: DesiredSettings = { devices: 2, profile: "fast", kubeletArg: ["v=1"], insecureRegistry: [registry("a")] };
  const flags: DesiredSettings = { devices: 3, kubeletArg: ["v=2"], insecureRegistry: [registry("b")] };
  expect(joinDesired(file, flags)).toEqual({
    devices: 3,
    profile: "fast",
    kubeletArg: ["v=1", "v=2"],
    insecureRegistry: [registry("a"), registry("b")],
  });
});

test("the number of --nodes and the nodes of a file exclude each other", () => {
  expect(() => joinDesired({ nodes: [{}] }, { nodes: 2 })).toThrow(InvalidSpec);
});

test("a cluster without desired settings has three nodes, proxies, a storage driver and egress", () => {
  const stored = storedBy({});
  expect(stored).toMatchObject({ profile: "default", apiPort: 6443, csi: true });
  expect(stored.nodes.map(({ name }) => name)).toEqual(["node-1", "node-2", "node-3"]);
  expect(Object.keys(stored).sort()).toEqual(["apiPort", "csi", "nodes", "profile"]);
});

test("registries of both kinds are stored in one list", () => {
  const mirror = { host: "docker.io", endpoints: ["http://m"], insecure: false };
  expect(storedBy({ insecureRegistry: [registry("a")], registryMirror: [mirror] }).registries).toEqual([
    registry("a"),
    mirror,
  ]);
});

test.each<[string, DesiredSettings, DesiredSettings]>([
  ["3 nodes, not 2", {}, { nodes: 2 }],
  ["other nodes", { nodes: [{ name: "a" }] }, { nodes: [{ name: "b" }] }],
  ["profile default, not fast", {}, { profile: "fast" }],
  ["API port 6443, not 7000", {}, { apiPort: 7000 }],
  ["other registries", {}, { insecureRegistry: [registry("a")] }],
  ["kubelet flags of its own, not v=2", {}, { kubeletArg: ["v=2"] }],
  [
    "api-server flags event-ttl=1h, not event-ttl=2h",
    { apiServerArg: ["event-ttl=1h"] },
    { apiServerArg: ["event-ttl=2h"] },
  ],
  ["no audit policy", {}, { auditPolicy: "/a.yaml" }],
  ["another encryption configuration", { encryption: "/a.yaml" }, { encryption: "/b.yaml" }],
  ["OCI runtime runc, not crun", {}, { ociRuntime: "crun" }],
  ["proxies", {}, { proxy: false }],
  ["a storage driver", {}, { csi: false }],
  ["egress from this host", {}, { egress: false }],
  ["Kubernetes 1.34, not 1.35", { kubernetesVersion: "1.34" }, { kubernetesVersion: "1.35" }],
  ["no Ingress controller", {}, { ingress: true }],
  ["no external IPs of Services", {}, { externalIps: true }],
  ["no rebalancing", {}, { rebalance: true }],
  ["traces sent to no collector", {}, { traces: "http://127.0.0.1:4318" }],
  ["no cloud", {}, { cloud: { machinesMax: 1 } }],
  ["a cloud of at most 1 machine", { cloud: { machinesMax: 1 } }, { cloud: { machinesMax: 2 } }],
  ["0 hollow nodes, not 5", {}, { hollow: 5 }],
  ["0 devices on each node, not 2", {}, { devices: 2 }],
  ["1 server, not 3", {}, { servers: 3 }],
  ["other images", { images: ["a"] }, { images: [] }],
  ["other ports", {}, { portForwards: [{ hostPort: 1, node: "node-1", nodePort: 1 }] }],
])("an existing cluster with %s rejects the desired setting", (text, present, desired) => {
  expect(contradictionsOf(storedBy(present), desired)).toEqual([text]);
  expect(contradictionsOf(storedBy(present), present)).toEqual([]);
  expect(contradictionsOf(storedBy(present), {})).toEqual([]);
});

test("settings set flags of the programs that they concern", () => {
  const stored = storedBy({ rebalance: true, proxy: false, kubernetesVersion: "1.34", cloud: { machinesMax: 4 } });
  const common = { profile: "default", "emulated-version": "1.34" };
  expect(flagsGivenTo("controller-manager", stored, files)).toEqual({ ...common, rebalance: "true" });
  expect(flagsGivenTo("scheduler", stored, files)).toEqual(common);
  expect(flagsGivenTo("kubelet", stored, files)).toEqual({
    ...common,
    "node-has-proxy": "false",
    "cloud-provider": "external",
  });
  expect(flagsGivenTo("cloud-lab", stored, files)).toEqual({ "pool-max": 4 });
});

test("files of a topology become flags of the API server", () => {
  const stored = storedBy({ auditPolicy: "/a.yaml", authentication: "/b.yaml", encryption: "/c.yaml" });
  expect(flagsGivenTo("api-server", stored, files)).toMatchObject({
    "audit-policy-file": "/a.yaml",
    "audit-log-path": "/logs/audit.log",
    "authentication-config": "/b.yaml",
    "encryption-provider-config": "/c.yaml",
  });
});

test.each([
  [
    "are added to the plugins of up",
    ["enable-admission-plugins=A,B", "v=2"],
    ["v=2", "enable-admission-plugins=Deny,A,B"],
  ],
  [
    "of up are disabled",
    ["disable-admission-plugins=Deny"],
    ["disable-admission-plugins=Deny", "enable-admission-plugins="],
  ],
  ["of up are kept next to other flags", ["v=2"], ["v=2"]],
])("plugins of a user %s", (_, args, expected) => {
  expect(withPluginsOfUp({ "enable-admission-plugins": "Deny" }, args)).toEqual(expected);
  expect(withPluginsOfUp({}, args)).toEqual(args);
});

test("flags of a user follow all other flags", () => {
  expect(argsAppendedTo("kubelet", storedBy({ kubeletArg: ["v=2"] }))).toEqual(["v=2"]);
  expect(argsAppendedTo("scheduler", storedBy({ kubeletArg: ["v=2"] }))).toEqual([]);
});
