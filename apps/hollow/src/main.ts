import type { Logger } from "@kintsugi/api";
import { createHttpPool, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { followFiles, type Loop, runService } from "@kintsugi/daemon";
import { type HollowConfig, readConfig } from "./config.ts";
import { Fleet } from "./fleet.ts";

void runService({ name: "hollow", configure: readConfig, start });

function start(config: HollowConfig, log: Logger): Promise<readonly Loop[]> {
  const [clock, random] = [systemClock, systemRandom];
  const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
  const pool = createHttpPool({ clock, random }, { ...access, credentials, userAgent: "kintsugi-hollow/v0.1.0" });
  const fleet = new Fleet({ pool, clock, random, log }, config);
  return Promise.resolve([
    followFiles({ clock, log }, followed),
    { name: "hollow nodes", run: (signal) => fleet.run(signal).finally(() => pool.close()) },
  ]);
}
