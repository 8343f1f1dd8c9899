import type { NodeColumns } from "../../cluster-state/columns/node-columns.ts";
import { RejectedRows } from "../../cluster-state/columns/rejected-rows.ts";
import { invariant } from "../../cluster-state/invariant.ts";
import type { NodeInfo } from "../../cluster-state/node-info.ts";
import type { Snapshot } from "../../cluster-state/snapshot.ts";
import { filterEach, type FilterResult, type RunFilters } from "./filter-result.ts";
import type { PreparedFilter } from "./pre-filter.ts";

interface ByColumns {
  readonly snapshot: Snapshot;
  readonly prepared: readonly PreparedFilter[];
  readonly columns: NodeColumns;
}

/**
 * Finds the same nodes as `filterEach`. Most filters pass over columns. A node itself is checked by
 * filters that have no columns, where pods are nominated, and for the reason of its rejection.
 */
export function filterByColumns({ snapshot, prepared, columns }: ByColumns, run: RunFilters): FilterResult {
  const { nodes } = snapshot;
  const rejected = new RejectedRows(columns.limit);
  for (const [index, { filter }] of prepared.entries()) {
    rejected.beginFilter(index);
    if (filter.rejectRows !== undefined) filter.rejectRows(columns, rejected);
    else for (const node of nodes) if (!rejected.has(node.row) && !filter.check(node).fits) rejected.add(node.row);
  }
  // Nominated pods may cause the rejections of their nodes, so these reasons are computed in full.
  const withNominated = new Set<string>();
  for (const name of snapshot.nominatedNodes()) {
    withNominated.add(name);
    const node = snapshot.find(name);
    if (node !== undefined && !rejected.has(node.row) && run(node) !== undefined) rejected.add(node.row);
  }
  const { feasible, rows } = remaining(snapshot, rejected);
  return {
    feasible,
    rows,
    rejections: () => {
      const runOnce: RunFilters = (node) => {
        const first = prepared[rejected.filterOf(node.row) ?? -1];
        if (first === undefined || withNominated.has(node.name)) return run(node);
        const verdict = first.filter.check(node);
        invariant(!verdict.fits, `${first.plugin} rejects ${node.name} by columns, but accepts it without columns`);
        return { plugin: first.plugin, verdict };
      };
      const filtered = filterEach(snapshot.nodes, { nodeCount: snapshot.nodes.length, run: runOnce });
      invariant(
        filtered.feasible.length === feasible.length,
        `${feasible.length} nodes fit by columns, but ${filtered.feasible.length} without columns`,
      );
      return filtered.rejections();
    },
  };
}

/** The nodes whose rows are not rejected; the snapshot's own lists if no row is rejected. */
function remaining({ nodes, rowOfNode }: Snapshot, rejected: RejectedRows) {
  let count = 0;
  for (let i = 0; i < rowOfNode.length; i++) if (!rejected.has(rowOfNode[i] as number)) count++;
  if (count === nodes.length) return { feasible: nodes, rows: rowOfNode };
  const feasible: NodeInfo[] = [];
  const rows = new Int32Array(count);
  for (let i = 0; i < rowOfNode.length; i++) {
    const row = rowOfNode[i] as number;
    if (rejected.has(row)) continue;
    rows[feasible.length] = row;
    feasible.push(nodes[i] as NodeInfo);
  }
  return { feasible, rows };
}
