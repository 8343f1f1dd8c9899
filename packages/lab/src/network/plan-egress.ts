import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { clusterAddresses } from "./addresses.ts";

// Nodes and pods reach the world beyond this host like Docker's containers, with the host's
// address. For the cluster `lab`:
//
//   *nat     POSTROUTING  from 10.64.0.0/16, not to itself   leaves with the host's address
//   *filter  FORWARD      from the bridge                    is accepted, even where Docker drops
//                                                            packets
//   *filter  FORWARD      to the bridge, in replies          is accepted; outsiders cannot connect
//
// Each rule has the cluster's name as its comment, by which it is found among all other rules.

/**
 * Returns the input for `iptables-restore --noflush`; undefined if all rules exist already. `saved`
 * is the output of iptables-save.
 */
export function planEgress(spec: ClusterSpec, saved: string): string | undefined {
  const { bridge, network } = clusterAddresses(spec);
  const comment = `-m comment --comment ${commentOf(spec.name)}`;
  const wanted: Rules = {
    nat: [`-A POSTROUTING -s ${network} ! -d ${network} ! -o ${bridge} ${comment} -j MASQUERADE`],
    // The rules precede all others, because Docker's last rule drops all unknown packets.
    filter: [
      `-I FORWARD -i ${bridge} ${comment} -j ACCEPT`,
      `-I FORWARD -o ${bridge} -m conntrack --ctstate RELATED,ESTABLISHED ${comment} -j ACCEPT`,
    ],
  };
  const own = ownRules(spec.name, saved);
  if (tables.every((table) => own[table].length === wanted[table].length)) return undefined;
  return restoring((table) => [...deletions(own[table]), ...wanted[table]]);
}

/** Returns the input that removes the rules; undefined without rules. */
export function planNoEgress(name: string, saved: string): string | undefined {
  const own = ownRules(name, saved);
  if (tables.every((table) => own[table].length === 0)) return undefined;
  return restoring((table) => deletions(own[table]));
}

const tables = ["nat", "filter"] as const;
type Table = (typeof tables)[number];
type Rules = Record<Table, readonly string[]>;

function commentOf(name: string): string {
  return `kintsugi:${name}`;
}

/** Depending on its version, iptables-save quotes a comment or not. */
function ownRules(name: string, saved: string): Rules {
  const own: Record<Table, string[]> = { nat: [], filter: [] };
  let table: Table | undefined;
  for (const line of saved.split("\n")) {
    if (line.startsWith("*")) table = tables.find((name) => line === `*${name}`);
    const [, comment] = /^-A .*--comment "?([^" ]+)"?(?: |$)/.exec(line) ?? [];
    if (comment === commentOf(name) && table !== undefined) own[table].push(line);
  }
  return own;
}

function deletions(rules: readonly string[]): string[] {
  return rules.map((rule) => rule.replace(/^-A/, "-D"));
}

function restoring(linesOf: (table: Table) => readonly string[]): string {
  return tables
    .map((table) => ({ table, lines: linesOf(table) }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ table, lines }) => `*${table}\n${lines.join("\n")}\nCOMMIT\n`)
    .join("");
}
