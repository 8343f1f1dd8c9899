import cluster, { type Worker } from "node:cluster";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { Metrics } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import type { ServerTls } from "@kintsugi/daemon";
import { answerWorker, type OwnerDeps } from "./answer-worker.ts";
import { type LinkFrame, frameTypes, jsonOf } from "./frame.ts";
import { Link, linkDescriptor } from "./link.ts";
import type { OwnerMessage, WorkerMessage } from "./messages.ts";
import { type RelayedMeasurement, WorkerMeasurements } from "./relayed-metrics.ts";

export interface HttpWorkersDeps extends OwnerDeps {
  metrics: Metrics;
  /** Returns the certificate that was last read from the files. */
  currentTls(): ServerTls;
}

export interface HttpWorkersOptions {
  /** Number of worker processes, 1 or more. */
  readonly count: number;
  /** The folder of the calling module, from which `http-worker-main` is found. */
  readonly programFolder: string;
  readonly bindAddresses: readonly string[];
  readonly port: number;
  readonly certFile: string;
  readonly keyFile: string;
  readonly clientCaFile: string;
  readonly streamsPerConnectionMax: number | undefined;
  /** The connections of all workers together. */
  readonly connectionsMax: number;
}

/**
 * The time before the replacement of a worker that has ended. A worker that cannot start costs
 * little.
 */
const restartMs = 1_000;
/** The time that a worker has to end. A worker that is stopped (SIGSTOP) does not end by itself. */
const endMaxMs = 2_000;

/**
 * Starts processes that receive requests over TLS on the same addresses, and pass them to `handle`
 * of this process, which owns the store.
 * @throws Error when a worker ends before it listens; its own message is on standard error.
 */
export async function startHttpWorkers(deps: HttpWorkersDeps, options: HttpWorkersOptions): Promise<AsyncDisposable> {
  // The workers themselves accept connections. Otherwise this process accepts them without a limit
  // while the workers are busy, which uses up its files, and a worker that is killed leaves the
  // connection that was passed to it open forever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    exec: workerFile(options.programFolder),
    args: argumentsOf(options),
    // The last descriptor is the link; the others are those of every worker of node:cluster.
    stdio: ["ignore", "inherit", "inherit", "ipc", "pipe"],
  });
  const measurements = new WorkerMeasurements(deps.metrics);
  const workers = new Map<number, { worker: Worker; link: Link }>();
  let isClosing = false;
  const start = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (ending: string) => {
        workers.delete(index);
        measurements.forget(index);
        reject(new Error(`an HTTP worker ended before it listened (${ending}): its own message is above`));
        if (isClosing) return;
        deps.log.warn("an HTTP worker has ended", { worker: index, ending });
        systemClock.after(restartMs, () => {
          // The next end of the worker starts the next attempt.
          if (!isClosing) start(index).catch(() => {});
        });
      };
      const worker = cluster.fork();
      // No process is started without a free file descriptor.
      if (worker.process.pid === undefined) return void worker.once("error", ({ message }) => end(message));
      const link = new Link(worker.process.stdio[linkDescriptor] as Socket);
      workers.set(index, { worker, link });
      answerWorker(deps, link);
      addMeasurements(link, { index, measurements });
      worker.on("message", (message: WorkerMessage) => {
        if ("listening" in message) resolve();
        else worker.send({ tls: deps.currentTls() } satisfies OwnerMessage);
      });
      worker.on("error", reject);
      worker.once("exit", (code, signal) => end(signal ?? `exit code ${code}`));
    });
  const close = async () => {
    isClosing = true;
    const ended = [...workers.values()].map(
      ({ worker }) =>
        new Promise<void>((resolve) => {
          const late = systemClock.after(endMaxMs, () => worker.process.kill("SIGKILL"));
          worker.once("exit", () => {
            late.cancel();
            resolve();
          });
        }),
    );
    // The last bytes of watches, which end with the server, are on their way.
    for (const { link } of workers.values()) link.end();
    await Promise.all(ended);
  };
  try {
    await Promise.all(Array.from({ length: options.count }, (_, index) => start(index)));
  } catch (error) {
    await close();
    throw error;
  }
  return { [Symbol.asyncDispose]: close };
}

function addMeasurements(
  link: Link,
  { index, measurements }: { index: number; measurements: WorkerMeasurements },
): void {
  const answer = link.onFrame;
  link.onFrame = (frame: LinkFrame) => {
    if (frame.type !== frameTypes.measurements) return answer(frame);
    measurements.add(index, jsonOf<RelayedMeasurement[]>(frame.payload));
  };
}

function argumentsOf(options: HttpWorkersOptions): string[] {
  return [
    `--bind-address=${options.bindAddresses.join(",")}`,
    `--secure-port=${options.port}`,
    `--tls-cert-file=${options.certFile}`,
    `--tls-private-key-file=${options.keyFile}`,
    `--client-ca-file=${options.clientCaFile}`,
    `--http2-max-streams-per-connection=${options.streamsPerConnectionMax ?? 0}`,
    `--connections-max=${options.connectionsMax}`,
    `--workers=${options.count}`,
  ];
}

/** @throws Error in an installation without the worker's program. */
function workerFile(folder: string): string {
  // The npm package has code that programs share in a folder of its own.
  const folders = [folder, join(folder, "../../api-server/bundle")];
  const files = folders.flatMap((each) => ["ts", "mjs"].map((ending) => join(each, `http-worker-main.${ending}`)));
  const file = files.find((each) => existsSync(each));
  if (file === undefined) throw new Error(`the program of HTTP workers is not installed: ${files.join(", ")}`);
  return file;
}
