import { countedNoun, type ProfileName, profiles, textTable, type TimelineLine } from "@kintsugi/api";
import { explainFindings, inspectHost, type OciRuntime } from "@kintsugi/lab";
import { Option } from "commander";
import { openClusterView, podsOn } from "./cluster-view.ts";
import { openComposeStage } from "./compose-stage.ts";
import { openKubeconfigStage } from "./kubeconfig-stage.ts";
import { openLabStage } from "./lab-stage.ts";
import { allObserved, linesSince, type Phase, type Sightings, toPhases } from "./phases.ts";
import type { Stage } from "./stage.ts";
import { openVagrantStage } from "./vagrant-stage.ts";
import { busiestNode, crashContainer, deploy, killNode, returnNode, type Story } from "./story.ts";
import { formatSeconds } from "../output/terminal.ts";
import { type Command, type CommandContext, CommandError } from "../base/command.ts";
import { installWithStep } from "../base/install-with-step.ts";
import { readTimeline, timelineText } from "../timeline/timeline-command.ts";
import { addUpOptions, type UpOptions } from "../lifecycle/up-options.ts";

interface DemoOptions extends UpOptions {
  name: string;
  on: keyof typeof stages;
  profile: ProfileName;
  json?: boolean;
  keep?: boolean;
  stopNodeCommand?: string;
  startNodeCommand?: string;
  nodeShellCommand?: string;
}

/** The environments in which the demo can run. */
const stages = {
  lab: async (context: CommandContext, options: DemoOptions) => {
    await installWhatIsMissing(context, options.ociRuntime);
    return openLabStage(context, options);
  },
  compose: openComposeStage,
  vagrant: openVagrantStage,
  kubeconfig: openKubeconfigStage,
};

const demoName = "demo";

export const demo: Command = {
  declare(program, run) {
    addUpOptions(program.command("demo").description("Start a cluster, break it, and watch its recovery"))
      .addOption(
        new Option(
          "--on <what>",
          "lab: nodes on this host; compose: containers; vagrant: virtual machines; kubeconfig: an existing cluster",
        )
          .choices(Object.keys(stages))
          .default("lab"),
      )
      .option("--stop-node-command <line>", "with --on kubeconfig: line for sh that switches node $NODE off")
      .option("--start-node-command <line>", "with --on kubeconfig: line for sh that switches it on")
      .option("--node-shell-command <line>", "with --on kubeconfig: line for sh that runs $COMMAND on $NODE as root")
      .option("--json", "print one JSON object instead of the story")
      .option("--keep", "leave the cluster up")
      .option(
        "--kubeconfig <file>",
        "file to which the context is written, or from which --on kubeconfig reads the context (default: the file that kubectl uses)",
      )
      .action(
        run(async (context, options: DemoOptions & UpOptions) => {
          const named = {
            ...options,
            name: options.name ?? demoName,
            profile: options.profile ?? "fast",
          };
          await tellStory(context, named);
        }),
      );
  },
};

async function tellStory(context: CommandContext, options: DemoOptions): Promise<void> {
  const seen: Sightings = {};
  let failure: Error | undefined;
  let stage: Stage | undefined;
  let timeline: readonly TimelineLine[] = [];
  try {
    stage = await stages[options.on](context, options);
    if (stage.nodes.length < 2)
      throw new CommandError("the demo kills a node, so it needs at least two nodes that are Ready and schedulable");
    timeline = await playStory(context, stage, seen);
  } catch (error) {
    failure = error as Error;
  }
  const crash = stage === undefined || stage.machines.killContainer !== undefined;
  const profile = stage?.profile ?? options.profile;
  const phases = toPhases(seen, profiles[profile], { crash });
  // A demo that could not begin has no observations; programs get the object anyway.
  if (stage !== undefined || options.json === true)
    report(context, { options: { ...options, profile }, phases, timeline, failure });
  await stage?.leave({ keep: options.keep === true });
  if (failure) throw failure;
  if (!allObserved(phases)) throw new CommandError("not every phase was observed");
}

async function installWhatIsMissing({ config, terminal }: CommandContext, ociRuntime?: OciRuntime): Promise<void> {
  const findings = inspectHost(config.host, ociRuntime);
  const lacking = explainFindings(findings);
  if (lacking === undefined) return;
  if (!findings.canInstall) throw new CommandError(lacking);
  await installWithStep({ config, terminal }, [...findings.missing, ...findings.optional]);
  const stillLacking = explainFindings(inspectHost(config.host, ociRuntime));
  if (stillLacking !== undefined) throw new CommandError(stillLacking);
}

/** Plays the demo, and returns the timeline of the node that was killed. */
async function playStory(context: CommandContext, stage: Stage, seen: Sightings): Promise<TimelineLine[]> {
  const { terminal } = context;
  const { client, machines } = stage;
  const timers = profiles[stage.profile];
  const following = new AbortController();
  try {
    const view = await openClusterView(context, client, AbortSignal.any([context.signal, following.signal]));
    const patienceMs = timers.nodeMonitorGracePeriodMs + timers.defaultTolerationSeconds * 1000 + stage.patienceMs;
    const story: Story = { context, stage, client, view, seen, patienceMs };
    const replicas = await terminal.step("Deploying 6 web servers", () => deploy(story));
    const { killContainer } = machines;
    if (killContainer) {
      await terminal.step("Killing a container's process; its kubelet restarts it", (update) =>
        crashContainer(story, killContainer).then((pod) =>
          update(`Killed the process of ${pod}; its kubelet restarted it`),
        ),
      );
    }
    const victim = busiestNode(story);
    const pods = podsOn(view, victim).length;
    terminal.say(`   ${victim} has ${countedNoun(pods, "pod")}, the most of all nodes`);
    const lost = await terminal.step(`Killing ${victim}; waiting until ${replicas} pods are Ready on other nodes`, () =>
      killNode(story, victim, replicas),
    );
    await terminal.step(`Bringing ${victim} back; waiting until its leftovers are removed`, () =>
      returnNode(story, victim, lost),
    );
    const lines = await readTimeline(client, { profile: stage.profile }, { node: victim });
    return linesSince(lines, seen.lastHeartbeat ?? 0);
  } finally {
    following.abort();
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
  terminal.out("");
  for (const line of textTable(["PHASE", "TOOK", "TIMERS", "BEYOND THEM"], rows)) terminal.out(line);
  if (timeline.length > 0) {
    terminal.out("\nThe node that was killed, step by step; SINCE counts from its last heartbeat:\n");
    for (const line of timelineText(timeline)) terminal.out(line);
  }
  terminal.out("");
}
