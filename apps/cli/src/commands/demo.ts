import { profiles, type TimelineLine } from "@kintsugi/api";
import { explainFindings, inspectHost, installPackages, type KnownCluster } from "@kintsugi/lab";
import { adminClient, contextName } from "../cluster-access.ts";
import { openClusterView, podsOn } from "../demo/cluster-view.ts";
import { allObserved, type Phase, type Sightings, toPhases } from "../demo/phases.ts";
import { busiestNode, crashContainer, deploy, killNode, returnNode, type Story } from "../demo/story.ts";
import { formatTable } from "../output/table.ts";
import { formatSeconds } from "../output/terminal.ts";
import { type Command, type CommandContext, CommandError } from "./command.ts";
import { takeDown } from "./down.ts";
import { readTimeline, timelineText } from "./timeline.ts";
import { addUpOptions, bringUp, count, type UpOptions } from "./up.ts";

interface DemoOptions extends UpOptions {
  json?: boolean;
  keep?: boolean;
}

const demoName = "demo";

export const demo: Command = {
  declare(program, run) {
    addUpOptions(program.command("demo").description("Start a cluster, break it, and watch it mend itself"))
      .option("--json", "print one JSON object instead of the story")
      .option("--keep", "leave the cluster up")
      .option("--kubeconfig <file>", "where to write the context (default: as kubectl)")
      .action(
        run(async (context, options: DemoOptions) => {
          const named = {
            ...options,
            name: options.name === "kintsugi" ? demoName : options.name,
            profile: options.profile ?? "fast",
          };
          await tellStory(context, named);
        }),
      );
  },
};

async function tellStory(context: CommandContext, options: DemoOptions): Promise<void> {
  const { terminal } = context;
  await installWhatIsMissing(context);
  const seen: Sightings = {};
  let failure: Error | undefined;
  let cluster: KnownCluster | undefined;
  let timeline: readonly TimelineLine[] = [];
  try {
    cluster = await bringUp(context, options);
    if (cluster.spec.nodes.length < 2)
      throw new CommandError("the demo kills a node, so it needs at least two: --nodes 2 or more");
    timeline = await playStory(context, cluster, seen);
  } catch (error) {
    failure = error as Error;
  }
  const phases = toPhases(seen, profiles[options.profile ?? "fast"]);
  report(context, { options, phases, timeline, failure });
  if (options.keep && cluster)
    terminal.say(
      `\nThe cluster stays up: kubectl get pods -o wide --context ${contextName(options.name)}\nTake it down with: kintsugi down --name ${options.name}`,
    );
  else await takeDown({ ...context, signal: AbortSignal.any([]) }, options.name, options.kubeconfig);
  if (failure) throw failure;
  if (!allObserved(phases)) throw new CommandError("not every phase was observed");
}

async function installWhatIsMissing({ config, terminal }: CommandContext): Promise<void> {
  const findings = inspectHost(config.host);
  const lacking = explainFindings(findings);
  if (lacking === undefined) return;
  if (!findings.isRoot || !findings.isLinux || !findings.hasApt) throw new CommandError(lacking);
  const packages = findings.missing.map((requirement) => requirement.package);
  await terminal.step(`Installing ${packages.join(" ")}`, () => installPackages(packages, () => {}));
}

/** Plays it, and gives the timeline of the node that was killed. */
async function playStory(context: CommandContext, cluster: KnownCluster, seen: Sightings): Promise<TimelineLine[]> {
  const { terminal } = context;
  const timers = profiles[cluster.spec.profile];
  const client = adminClient(context, cluster);
  const following = new AbortController();
  try {
    const view = await openClusterView(context, client, AbortSignal.any([context.signal, following.signal]));
    // What the timers ask for, and a minute for everything else.
    const patienceMs = timers.nodeMonitorGracePeriodMs + timers.defaultTolerationSeconds * 1000 + 60_000;
    const story: Story = { context, cluster, client, view, seen, patienceMs };
    const replicas = await terminal.step("Deploying 6 web servers", () => deploy(story));
    await terminal.step("Killing a container's process; its kubelet restarts it", (update) =>
      crashContainer(story).then((pod) => update(`Killed the process of ${pod}; its kubelet restarted it`)),
    );
    const victim = busiestNode(story);
    const pods = podsOn(view, victim).length;
    terminal.say(`   ${victim} holds ${count(pods, "pod")}, more than the others`);
    const lost = await terminal.step(`Killing ${victim}; waiting until ${replicas} pods are Ready elsewhere`, () =>
      killNode(story, victim, replicas),
    );
    await terminal.step(`Bringing ${victim} back; waiting until its leftovers are gone`, () =>
      returnNode(story, victim, lost),
    );
    const lines = await readTimeline(client, cluster, { node: victim });
    return lines.filter((line) => line.timeMs >= (seen.lastHeartbeat ?? 0));
  } finally {
    following.abort();
    await client.close();
  }
}

interface Outcome {
  options: DemoOptions;
  phases: readonly Phase[];
  timeline: readonly TimelineLine[];
  failure: Error | undefined;
}

function report({ terminal }: CommandContext, { options, phases, timeline, failure }: Outcome): void {
  if (options.json) {
    const observed = allObserved(phases);
    terminal.out(
      JSON.stringify({ profile: options.profile, observed, ...(failure ? { error: failure.message } : {}), phases }),
    );
    return;
  }
  const shown = (ms: number | undefined) => (ms === undefined ? "not seen" : formatSeconds(ms));
  const rows = phases.map((phase) => [
    phase.name,
    shown(phase.wallMs),
    phase.configuredMs > 0 ? formatSeconds(phase.configuredMs) : "-",
    shown(phase.overheadMs),
  ]);
  terminal.out("\nThe node that was killed, from its last heartbeat on:\n");
  for (const line of timelineText(timeline)) terminal.out(line);
  terminal.out("");
  for (const line of formatTable(["PHASE", "TOOK", "TIMERS", "BEYOND THEM"], rows)) terminal.out(line);
  terminal.out("");
}
