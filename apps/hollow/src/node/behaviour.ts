import { parseDurationMs, type Pod } from "@kintsugi/api";
import type { CreateContainerRequest } from "@kintsugi/cri";
import { type ContainerProgram, programOf, scriptAnnotation } from "@kintsugi/cri/simulated";
import type { ProbeKind } from "@kintsugi/kubelet/factory";
import {
  attachScriptAnnotation,
  execScriptAnnotation,
  failingProbesAnnotation,
  logsAnnotation,
  portAnnotationPrefix,
  powerAnnotation,
  startDelayAnnotation,
} from "./hollow-keys.ts";

// The behavior of hollow machines and pods, as their annotations describe it.

/** The state of a machine. */
export type Power = "on" | "off" | "paused";

type Annotations = Readonly<Record<string, string>> | undefined;

/** A machine runs unless its annotation has one of the other states. */
export function powerIn(annotations: Annotations): Power {
  const wanted = annotations?.[powerAnnotation];
  return wanted === "off" || wanted === "paused" ? wanted : "on";
}

/** Limit of the time, because a typing mistake could otherwise delay a container forever. */
const startDelayMaxMs = 3_600_000;

/**
 * The milliseconds that the creation of each container of a pod takes; 0 for text that is not a
 * duration.
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
 * Returns the behavior of a container whose pod has the annotations that `read` returns. Scripts
 * that answer commands are read at each command.
 */
export function scriptedProgram(
  { config, imageName }: Pick<CreateContainerRequest, "config"> & { imageName: string },
  read: () => Annotations,
): ContainerProgram {
  const source = read()?.[scriptAnnotation];
  const program = source === undefined ? programOf(config, imageName) : { type: "shell" as const, source };
  if (program.type === "fails") return program;
  return {
    ...program,
    execScript: () => read()?.[execScriptAnnotation],
    attachScript: () => read()?.[attachScriptAnnotation],
  };
}

/** Returns the text with which a port of the pod answers; undefined where the port is not open. */
export function answerOfPort(annotations: Annotations, port: number): string | undefined {
  return annotations?.[`${portAnnotationPrefix}${port}`];
}

/** Returns the text that a container prints when it starts, with a newline at its end. */
export function printedAtStart(annotations: Annotations): string {
  const text = annotations?.[logsAnnotation] ?? "";
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
