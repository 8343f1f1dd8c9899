import { type Node, nodeIsWanted, type NodeSelectorTerm, nodeTermMatches, type Pod } from "@kintsugi/api";
import { rowsOfTerm, wantedRows } from "../cluster-state/columns/wanted-rows.ts";
import { type Plugin, stretch } from "../framework/plugin.ts";
import { fits, neverFits } from "../framework/verdict.ts";

const unwanted = neverFits({ code: "NodeAffinity" });

/** nodeSelector and node affinity: the pod's demands on a node, and its preferences. */
export const nodeAffinity: Plugin = {
  name: "NodeAffinity",
  filterReads: "node",
  filter: ({ pod }) => {
    const terms = requiredTerms(pod);
    if (pod.spec?.nodeSelector === undefined && terms === undefined) return "anything";
    const onlyNodes = terms === undefined ? undefined : namedNodes(terms);
    if (onlyNodes?.size === 0) return { because: "pod affinity terms conflict" };
    return {
      check: (node) => (nodeIsWanted(pod, node) ? fits : unwanted),
      rejectRows: (columns, rejected) => rejected.addZeroRows(wantedRows(pod, columns)),
      ...(onlyNodes === undefined ? {} : { onlyNodes }),
    };
  },
  score: {
    weight: 2,
    prepare: ({ pod }) => {
      const preferred = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
      if (preferred.length === 0) return "indifferent";
      return {
        score: (node) =>
          preferred.reduce((sum, { weight, preference }) => sum + (prefers(preference, node) ? weight : 0), 0),
        scoreRows: (columns, rows, scores) => {
          for (const { weight, preference } of preferred) {
            const matching = rowsOfTerm(preference, columns);
            for (let i = 0; i < rows.length; i++)
              if (matching[rows[i] as number] === 1) scores[i] = (scores[i] as number) + weight;
          }
        },
        rescale: (scores) => stretch(scores),
      };
    },
  },
  mayHelp: ({ pod }, event) => {
    if (event.is === "NodeAdd") return nodeIsWanted(pod, selectable(event.node));
    if (event.is !== "NodeUpdate" || !event.changed.labels) return false;
    return !nodeIsWanted(pod, selectable(event.before)) && nodeIsWanted(pod, selectable(event.node));
  },
};

function requiredTerms(pod: Pod): readonly NodeSelectorTerm[] | undefined {
  return pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
}

/** If every term names its nodes, as a DaemonSet's pods do, only these nodes are possible. */
function namedNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    let ofTerm: Set<string> | undefined;
    for (const { key, operator, values = [] } of matchFields) {
      if (key !== "metadata.name" || operator !== "In") continue;
      const named = new Set(values);
      ofTerm = ofTerm === undefined ? named : new Set([...ofTerm].filter((name) => named.has(name)));
    }
    if (ofTerm === undefined) return undefined;
    for (const name of ofTerm) names.add(name);
  }
  return names;
}

/** An empty preference does not match any node, as in upstream's scores. */
function prefers(preference: NodeSelectorTerm, node: { name: string; labels: Readonly<Record<string, string>> }) {
  return nodeTermMatches(preference, node);
}

function selectable(node: Node) {
  return { name: node.metadata.name ?? "", labels: node.metadata.labels ?? {} };
}
