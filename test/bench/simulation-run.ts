import { type DrawOptions, drawScenario, runScenario } from "@kintsugi/simulator/factory";
import type { Scenario } from "@kintsugi/simulation";

// One measured run of a simulated cluster, in a process of its own: node simulation-run.mjs HOURS
// FAULT_EVERY_SECONDS ELECTIONS Prints
// {"virtualHours":…,"cpuSeconds":…,"cpuSecondsByHour":[…],"faults":…,"changes":…}.

const [hours = "1", faultEverySeconds = "0", elections = "off"] = process.argv.slice(2);
const hourMs = 3_600_000;
/** The code is compiled after this time, as in a run of many seeds. */
const warmUpHours = 1;

/**
 * 3 nodes and 30 pods in the articles' profile. Without faults, the cluster only renews its Leases.
 */
function aRun(seed: number, durationMs: number): Scenario {
  const options: DrawOptions = { nodes: 3, profile: "default", durationMs };
  const { faults, ...drawn } = drawScenario(seed, options);
  const everyMs = Number(faultEverySeconds) * 1000;
  const wanted = everyMs === 0 ? 0 : Math.round(durationMs / everyMs);
  const step = faults.length / Math.max(1, wanted);
  return {
    ...drawn,
    mode: "safety",
    workloads: [{ name: "web", replicas: 30, cpu: "100m" }],
    faults: faults
      .filter((_, index) => wanted > 0 && Math.floor(index / step) !== Math.floor((index - 1) / step))
      .map((fault) =>
        drawn.workloads.some(({ name }) => name === fault.target) ? { ...fault, target: "web" } : fault,
      ),
    world: { bus: true, leaderElection: elections === "on", latencyMaxMs: 40, operationsPerSecond: 0 },
  };
}

await runScenario(aRun(1, warmUpHours * hourMs));
const before = cpuSeconds();
const hourEnds: number[] = [];
const result = await runScenario(aRun(2, Number(hours) * hourMs), {
  observe: ({ clock }) => {
    const note = () => {
      hourEnds.push(cpuSeconds());
      clock.after(hourMs, note);
    };
    clock.after(hourMs, note);
    return undefined;
  },
});
const after = cpuSeconds();
if (result.failure) throw new Error(`${result.failure.check}: ${result.failure.message}`);
console.log(
  JSON.stringify({
    virtualHours: result.virtualMs / hourMs,
    cpuSeconds: after - before,
    cpuSecondsByHour: hourEnds.map((end, hour) => end - (hourEnds[hour - 1] ?? before)),
    faults: Object.values(result.faults).reduce((sum, { reached }) => sum + reached, 0),
    changes: result.changes,
  }),
);

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
