import { join } from "node:path";
import type { Logger } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { publishKubeconfig } from "./access/published-kubeconfig.ts";
import { kubectlEnvironment } from "./config.ts";
import type { TeamCluster } from "./gameday/game-day.ts";
import { slugOf } from "./gameday/gameday-file.ts";
import type { Incident } from "./gym/incident.ts";
import { program } from "./program.ts";
import { startIncident } from "./start-incident.ts";

/** Starts the cluster of a team in a round, and writes its kubeconfig into a directory. */
export async function startTeamCluster(
  { team, incident, seed }: { team: string; incident: Incident; seed: number },
  { directory, log }: { directory: string; log: Logger },
): Promise<TeamCluster> {
  // A team is an administrator, so its server has no routes for faults and the clock.
  const options = { ...program.readConfig(["--clock=steered", "--nodes=4"]), isSteeredByClients: false };
  const deps = { clock: systemClock, random: systemRandom, log };
  const { server, prepare } = await startIncident(deps, { incident, seed, options });
  const contextName = `gameday-${slugOf(team)}`;
  const kubeconfig = join(directory, slugOf(team));
  try {
    const request = { kubeconfig, contextName, isPrivate: true, environment: kubectlEnvironment() };
    const published = await publishKubeconfig({ clock: systemClock }, server, request);
    return {
      kubectl: `export KUBECONFIG=${published.file}\nkubectl --namespace shop get pods,events`,
      prepare,
      [Symbol.asyncDispose]: async () => {
        await published.remove();
        await server[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}
