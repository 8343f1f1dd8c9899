import type { Logger } from "@kintsugi/api";
import { type ProgramFailure, runProgram } from "../run-program.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { type Flow, staleFlows, type UdpDestinations } from "./stale-flows.ts";

/** The kernel's table of connections. */
export interface Conntrack {
  /**
   * Removes the UDP flows with invalid destinations. A flow that cannot be removed ends by itself.
   * A call during another call is served afterwards, with the last call's destinations, because
   * each call has all destinations and a listing may be large and take seconds.
   */
  forgetStale(destinations: UdpDestinations): Promise<void>;
}

const timeoutMs = 10_000;
/** Some 200 bytes for each of 100,000 flows. */
const outputBytesMax = 32 * 1024 * 1024;
/**
 * Limit of removed flows, because a process for each takes some milliseconds. Further flows end by
 * themselves, within two minutes of silence.
 */
const forgottenAtOnceMax = 500;

/**
 * The program `conntrack`, where it is installed. Without the program, stale flows end when their
 * clients are silent for a while.
 */
export function systemConntrack(log: Logger, command: readonly string[] = ["conntrack"]): Conntrack {
  let isMissing = false;
  return {
    forgetStale: oneAtATime(async (destinations: UdpDestinations) => {
      if (isMissing) return;
      try {
        const stale = staleFlows(await run([...command, "-L", "-p", "udp"]), destinations);
        for (const flow of stale.slice(0, forgottenAtOnceMax)) await run([...command, ...deletionOf(flow)]);
        if (stale.length > 0)
          log.info("stale UDP flows deleted", { flows: Math.min(stale.length, forgottenAtOnceMax) });
      } catch (error) {
        isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
        if (isMissing)
          log.warn(
            "conntrack is not installed (package conntrack): UDP clients of Services keep removed endpoints until they are silent for 30 s to 2 min",
          );
        else log.warn("stale UDP flows cannot be deleted", { error });
      }
    }),
  };
}

function deletionOf({ from, to }: Flow): string[] {
  const flow = { "--orig-src": from.address, "--orig-dst": to.address, "--sport": from.port, "--dport": to.port };
  return ["-D", "-p", "udp", ...Object.entries(flow).flat()];
}

async function run(command: readonly string[]): Promise<string> {
  return runProgram(command, { timeoutMs, outputBytesMax }).catch((error: ProgramFailure) => {
    // The flow did not exist, because it has ended in the meantime.
    if (error.code === 1) return error.stdout;
    throw error;
  });
}
