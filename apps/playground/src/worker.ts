import "./node/globals.ts";
import { systemClock } from "@kintsugi/clock";
import { readDocuments } from "@kintsugi/rehearsal";
import { HeldRun, readRequest, readScenario, recordScenario, rehearseFor } from "@kintsugi/simulator/factory";
import type {
  AddedCommand,
  AskRequest,
  CompleteRequest,
  PlayAnswer,
  PlayRequest,
  RehearseRequest,
  SimulatorRequest,
} from "@kintsugi/story";
import { exampleClusters, shippedScenarios } from "shipped-scenarios";

// The program of the worker: it simulates one run after another, each with the real services
// under a virtual clock, and answers with its recording.

const texts = new Map(Object.entries(shippedScenarios));
const answer = (message: PlayAnswer) => postMessage(message);
let work = Promise.resolve();

onmessage = ({ data }: { data: SimulatorRequest }) => {
  work = work.then(() => carryOut(data));
};

function carryOut(request: SimulatorRequest): Promise<void> {
  if ("rehearse" in request) return rehearse(request);
  if ("ask" in request) return ask(request);
  if ("complete" in request) return complete(request);
  return play(request);
}

/** The run in which commands are executed. It is kept until another run is requested. */
let held: { readonly key: string; readonly run: HeldRun } | undefined;

/** Pauses the run of a request at a time, with the commands up to then. */
async function heldAt(request: PlayRequest, atMs: number): Promise<HeldRun> {
  const key = keyOf(request, atMs);
  if (held?.key === key) return held.run;
  await held?.run.close();
  held = undefined;
  const run = await HeldRun.open(readRequest(request, texts), { atMs, commands: request.commands ?? [] });
  held = { key, run };
  return run;
}

function keyOf({ commands = [], ...request }: PlayRequest, atMs: number): string {
  return JSON.stringify({ ...request, commands: commands.filter((command) => command.atMs <= atMs), atMs });
}

async function ask({ ask: request, command }: AskRequest): Promise<void> {
  try {
    const run = await heldAt(request, command.atMs);
    const { lines, isChange, yaml } = await run.run(command);
    // The paused run now has the command.
    if (isChange) held = { key: keyOf(withCommand(request, command), command.atMs), run };
    answer({ is: "told", command, lines, isChange, ...(yaml === undefined ? {} : { yaml }) });
  } catch (error) {
    answer({ is: "told", command, lines: [`error: ${(error as Error).message}`], isChange: false });
  }
}

function withCommand(request: PlayRequest, command: AddedCommand): PlayRequest {
  return { ...request, commands: [...(request.commands ?? []), command] };
}

async function complete({ complete: request, command }: CompleteRequest): Promise<void> {
  try {
    const run = await heldAt(request, command.atMs);
    answer({ is: "completed", command, words: await run.complete(command) });
  } catch {
    // A run that cannot be paused makes the command itself report the reason.
    answer({ is: "completed", command, words: [] });
  }
}

async function rehearse({ rehearse: example, flags }: RehearseRequest): Promise<void> {
  try {
    const text = Object.hasOwn(exampleClusters, example) ? exampleClusters[example] : undefined;
    if (text === undefined) throw new Error(`there is no example cluster "${example}"`);
    const name = `the example ${example}`;
    const source = { ...readDocuments(text, name), name, isWhole: true };
    const subject = { is: "rehearsal", example, flags, proof: [] } as const;
    answer({ is: "rehearsed", lines: await rehearseFor(subject, source) });
  } catch (error) {
    answer({ is: "refused", because: (error as Error).message });
  }
}

async function play(request: PlayRequest): Promise<void> {
  const startedMs = systemClock.monotonicMs();
  try {
    const { report, story } = await recordScenario(readRequest(request, texts), request.commands, progressOf());
    const { digest, failure } = report;
    const tookMs = systemClock.monotonicMs() - startedMs;
    answer({ is: "played", recording: story(), digest, ...(failure === undefined ? {} : { failure }), tookMs });
  } catch (error) {
    answer({ is: "refused", because: (error as Error).message });
  }
}

/** Reports each whole percent once. */
function progressOf(): { onProgress: (part: number) => void } {
  let told = 0;
  return {
    onProgress(part) {
      const percent = Math.floor(part * 100);
      if (percent <= told) return;
      told = percent;
      answer({ is: "simulated", part });
    },
  };
}

answer({
  is: "ready",
  scenarios: [...texts].map(([name, text]) => {
    const { description, scenario } = readScenario({ text, source: `${name}.yaml` });
    return { name, description, profile: scenario.profile };
  }),
});
