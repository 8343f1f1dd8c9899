import { parseDurationMs, type Pod } from "@kintsugi/api";
import type { CreateContainerRequest } from "@kintsugi/cri";
import { type ContainerProgram, scriptAnnotation } from "@kintsugi/cri/testing";
import type { ProbeKind } from "@kintsugi/kubelet/factory";
import { failingProbesAnnotation, powerAnnotation, startDelayAnnotation } from "./hollow-keys.ts";

// The behaviour of hollow machines and pods, as their annotations describe it.

/** The state of a machine. */
export type Power = "on" | "off" | "paused";

type Annotations = Readonly<Record<string, string>> | undefined;

/** A machine runs unless its annotation has one of the other states. */
export function powerIn(annotations: Annotations): Power {
  const wanted = annotations?.[powerAnnotation];
  return wanted === "off" || wanted === "paused" ? wanted : "on";
}

/** A container could otherwise be kept from starting for ever by a word. */
const startDelayMaxMs = 3_600_000;

/**
 * The milliseconds that each container of a pod takes to be made; a text that is no duration is 0.
 */
export function startDelayMsIn(annotations: Annotations): number {
  const text = annotations?.[startDelayAnnotation];
  if (text === undefined) return 0;
  try {
    return Math.min(startDelayMaxMs, Math.max(0, parseDurationMs(text)));
  } catch {
    return 0;
  }
}

/** Reports whether a probe of this kind fails by the pod's annotation. */
export function failsProbe(pod: Pod | undefined, kind: ProbeKind): boolean {
  const failing = pod?.metadata.annotations?.[failingProbesAnnotation]?.split(",") ?? [];
  return failing.some((word) => word.trim() === kind);
}

/**
 * Returns the script of the container's pod, which crashes where it says so; undefined where it has
 * none, and image and command decide.
 */
export function scriptedProgram({ sandboxConfig }: CreateContainerRequest): ContainerProgram | undefined {
  const source = sandboxConfig.annotations[scriptAnnotation];
  return source === undefined ? undefined : { type: "shell", source };
}
