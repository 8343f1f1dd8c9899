import { readFile, writeFile } from "node:fs/promises";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { runCommand } from "../host/run-command.ts";
import { planEgress, planNoEgress } from "./plan-egress.ts";

const forwarding = "/proc/sys/net/ipv4/ip_forward";

/**
 * Lets a cluster's nodes and pods reach the host's networks. May be repeated.
 * @throws where the host does not allow it.
 */
export async function applyEgress(spec: ClusterSpec): Promise<void> {
  await restore(planEgress(spec, await savedRules()));
  // The setting stays when the cluster goes: another program may have come to need it in the
  // meantime.
  if ((await readFile(forwarding, "utf8")).trim() === "0") await writeFile(forwarding, "1");
}

/**
 * Takes the rules of the cluster of that name away; where iptables is not installed there are none.
 */
export async function removeEgress(name: string): Promise<void> {
  await restore(planNoEgress(name, await savedRules().catch(() => "")));
}

/** Reports whether rules of the cluster of that name are there. */
export async function hasEgress(name: string): Promise<boolean> {
  return planNoEgress(name, await savedRules().catch(() => "")) !== undefined;
}

/** All tables' rules, as iptables-save prints them. */
function savedRules(): Promise<string> {
  return runCommand("iptables-save", []);
}

/** Applies all of a table's lines or none. Waits for other programs that change rules. */
async function restore(script: string | undefined): Promise<void> {
  if (script !== undefined) await runCommand("iptables-restore", ["--wait", "--noflush"], { input: script });
}
