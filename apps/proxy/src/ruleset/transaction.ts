import { baseChains } from "./base-rules.ts";
import { addressSets, emptyRuleset, type Ruleset, type VerdictMap, verdictMaps } from "./ruleset.ts";

export const tableName = "kube-proxy";
const table = `ip ${tableName}`;

/**
 * Number of elements of a map or set in a line. Fewer lines are parsed faster, but a line has to
 * remain readable.
 */
const elementsPerLine = 100;

/** The parts of the table that are already in the kernel, by name. */
export interface TablePresent {
  readonly chains: ReadonlySet<string>;
  readonly affinitySets: ReadonlySet<string>;
}

export interface Transaction {
  /** The input of `nft -f -`, which is applied atomically; "" when nothing changes. */
  readonly script: string;
  /**
   * Existing chains that are empty and unreachable. A kernel before 6.2 does not delete them in the
   * same transaction.
   */
  readonly staleChains: readonly string[];
}

/**
 * Makes the table contain exactly these rules, regardless of its current contents. Affinity sets
 * that are still needed keep their clients, so that a client remains bound to its endpoint even
 * when the proxy has been restarted.
 */
export function wholeTable(wanted: Ruleset, present: TablePresent): Transaction {
  const lines = [`add table ${table} { comment "rules for kube-proxy" ; }`];
  for (const [name, { key, comment }] of Object.entries(verdictMaps))
    lines.push(
      `add map ${table} ${name} { type ${key} : verdict ; comment "${comment}" ; }`,
      `flush map ${table} ${name}`,
    );
  for (const [name, comment] of Object.entries(addressSets))
    lines.push(`add set ${table} ${name} { type ipv4_addr ; comment "${comment}" ; }`, `flush set ${table} ${name}`);
  for (const [name, { hook }] of Object.entries(baseChains))
    lines.push(`add chain ${table} ${name}${hook === undefined ? "" : ` { ${hook} }`}`);
  for (const name of new Set([...present.chains, ...Object.keys(baseChains)]))
    lines.push(`flush chain ${table} ${name}`);
  for (const [name, { rules }] of Object.entries(baseChains))
    for (const rule of rules) lines.push(`add rule ${table} ${name} ${rule}`);
  const changes = changeLines(emptyRuleset, wanted);
  const staleSets = [...present.affinitySets].filter((name) => !wanted.affinitySets.has(name));
  const staleChains = [...present.chains].filter((name) => !(name in baseChains) && !wanted.chains.has(name));
  return {
    script: [...lines, ...changes, ...staleSets.map((name) => `delete set ${table} ${name}`), ""].join("\n"),
    staleChains,
  };
}

/** Replaces a table that cannot be repaired: it is removed and created again atomically. */
export function anotherTable(wanted: Ruleset): Transaction {
  const nothing = { chains: new Set<string>(), affinitySets: new Set<string>() };
  return {
    script: `add table ${table}\ndelete table ${table}\n${wholeTable(wanted, nothing).script}`,
    staleChains: [],
  };
}

/**
 * Returns the changes from the applied rules to the desired rules, and removes chains that became
 * stale some time ago.
 */
export function changes(applied: Ruleset, wanted: Ruleset, removable: readonly string[]): Transaction {
  const lines = changeLines(applied, wanted);
  const staleChains = [...applied.chains.keys()].filter((name) => !wanted.chains.has(name));
  for (const name of staleChains) lines.push(`flush chain ${table} ${name}`);
  for (const name of applied.affinitySets.keys())
    if (!wanted.affinitySets.has(name)) lines.push(`delete set ${table} ${name}`);
  for (const name of removable) lines.push(`delete chain ${table} ${name}`);
  return { script: lines.length === 0 ? "" : [...lines, ""].join("\n"), staleChains };
}

// Orders the lines so that every name exists before its use: sets before rules that use them, and
// all chains before rules and elements that refer to them.
function changeLines(applied: Ruleset, wanted: Ruleset): string[] {
  const lines: string[] = [];
  for (const [name, seconds] of wanted.affinitySets)
    if (!applied.affinitySets.has(name))
      lines.push(`add set ${table} ${name} { type ipv4_addr ; flags dynamic,timeout ; timeout ${seconds}s ; }`);
  const changed = [...wanted.chains].filter(([name, rules]) => !sameRules(applied.chains.get(name), rules));
  for (const [name] of changed) lines.push(`add chain ${table} ${name}`, `flush chain ${table} ${name}`);
  for (const [name, rules] of changed) for (const rule of rules) lines.push(`add rule ${table} ${name} ${rule}`);
  for (const name of Object.keys(verdictMaps) as VerdictMap[])
    lines.push(...elementLines(name, asElements(applied.maps[name]), asElements(wanted.maps[name])));
  for (const name of Object.keys(addressSets) as (keyof typeof addressSets)[])
    lines.push(...elementLines(name, applied.sets[name], wanted.sets[name]));
  return lines;
}

function elementLines(name: string, applied: ReadonlySet<string>, wanted: ReadonlySet<string>): string[] {
  const gone = [...applied].filter((element) => !wanted.has(element));
  const added = [...wanted].filter((element) => !applied.has(element));
  return [
    ...inLines(gone).map((line) => `delete element ${table} ${name} { ${line} }`),
    ...inLines(added).map((line) => `add element ${table} ${name} { ${line} }`),
  ];
}

function asElements(map: ReadonlyMap<string, string>): Set<string> {
  return new Set([...map].map(([key, verdict]) => `${key} : ${verdict}`));
}

function inLines(elements: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < elements.length; at += elementsPerLine)
    lines.push(elements.slice(at, at + elementsPerLine).join(", "));
  return lines;
}

function sameRules(a: readonly string[] | undefined, b: readonly string[]): boolean {
  return a !== undefined && a.length === b.length && a.every((rule, i) => rule === b[i]);
}
