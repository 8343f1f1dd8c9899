import { countedNoun } from "@kintsugi/api";
import { medianMs } from "../model/node-starts.ts";
import type { ShownGrace } from "../model/shown-grace.ts";
import { assumedTimes, type ShownTimes, type Timings } from "../model/timings.ts";
import type { ShownPast } from "../picture/picture.ts";
import { secondsText } from "./words.ts";

/** The sentences about the times of the runs: measured in the cluster, or assumed. */
export function basisOf(
  timings: Timings,
  {
    recorded,
    grace,
    rebootMs,
  }: { recorded: ShownPast | undefined; grace: ShownGrace | undefined; rebootMs: readonly number[] },
): string[] {
  const { shown, shownStops, pulls, pullBytesPerSecond, crashing, failing, attachMs, byWorkload } = timings;
  const { startMs, readyMs, pullMs, stopMs, volumeMs } = assumedTimes;
  const range = ({ fromMs, toMs }: { fromMs: number; toMs: number }) =>
    `${secondsText(fromMs)} to ${secondsText(toMs)}`;
  return [
    `time from the binding of a pod to Ready: ${shown === 0 ? "not measured; assumed are" : `measured for ${countedNoun(shown, "workload")}; assumed for others are`} ${range(startMs)} to start and, with a probe, ${range(readyMs)} to become Ready`,
    `image pulls: ${pulls.size === 0 ? "not measured" : `measured by events for ${countedNoun(pulls.size, "image")}`}; ${shown > 0 ? "others are included in the measured start times" : `assumed are ${range(pullMs)}`}`,
    `time from the stop signal to the end of a container: ${shownStops === 0 ? "not measured; assumed are " : `measured by the record for ${countedNoun(shownStops, "workload")}; assumed for others are `}${range(stopMs)}, within the grace period`,
    ...(shown > 0
      ? [
          "each run has its own load, which makes all measured times about a quarter longer or shorter, because a few starts predict little about another moment",
          widenedText([...byWorkload.values()], { startMs: range(startMs), readyMs: range(readyMs) }),
        ]
      : []),
    ...initText([...byWorkload.values()]),
    ...(pullBytesPerSecond === undefined
      ? []
      : [`image pull without a measured time: the image's size at ${Math.round(pullBytesPerSecond / 1e5) / 10} MB/s`]),
    `move of a volume to another node: ${attachMs.length > 0 ? `measured by ${countedNoun(attachMs.length, "event")}` : range(volumeMs)}, plus 6m if the previous node is lost`,
    ...(crashing.size + failing.size > 0
      ? [
          `containers that fail: ${failing.size} at each start, and ${crashing.size} occasionally, as often as their restart counts show`,
        ]
      : []),
    ...(grace === undefined ? [] : [`a silent node counts as lost after ${secondsText(grace.ms)}, ${grace.because}`]),
    ...(rebootMs.length === 0
      ? []
      : [
          `a machine is down for ${secondsText(medianMs(rebootMs) ?? 0)} in an upgrade: the median time from creation to Ready of ${countedNoun(rebootMs.length, "node")}`,
        ]),
    ...(recorded === undefined
      ? []
      : [
          `the source is a record of ${secondsText(recorded.durationMs)}: it shows ${countedNoun(recorded.pods.length, "start")}, ${countedNoun(recorded.stops.length, "stop")} and ${countedNoun(recorded.events.length, "event")}`,
        ]),
  ];
}

/** The workloads without a time to Ready whose init containers show their time. */
function initText(all: readonly ShownTimes[]): string[] {
  const count = all.filter(({ startMs, initMs }) => startMs.length === 0 && initMs.length > 0).length;
  if (count === 0) return [];
  return [`init containers of pods whose containers have restarted: as ${countedNoun(count, "workload")} shows`];
}

/** The starts of few moments predict little about another moment. */
function widenedText(all: readonly ShownTimes[], { startMs, readyMs }: { startMs: string; readyMs: string }): string {
  const moments = all.filter((each) => each.startMs.length > 0).map((each) => each.moments);
  const [fewest, most] = [Math.min(...moments), Math.max(...moments)];
  const seen = fewest === most ? countedNoun(most, "moment") : `${fewest} to ${most} moments`;
  return `the starts of a workload were observed at ${seen} (10m each), so some runs get other times: with a probability of 1/(number of moments + 1), a start takes ${startMs} longer, and the time to Ready of a pod with a probe is ${readyMs} longer`;
}
