import type { Pod } from "@kintsugi/api";
import type { NodeColumns } from "../../cluster-state/columns/node-columns.ts";
import type { RejectedRows } from "../../cluster-state/columns/rejected-rows.ts";
import { wantedRows } from "../../cluster-state/columns/wanted-rows.ts";
import { lazily } from "../../framework/lazily.ts";
import type { PodInfo } from "../../cluster-state/pod-info.ts";
import type { Snapshot } from "../../cluster-state/snapshot.ts";
import { addByDomain, emptySums, type LabelSums } from "../domain-sums.ts";
import { floorOf, isRepelled, selfOf, type SpreadConstraint, spreadMatcher } from "./spread-constraint.ts";

// Constraints are counted in passes over columns.

interface SpreadRows {
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  readonly columns: NodeColumns;
  readonly constraints: readonly SpreadConstraint[];
}

/**
 * Rejects rows on which one more pod would make its domain exceed the domain with the fewest pods
 * by too much.
 */
export function rejectSkewedRows(spread: SpreadRows, rejected: RejectedRows): void {
  const labelled = labelledRows(spread.constraints, spread.columns);
  const counting = countingRows(spread);
  for (const constraint of spread.constraints) {
    const counted = counting(constraint, labelled);
    const label = sumsOf(constraint, counted, spread);
    const { domains, sums } = label;
    const { count, fewest } = emptiest(label, counted);
    const most = constraint.maxSkew + floorOf(constraint, count, fewest) - selfOf(constraint, spread.pod);
    for (let row = 0; row < rejected.limit; row++) {
      const domain = domains[row] as number;
      if (domain === 0 || (sums[domain] as number) > most) rejected.add(row);
    }
  }
}

/** The pods that count for a constraint, by domain. */
export function constraintSums(constraint: SpreadConstraint, spread: SpreadRows): LabelSums {
  const everyRow = new Uint8Array(spread.columns.limit).fill(1);
  return sumsOf(constraint, countingRows(spread)(constraint, everyRow), spread);
}

function sumsOf({ topologyKey, selector }: SpreadConstraint, counted: Uint8Array, spread: SpreadRows): LabelSums {
  const sums = emptySums(topologyKey, spread.columns);
  addByDomain(sums, spread.snapshot.matching(spreadMatcher(spread.pod, selector)), { onlyRows: counted });
  return sums;
}

/**
 * Returns 1 for each row whose node has the labels of all constraints, because only these nodes
 * belong to domains.
 */
export function labelledRows(constraints: readonly SpreadConstraint[], columns: NodeColumns): Uint8Array {
  const labelled = new Uint8Array(columns.limit).fill(1);
  for (const { topologyKey } of constraints) {
    const { numbers } = columns.label(topologyKey);
    for (let row = 0; row < labelled.length; row++) if (numbers[row] === 0) labelled[row] = 0;
  }
  return labelled;
}

/** Returns which of these rows a constraint counts, by the rule of `isCounted`. */
function countingRows({ pod, columns }: SpreadRows) {
  const wanted = lazily(() => wantedRows(pod.pod, columns));
  const repelled = lazily(() => columns.taints.setsThat((taints) => isRepelled(pod, taints)));
  return ({ honourAffinity, honourTaints }: SpreadConstraint, among: Uint8Array): Uint8Array => {
    const counted = among.slice();
    if (honourAffinity && choosesNodes(pod.pod)) {
      const allowed = wanted();
      for (let row = 0; row < counted.length; row++) if (allowed[row] === 0) counted[row] = 0;
    }
    if (honourTaints) {
      const [sets, { numbers }] = [repelled(), columns.taints];
      for (let row = 0; row < counted.length; row++) if (sets[numbers[row] as number] === 1) counted[row] = 0;
    }
    return counted;
  };
}

function choosesNodes({ spec }: Pod): boolean {
  return spec?.nodeSelector !== undefined || spec?.affinity?.nodeAffinity !== undefined;
}

/** The number of domains with a counted node, and the fewest pods of a domain. */
function emptiest({ domains, sums }: LabelSums, counted: Uint8Array): { count: number; fewest: number } {
  const isOpen = new Uint8Array(sums.length);
  for (let row = 0; row < counted.length; row++) if (counted[row] === 1) isOpen[domains[row] as number] = 1;
  let [count, fewest] = [0, Infinity];
  for (let domain = 1; domain < sums.length; domain++) {
    if (isOpen[domain] === 0) continue;
    count++;
    fewest = Math.min(fewest, sums[domain] as number);
  }
  return { count, fewest };
}
