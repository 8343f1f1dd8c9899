import type { Node, Pod } from "@kintsugi/api";
import { expect, test } from "vitest";
import { podInfoOf } from "../cluster-state/pod-info.ts";
import { filterNodes } from "../decision/filter-nodes.ts";
import { defaultPlugins } from "../default-plugins.ts";
import { rejectionText } from "../framework/rejection-reason.ts";
import { aCluster } from "./builders.ts";

export interface FilterCase {
  pod: Pod;
  nodes: readonly Node[];
  placed?: Readonly<Record<string, readonly Pod[]>>;
  /** The reasons for which each node is rejected. */
  expected: Readonly<Record<string, readonly string[] | undefined>>;
  /** The rejected nodes on which evicting pods might help. */
  evictionMayHelp?: readonly string[];
  /** The feasible nodes; if absent, the nodes that are not rejected. */
  feasible?: readonly string[];
  /** Nodes that are not inspected. */
  passedOver?: { count: number; because: readonly string[] };
}

/** Filters the nodes of each case by all default plugins. Each case is a test of its own. */
export function checkFilters(cases: Readonly<Record<string, FilterCase>>): void {
  test.each(Object.entries(cases))("%s", (_, { pod, nodes, placed, expected, ...more }) => {
    const filtered = filterNodes(podInfoOf(pod), aCluster(nodes, placed), {
      plugins: defaultPlugins,
      timed: (_point, work) => work(),
    });
    const { feasible } = filtered;
    const rejections = filtered.rejections();
    const actual = Object.fromEntries(
      nodes.map(({ metadata: { name = "" } }) => [name, rejections.byNode.get(name)?.because.map(rejectionText)]),
    );
    expect(actual).toEqual(expected);
    expect(feasible.map(({ name }) => name)).toEqual(
      more.feasible ?? Object.keys(expected).filter((name) => expected[name] === undefined),
    );
    const { passedOver } = rejections;
    expect(passedOver && { ...passedOver, because: passedOver.because.map(rejectionText) }).toEqual(more.passedOver);
    const helped = [...rejections.byNode].filter(([, refusal]) => refusal.evictionMayHelp).map(([name]) => name);
    expect(helped).toEqual(more.evictionMayHelp ?? helped);
  });
}
