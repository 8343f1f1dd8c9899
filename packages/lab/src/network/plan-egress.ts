import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { clusterAddresses } from "./addresses.ts";

// Nodes and pods reach the world beyond this host like containers of Docker: with the host's
// address. For the cluster `lab`:
//
//   *nat     POSTROUTING  from 10.64.0.0/16, not to itself   leaves with the host's address
//   *filter  FORWARD      from the bridge                    is accepted, also where Docker accepts
//                                                            nothing
//   *filter  FORWARD      to the bridge, as an answer        is accepted; outsiders begin none
//
// Each rule carries the cluster's name as its comment: by that it is found again among all others.

/**
 * Returns the input for `iptables-restore --noflush`; undefined when all rules are there already.
 * `saved` is the output of iptables-save.
 */
export function planEgress(spec: ClusterSpec, saved: string): string | undefined {
  const { bridge, network } = clusterAddresses(spec);
  const comment = `-m comment --comment ${commentOf(spec.name)}`;
  const wanted: Rules = {
    nat: [`-A POSTROUTING -s ${network} ! -d ${network} ! -o ${bridge} ${comment} -j MASQUERADE`],
    // The rules stand before all others: Docker's last rule drops all that it does not know.
    filter: [
      `-I FORWARD -i ${bridge} ${comment} -j ACCEPT`,
      `-I FORWARD -o ${bridge} -m conntrack --ctstate RELATED,ESTABLISHED ${comment} -j ACCEPT`,
    ],
  };
  const own = ownRules(spec.name, saved);
  if (tables.every((table) => own[table].length === wanted[table].length)) return undefined;
  return restoring((table) => [...deletions(own[table]), ...wanted[table]]);
}

/** The same to take them away; undefined when there are none. */
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

/** iptables-save puts a comment in quotes or not, as its version likes. */
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
