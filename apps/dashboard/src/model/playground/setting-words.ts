import { lengthInWords, parseDurationMs, type ProfileName, profiles, type TimerProfile } from "@kintsugi/api";
import type { Knob, PlayRequest, StoryRecording } from "@kintsugi/story";
import { countText } from "../words.ts";
import { settingOf } from "./play-address.ts";

/** A value to choose, with its words. */
export type Choice = readonly [value: string, words: string];

/** The value of a choice that leaves a setting as the run has it. */
export const unchanged = "";

/** The choices of a knob, first the value of the lesson's own run. */
export function knobChoices({ setting, values, asItIs }: Knob): Choice[] {
  const others = values.filter((value) => value !== asItIs);
  return [
    [unchanged, `as it is: ${settingValueText(setting, asItIs)}`],
    ...others.map((value): Choice => [value, settingValueText(setting, value)]),
  ];
}

/**
 * The choices of a general setting, first the scenario's own value.
 * @param profile the profile of the scenario; undefined before it is known
 */
export function settingChoices(
  setting: string,
  values: readonly string[],
  { run, profile }: { run: PlayRequest; profile: string | undefined },
): Choice[] {
  const timers = timersOf(settingOf(run, "profile") ?? profile);
  const own = setting === "profile" ? profile : timers && timerText(setting, timers);
  return [
    [unchanged, own === undefined ? "as written" : `as written: ${own}`],
    ...values.map((value): Choice => [value, settingValueText(setting, value)]),
  ];
}

/** Writes a value of a setting for people: the timer "1m30s" is "1 min 30 s". */
export function settingValueText(setting: string, value: string): string {
  return setting.startsWith("timers.") && /^(\d+[hms])+$/.test(value) ? lengthInWords(parseDurationMs(value)) : value;
}

/** The lengths of the timers that a viewer changes, by their settings. */
const timerMs: Readonly<Record<string, (timers: TimerProfile) => number>> = {
  "timers.node-monitor-grace-period": ({ nodeMonitorGracePeriodMs }) => nodeMonitorGracePeriodMs,
  "timers.pod-eviction-timeout": ({ defaultTolerationSeconds }) => defaultTolerationSeconds * 1000,
};

function timerText(setting: string, timers: TimerProfile): string | undefined {
  const ms = Object.hasOwn(timerMs, setting) ? timerMs[setting]?.(timers) : undefined;
  return ms === undefined ? undefined : lengthInWords(ms);
}

/** An address may name a profile that does not exist. */
function timersOf(profile: string | undefined): TimerProfile | undefined {
  return profile !== undefined && Object.hasOwn(profiles, profile) ? profiles[profile as ProfileName] : undefined;
}

/** Names a run by a setting in which it differs from another run: "with fast timers". */
export function differenceText(setting: string): string {
  const [name, value] = splitAt(setting);
  return wordsOf(name, settingValueText(name, value));
}

/** Names a run by its own values of settings in which another run differs. */
export function ownDifferenceText(
  setting: string,
  { request, recording }: { request: PlayRequest | undefined; recording: Pick<StoryRecording, "profile" | "timers"> },
): string {
  const [name] = splitAt(setting);
  const changed = request && settingOf(request, name);
  if (changed !== undefined) return wordsOf(name, settingValueText(name, changed));
  const { profile, timers = profiles[profile] } = recording;
  return wordsOf(name, name === "profile" ? profile : timerText(name, timers));
}

function splitAt(setting: string): [name: string, value: string] {
  const equals = setting.indexOf("=");
  return [setting.slice(0, equals), setting.slice(equals + 1)];
}

const profileWords: Readonly<Record<ProfileName, string>> = {
  kubernetes: "Kubernetes' timers",
  default: "Kintsugi's default timers",
  fast: "fast timers",
};

/** @param value undefined is the scenario's own value */
function wordsOf(name: string, value: string | undefined): string {
  const [group = "", part = "", field = ""] = name.split(".");
  if (field === "spread")
    return value === undefined
      ? `without a spread constraint of ${part}`
      : `with a spread constraint of ${part} over ${value}s`;
  const subject = group === "workloads" ? `${field} of ${part}` : part || group;
  if (value === undefined) return `with the ${subject.replaceAll("-", " ")} as written`;
  switch (name) {
    case "profile":
      return `with ${Object.hasOwn(profileWords, value) ? profileWords[value as ProfileName] : `the timers ${value}`}`;
    case "timers.node-monitor-grace-period":
      return `with ${value} of silence allowed`;
    case "timers.pod-eviction-timeout":
      return `with pods that stay for ${value} on a silent node`;
    case "nodes":
      return `with ${countText(Number(value), "node")}`;
  }
  if (field === "replicas") return `with ${value} replicas of ${part}`;
  return `with the ${subject.replaceAll("-", " ")} at ${value}`;
}
