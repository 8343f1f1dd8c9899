import { flag, option } from "@kintsugi/daemon";

export const rebalanceOptions = {
  rebalance: option(
    "rebalance",
    flag.boolean({
      help: "Move pods of one owner that crowd together to nodes that the scheduler scores higher",
      fallback: false,
    }),
  ),
  rebalanceIncludeStateful: option(
    "rebalance-include-stateful",
    flag.boolean({ help: "Move pods of every StatefulSet too", fallback: false }),
  ),
  rebalanceScoreMargin: option(
    "rebalance-score-margin",
    flag.count({ min: 1, max: 1000, help: "Least gain in the scheduler's score for which a pod moves", fallback: 20 }),
  ),
  rebalanceSettleMs: option(
    "rebalance-settle",
    flag.durationMs({
      help: "Time for which nodes and pods have to be unchanged before a move",
      byProfile: (timers) => timers.rebalanceSettleMs,
    }),
  ),
  rebalanceCooldownMs: option(
    "rebalance-cooldown",
    flag.durationMs({
      help: "Least time between two moves of one owner",
      byProfile: (timers) => timers.rebalanceCooldownMs,
    }),
  ),
  rebalanceReadyWithinMs: option(
    "rebalance-ready-timeout",
    flag.durationMs({
      help: "Time after which a replacement that is not Ready ends the moves of its owner",
      byProfile: (timers) => timers.rebalanceReadyWithinMs,
    }),
  ),
};
