import { textTable } from "@kintsugi/api";
import type { Forecast, HeldCrowd, RebalanceMove, RebalanceStep } from "@kintsugi/rebalance";

/** A step for which a line is printed. */
export type Told = Exclude<RebalanceStep, { is: "waiting" }>;

/** Returns the moves as a table, and the reasons for which the other pods do not move. */
export function forecastLines({ moves, waitsFor, held }: Forecast): string[] {
  const lines = moves.length === 0 ? ["No pod would move."] : moveTable(moves);
  return [
    ...lines,
    ...(waitsFor === undefined ? [] : [`No further pod would move now: ${waitsFor}`]),
    ...heldText(held),
  ];
}

function moveTable(moves: readonly RebalanceMove[]): string[] {
  return textTable(
    ["POD", "FROM", "TO", "SCORE", "REASON"],
    moves.map(({ pod, from, node, scoreBefore, scoreAfter, why }) => [
      `${pod.metadata.namespace}/${pod.metadata.name}`,
      from,
      node,
      `${scoreBefore} -> ${scoreAfter}`,
      why,
    ]),
  );
}

function heldText(held: readonly HeldCrowd[]): string[] {
  return held.map(({ owner, node, because }) => `${owner} on node ${node} is not moved: ${because}`);
}

/** Returns the lines for one step; `isFirst` if it is the first step. */
export function stepLines(step: Told, isFirst: boolean): string[] {
  switch (step.is) {
    case "evicted":
      return [`pod/${step.move.pod.metadata.name} evicted: ${step.move.why}`];
    case "refused":
      return [`pod/${step.move.pod.metadata.name} is not moved: ${step.because}`];
    case "moved":
    case "missed":
    case "withdrawn":
      return [step.note];
    case "nothing":
      return [isFirst ? "No pod needs to move." : "No further pod needs to move.", ...heldText(step.held)];
  }
}

/** Returns the step without the objects of the API. */
export function stepData(step: Told): object {
  return "move" in step ? { ...step, move: moveData(step.move) } : step;
}

/** Returns the forecast without the objects of the API. */
export function forecastData({ moves, waitsFor, held }: Forecast): object {
  return { moves: moves.map(moveData), ...(waitsFor === undefined ? {} : { waitsFor }), held };
}

function moveData({ owner, pod, from, node, ...rest }: RebalanceMove): object {
  const { scoreBefore, scoreAfter, crowdBefore, crowd, alternatives, why } = rest;
  const { namespace, name, uid } = pod.metadata;
  const at = { from, to: node, alternatives, scoreBefore, scoreAfter, podsBefore: crowdBefore, podsAfter: crowd };
  return { owner: owner.title, namespace, pod: name, uid, ...at, why };
}
