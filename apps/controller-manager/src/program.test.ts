import { join } from "node:path";
import { parseIpv4Range, profiles } from "@kintsugi/api";
import { flagsOf } from "@kintsugi/daemon";
import { testDocumentedFile, testDocumentedOptions } from "@kintsugi/daemon/testing";
import { describe, expect, test } from "vitest";
import { program } from "./program.ts";
import { enabledControllersFlag } from "./enabled-controllers.ts";
import { readNodeRanges } from "./controllers/node-ipam/options.ts";
import { controllerDefaults, controllerOptions } from "./controller-options.ts";

const required = ["--kubeconfig=k", "--tls-cert-file=c", "--tls-private-key-file=p", "--client-ca-file=a"];

describe("the command line", () => {
  test("without any option is the default profile on upstream's port with leader election", () => {
    const config = program.readConfig(required);
    expect(config.controllers).toEqual(controllerDefaults());
    expect(config.health.port).toBe(10257);
    expect(config.leaderElection).toEqual({
      namespace: "kube-system",
      name: "kube-controller-manager",
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
    });
  });

  test("with the profile kubernetes behaves as upstream", () => {
    const { controllers } = program.readConfig([...required, "--profile=kubernetes"]);
    expect(controllers).toMatchObject({
      nodeMonitorGracePeriodMs: 50_000,
      evictionPdbPolicy: "ignore",
      announceEvictionPauses: false,
    });
  });

  test("lets single flags override the profile", () => {
    const flags = [
      "--profile=fast",
      "--node-monitor-grace-period=7s",
      "--eviction-pdb-policy=ignore",
      "--leader-elect=false",
    ];
    const { controllers, leaderElection } = program.readConfig([...required, ...flags]);
    expect(controllers.nodeMonitorGracePeriodMs).toBe(7000);
    expect(controllers.nodeMonitorPeriodMs).toBe(profiles.fast.nodeMonitorPeriodMs);
    expect(controllers.evictionPdbPolicy).toBe("ignore");
    expect(leaderElection).toBeUndefined();
  });

  test("assigns pod ranges to nodes only if a flag enables it and names the range", () => {
    const ranges = ["--cluster-cidr=10.200.128.0/17", "--service-cluster-ip-range=10.96.0.0/16"];
    const rangesFor = (...flags: string[]) =>
      readNodeRanges(program.readConfig([...required, ...ranges, ...flags]).controllers);
    expect(rangesFor()).toBeUndefined();
    ranges.push("--node-cidr-reserved=10.200.128.0/20,10.200.160.0/24");
    expect(rangesFor("--allocate-node-cidrs")).toEqual({
      clusterCidr: parseIpv4Range("10.200.128.0/17"),
      nodeCidrMaskSize: 24,
      reserved: [parseIpv4Range("10.200.128.0/20"), parseIpv4Range("10.200.160.0/24")],
      serviceCidr: parseIpv4Range("10.96.0.0/16"),
    });
  });

  test.each([
    { flags: [], says: "--allocate-node-cidrs needs --cluster-cidr" },
    { flags: ["--cluster-cidr=fd00::/64"], says: '--cluster-cidr: "fd00::/64" is not an IPv4 range' },
    {
      flags: ["--cluster-cidr=10.0.0.0/16", "--node-cidr-reserved=10.0.0.0"],
      says: '--node-cidr-reserved: "10.0.0.0" is not an IPv4 range',
    },
    {
      flags: ["--cluster-cidr=10.0.0.0/25"],
      says: "--node-cidr-mask-size: the range 10.0.0.0/25 is smaller than a node's",
    },
    {
      flags: ["--cluster-cidr=10.0.0.0/16", "--node-cidr-mask-size=24.5"],
      says: "is not a whole number from 8 to 30",
    },
  ])("rejects the assignment of ranges by $flags", ({ flags, says }) => {
    expect(() => program.readConfig([...required, "--allocate-node-cidrs", ...flags])).toThrow(says);
  });

  test.each([
    { flag: "--profile=slow", says: '"slow" must be one of kubernetes, default, fast' },
    { flag: "--eviction-pdb-policy=maybe", says: "must be one of ignore, respect" },
    { flag: "--node-monitor-grace-period=40", says: "is not a duration" },
    { flag: "--controllers=*,-node", says: 'there is no controller "node"' },
  ])("rejects $flag and states the right value", ({ flag, says }) => {
    expect(() => program.readConfig([...required, flag])).toThrow(says);
  });
});

testDocumentedFile("controller-manager", program, { kubeconfig: "/etc/kintsugi/controller-manager.kubeconfig" });

testDocumentedOptions(join(import.meta.dirname, "../README.md"), {
  ...enabledControllersFlag,
  ...flagsOf(controllerOptions),
});
