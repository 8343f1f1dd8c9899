import type { Pod } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { type ContainerRuntime, RuntimeError } from "@kintsugi/cri";
import { forwardStream, type RemoteCommandOptions, type UpgradeRequest } from "@kintsugi/streaming";
import { labelNames } from "../model/labels.ts";
import { StreamSlots } from "./stream-slots.ts";
import { StreamStarts } from "./stream-starts.ts";
import { Refusal, type Route, type RouteRequest } from "./kubelet-server.ts";

export interface StreamRoutesDeps {
  pods: Pick<Informer<Pod>, "find">;
  /**
   * The uid is from the node's own record, because the API's pod alone is not enough to access a
   * container.
   */
  readonly runtimeUidOf: (pod: Pod) => string;
  runtime: ContainerRuntime;
  readonly clock: Clock;
}

/** A route's dependencies, and the streams of all routes. */
type StreamDeps = StreamRoutesDeps & { readonly slots: StreamSlots; readonly starts: StreamStarts };

/**
 * exec, attach and port-forward. The request is checked here, and the runtime's own streaming
 * server performs it.
 */
export function streamRoutes(routesDeps: StreamRoutesDeps): Route[] {
  const deps = { ...routesDeps, slots: new StreamSlots(routesDeps), starts: new StreamStarts(routesDeps) };
  return [
    {
      segment: "exec",
      scope: "streams",
      upgrade: (request, upgrade) => exec(deps, request, upgrade),
    },
    {
      segment: "attach",
      scope: "streams",
      upgrade: (request, upgrade) => attach(deps, request, upgrade),
    },
    {
      segment: "portForward",
      scope: "streams",
      upgrade: (request, upgrade) => portForward(deps, request, upgrade),
    },
  ];
}

/** /exec/<namespace>/<pod>[/<uid>]/<container>?command=ls&output=1 */
async function exec(deps: StreamDeps, request: RouteRequest, upgrade: UpgradeRequest): Promise<void> {
  const { pod, containerName } = containerTarget(deps, request);
  const command = parseCommandOptions(request.query);
  const containerId = await findRunning(deps, pod, containerName);
  const words = request.query.getAll("command");
  await stream(deps, { request, upgrade, pod, containerName, command, hasProcess: true }, () =>
    deps.runtime.exec({ containerId, command: words, ...command }, request.signal),
  );
}

/** /attach/<namespace>/<pod>[/<uid>]/<container>?input=1&output=1 */
async function attach(deps: StreamDeps, request: RouteRequest, upgrade: UpgradeRequest): Promise<void> {
  const { pod, containerName } = containerTarget(deps, request);
  // The container was created with or without a terminal, which a request cannot change.
  const tty = containersOf(pod).find(({ name }) => name === containerName)?.tty ?? false;
  const asked = parseCommandOptions(request.query);
  const command = { ...asked, tty, stderr: asked.stderr && !tty };
  const containerId = await findRunning(deps, pod, containerName);
  await stream(deps, { request, upgrade, pod, containerName, command }, () =>
    deps.runtime.attach({ containerId, ...command }, request.signal),
  );
}

/**
 * /portForward/<namespace>/<pod>[/<uid>]; WebSockets up to v4 name the ports in the request, and
 * SPDY names them in each stream.
 */
async function portForward(deps: StreamDeps, request: RouteRequest, upgrade: UpgradeRequest): Promise<void> {
  const [namespace = "", name = "", uid] = request.parts;
  const pod = findPod(deps, { namespace, name, uid });
  const ports = request.query
    .getAll("port")
    .flatMap((text) => text.split(","))
    .map(parsePort);
  const sandboxes = await deps.runtime.listPodSandboxes({ ready: true, labels: podLabels(deps, pod) }, request.signal);
  const newest = sandboxes.toSorted((one, other) => other.createdAtMs - one.createdAtMs)[0];
  if (newest === undefined) throw new Refusal(500, `failed to find sandboxID for pod ${namespace}_${name}: not found`);
  await stream(deps, { request, upgrade, pod }, () => deps.runtime.portForward(newest.id, ports, request.signal));
}

interface AskedStream {
  request: RouteRequest;
  upgrade: UpgradeRequest;
  pod: Pod;
  /** Undefined for a port-forward, like `command`. */
  containerName?: string;
  command?: RemoteCommandOptions;
  /** True where the command is a separate process. */
  hasProcess?: boolean;
}

/**
 * Reserves a slot for the stream and joins the client to the runtime's streaming server.
 * @throws Refusal
 */
async function stream(deps: StreamDeps, of: AskedStream, open: () => Promise<string>): Promise<void> {
  const { request, upgrade, pod, containerName, command, hasProcess = false } = of;
  const { signal } = request;
  const podUid = pod.metadata.uid ?? "";
  const slot = deps.slots.take({ podUid, containerName }, signal);
  const start = hasProcess ? await deps.starts.wait(podUid, signal) : undefined;
  const onRuntimeEnd = () => {
    slot.ended();
    start?.over();
  };
  if (hasProcess) slot.started();
  const url = await askRuntime(open).catch((error: unknown) => {
    onRuntimeEnd();
    throw error;
  });
  await forwardStream(upgrade, { url, signal, onRuntimeEnd, ...(command === undefined ? {} : { command }) });
}

function containerTarget(deps: StreamRoutesDeps, { parts }: RouteRequest): { pod: Pod; containerName: string } {
  const [namespace = "", name = "", ...rest] = parts;
  const containerName = rest.at(-1) ?? "";
  const uid = rest.length > 1 ? rest[0] : undefined;
  if (containerName === "") throw new Refusal(400, "missing container name");
  return { pod: findPod(deps, { namespace, name, uid }), containerName };
}

function findPod({ pods }: StreamRoutesDeps, key: { namespace: string; name: string; uid: string | undefined }): Pod {
  const pod = pods.find({ namespace: key.namespace, name: key.name });
  if (pod === undefined || (key.uid !== undefined && pod.metadata.uid !== key.uid)) {
    throw new Refusal(404, "pod does not exist");
  }
  return pod;
}

function containersOf({ spec }: Pod): { name: string; tty?: boolean | undefined }[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])];
}

function podLabels({ runtimeUidOf }: StreamRoutesDeps, pod: Pod): Record<string, string> {
  return { [labelNames.podUid]: runtimeUidOf(pod) };
}

/** Upstream's words, which kubectl shows after "unable to upgrade connection:". */
async function findRunning(deps: StreamRoutesDeps, pod: Pod, containerName: string): Promise<string> {
  const labels = { ...podLabels(deps, pod), [labelNames.containerName]: containerName };
  const running = await askRuntime(() => deps.runtime.listContainers({ state: "running", labels }));
  const newest = running.toSorted((one, other) => other.createdAtMs - one.createdAtMs)[0];
  if (newest === undefined) throw new Refusal(500, `container not found (${JSON.stringify(containerName)})`);
  return newest.id;
}

/**
 * Parses the query in the form of upstream's remotecommand options.
 * @throws Refusal
 */
function parseCommandOptions(query: URLSearchParams): RemoteCommandOptions {
  const flag = (name: string) => query.get(name) === "1" || query.get(name) === "true";
  const tty = flag("tty");
  // A terminal has only one output.
  const options = { stdin: flag("input"), stdout: flag("output"), stderr: flag("error") && !tty, tty };
  if (!options.stdin && !options.stdout && !options.stderr) {
    throw new Refusal(400, "you must specify at least 1 of stdin, stdout, stderr");
  }
  return options;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65535) {
    throw new Refusal(400, `invalid port ${JSON.stringify(text)}: must be between 1 and 65535`);
  }
  return port;
}

/**
 * Calls the runtime, and returns its error to the client.
 * @throws Refusal
 */
async function askRuntime<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    const statusCode = error.reason === "notFound" ? 404 : error.reason === "invalid" ? 400 : 500;
    throw new Refusal(statusCode, error.message);
  }
}
