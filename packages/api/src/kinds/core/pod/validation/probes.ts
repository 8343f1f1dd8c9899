import type { Container } from "../spec/container.ts";
import type { HTTPGetAction, LifecycleHandler, Probe } from "../spec/probe.ts";
import { checkPortName, checkPortNumber } from "../../../../values/names.ts";
import type { Faults } from "../../../../validation/faults.ts";

export interface HandlerPlace {
  path: string;
  /** The pod's grace period in seconds; a sleep in its preStop hook may not be longer. */
  graceSeconds: number | undefined;
}

/** Probes and hooks of containers that run for the pod's lifetime. */
export function validateLifecycleAndProbes(container: Container, at: HandlerPlace, faults: Faults): void {
  const { path, graceSeconds } = at;
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  for (const hook of ["postStart", "preStop"] as const) {
    const handler = lifecycle?.[hook];
    if (handler !== undefined) validateHandler(handler, { path: `${path}.lifecycle.${hook}`, graceSeconds }, faults);
  }
  if (livenessProbe !== undefined) validateProbe(livenessProbe, `${path}.livenessProbe`, faults);
  if (readinessProbe !== undefined) validateProbe(readinessProbe, `${path}.readinessProbe`, faults);
  if (startupProbe !== undefined) validateProbe(startupProbe, `${path}.startupProbe`, faults);
  for (const name of ["livenessProbe", "startupProbe"] as const) {
    const successThreshold = container[name]?.successThreshold;
    if (container[name] !== undefined && successThreshold !== 1) {
      faults.invalid(`${path}.${name}.successThreshold`, successThreshold, "must be 1");
    }
  }
  if (readinessProbe?.terminationGracePeriodSeconds !== undefined) {
    const field = `${path}.readinessProbe.terminationGracePeriodSeconds`;
    faults.invalid(field, readinessProbe.terminationGracePeriodSeconds, "must not be set for readinessProbes");
  }
}

function validateProbe(probe: Probe, path: string, faults: Faults): void {
  validateHandler(probe, { path, graceSeconds: undefined }, faults);
  faults.notNegative(`${path}.initialDelaySeconds`, probe.initialDelaySeconds);
  faults.notNegative(`${path}.timeoutSeconds`, probe.timeoutSeconds);
  faults.notNegative(`${path}.periodSeconds`, probe.periodSeconds);
  faults.notNegative(`${path}.successThreshold`, probe.successThreshold);
  faults.notNegative(`${path}.failureThreshold`, probe.failureThreshold);
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0) {
    faults.invalid(`${path}.terminationGracePeriodSeconds`, grace, "must be greater than 0");
  }
}

type Handler = Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc"> & Pick<LifecycleHandler, "sleep">;

const handlerTypes = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;

function validateHandler(handler: Handler, at: HandlerPlace, faults: Faults): void {
  let chosen: (typeof handlerTypes)[number] | undefined;
  for (const type of handlerTypes) {
    if (handler[type] === undefined) continue;
    if (chosen === undefined) chosen = type;
    else faults.forbidden(`${at.path}.${type}`, "may not specify more than 1 handler type");
  }
  if (chosen === undefined) return faults.required(at.path, "must specify a handler type");
  validateChosen(handler, { ...at, path: `${at.path}.${chosen}` }, { chosen, faults });
}

function validateChosen(
  handler: Handler,
  { path, graceSeconds }: HandlerPlace,
  { chosen, faults }: { chosen: (typeof handlerTypes)[number]; faults: Faults },
): void {
  switch (chosen) {
    case "exec":
      if ((handler.exec?.command ?? []).length === 0) faults.required(`${path}.command`);
      break;
    case "httpGet":
      if (handler.httpGet !== undefined) validateHttpGet(handler.httpGet, path, faults);
      break;
    case "tcpSocket":
      validatePort(handler.tcpSocket?.port ?? 0, `${path}.port`, faults);
      break;
    case "grpc":
      validatePort(handler.grpc?.port ?? 0, `${path}.port`, faults);
      break;
    case "sleep": {
      const seconds = handler.sleep?.seconds ?? 0;
      if (graceSeconds !== undefined && (seconds < 0 || seconds > graceSeconds)) {
        const detail = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
        faults.invalid(path, seconds, detail);
      }
      break;
    }
  }
}

function validateHttpGet(action: HTTPGetAction, path: string, faults: Faults): void {
  if ((action.path ?? "") === "") faults.required(`${path}.path`);
  validatePort(action.port, `${path}.port`, faults);
  if (action.scheme !== "HTTP" && action.scheme !== "HTTPS") {
    faults.notSupported(`${path}.scheme`, action.scheme ?? "", ["HTTP", "HTTPS"]);
  }
  for (const { name } of action.httpHeaders ?? []) {
    if (/^[-A-Za-z0-9]+$/.test(name)) continue;
    const detail =
      "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
    faults.invalid(`${path}.httpHeaders`, name, detail);
  }
}

/** A port number, or the name of one of the container's ports. */
export function validatePort(port: number | string, path: string, faults: Faults): void {
  faults.invalidEach(path, port, typeof port === "number" ? checkPortNumber(port) : checkPortName(port));
}
