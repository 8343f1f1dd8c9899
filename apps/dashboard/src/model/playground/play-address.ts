import type { AddedCommand, AddedFault, PlayRequest } from "@kintsugi/story";
import { momentText } from "../moment.ts";

/** The default scenario of a page without an address. */
const firstScenario = "node-dead";

/** The faults that a viewer adds, by their names in scenarios. */
export const playFaults = {
  "kill-node": { label: "Kill it", stays: true, forMs: undefined },
  "cut-node": { label: "Cut its cable for 2 min", stays: false, forMs: 120_000 },
  "kill-kubelet": { label: "Stop its kubelet for 2 min", stays: false, forMs: 120_000 },
} as const;

/** The parts of an address in addition to the run itself. */
export interface AddressExtras {
  /** The moment that is shown first; undefined is the beginning. */
  readonly atMs?: number | undefined;
  /** The settings of the second run of a race. */
  readonly rival?: readonly string[];
  /** The seed of the game "survive", which determines the scenario, its faults and its settings. */
  readonly seed?: number | undefined;
}

/** Writes an address to share: #scenario=node-dead&fault=kill-node,node-1,90000&t=95.5 */
export function writePlayAddress(
  { scenario, faults, settings, commands = [] }: PlayRequest,
  { atMs: momentMs, rival = [], seed }: AddressExtras = {},
): string {
  const query = new URLSearchParams(seed === undefined ? { scenario } : { survive: String(seed) });
  if (seed === undefined) {
    for (const { fault, node, atMs, forMs } of faults)
      query.append("fault", [fault, node, atMs, ...(forMs === undefined ? [] : [forMs])].join(","));
    for (const each of settings) query.append("set", each);
  }
  for (const each of rival) query.append("rival", each);
  for (const { atMs, text, yaml } of commands)
    query.append("kubectl", `${atMs},${text}${yaml === undefined ? "" : `\n${yaml}`}`);
  if (momentMs !== undefined) query.set("t", momentText(momentMs));
  return `#${query.toString()}`;
}

/** Reads the result of `writePlayAddress`; invalid parts are skipped. */
export function readPlayAddress(hash: string): PlayRequest {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const commands = query.getAll("kubectl").flatMap(readCommand);
  return {
    scenario: query.get("scenario") ?? firstScenario,
    faults: query.getAll("fault").flatMap(readFault),
    settings: query.getAll("set").filter((each) => /^[\w.-]+=[^,]+$/.test(each)),
    ...(commands.length === 0 ? {} : { commands }),
  };
}

/**
 * Reads "90000,scale deployment/web --replicas=8"; the lines after the first are the text of the
 * editor.
 */
function readCommand(text: string): AddedCommand[] {
  const [first = "", ...rest] = text.split("\n");
  const comma = first.indexOf(",");
  const [at, line] = [first.slice(0, Math.max(0, comma)), first.slice(comma + 1).trim()];
  if (at === "" || !isTime(Number(at)) || line === "") return [];
  return [{ atMs: Number(at), text: line, ...(rest.length === 0 ? {} : { yaml: rest.join("\n") }) }];
}

function readFault(text: string): AddedFault[] {
  const [fault = "", node = "", at = "", lasts] = text.split(",");
  const atMs = Number(at);
  const forMs = lasts === undefined ? undefined : Number(lasts);
  if (!Object.hasOwn(playFaults, fault) || !/^[a-z0-9][a-z0-9.-]*$/.test(node)) return [];
  if (at === "" || !isTime(atMs) || (forMs !== undefined && !isTime(forMs))) return [];
  return [{ fault, node, atMs, ...(forMs === undefined ? {} : { forMs }) }];
}

function isTime(ms: number): boolean {
  return Number.isSafeInteger(ms) && ms >= 0;
}

/** The request with one setting changed; undefined restores the scenario's own value. */
export function withSetting(request: PlayRequest, name: string, value: string | undefined): PlayRequest {
  const others = request.settings.filter((each) => !each.startsWith(`${name}=`));
  return { ...request, settings: value === undefined ? others : [...others, `${name}=${value}`] };
}

/** The value of a setting; undefined if the scenario's own value applies. */
export function settingOf({ settings }: PlayRequest, name: string): string | undefined {
  return settings.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
}
