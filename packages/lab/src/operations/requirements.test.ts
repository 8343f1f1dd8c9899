import { expect, test } from "vitest";
import { divide, explainFindings, inspectHost, requirements } from "./requirements.ts";

const lacking = {
  isRoot: true,
  isLinux: true,
  hasApt: true,
  missing: requirements.filter((r) => r.package === "runc" || r.package === "nats-server"),
  optional: requirements.filter((r) => r.package === "crun"),
};

test("what is missing is named with the command that installs it", () => {
  expect(explainFindings(lacking)).toBe("This host lacks packages: install with `apt-get install nats-server runc`.");
  expect(explainFindings({ ...lacking, missing: [] })).toBeUndefined();
});

test("without root one sentence says so and names the packages too", () => {
  expect(explainFindings({ ...lacking, isRoot: false })).toBe(
    "Kintsugi creates network namespaces and containers, so it must run as root: run the command with sudo. It also needs these packages: nats-server runc.",
  );
});

test("a host with nothing on its path lacks only what lies nowhere", () => {
  const findings = inspectHost({ platform: "linux", uid: 1000, searchPath: "/nonexistent" });
  expect(findings.isRoot).toBe(false);
  for (const requirement of findings.missing) expect(requirements).toContain(requirement);
});

test("of the OCI runtimes a host needs the one that its nodes are to have", () => {
  const packages = (lacked: readonly { package: string }[]) => lacked.map((requirement) => requirement.package);
  const withRunc = divide(requirements, "runc");
  expect(packages(withRunc.missing)).toContain("runc");
  expect(packages(withRunc.optional)).toEqual(["crun", "nftables", "conntrack", "etcd-server", "haproxy"]);
  const withCrun = divide(requirements, "crun");
  expect(packages(withCrun.missing)).toContain("crun");
  expect(packages(withCrun.optional)).toEqual(["runc", "nftables", "conntrack", "etcd-server", "haproxy"]);
});
