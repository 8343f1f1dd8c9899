import { pods } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import type { ExecSyncResult } from "@kintsugi/cri";
import type { OciRuntime } from "@kintsugi/lab";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";
import { boundPod, type KubeletAlone, startKubeletAlone, whenPodSeen } from "./kubelet-alone.ts";

// Measures how soon a kubelet reacts to its containers: a crash, reported by an event or found by a
// listing; a failed probe.

export interface AnswerRuns {
  kills: number;
  ociRuntime: OciRuntime;
}

export async function measureAnswers({ kills, ociRuntime }: AnswerRuns): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const by of ["event", "relist"] as const) {
    await using kubelet = await startKubeletAlone(by, ociRuntime);
    figures.push(...crashFigures(by, await crash(kubelet, by, kills)));
    if (by === "event") figures.push(...(await probes(kubelet, 10)), ...(await commands(kubelet, 30)));
  }
  return figures;
}

interface Crash {
  issuedMs: number;
  seenMs: number;
  runningMs: number;
}

/** Kills one container after the other; the first restart of each is without delay. */
async function crash(kubelet: KubeletAlone, by: "event" | "relist", kills: number): Promise<Crash[]> {
  const { client, informer, calls } = kubelet;
  const names = Array.from({ length: kills }, (_, i) => `crash-${i}`);
  const running = names.map((name) => whenPodSeen(informer, name, (pod) => stateOf(pod)?.running !== undefined));
  for (const name of names) await client.create(pods, boundPod(name), { namespace: "default" });
  await Promise.all(running);
  const processes = await kubelet.processes();
  const crashes: Crash[] = [];
  for (const name of names) {
    // A random time in the period between two listings.
    await systemClock.sleep(by === "event" ? 50 + systemRandom.integer(100) : systemRandom.integer(1000));
    const pod = informer.find({ namespace: "default", name });
    const id = pod?.status?.containerStatuses?.[0]?.containerID?.replace("containerd://", "") ?? "";
    const seen = whenPodSeen(informer, name, (now) => stateOf(now)?.running === undefined || restartsOf(now) > 0);
    const again = whenPodSeen(informer, name, (now) => restartsOf(now) > 0 && stateOf(now)?.running !== undefined);
    const killedAtMs = performance.now();
    process.kill(processes.get(id) ?? 0, "SIGKILL");
    const [seenAtMs, againAtMs] = await Promise.all([seen, again]);
    const issued = calls.find(
      (call) => call.name === "createContainer" && call.atMs > killedAtMs && podNameOf(call.args[0]) === name,
    );
    crashes.push({
      issuedMs: (issued?.atMs ?? againAtMs) - killedAtMs,
      seenMs: seenAtMs - killedAtMs,
      runningMs: againAtMs - killedAtMs,
    });
  }
  return crashes;
}

function crashFigures(by: "event" | "relist", crashes: readonly Crash[]): Figure[] {
  const seen = describeSamples(crashes.map(({ seenMs }) => seenMs));
  const issued = describeSamples(crashes.map(({ issuedMs }) => issuedMs));
  const running = describeSamples(crashes.map(({ runningMs }) => runningMs));
  const id = `kubelet.crash.${by}`;
  const what = `container killed, told by ${by}`;
  const detail = `${crashes.length} kills, SIGKILL → said to the API; worst ${Math.round(seen.max)} ms`;
  const goals = by === "event" ? { p50: { goal: 20 }, p99: { goal: 60 }, running: { goal: 120 } } : {};
  return [
    { id: `${id}.seen.p50`, what: `${what} → seen, p50`, value: seen.p50, unit: "ms", ...goals.p50, detail },
    { id: `${id}.seen.p99`, what: `${what} → seen, p99`, value: seen.p99, unit: "ms", ...goals.p99 },
    { id: `${id}.issued.p50`, what: `${what} → restart issued, p50`, value: issued.p50, unit: "ms" },
    { id: `${id}.issued.p99`, what: `${what} → restart issued, p99`, value: issued.p99, unit: "ms" },
    { id: `${id}.running.p50`, what: `${what} → running again, p50`, value: running.p50, unit: "ms", ...goals.running },
  ];
}

/**
 * Measures the time from the liveness probe's failure that reaches the threshold to the call that
 * stops the container.
 */
async function probes(kubelet: KubeletAlone, count: number): Promise<Figure[]> {
  const { client, informer, calls } = kubelet;
  const names = Array.from({ length: count }, (_, i) => `unwell-${i}`);
  const restarted = names.map((name) => whenPodSeen(informer, name, (pod) => restartsOf(pod) > 0));
  const container = {
    command: ["sh", "-c", "touch /ok; sleep 3; rm /ok; exec sleep 3600"],
    livenessProbe: {
      exec: { command: ["test", "-e", "/ok"] },
      initialDelaySeconds: 1,
      periodSeconds: 1,
      failureThreshold: 1,
      successThreshold: 1,
      timeoutSeconds: 5,
    },
  };
  for (const name of names) await client.create(pods, boundPod(name, container), { namespace: "default" });
  await Promise.all(restarted);
  const samples = calls.flatMap((call) => {
    if (call.name !== "execSync" || ((call.answer as ExecSyncResult | undefined)?.exitCode ?? 0) === 0) return [];
    const stopped = calls.find(
      ({ name, args, atMs }) => name === "stopContainer" && args[0] === call.args[0] && atMs >= call.answeredAtMs,
    );
    return stopped ? [stopped.atMs - call.answeredAtMs] : [];
  });
  const { p50, max } = describeSamples(samples);
  const what = "liveness probe failed → container told to stop";
  return [
    { id: "kubelet.liveness.p50", what: `${what}, p50`, value: p50, unit: "ms", detail: `${samples.length} probes` },
    { id: "kubelet.liveness.max", what: `${what}, worst`, value: max, unit: "ms" },
  ];
}

/** Measures the cost of an exec probe, which is the runtime's share of `kubectl exec`. */
async function commands({ runtime }: KubeletAlone, count: number): Promise<Figure[]> {
  const [container] = await runtime.listContainers({ state: "running" });
  const samples: number[] = [];
  for (let i = 0; i < count; i++) {
    const startedMs = performance.now();
    await runtime.execSync(container?.id ?? "", ["true"], 10);
    samples.push(performance.now() - startedMs);
  }
  const { p50 } = describeSamples(samples);
  return [
    {
      id: "kubelet.exec.cri.p50",
      what: "command in a container, by CRI, p50",
      value: p50,
      unit: "ms",
      detail: `${count}`,
    },
  ];
}

type PodNow = Parameters<Parameters<typeof whenPodSeen>[2]>[0];

function stateOf(pod: PodNow) {
  return pod.status?.containerStatuses?.[0]?.state;
}

function restartsOf(pod: PodNow): number {
  return pod.status?.containerStatuses?.[0]?.restartCount ?? 0;
}

function podNameOf(request: unknown): string | undefined {
  return (request as { sandboxConfig?: { metadata?: { name?: string } } }).sandboxConfig?.metadata?.name;
}
