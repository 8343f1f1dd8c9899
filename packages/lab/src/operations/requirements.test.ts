import { expect, test } from "vitest";
import { canInstall, clusterRequirements, divide, explainFindings, inspectHost, requirements } from "./requirements.ts";

const lacking = {
  isRoot: true,
  isLinux: true,
  canInstall: true,
  missing: requirements.filter((r) => r.package === "runc" || r.package === "nats-server"),
  optional: requirements.filter((r) => r.package === "crun"),
};

test("missing programs are named with the command that installs them", () => {
  expect(explainFindings(lacking)).toBe("This host lacks packages: install with `apt-get install nats-server runc`.");
  expect(explainFindings({ ...lacking, missing: [] })).toBeUndefined();
});

test("without root a single sentence reports it and names the packages too", () => {
  expect(explainFindings({ ...lacking, isRoot: false })).toBe(
    "Kintsugi creates network namespaces and containers, so it must run as root: run the command with sudo. It also needs these packages: nats-server runc. These commands need neither Linux nor root: `kintsugi simulate`, `kintsugi test-server` and `kintsugi playground`.",
  );
});

test("on a system other than Linux the commands that work there are named", () => {
  expect(explainFindings({ ...lacking, isLinux: false })).toBe(
    "Nodes with real containers need Linux. These commands need neither Linux nor root: `kintsugi simulate`, `kintsugi test-server` and `kintsugi playground`.",
  );
});

test("a host with an empty PATH lacks only programs outside the usual directories", () => {
  const findings = inspectHost({ platform: "linux", uid: 1000, searchPath: "/nonexistent" });
  expect(findings.isRoot).toBe(false);
  for (const requirement of findings.missing) expect(requirements).toContain(requirement);
});

test("a host needs only the OCI runtime that its nodes use", () => {
  const packages = (lacked: readonly { package: string }[]) => lacked.map((requirement) => requirement.package);
  const withRunc = divide(clusterRequirements, "runc");
  expect(packages(withRunc.missing)).toContain("runc");
  expect(packages(withRunc.optional)).toEqual(["crun", "nftables", "conntrack", "etcd-server", "haproxy"]);
  const withCrun = divide(clusterRequirements, "crun");
  expect(packages(withCrun.missing)).toContain("crun");
  expect(packages(withCrun.optional)).toEqual(["runc", "nftables", "conntrack", "etcd-server", "haproxy"]);
});

test("no cluster is rejected for a program that only tests use", () => {
  const { missing, optional } = inspectHost({ platform: "linux", uid: 0, searchPath: "/nonexistent" });
  expect([...missing, ...optional].filter(({ isForTests }) => isForTests)).toEqual([]);
});

test("packages are installed only by root and only on Linux", () => {
  const host = { platform: "linux", uid: 0, searchPath: "/usr/bin" };
  expect(canInstall({ ...host, uid: 1000 })).toBe(false);
  expect(canInstall({ ...host, platform: "darwin" })).toBe(false);
});
