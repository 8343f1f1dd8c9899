import type { AddedFault, PlayRequest } from "@kintsugi/story";

/** The scenario that a page without an address begins with. */
const firstScenario = "node-dead";

/** The faults that a viewer adds, by the names that scenarios have for them. */
export const playFaults = {
  "kill-node": { label: "Kill it", stays: true, forMs: undefined },
  "cut-node": { label: "Cut its cable for 2 min", stays: false, forMs: 120_000 },
  "kill-kubelet": { label: "Stop its kubelet for 2 min", stays: false, forMs: 120_000 },
} as const;

/** Writes an address to share: #scenario=node-dead&fault=kill-node,node-1,90000 */
export function writePlayAddress({ scenario, faults, settings }: PlayRequest): string {
  const query = new URLSearchParams({ scenario });
  for (const { fault, node, atMs, forMs } of faults)
    query.append("fault", [fault, node, atMs, ...(forMs === undefined ? [] : [forMs])].join(","));
  for (const each of settings) query.append("set", each);
  return `#${query.toString()}`;
}

/** Reads what `writePlayAddress` wrote; parts that are none are left out. */
export function readPlayAddress(hash: string): PlayRequest {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  return {
    scenario: query.get("scenario") ?? firstScenario,
    faults: query.getAll("fault").flatMap(readFault),
    settings: query.getAll("set").filter((each) => /^[\w.-]+=[^,]+$/.test(each)),
  };
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

/** The request with one setting changed; undefined takes the scenario's own. */
export function withSetting(request: PlayRequest, name: string, value: string | undefined): PlayRequest {
  const others = request.settings.filter((each) => !each.startsWith(`${name}=`));
  return { ...request, settings: value === undefined ? others : [...others, `${name}=${value}`] };
}

/** The value of a setting; undefined where the scenario's own holds. */
export function settingOf({ settings }: PlayRequest, name: string): string | undefined {
  return settings.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
}
