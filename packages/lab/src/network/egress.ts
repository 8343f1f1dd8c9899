import { readFile, writeFile } from "node:fs/promises";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { runCommand } from "@kintsugi/daemon";
import { planEgress, planNoEgress } from "./plan-egress.ts";

const forwarding = "/proc/sys/net/ipv4/ip_forward";

/**
 * Allows a cluster's nodes and pods to reach the host's networks. Repeatable.
 * @throws if the host does not allow it.
 */
export async function applyEgress(spec: ClusterSpec): Promise<void> {
  await restore(planEgress(spec, await savedRules()));
  // The setting remains when the cluster is removed, because another program may need it by then.
  if ((await readFile(forwarding, "utf8")).trim() === "0") await writeFile(forwarding, "1");
}

/**
 * Removes the rules of the cluster of that name; a host without iptables has no rules to remove.
 */
export async function removeEgress(name: string): Promise<void> {
  await restore(planNoEgress(name, await savedRules().catch(() => "")));
}

/** Reports whether rules of the cluster of that name exist. */
export async function hasEgress(name: string): Promise<boolean> {
  return planNoEgress(name, await savedRules().catch(() => "")) !== undefined;
}

/** The rules of all tables in the format of iptables-save. */
function savedRules(): Promise<string> {
  return runCommand("iptables-save", []);
}

/** Applies a table's lines atomically. Waits for other programs that change rules. */
async function restore(script: string | undefined): Promise<void> {
  if (script !== undefined) await runCommand("iptables-restore", ["--wait", "--noflush"], { input: script });
}
