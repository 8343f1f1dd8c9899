import { createHash } from "node:crypto";
import type { Allowance, PolicyPlan } from "./plan-policies.ts";

// One table, which each change replaces as a whole. A packet from pod 10.1.0.2 to pod 10.1.0.3,
// both of this node:
//
//   forward   an answer, or a packet of an allowed connection: accepted
//             ip saddr → egress-10.1.0.2: a rule that allows it returns, the last rule drops
//             ip daddr → ingress-10.1.0.3: a rule that allows it returns, the last rule drops
//
// The hook receives packets after the destination of a Service was chosen and before a source is
// masqueraded, so that rules match the addresses of pods. Packets from the node itself to its pods
// are not forwarded, and never checked: upstream guarantees this for its kubelet's probes.

const policyTable = "kintsugi-network-policy";
const table = `ip ${policyTable}`;

/** Priority after the rules of Services, which have priority 0. */
const priority = 10;

/** Writes the script that replaces the table. Without a plan's pods it only removes the table. */
export function policyScript(plan: PolicyPlan): string {
  const replaced = [`add table ${table}`, `delete table ${table}`];
  if (plan.ingress.size === 0 && plan.egress.size === 0) return `${replaced.join("\n")}\n`;
  const sets = new Sets();
  const chains = [...chainsOf(plan, "egress", sets), ...chainsOf(plan, "ingress", sets)];
  const lines = [
    ...replaced,
    `table ${table} {`,
    ...sets.lines(),
    ...chains,
    ...dispatch(plan, "egress"),
    ...dispatch(plan, "ingress"),
    "  chain forward {",
    `    type filter hook forward priority ${priority} ; policy accept ;`,
    "    ct state established,related accept",
    "    ip saddr vmap @egress-pods",
    "    ip daddr vmap @ingress-pods",
    "  }",
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

type Direction = "ingress" | "egress";

function chainsOf(plan: PolicyPlan, direction: Direction, sets: Sets): string[] {
  const peer = direction === "ingress" ? "saddr" : "daddr";
  return [...plan[direction]].flatMap(([address, allowances]) => [
    `  chain ${direction}-${address} {`,
    // A pod can reach itself regardless of its policies, even through a Service.
    `    ip ${peer} ${address} return`,
    ...new Set(allowances.map((allowance) => `    ${conditionsOf(allowance, peer, sets)}return`)),
    "    drop",
    "  }",
  ]);
}

/** A map of a base chain has an element for each isolated pod. */
function dispatch(plan: PolicyPlan, direction: Direction): string[] {
  const elements = [...plan[direction].keys()].map((address) => `${address} : jump ${direction}-${address}`);
  return [
    `  map ${direction}-pods {`,
    "    type ipv4_addr : verdict ;",
    ...(elements.length === 0 ? [] : [`    elements = { ${elements.join(", ")} }`]),
    "  }",
  ];
}

function conditionsOf({ addresses, block, port }: Allowance, peer: string, sets: Sets): string {
  const conditions: string[] = [];
  if (addresses !== undefined) conditions.push(`ip ${peer} @${sets.nameOf(addresses)}`);
  if (block !== undefined) {
    conditions.push(`ip ${peer} ${block.cidr}`);
    conditions.push(...block.except.map((range) => `ip ${peer} != ${range}`));
  }
  if (port !== undefined) conditions.push(portCondition(port));
  return conditions.map((condition) => `${condition} `).join("");
}

function portCondition({ protocol, from, to }: NonNullable<Allowance["port"]>): string {
  const name = protocol.toLowerCase();
  if (from === undefined) return `meta l4proto ${name}`;
  return `${name} dport ${to === undefined || to === from ? from : `${from}-${to}`}`;
}

/** Equal lists of peers share a set, because the rules of many pods name the same lists. */
class Sets {
  readonly #sets = new Map<string, readonly string[]>();

  nameOf(addresses: readonly string[]): string {
    const hash = createHash("sha256").update(addresses.join(",")).digest("hex").slice(0, 16);
    const name = `peers-${hash}`;
    this.#sets.set(name, addresses);
    return name;
  }

  lines(): string[] {
    return [...this.#sets].flatMap(([name, addresses]) => [
      `  set ${name} {`,
      "    type ipv4_addr ;",
      `    elements = { ${addresses.join(", ")} }`,
      "  }",
    ]);
  }
}
