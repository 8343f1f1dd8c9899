import { systemClock, systemRandom } from "@kintsugi/clock";
import { flag, type LogLevel, readFlags, runService } from "@kintsugi/daemon";
import { runSupervisor } from "@kintsugi/lab";
import { readConfig } from "./config.ts";

// The long-running process: it keeps one cluster's processes running and performs the actions of
// `kintsugi node`.
void runService({
  name: "supervisor",
  configure(argv) {
    const program = { name: "kintsugi-supervisor", description: "Keeps the processes of one cluster running." };
    const { name } = readFlags(program, { name: flag.text({ help: "Name of the cluster", required: true }) }, argv);
    return { name, logLevel: "info" as LogLevel };
  },
  async start({ name }, log) {
    const deps = { clock: systemClock, random: systemRandom, log };
    const { programs } = readConfig();
    return [{ name: "supervisor", run: (signal) => runSupervisor(deps, { name, programs }, signal) }];
  },
});
