import { expect, test } from "vitest";
import { findProgram, runCommand } from "@kintsugi/daemon";
import { newClusterSpec } from "../cluster/cluster-spec.ts";
import { planEgress, planNoEgress } from "./plan-egress.ts";

const spec = newClusterSpec({
  name: "lab",
  profile: "default",
  nodeCount: 1,
  apiPort: 6443,
  subnet: 64,
  createdAtMs: 0,
});

/**
 * The output of iptables-save 1.8, with rules of Docker and of another cluster whose name has the
 * same prefix.
 */
const others = `*filter
:FORWARD DROP [0:0]
-A FORWARD -o docker0 -j DOCKER
-A FORWARD -i kn-000000 -m comment --comment "kintsugi:lab-2" -j ACCEPT
COMMIT
*nat
-A POSTROUTING -s 172.17.0.0/16 ! -o docker0 -j MASQUERADE
COMMIT
`;

test("packets that leave the cluster get the host's address, and only replies return", () => {
  expect(planEgress(spec, others)?.split("\n")).toEqual([
    "*nat",
    "-A POSTROUTING -s 10.64.0.0/16 ! -d 10.64.0.0/16 ! -o kn-a51146 -m comment --comment kintsugi:lab -j MASQUERADE",
    "COMMIT",
    "*filter",
    "-I FORWARD -i kn-a51146 -m comment --comment kintsugi:lab -j ACCEPT",
    "-I FORWARD -o kn-a51146 -m conntrack --ctstate RELATED,ESTABLISHED -m comment --comment kintsugi:lab -j ACCEPT",
    "COMMIT",
    "",
  ]);
  expect(planNoEgress("lab", others)).toBeUndefined();
});

test("incomplete rules are completed by removing them first", () => {
  const half = '*nat\n-A POSTROUTING -s 10.64.0.0/16 -m comment --comment "kintsugi:lab" -j MASQUERADE\nCOMMIT\n';
  const lines = planEgress(spec, `${others}${half}`)?.split("\n") ?? [];
  expect(lines[1]).toBe('-D POSTROUTING -s 10.64.0.0/16 -m comment --comment "kintsugi:lab" -j MASQUERADE');
  expect(lines.filter((line) => line.startsWith("-D"))).toHaveLength(1);
  expect(lines.filter((line) => line.includes("MASQUERADE"))).toHaveLength(2);
});

const isRoot = process.getuid?.() === 0;
const hasIptables = ["iptables-save", "iptables-restore", "unshare"].every(
  (name) => findProgram(name, "") !== undefined,
);

const cannot = !isRoot || !hasIptables;

test.skipIf(cannot)(
  `the kernel accepts the rules, lists them recognizably, and removes them${cannot ? " (skipped: it needs root and iptables)" : ""}`,
  async () => {
    // One otherwise empty network namespace from the first command to the last.
    const script = (plan: string | undefined) => `iptables-restore --noflush <<'RULES'\n${plan}RULES\n`;
    const inNamespace = (commands: string) => runCommand("unshare", ["--net", "sh", "-ec", commands]);
    const docker = "iptables -P FORWARD DROP; iptables -A FORWARD -o docker0 -j DROP;";
    const there = await inNamespace(`${docker} ${script(planEgress(spec, ""))} iptables-save`);
    expect(planEgress(spec, there)).toBeUndefined();
    // The accepting rules precede the dropping rules.
    expect(there.indexOf("-i kn-a51146")).toBeLessThan(there.indexOf("docker0"));
    const gone = await inNamespace(
      `${docker} ${script(planEgress(spec, ""))} ${script(planNoEgress("lab", there))} iptables-save`,
    );
    expect(gone).not.toContain("kintsugi");
    expect(gone).toContain("docker0");
  },
);
