import type { ScenarioFile } from "@kintsugi/simulation";
import { type Document, isMap, isSeq, parse, parseDocument } from "yaml";
import { UsageError, type ScenarioText } from "./find-scenario.ts";
import { readScenario } from "./read-scenario.ts";

/**
 * The scenario with single settings changed: "timers.node-monitor-grace-period=20s",
 * "workloads.web.replicas=3", several separated by commas. A list entry is identified by its name,
 * or by its number counted from 1.
 * @throws UsageError, InvalidFile
 */
export function changeScenario({ source, text }: ScenarioText, changes: string): ScenarioFile {
  const document = parseDocument(text);
  for (const change of changes.split(",")) applyChange(document, change.trim());
  const { scenario, ...file } = readScenario({ text: document.toString(), source: `${source} with ${changes}` });
  return { ...file, scenario };
}

function applyChange(document: Document.Parsed, change: string): void {
  const equals = change.indexOf("=");
  if (equals < 1) throw new UsageError(`"${change}" is not a change; write for example profile=fast or nodes=5`);
  const path = pathIn(document, change.slice(0, equals).split("."));
  document.setIn(path, valueIn(change, equals + 1));
}

function valueIn(change: string, from: number): unknown {
  try {
    return parse(change.slice(from)) as unknown;
  } catch (error) {
    const [because] = (error as Error).message.split("\n");
    throw new UsageError(`"${change}" is not a change: ${because?.replace(/:$/, "")}`, { cause: error });
  }
}

/** Replaces names of list entries by their positions. */
function pathIn(document: Document.Parsed, words: readonly string[]): (string | number)[] {
  const path: (string | number)[] = [];
  for (const word of words) {
    const parent = path.length === 0 ? document.contents : document.getIn(path, true);
    path.push(isSeq(parent) ? placeIn(parent.items, word) : word);
  }
  return path;
}

function placeIn(items: readonly unknown[], word: string): number {
  const named = items.findIndex((item) => isMap(item) && item.get("name") === word);
  const place = named >= 0 ? named : Number(word) - 1;
  if (items[place] === undefined) throw new UsageError(`the list does not contain "${word}"`);
  return place;
}
