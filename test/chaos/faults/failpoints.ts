import { isRunning, openFiles, openSockets, trace } from "../cluster/processes.ts";
import { atOnce, between, type Fault, type Injected, nothingToUndo, type World } from "./fault.ts";
import { aKubelet } from "./kills.ts";

// A process crashes exactly before a relevant system call, which is then not made. The k-th such
// call is chosen, so that over many runs it dies in every place between two writes.

/** A process under load reaches its next write within this time. */
const reachMaxMs = 20_000;
const writeCalls = "write,writev";

interface Failpoint {
  readonly name: string;
  readonly victim: (world: World) => string;
  readonly calls: string;
  /** The files on which the calls are made. */
  readonly on: (world: World, pid: number) => string[];
  /** The process dies at one of the first `callsMax` calls. */
  readonly callsMax: number;
  readonly keeps?: "pods";
  /** The process does not write unless a client sends a request. */
  readonly needsStir?: true;
}

const log = (_: World, pid: number) => openFiles(pid, (path) => /\/store\/log\/\d+\.log$/.test(path));
const head = (_: World, pid: number) => openFiles(pid, (path) => path.endsWith("/store/HEAD"));
const natsLines = (_: World, pid: number) => openSockets(pid, "remote", 4222);
const clientLines = ({ cluster }: World, pid: number) => openSockets(pid, "local", cluster.realApiPort);
const serverLines = ({ cluster }: World, pid: number) => openSockets(pid, "remote", cluster.known.spec.apiPort);
const apiServer = () => "api-server";

const points: readonly Failpoint[] = [
  { name: "before it writes to its log", victim: apiServer, calls: "write", on: log, callsMax: 8, keeps: "pods" },
  { name: "before it syncs its log", victim: apiServer, calls: "fdatasync", on: log, callsMax: 8, keeps: "pods" },
  { name: "before it writes HEAD", victim: apiServer, calls: "pwrite64", on: head, callsMax: 8, keeps: "pods" },
  { name: "before it publishes", victim: apiServer, calls: writeCalls, on: natsLines, callsMax: 30, keeps: "pods" },
  { name: "before it answers", victim: apiServer, calls: writeCalls, on: clientLines, callsMax: 60, keeps: "pods" },
  controllerPoint("scheduler", () => "scheduler"),
  controllerPoint("controller-manager", () => "controller-manager"),
  controllerPoint("a kubelet", aKubelet),
];

export const failpoints: readonly Fault[] = points.map((point) => ({
  name: point.victim === apiServer ? `the api-server dies ${point.name}` : point.name,
  family: "failpoint",
  lastsMs: atOnce,
  ...(point.keeps && { keeps: point.keeps }),
  inject: (world) => dieAt(point, world),
}));

function controllerPoint(who: string, victim: Failpoint["victim"]): Failpoint {
  const name = `${who.startsWith("a ") ? who : `the ${who}`} dies before a write to the api-server`;
  return { name, victim, calls: writeCalls, on: serverLines, callsMax: 25, needsStir: true };
}

async function dieAt(point: Failpoint, world: World): Promise<Injected> {
  const component = point.victim(world);
  const pid = await world.cluster.pid(component);
  const on = point.on(world, pid);
  if (on.length === 0) return { notInjected: `${component} has nothing open to write to` };
  // strace counts the calls of each thread separately.
  const when = between(world.random, { min: 1, max: point.callsMax });
  const tracing = await trace(pid, { calls: point.calls, on, inject: `signal=KILL:when=${when}` });
  if (point.needsStir) await world.stir();
  await Promise.race([tracing.ended, new Promise((resolve) => setTimeout(resolve, reachMaxMs))]);
  await tracing.stop();
  if (isRunning(pid)) return { notInjected: `${component} did not come to its call number ${when}` };
  return { onto: `${component} at its call number ${when}`, undo: nothingToUndo };
}
