import { defaultGracePeriodSeconds, type Pod } from "@kintsugi/api";
import { assumedTimes, type Timings } from "./timings.ts";

/** The source of randomness, as in `@kintsugi/clock`. */
export interface Chance {
  /** A number from 0 to below 1. */
  float(): number;
}

/** Kubernetes writes whole seconds, so each end of a time is known to this precision. */
const roundingMs = 1_000;
/**
 * Times of one moment predict little about another moment: on one busy machine, starts at two
 * moments differed by a quarter, measured with `npm run bench -- rehearsal`. This is the spread of
 * the logarithm.
 */
const betweenMoments = 0.25;
/** Larger deviations are as rare as one start in a thousand. */
const deviationsMax = 4;

/**
 * The load of the machines in one run, as a number of deviations, which all of its pods share. It
 * has the tails of Student's distribution with three degrees of freedom, because its spread is
 * assumed.
 */
export function drawMoment(random: Chance): number {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.float())) * Math.cos(2 * Math.PI * random.float());
  const [top, ...below] = Array.from({ length: 4 }, normal);
  const spread = Math.sqrt(below.reduce((sum, each) => sum + each * each, 0) / below.length);
  return Math.max(-deviationsMax, Math.min(deviationsMax, (top ?? 0) / Math.max(spread, 0.01)));
}

/**
 * The factor of a time at a moment that differs from the observed moments. The more moments were
 * observed, the more of their differences is already in the observations.
 */
function factorOf(moment: number, moments: number): number {
  return Math.exp((betweenMoments / Math.sqrt(moments)) * moment);
}

/** Draws the times of one pod: one of its workload's observed times, or an assumed time. */
export function drawPodTimes(
  { byWorkload }: Timings,
  { workload, pod, moment }: { workload: string; pod: Pod; moment: number },
  random: Chance,
): { startMs: number; readyMs: number; stopMs: number } {
  const shown = byWorkload.get(workload);
  const factor = factorOf(moment, shown?.moments ?? 1);
  const stops = shown?.stopMs ?? [];
  const drawnMs = between(assumedTimes.stopMs, random);
  const seenMs = stops.length === 0 ? drawnMs : (stops[Math.floor(random.float() * stops.length)] ?? drawnMs) * factor;
  const stopMs = Math.round(
    Math.min(seenMs, (pod.spec?.terminationGracePeriodSeconds ?? defaultGracePeriodSeconds) * 1000),
  );
  const hasProbe = pod.spec?.containers.some(({ readinessProbe }) => readinessProbe !== undefined) === true;
  if (shown !== undefined && shown.startMs.length > 0) {
    const index = Math.floor(random.float() * shown.startMs.length);
    const startMs = jittered((shown.startMs[index] ?? 0) * factor, random);
    const readyMs = jittered((shown.readyMs[index] ?? 0) * factor, random);
    const later = laterMs({ moments: shown.moments, hasProbe }, random);
    return { startMs: startMs + later.startMs, readyMs: readyMs + later.readyMs, stopMs };
  }
  const delays = (pod.spec?.containers ?? []).map(
    ({ readinessProbe }) => (readinessProbe?.initialDelaySeconds ?? 0) * 1000,
  );
  const inits = shown?.initMs ?? [];
  const initMs =
    inits.length === 0 ? 0 : jittered((inits[Math.floor(random.float() * inits.length)] ?? 0) * factor, random);
  return {
    startMs: initMs + between(assumedTimes.startMs, random),
    readyMs: hasProbe ? Math.max(0, ...delays) + between(assumedTimes.readyMs, random) : 0,
    stopMs,
  };
}

/**
 * Draws the additional time of a start at a moment that is unlike every observed moment. After n
 * observed moments, the next moment is new with probability 1 / (n + 1) (the rule of succession).
 * Replacements start together, on machines that have just taken over the load of other machines.
 */
function laterMs(
  { moments, hasProbe }: { moments: number; hasProbe: boolean },
  random: Chance,
): { startMs: number; readyMs: number } {
  const isNew = random.float() < 1 / (moments + 1);
  const startMs = between(assumedTimes.startMs, random);
  const readyMs = between(assumedTimes.readyMs, random);
  return { startMs: isNew ? startMs : 0, readyMs: isNew && hasProbe ? readyMs : 0 };
}

/**
 * Draws the time of a pull: from the events about the image, or from its size at the measured rate.
 * The measured starts of workloads include their pulls, so an image without events and size does
 * not add time to measured starts.
 */
export function drawPullMs(
  { pulls, shown, pullBytesPerSecond, imageBytes }: Timings,
  { image, moment }: { image: string; moment: number },
  random: Chance,
): number {
  const seen = pulls.get(image) ?? [];
  const factor = factorOf(moment, 1);
  if (seen.length > 0) return Math.round((seen[Math.floor(random.float() * seen.length)] ?? 0) * factor);
  const bytes = imageBytes.get(image);
  if (bytes !== undefined && pullBytesPerSecond !== undefined)
    return Math.round(((1000 * bytes) / pullBytesPerSecond) * factor);
  return shown > 0 ? 0 : between(assumedTimes.pullMs, random);
}

/** Draws the time to move a volume to another node: an observed time, or an assumed time. */
export function drawAttachMs({ attachMs }: Timings, { moment }: { moment: number }, random: Chance): number {
  if (attachMs.length === 0) return between(assumedTimes.volumeMs, random);
  const seenMs = attachMs[Math.floor(random.float() * attachMs.length)] ?? 0;
  return Math.round((assumedTimes.detachMs + seenMs) * factorOf(moment, 1));
}

/** Draws the time until a container fails; undefined for a container that does not fail. */
export function drawCrashMs({ crashing }: Timings, container: string, random: Chance): number | undefined {
  const meanMs = crashing.get(container);
  if (meanMs === undefined) return undefined;
  return Math.max(1_000, Math.round(-meanMs * Math.log(1 - random.float())));
}

function between({ fromMs, toMs }: { fromMs: number; toMs: number }, random: Chance): number {
  return Math.round(fromMs + random.float() * (toMs - fromMs));
}

/** Both ends of a time were cut to whole seconds. */
function jittered(ms: number, random: Chance): number {
  return Math.max(0, Math.round(ms + (random.float() - random.float()) * roundingMs));
}

/** Interval at which Kubernetes' node controller checks all nodes. */
const lookMs = 5_000;

/**
 * Draws the time beyond the grace period until Kubernetes acts on pods of a silent node. A check
 * observes the last renewal, and the period counts from that check. A later check detects the
 * silence, and another check sets the taint (monitorNodeHealth).
 */
export function drawLookMs(random: Chance): number {
  const seenLate = random.float() * lookMs;
  const noticedLate = random.float() < 0.5 ? lookMs : 0;
  return Math.round(seenLate + noticedLate + lookMs);
}
