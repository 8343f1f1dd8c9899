import type { ScenarioFile } from "@kintsugi/simulation";
import { changeScenario } from "./change-scenario.ts";
import { readScenario } from "./read-scenario.ts";
import type { PlayRequest } from "@kintsugi/story";
import { parseDocument } from "yaml";

/** Maximum number of faults in a link; viewers add faults by hand. */
const faultsMax = 20;
const settingsMax = 20;
const commandsMax = 20;
/** Longer runs take minutes and fill the tab's memory. */
const runMaxMs = 60 * 60_000;
/** Time for which a fault near the end of a run is followed: Kubernetes' timers take 6 min. */
const followMs = 8 * 60_000;
/** Time within which a command shows its effect. */
const followAfterCommandMs = 2 * 60_000;

/**
 * The scenario of a request, with the viewer's faults and settings. Its expectations apply to the
 * original scenario, and are left out if the viewer changes it.
 * @param texts the original scenarios by name
 * @throws Error with a sentence for an invalid request
 */
export function readRequest(request: PlayRequest, texts: ReadonlyMap<string, string>): ScenarioFile {
  const { scenario, faults, settings, commands = [] } = request;
  const text = texts.get(scenario);
  if (text === undefined) throw new Error(`there is no scenario "${scenario}"`);
  if (faults.length > faultsMax) throw new Error(`a run has at most ${faultsMax} added faults`);
  if (settings.length > settingsMax) throw new Error(`a run has at most ${settingsMax} changed settings`);
  if (commands.length > commandsMax) throw new Error(`a run has at most ${commandsMax} commands`);
  const source = `${scenario}.yaml`;
  if (faults.length + settings.length + commands.length === 0) return withinLimits(readScenario({ text, source }));
  const document = parseDocument(text);
  for (const { atMs, fault, node, forMs } of faults) {
    const lasts = forMs === undefined ? { stays: true } : { for: seconds(forMs) };
    const added = { at: seconds(atMs), fault, node, ...lasts };
    if (document.has("faults")) document.addIn(["faults"], document.createNode(added));
    else document.set("faults", document.createNode([added]));
  }
  const { durationMs } = readScenario({ text, source }).scenario;
  const untilMs = Math.max(
    0,
    ...faults.map(({ atMs, forMs = 0 }) => atMs + forMs + followMs),
    ...commands.map(({ atMs }) => atMs + followAfterCommandMs),
  );
  if (untilMs > durationMs) document.set("run", seconds(untilMs));
  const written = { text: document.toString(), source };
  const changed = settings.length === 0 ? readScenario(written) : changeScenario(written, settings.join(","));
  return withinLimits({ ...changed, expect: [] });
}

function withinLimits(file: ScenarioFile): ScenarioFile {
  if (file.scenario.durationMs > runMaxMs) throw new Error(`a run lasts at most ${runMaxMs / 60_000} minutes here`);
  return file;
}

/** Scenarios have whole milliseconds. */
function seconds(ms: number): string {
  return `${Math.round(ms)}ms`;
}
