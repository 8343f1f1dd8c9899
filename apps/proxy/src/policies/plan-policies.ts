import {
  isPodTerminal,
  type LabelSelector,
  matchesLabels,
  type Namespace,
  type NetworkPolicy,
  type NetworkPolicyPeer,
  type NetworkPolicyPort,
  type Pod,
  selectsEverything,
  toSelector,
} from "@kintsugi/api";
import { fairShares } from "@kintsugi/daemon";

// A node enforces NetworkPolicies for its own pods, and has to compute for each pod:
//
//   policies of the pod's namespace that select it, with Ingress    → from whom it may receive
//                                                    with Egress     → to whom it may send
//
// A pod that no policy selects for a direction is open in that direction. A selected pod may have
// only the traffic that a rule of any of its policies allows. Both ends of a connection have to
// allow it, and each node checks its own ends.

export interface PolicyInput {
  /** All policies of the cluster. */
  readonly policies: readonly NetworkPolicy[];
  /** All pods of the cluster, because they are peers. */
  readonly pods: readonly Pod[];
  readonly namespaces: readonly Namespace[];
  /** The node whose pods are planned. */
  readonly nodeName: string;
}

/** Traffic that one rule of a policy allows. Every member has to match. */
export interface Allowance {
  /** Undefined: every address. The addresses are sorted. */
  readonly addresses?: readonly string[];
  /** The allowed block, instead of addresses. */
  readonly block?: { readonly cidr: string; readonly except: readonly string[] };
  /** Undefined: every protocol and port. */
  readonly port?: { readonly protocol: string; readonly from?: number; readonly to?: number };
}

export interface PolicyPlan {
  /** The traffic that each isolated pod of this node may receive, by the pod's address. */
  readonly ingress: ReadonlyMap<string, readonly Allowance[]>;
  /** The traffic that the pod may send. */
  readonly egress: ReadonlyMap<string, readonly Allowance[]>;
  /**
   * Pods, "namespace/name", that may not receive or send any traffic, because the policies of their
   * namespace have more rules than its share.
   */
  readonly cut: readonly string[];
}

/**
 * Limit of the conditions of one direction on one node. The kernel loads the allowed number of
 * conditions in a few seconds, and a policy of 1 MB could have 100 million: each of its ports for
 * each of its blocks, for each pod.
 */
const conditionsMax = 50_000;

type Direction = "Ingress" | "Egress";

/** Plans the traffic that the pods of one node may receive and send. */
export function planPolicies({ policies, pods, namespaces, nodeName }: PolicyInput): PolicyPlan {
  const reachable = pods.filter((pod) => addressOf(pod) !== undefined);
  const world = new World(reachable, namespaces);
  const own = reachable.filter((pod) => pod.spec?.nodeName === nodeName);
  const cut = new Set<string>();
  const planFor = (direction: Direction) => {
    const judged = judgedPods({ policies, pods: own, direction });
    const isWithin = sharesOf(judged);
    const plan = new Map<string, readonly Allowance[]>();
    for (const each of judged) {
      const { pod, address, judging } = each;
      const context = { direction, pod, world };
      if (isWithin(each)) {
        const allowances = judging.flatMap((policy) => allowancesOf(policy, context));
        plan.set(address, allowances);
      } else {
        plan.set(address, []);
        cut.add(`${pod.metadata.namespace}/${pod.metadata.name}`);
      }
    }
    return plan;
  };
  const [ingress, egress] = [planFor("Ingress"), planFor("Egress")];
  return { ingress, egress, cut: [...cut].toSorted() };
}

interface JudgedPod {
  readonly pod: Pod;
  readonly address: string;
  readonly judging: readonly NetworkPolicy[];
  /** The number of conditions that the pod's policies require. */
  readonly cost: number;
}

function judgedPods({
  policies,
  pods,
  direction,
}: Pick<PolicyInput, "policies" | "pods"> & { direction: Direction }): JudgedPod[] {
  const costs = new Map(policies.map((policy) => [policy, costOf(policy, direction)]));
  return pods.flatMap((pod) => {
    const address = addressOf(pod);
    const judging = policies.filter((policy) => selects(policy, pod, direction));
    if (judging.length === 0 || address === undefined) return [];
    return { pod, address, judging, cost: judging.reduce((sum, policy) => sum + (costs.get(policy) ?? 0), 0) };
  });
}

/** Namespaces share the conditions, and the oldest pods of each namespace get its share. */
function sharesOf(judged: readonly JudgedPod[]): (each: JudgedPod) => boolean {
  const wanted = new Map<string, number>();
  const namespaceOf = ({ pod }: JudgedPod) => pod.metadata.namespace ?? "";
  for (const each of judged) wanted.set(namespaceOf(each), (wanted.get(namespaceOf(each)) ?? 0) + each.cost);
  const left = new Map(fairShares(wanted, conditionsMax));
  const within = new Set<JudgedPod>();
  for (const each of judged.toSorted((a, b) => (ageKey(a) < ageKey(b) ? -1 : 1))) {
    const rest = (left.get(namespaceOf(each)) ?? 0) - each.cost;
    if (rest < 0) continue;
    within.add(each);
    left.set(namespaceOf(each), rest);
  }
  return (each) => within.has(each);
}

function ageKey({ pod: { metadata } }: JudgedPod): string {
  return [metadata.creationTimestamp ?? "", metadata.namespace ?? "", metadata.name ?? ""].join("\n");
}

/** A rule has a condition for each of its sources and exceptions with each of its ports. */
function costOf({ spec }: NetworkPolicy, direction: Direction): number {
  const rules =
    direction === "Ingress"
      ? (spec?.ingress ?? []).map(({ from = [], ports = [] }) => ({ peers: from, ports }))
      : (spec?.egress ?? []).map(({ to = [], ports = [] }) => ({ peers: to, ports }));
  return rules.reduce((sum, { peers, ports }) => {
    const sources = peers.reduce((count, { ipBlock }) => count + 1 + (ipBlock?.except ?? []).length, 0);
    return sum + Math.max(1, sources) * Math.max(1, ports.length);
  }, 0);
}

/** IPv4 of a pod with its own address; pods on the host's network have their node's address. */
function addressOf(pod: Pod): string | undefined {
  if (pod.spec?.hostNetwork === true || isPodTerminal(pod)) return undefined;
  return pod.status?.podIP;
}

function selects({ metadata, spec }: NetworkPolicy, pod: Pod, direction: Direction): boolean {
  if (metadata.namespace !== pod.metadata.namespace) return false;
  const types = spec?.policyTypes ?? ["Ingress", ...(spec?.egress === undefined ? [] : ["Egress"])];
  return types.includes(direction) && matches(spec?.podSelector, pod.metadata.labels);
}

/** An empty selector matches everything, and so does a selector that a peer omits. */
function matches(selector: LabelSelector | undefined, labels: Readonly<Record<string, string>> | undefined): boolean {
  return matchesLabels(selector === undefined ? selectsEverything : toSelector(selector), labels ?? {});
}

interface RuleContext {
  direction: Direction;
  /** The pod for which the rules are planned. */
  pod: Pod;
  world: World;
}

function allowancesOf(policy: NetworkPolicy, context: RuleContext): Allowance[] {
  const rules =
    context.direction === "Ingress"
      ? (policy.spec?.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports }))
      : (policy.spec?.egress ?? []).map(({ to, ports }) => ({ peers: to, ports }));
  return rules.flatMap(({ peers, ports }) => allowancesOfRule(policy, { peers, ports }, context));
}

interface Rule {
  peers: readonly NetworkPolicyPeer[] | undefined;
  ports: readonly NetworkPolicyPort[] | undefined;
}

/** Missing peers, or an empty list of peers, mean all peers; this also applies to ports. */
function allowancesOfRule(policy: NetworkPolicy, { peers = [], ports = [] }: Rule, context: RuleContext): Allowance[] {
  const namespace = policy.metadata.namespace ?? "";
  const blocks = peers.flatMap(({ ipBlock }) => ipBlock ?? []).filter(({ cidr }) => !cidr.includes(":"));
  const selecting = peers.filter(({ ipBlock }) => ipBlock === undefined);
  const pods = context.world.peers(namespace, selecting);
  const sources: Pick<Allowance, "addresses" | "block">[] = [
    ...(peers.length === 0 ? [{}] : []),
    ...(pods.length === 0 ? [] : [{ addresses: addressesOf(pods) }]),
    ...blocks.map(({ cidr, except = [] }) => ({ block: { cidr, except } })),
  ];
  if (ports.length === 0) return sources;
  return ports.flatMap((port) =>
    typeof port.port === "string"
      ? namedPort(port.port, { port, sources, pods: peers.length === 0 ? context.world.pods : pods, context })
      : sources.map((source) => ({ ...source, port: numbersOf(port) })),
  );
}

function numbersOf({ protocol = "TCP", port, endPort }: NetworkPolicyPort): NonNullable<Allowance["port"]> {
  if (typeof port !== "number") return { protocol };
  return { protocol, from: port, to: endPort ?? port };
}

/**
 * A port name refers to a port of the receiving pod: the planned pod, or each of the peers.
 * Addresses of a block that do not belong to pods have no port names.
 */
function namedPort(
  name: string,
  {
    port: { protocol = "TCP" },
    sources,
    pods,
    context,
  }: {
    port: NetworkPolicyPort;
    sources: readonly Pick<Allowance, "addresses" | "block">[];
    pods: readonly Pod[];
    context: RuleContext;
  },
): Allowance[] {
  if (context.direction === "Ingress")
    return portsNamed(context.pod, name, protocol).flatMap((number) =>
      sources.map((source) => ({ ...source, port: { protocol, from: number, to: number } })),
    );
  const byNumber = new Map<number, Pod[]>();
  for (const pod of pods)
    for (const number of portsNamed(pod, name, protocol)) byNumber.set(number, [...(byNumber.get(number) ?? []), pod]);
  return [...byNumber].map(([number, receivers]) => ({
    addresses: addressesOf(receivers),
    port: { protocol, from: number, to: number },
  }));
}

function portsNamed(pod: Pod, name: string, protocol: string): number[] {
  const ports = (pod.spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports
    .filter((port) => port.name === name && (port.protocol ?? "TCP") === protocol)
    .map(({ containerPort }) => containerPort);
}

function addressesOf(pods: readonly Pod[]): string[] {
  return [...new Set(pods.map((pod) => addressOf(pod) ?? ""))].toSorted();
}

/** Finds peers. Peers of equal selectors are found once. */
class World {
  readonly pods: readonly Pod[];
  readonly #byNamespace = new Map<string, Pod[]>();
  readonly #namespaces: readonly Namespace[];
  readonly #found = new Map<string, readonly Pod[]>();

  constructor(pods: readonly Pod[], namespaces: readonly Namespace[]) {
    this.pods = pods;
    this.#namespaces = namespaces;
    for (const pod of pods) {
      const name = pod.metadata.namespace ?? "";
      const known = this.#byNamespace.get(name);
      if (known === undefined) this.#byNamespace.set(name, [pod]);
      else known.push(pod);
    }
  }

  /** The pods that any of the peers of a policy in this namespace selects. */
  peers(namespace: string, peers: readonly NetworkPolicyPeer[]): readonly Pod[] {
    const key = JSON.stringify([namespace, peers]);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = [...new Set(peers.flatMap((peer) => this.#select(namespace, peer)))];
    this.#found.set(key, found);
    return found;
  }

  #select(namespace: string, { podSelector, namespaceSelector }: NetworkPolicyPeer): Pod[] {
    const within =
      namespaceSelector === undefined
        ? [namespace]
        : this.#namespaces
            .filter(({ metadata }) => matches(namespaceSelector, metadata.labels))
            .map(({ metadata }) => metadata.name ?? "");
    return within
      .flatMap((name) => this.#byNamespace.get(name) ?? [])
      .filter((pod) => matches(podSelector, pod.metadata.labels));
  }
}
