import { mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Gateway } from "../gateway.ts";
import type { RoutePlan } from "../plan/route-plan.ts";
import { certificateIn, configFile, haproxyFiles, type HaproxyFileOptions, readySocket } from "./haproxy-files.ts";
import type { HaproxyProcess } from "./haproxy-process.ts";
import { request } from "node:http";

export interface HaproxyGatewayDeps {
  clock: Clock;
  log: Logger;
  process: HaproxyProcess;
}

/** `directory` holds one numbered directory for each of the last sets of routes. */
export type HaproxyGatewayOptions = HaproxyFileOptions;

/** A reload with 20,000 routes takes less than two seconds on a small machine. */
const readyWaitMs = 10_000;
const readyPollMs = 20;
/** A starting worker may still read the files of one of the two previous sets of routes. */
const generationsKept = 3;

/**
 * HAProxy as the server in front. Each set of routes is a separate directory, which is verified
 * before the running process reads it, so that a rejected set changes nothing.
 */
export class HaproxyGateway implements Gateway {
  readonly #deps: HaproxyGatewayDeps;
  readonly #options: HaproxyGatewayOptions;
  #generation: number | undefined;

  constructor(deps: HaproxyGatewayDeps, options: HaproxyGatewayOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  async serve(plan: RoutePlan): Promise<void> {
    const { process } = this.#deps;
    const { directory } = this.#options;
    this.#generation = (this.#generation ?? (await lastGeneration(directory))) + 1;
    const own = join(directory, String(this.#generation));
    await this.#write(own, plan);
    await this.#pointTo(own);
    await process.reload(join(directory, configFile));
    await this.#waitUntilReady(join(own, readySocket));
    await this.#removeOld();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#deps.process.run(signal);
  }

  /** Omits each certificate that HAProxy rejects, instead of rejecting all routes. */
  async #write(own: string, plan: RoutePlan): Promise<void> {
    const { log, process } = this.#deps;
    for (let wanted = plan; ;) {
      await rm(own, { recursive: true, force: true });
      await mkdir(own, { recursive: true, mode: 0o700 });
      const files = haproxyFiles(wanted, { ...this.#options, directory: own });
      await Promise.all([...files].map(([name, text]) => writeFile(join(own, name), text, { mode: 0o600 })));
      const fault = await process.check(join(own, configFile));
      if (fault === undefined) return;
      const refused = certificateIn(wanted, fault);
      if (refused === undefined) throw new Error(`haproxy refuses its configuration: ${fault.slice(0, 2000)}`);
      log.warn("a certificate is not served because haproxy refuses it", { secret: refused, fault });
      wanted = { ...wanted, certificates: wanted.certificates.filter(({ name }) => name !== refused) };
    }
  }

  /**
   * Renames the link atomically, so that a process that starts now reads one of the two
   * directories.
   */
  async #pointTo(own: string): Promise<void> {
    const link = join(this.#options.directory, configFile);
    await rm(`${link}.new`, { force: true });
    await symlink(join(own, configFile), `${link}.new`);
    await rename(`${link}.new`, link);
  }

  async #waitUntilReady(socket: string): Promise<void> {
    const { clock } = this.#deps;
    const deadlineMs = clock.monotonicMs() + readyWaitMs;
    while (!(await isReady(socket))) {
      if (clock.monotonicMs() > deadlineMs)
        throw new Error(`haproxy does not serve new routes within ${readyWaitMs / 1000} s`);
      await clock.sleep(readyPollMs);
    }
  }

  async #removeOld(): Promise<void> {
    const { directory } = this.#options;
    const old = (await generations(directory)).filter((each) => each <= (this.#generation ?? 0) - generationsKept);
    await Promise.all(old.map((each) => rm(join(directory, String(each)), { recursive: true, force: true })));
  }
}

async function generations(directory: string): Promise<number[]> {
  return (await readdir(directory)).filter((name) => /^\d{1,12}$/.test(name)).map(Number);
}

async function lastGeneration(directory: string): Promise<number> {
  return Math.max(0, ...(await generations(directory)));
}

/** Reports whether a server answers 200 on a socket of this machine, within a second. */
function isReady(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: "/", timeout: 1000, agent: false }, (answer) => {
      answer.resume();
      answer.once("close", () => resolve(answer.statusCode === 200));
    });
    asked.once("timeout", () => asked.destroy());
    asked.once("error", () => resolve(false));
    asked.end();
  });
}
