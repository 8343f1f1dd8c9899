import fc from "fast-check";
import { expect, test } from "vitest";
import { aNode, aPod } from "../testing/builders.ts";
import { affinityTermOf, termKey } from "./affinity-term.ts";
import { ClusterState } from "./cluster-state.ts";
import { countMatching, type PodMatcher } from "./counts/match-counts.ts";
import type { NodeInfo } from "./node-info.ts";
import { type TermKind, termsOf } from "./counts/placed-terms.ts";
import { podInfoOf } from "./pod-info.ts";
import type { Snapshot } from "./snapshot.ts";
import { Supposition } from "./supposition.ts";
import { matcherOf } from "./counts/term-matcher.ts";

const zone = "topology.kubernetes.io/zone";
const term = (color: string) => ({ topologyKey: zone, labelSelector: { matchLabels: { color } } });
const affinities = [
  undefined,
  { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term("red")] } },
  {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [term("blue")],
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 7, podAffinityTerm: term("red") }],
    },
  },
];

const name = fc.constantFrom("a", "b", "c");
const pod = fc
  .record({
    uid: fc.constantFrom("1", "2", "3", "4", "5"),
    color: fc.constantFrom("red", "blue"),
    owner: fc.constantFrom(undefined, "x", "y"),
    terminating: fc.boolean(),
    affinity: fc.constantFrom(...affinities),
  })
  .map(({ uid, color, owner, terminating, affinity }) =>
    podInfoOf(
      aPod(uid, {
        uid,
        labels: { color },
        terminating,
        ...(owner === undefined ? {} : { owner }),
        spec: affinity === undefined ? {} : { affinity },
      }),
    ),
  );

const step = fc.oneof(
  fc.record({ name, value: fc.constantFrom("z1", "z2"), hasImage: fc.boolean() }).map(
    ({ name: node, value, hasImage }) =>
      (state: ClusterState) =>
        state.putNode(
          aNode(node, {
            labels: { [zone]: value },
            images: hasImage ? [{ names: ["app", "app:latest"], sizeBytes: 5 }] : [],
          }),
        ),
  ),
  name.map((node) => (state: ClusterState) => state.removeNode(node)),
  fc.tuple(pod, name).map(
    ([info, node]) =>
      (state: ClusterState) =>
        state.putPod(info, node),
  ),
  fc.constantFrom("1", "2", "3", "4", "5").map((uid) => (state: ClusterState) => void state.removePod(uid)),
);

const kinds: readonly TermKind[] = [
  "requiredAffinity",
  "requiredAntiAffinity",
  "preferredAffinity",
  "preferredAntiAffinity",
];
const red = matcherOf(affinityTermOf(aPod("any"), term("red"))) as PodMatcher;

/** The results of a walk over all nodes and pods. */
function walked({ nodes }: Pick<Snapshot, "nodes">) {
  const domains = nodes.map(({ labels }) => labels[zone] ?? "none");
  return {
    matching: nodes.map((node) => [node.name, countMatching(node, red)]).filter(([, count]) => count !== 0),
    terms: nodes.flatMap((node) =>
      [...node.podsWithAffinity()].flatMap((placed) =>
        termsOf(placed).map((each) => `${node.name} ${each.kind} ${each.weight} ${termKey(each.term)}`),
      ),
    ),
    owned: ["x", "y"].map((uid) => nodes.filter((node) => node.podsOfOwner(uid) > 0).map((node) => node.name)),
    images: nodes.filter((node) => (node.images.get("app:latest") ?? 0) > 0).length,
    domains: [...new Set(domains)].map((value) => [value, domains.filter((other) => other === value).length]),
  };
}

function asked(state: Snapshot) {
  const isThere = ({ node }: NodeInfo) => node !== undefined;
  return {
    matching: [...state.matching(red)].filter(([node]) => isThere(node)).map(([node, count]) => [node.name, count]),
    terms: kinds.flatMap((kind) =>
      [...state.placedTerms(kind)].flatMap(({ term: placed, weight, byNode }) =>
        [...byNode]
          .filter(([node]) => isThere(node))
          .flatMap(([node, count]) =>
            Array.from({ length: count }, () => `${node.name} ${kind} ${weight} ${termKey(placed)}`),
          ),
      ),
    ),
    owned: ["x", "y"].map((uid) =>
      [...state.podsOfOwner(uid)]
        .filter(([node]) => isThere(node))
        .map(([node]) => node.name)
        .toSorted(),
    ),
    images: state.nodesWithImage("app:latest"),
    domains: [...state.domainsOf(zone)],
  };
}

function inOrder({ matching, terms, owned, images, domains }: ReturnType<typeof walked>) {
  const sorted = <T>(items: readonly T[]) => items.map((item) => JSON.stringify(item)).toSorted();
  return {
    matching: sorted(matching),
    terms: terms.toSorted(),
    owned: owned.map(sorted),
    images,
    domains: sorted(domains),
  };
}

test("the index reports after each change the result of a walk over all nodes and pods", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const state = new ClusterState();
      for (const change of steps) {
        change(state);
        expect(inOrder(asked(state))).toEqual(inOrder(walked(state)));
      }
    }),
  );
});

test("a supposition reports the copy's state for its own node", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), pod, (steps, extra) => {
      const state = new ClusterState();
      for (const change of steps) change(state);
      const [node] = state.nodes;
      if (node === undefined) return;
      const supposed = new Supposition(state, node);
      supposed.node.put({ ...extra, uid: "extra" });
      for (const placed of [...supposed.node.pods()].slice(0, 1)) supposed.node.remove(placed.uid);
      expect(inOrder(asked(supposed))).toEqual(inOrder(walked(supposed)));
    }),
  );
});
